import type { Failure } from '../../wire/messages.js';
import { canChange } from '../request/configure.js';
import { isEnforced, type RequestFacts } from '../request/facts.js';
import { configurationNow, heldNow, type Settling } from '../request/needs.js';
import { hiddenNameFinder } from './hidden-names.js';
import { redactError } from './result-redaction.js';
import { textRedaction } from './text-redaction.js';

/**
 * Redacts an error that the server answered to a request that names no primitive, under `enforce`. Only lists that are held
 * already tell what is hidden: the request may be the one for a list.
 *
 * @param facts the request
 * @param message the answer
 * @returns the answer for the client
 */
export function* redactFailure(facts: RequestFacts, message: Failure): Settling<Failure> {
  if (!isEnforced(facts)) return message;
  const configuration = yield* configurationNow();
  if (!canChange(configuration)) return message;
  const redact = textRedaction(hiddenNameFinder(yield* heldNow(), configuration), facts.request, undefined);
  return { ...message, error: redactError(message.error, redact) };
}
