import { failure as errorOf } from '../../wire/messages.js';
import type { FetchOptions } from '../fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http-errors.js';
import { requestIdsIn } from '../request-body.js';
import { ServerError } from './new-servers.js';

const FAILED = 'The server failed on this request. Its log has the reason.';

/** Nginx's status for a request whose client has gone. Nobody reads it. */
const CLIENT_GONE = 499;

/**
 * Answers a request that failed, so that a handler never rejects: each request of the body gets an error with its id.
 *
 * @param cause why it failed, which only the log gets
 * @param request the HTTP request
 * @param body the JSON of its body
 * @param given where the reason is told; without it, it is written to the console, as a program would that fails
 * @returns the response, a batch for a batch
 */
export function failedRequest(
  cause: unknown,
  request: Request,
  body: unknown,
  { failed = console.error }: FetchOptions,
): Response {
  if (request.signal.aborted) return failure(CLIENT_GONE, HTTP_ERRORS.late, 'The request was aborted.');
  const isAboutServer = cause instanceof ServerError;
  failed(isAboutServer ? (cause.cause ?? cause) : cause);
  const message = isAboutServer ? cause.message : FAILED;
  const errors = requestIdsIn(body).map((id) => errorOf(id, HTTP_ERRORS.internal, message));
  if (errors.length === 0) return failure(500, HTTP_ERRORS.internal, message);
  return Response.json(Array.isArray(body) ? errors : errors[0], { status: 500 });
}
