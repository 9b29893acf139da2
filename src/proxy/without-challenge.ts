import type { CallAnswer } from '../core/wire/calls.js';
import { type Members, membersOf, read } from '../core/wire/messages.js';
import type { AnswerOverHttp } from './call.js';
import { withoutMeta } from './eras/envelope.js';

/** The key of `_meta` with which a result demands a login (OpenAI Apps SDK, "Triggering authentication UI"). */
const CHALLENGE_META = 'mcp/www_authenticate';

/**
 * Returns an answer without what its server demands of callers. Where the endpoint has several servers, or an issuer of its
 * own, a host would log in to the endpoint with it, and send one server what belongs to another.
 *
 * @returns the status in `data`, if the server refused the request over HTTP
 */
export function withoutChallenge(answer: AnswerOverHttp): CallAnswer {
  if ('result' in answer) return { result: withoutDemand(answer.result) };
  const { error, http } = answer;
  if (http !== undefined) return { error: { ...error, data: { status: http.status } } };
  // Servers can write the member that the gate writes for hosts over stdio.
  if (read(error, 'data', 'wwwAuthenticate') === undefined) return { error };
  const { wwwAuthenticate: _challenge, ...data } = membersOf(error.data);
  return { error: { ...error, data } };
}

function withoutDemand(result: Members): Members {
  // A task of 2026-07-28 has the result of its call.
  const ofTask = membersOf(result.result);
  const isInTask = read(ofTask, '_meta', CHALLENGE_META) !== undefined;
  const own = isInTask ? { ...result, result: withoutMeta(ofTask, [CHALLENGE_META]) } : result;
  return read(own, '_meta', CHALLENGE_META) === undefined ? own : withoutMeta(own, [CHALLENGE_META]);
}
