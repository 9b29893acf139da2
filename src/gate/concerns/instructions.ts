import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { LISTS, read } from '../../wire/messages.js';
import { nowOrLater } from '../../wire/now-or-later.js';
import { heldLists } from '../enforce/held-lists.js';
import { hiddenNameFinder } from '../enforce/hidden-names.js';
import { textRedaction } from '../enforce/text-redaction.js';
import type { Lists } from '../enforce/visibility.js';
import { withLists } from '../gather/with-lists.js';
import { canChange } from '../request/can-change.js';
import type { Exchange } from '../request/exchange.js';

type Result = Record<string, unknown>;

/** Warns an operator that a client did not get the server's instructions. */
export const WITHHELD: ConcernWarning = {
  code: 'instructions-withheld',
  message:
    "The server's instructions are withheld: they may name hidden primitives, and the server's lists are not known yet.",
};

/** Returns whether the instructions in the answer to `initialize` or `server/discover` may name something hidden. */
function mayName({ isEnforced }: Exchange, result: Result, configuration: Configuration): boolean {
  return isEnforced && result.instructions !== undefined && canChange(configuration);
}

/**
 * Redacts the server's instructions by the lists that are held. Without the lists they are withheld: a server need not
 * answer other requests before it is initialized, so they cannot be fetched.
 *
 * @param exchange the request for `initialize`
 * @param result the server's result
 * @param configuration the values in effect
 * @returns the result; the same object if the instructions stay as they are
 */
export function redactInstructions(exchange: Exchange, result: Result, configuration: Configuration): Result {
  if (!mayName(exchange, result, configuration)) return result;
  const lists = heldLists(exchange.connection, configuration.policy);
  const isComplete = neededKinds(result).every((kind) => lists[kind] !== undefined);
  return isComplete ? redactWith(exchange, result, lists, configuration) : withheld(result);
}

/** Does the same for `server/discover`. A server of 2026-07-28 answers any request at any time, so its lists are fetched. */
export function redactDiscovered(exchange: Exchange, result: Result): Result | Promise<Result> {
  const { configuration } = exchange;
  if (!mayName(exchange, result, configuration)) return result;
  return nowOrLater((then) => {
    withLists(exchange, { kinds: neededKinds(result) }, (lists, enough) => {
      then(enough ? redactWith(exchange, result, lists, configuration) : withheld(result));
    });
  });
}

/** Returns the lists that a server has, by its capabilities. */
const neededKinds = (result: Result): readonly Kind[] =>
  KINDS.filter((kind) => read(result, 'capabilities', LISTS[kind].capability) !== undefined);

function redactWith(
  { request }: Exchange,
  result: Result,
  lists: Lists,
  configuration: Configuration,
): Result {
  const { instructions } = result;
  if (typeof instructions !== 'string') return withheld(result);
  const redact = textRedaction(hiddenNameFinder(lists, configuration), request, undefined);
  return { ...result, instructions: redact(instructions) };
}

function withheld({ instructions: _instructions, ...rest }: Result): Result {
  return rest;
}
