import { failure, HTTP_ERRORS } from '../http/http-errors.js';
import { parseJson, requestIdsIn } from '../http/request-body.js';
import type { RequestId } from '../wire/messages.js';

/** The ids of the requests in a body: one id, a list for a batch, `undefined` if the body contains no request. */
export type RequestIds = RequestId | readonly RequestId[] | undefined;

/** Why requests get an error instead of their answers. */
export interface SubstituteReason {
  readonly code: number;
  readonly message: string;
  /** The HTTP status if the body contains no request. */
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
 * Finds the requests in a body.
 *
 * @param body the text of an HTTP request
 * @returns the ids of the requests
 */
export function requestIds(body: string): RequestIds {
  const sent = parseJson(body);
  const ids = requestIdsIn(sent);
  return Array.isArray(sent) ? ids : ids[0];
}

/** @returns the JSON-RPC error that a request gets instead of its answer */
export function substituteError(id: RequestId, { code, message }: SubstituteReason): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/**
 * Makes a response with a JSON-RPC error for each request, so that a host learns which of its requests failed, and why.
 * An HTTP status alone does not tell it.
 *
 * @param ids the requests
 * @param reason why they failed
 * @returns the response; an HTTP error if there are no requests
 */
export function substituteResponse(ids: RequestIds, reason: SubstituteReason): Response {
  if (typeof ids === 'string' || typeof ids === 'number') return Response.json(substituteError(ids, reason));
  if (ids !== undefined && ids.length > 0) return Response.json(ids.map((id) => substituteError(id, reason)));
  return failure(reason.status, reason.code, reason.message);
}
