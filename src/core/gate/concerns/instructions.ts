import type { Configuration } from '../../engine/configuration.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { LISTS, type Request, read } from '../../wire/messages.js';
import { HANDSHAKE } from '../enforce/exceptions.js';
import { hiddenNameFinder } from '../enforce/hidden-names.js';
import { areSeveral } from '../enforce/of-servers.js';
import { hasTexts, redactMembers } from '../enforce/redact-texts.js';
import { textRedaction } from '../enforce/text-redaction.js';
import { canChange } from '../request/configure.js';
import { ask, type FoundLists, type Lists, type ResponseSteps } from '../request/decision.js';
import type { RequestFacts } from '../request/facts.js';

type Result = Record<string, unknown>;

/**
 * Redacts the texts in the answer to `initialize` or `server/discover`, such as the server's instructions. Without the lists they
 * are withheld.
 *
 * @param facts the request
 * @param result the server's result
 * @param configuration the values in effect
 * @returns the result; the same object if the texts stay as they are
 */
export function* redactInstructions(
  facts: RequestFacts,
  result: Result,
  configuration: Configuration,
): ResponseSteps<Result> {
  if (!facts.isEnforced || !canChange(configuration) || !hasTexts(result, HANDSHAKE)) return result;
  const kinds = KINDS.filter((kind) => read(result, 'capabilities', LISTS[kind].capability) !== undefined);
  // A server of 2026-07-28 answers any request at any time. Others need not, before they are initialized.
  const isDiscover = facts.route.to === 'discover';
  const { lists, enough } = isDiscover ? yield* ask({ need: 'lists', kinds }) : yield* heldLists(kinds);
  return enough ? redactWith(facts.request, result, lists, configuration) : withheld(result);
}

function* heldLists(kinds: readonly Kind[]): ResponseSteps<FoundLists> {
  const lists = yield* ask({ need: 'held' });
  return { lists, enough: kinds.every((kind) => lists[kind] !== undefined) };
}

function redactWith(request: Request, result: Result, lists: Lists, configuration: Configuration): Result {
  if (result.instructions !== undefined && typeof result.instructions !== 'string') return withheld(result);
  const redactAs = (server?: string) =>
    textRedaction(hiddenNameFinder(lists, configuration, server), request, undefined);
  const bySection = (text: string): string =>
    text
      .split(SECTIONS)
      .map((section) => redactAs(SECTION.exec(section)?.[1])(section))
      .join('');
  return redactMembers(result, areSeveral(lists) ? bySection : redactAs(), HANDSHAKE);
}

/** How the instructions of one of several servers begin. */
const SECTION = /^## Server ([a-z0-9-]+): /;
const SECTIONS = /(?=^## Server [a-z0-9-]+: )/m;

/** Leaves out what has texts. */
const withheld = (result: Result): Result =>
  Object.fromEntries(
    Object.entries(result).filter(([name, value]) => !hasTexts({ [name]: value }, HANDSHAKE)),
  );
