import { ERRORS } from '../../wire/messages.js';
import { ask, type RequestOutcome, type RequestSteps, refuse, reply } from '../request/decision.js';
import { quoteValue } from '../request/quote-value.js';
import { targetOf } from '../table/routing.js';

/**
 * Decides a request that names a primitive of the gate. It never reaches the server, which may have one of that name itself.
 * The answer may wait for the person. Later messages of the client, which can contain the person's answer, do not wait for it.
 */
export function* judgePanel(): RequestSteps<RequestOutcome> {
  const facts = yield* ask({ need: 'preferences', invalid: 'ignore' });
  const answer = yield* ask({ need: 'panel' });
  const result = yield* answer(facts);
  if (result !== undefined) return reply(result, () => [{}]);
  const name = quoteValue(targetOf(facts.request)?.name);
  return refuse(ERRORS.invalidParams, `${name} is reserved for switching, and does not exist here.`);
}
