import type { Configuration } from '../../engine/configuration.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { LISTS, type Request, read } from '../../wire/messages.js';
import { HANDSHAKE } from '../enforce/generated/exceptions.js';
import { hiddenNames } from '../enforce/hidden-names.js';
import { areSeveral } from '../enforce/of-servers.js';
import { hasTexts, redactMembers } from '../enforce/redact-texts.js';
import { textRedaction } from '../enforce/text-redaction.js';
import { canChange } from '../request/configure.js';
import { ask, type Lists, type Settling } from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';

type Result = Record<string, unknown>;

/** Returns whether the answer to `initialize` or `server/discover` may name something hidden, for example in its instructions. */
const mayName = (facts: RequestFacts, result: Result, configuration: Configuration): boolean =>
  facts.isEnforced && canChange(configuration) && hasTexts(result, HANDSHAKE);

/**
 * Redacts the server's instructions by the lists that are held. Without the lists they are withheld: a server need not
 * answer other requests before it is initialized, so they cannot be fetched.
 *
 * @param facts the request for `initialize`
 * @param result the server's result
 * @param configuration the values in effect
 * @returns the result; the same object if the instructions stay as they are
 */
export function* redactInstructions(
  facts: RequestFacts,
  result: Result,
  configuration: Configuration,
): Settling<Result> {
  if (!mayName(facts, result, configuration)) return result;
  const lists = yield* ask({ need: 'held' });
  const isComplete = neededKinds(result).every((kind) => lists[kind] !== undefined);
  return isComplete ? redactWith(facts.request, result, lists, configuration) : withheld(result);
}

/** Does the same for `server/discover`. A server of 2026-07-28 answers any request at any time, so its lists are fetched. */
export function* redactDiscovered(facts: Facts, result: Result): Settling<Result> {
  const { configuration, request } = facts;
  if (!mayName(facts, result, configuration)) return result;
  const { lists, enough } = yield* ask({ need: 'lists', kinds: neededKinds(result) });
  return enough ? redactWith(request, result, lists, configuration) : withheld(result);
}

/** Returns the lists that a server has, by its capabilities. */
const neededKinds = (result: Result): readonly Kind[] =>
  KINDS.filter((kind) => read(result, 'capabilities', LISTS[kind].capability) !== undefined);

function redactWith(request: Request, result: Result, lists: Lists, configuration: Configuration): Result {
  if (result.instructions !== undefined && typeof result.instructions !== 'string') return withheld(result);
  const redactAs = (server?: string) =>
    textRedaction(hiddenNames(lists, configuration, server), request, undefined);
  const bySection = (text: string): string =>
    text
      .split(SECTIONS)
      .map((section) => redactAs(SECTION.exec(section)?.[1])(section))
      .join('');
  return redactMembers(result, areSeveral(lists) === true ? bySection : redactAs(), HANDSHAKE);
}

/** How the instructions of one of several servers begin. */
const SECTION = /^## Server ([a-z0-9-]+): /;
const SECTIONS = /(?=^## Server [a-z0-9-]+: )/m;

/** Leaves out what has texts. */
const withheld = (result: Result): Result =>
  Object.fromEntries(
    Object.entries(result).filter(([name, value]) => !hasTexts({ [name]: value }, HANDSHAKE)),
  );
