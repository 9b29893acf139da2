import { HTTP_ERRORS, failure as httpFailure } from '../http/http-errors.js';
import { parseJson, requestIdsIn } from '../http/request-body.js';
import { failure } from '../wire/messages.js';

/** Why requests get an error instead of their answers. The HTTP status counts if the body contains no request. */
export interface SubstituteReason {
  readonly code: number;
  readonly message: string;
  readonly status: number;
}

export const LATE: SubstituteReason = {
  code: HTTP_ERRORS.late,
  message:
    'The server did not answer in time. Request less at once. Its operator can allow more time: an HTTP API waits 30 s at most, a streaming function URL or REST API 15 minutes.',
  status: 504,
};

export const TOO_LONG: SubstituteReason = {
  code: HTTP_ERRORS.internal,
  message:
    'The answer is longer than the 6 MB that Lambda allows. Request less at once. Its operator can stream responses.',
  status: 500,
};

/**
 * Makes a response with a JSON-RPC error for each request, so that a host learns which of its requests failed, and why.
 * An HTTP status alone does not tell it.
 *
 * @param body the text of the HTTP request
 * @param reason why its requests failed
 * @returns the response, a batch for a batch; an HTTP error if there are no requests
 */
export function substituteResponse(body: string, reason: SubstituteReason): Response {
  const { code, message, status } = reason;
  const sent = parseJson(body);
  const errors = requestIdsIn(sent).map((id) => failure(id, code, message));
  if (errors.length === 0) return httpFailure(status, code, message);
  return Response.json(Array.isArray(sent) ? errors : errors[0]);
}
