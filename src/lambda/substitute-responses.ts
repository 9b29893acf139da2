import { failure, HTTP_ERRORS } from '../http/http-errors.js';
import { type RequestId, read } from '../protocol/messages/wire.js';

/** The requests of a body: one id, a list of them if it is a batch, nothing if it asks for nothing. */
export type RequestIds = RequestId | readonly RequestId[] | undefined;

/** Why requests do not get their answers. */
export interface Reason {
  readonly code: number;
  readonly message: string;
  /** The HTTP status where no request can be told. */
  readonly status: number;
}

export const LATE: Reason = {
  code: HTTP_ERRORS.late,
  message: 'The server did not answer in time; ask for less at once, or raise the function timeout.',
  status: 504,
};

export const TOO_LONG: Reason = {
  code: HTTP_ERRORS.internal,
  message:
    'The answer is longer than the 6 MB that Lambda takes; ask for less at once, or use a function URL that streams.',
  status: 500,
};

/**
 * Finds the requests in a body.
 *
 * @param body the text of an HTTP request
 * @returns their ids
 */
export function requestIds(body: string): RequestIds {
  let sent: unknown;
  try {
    sent = JSON.parse(body);
  } catch {
    return undefined;
  }
  const ids = (Array.isArray(sent) ? sent : [sent]).flatMap((message) => {
    const id = read(message, 'method') === undefined ? undefined : read(message, 'id');
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
  return Array.isArray(sent) ? ids : ids[0];
}

/** @returns the JSON-RPC error that a request gets in the place of its answer */
export function errorInstead(id: RequestId, { code, message }: Reason): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/**
 * Answers requests with errors, so that a host learns which of its calls failed and why: it would not, by a status of
 * HTTP alone.
 *
 * @param ids the requests
 * @param reason why
 * @returns a JSON-RPC error for each request; an HTTP error if there are none
 */
export function answerInstead(ids: RequestIds, reason: Reason): Response {
  if (typeof ids === 'string' || typeof ids === 'number') return Response.json(errorInstead(ids, reason));
  if (ids !== undefined && ids.length > 0) return Response.json(ids.map((id) => errorInstead(id, reason)));
  return failure(reason.status, reason.code, reason.message);
}
