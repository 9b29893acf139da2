import { type ErrorClass, errorClass } from '../errors.js';
import { textOf } from '../http/streams/text-response.js';
import type { HttpEvent } from './event.js';

/** The result that Lambda turns into an HTTP response. */
export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Payload format 2.0. */
  readonly cookies?: readonly string[];
  /** Payload format 1.0: headers with several values. A REST API rejects results with `cookies`. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

const TooLongErrorBase: ErrorClass<'TooLongError', 'ANSWER_TOO_LONG'> = errorClass(
  'TooLongError',
  'ANSWER_TOO_LONG',
);

/** The answer is longer than Lambda allows. */
export class TooLongError extends TooLongErrorBase {}

/** Bytes of JSON that the body may have. Lambda allows 6 MB in all; 64 KB are reserved for status and headers. */
const LONGEST = 6 * 1024 * 1024 - 64 * 1024;
/** A body of this many characters is never too long, because a character takes at most six bytes in JSON (`\\u001f`). */
const SHORT = LONGEST / 6;

/** Media types whose bytes are UTF-8. Bodies of other types are sent as base64. */
const TEXT = /^(text\/|application\/json\b|application\/[\w.-]+\+json\b)/i;

/**
 * @param response the HTTP response
 * @param event the event that it answers, which has the payload format
 * @returns status and headers of the response, in the form that Lambda expects
 */
export function toHead(
  response: Response,
  { version }: Pick<HttpEvent, 'version'>,
): Omit<HttpResult, 'body' | 'isBase64Encoded'> {
  const cookies = response.headers.getSetCookie();
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'));
  const head = { statusCode: response.status, headers };
  if (cookies.length === 0) return head;
  return version === '1.0' ? { ...head, multiValueHeaders: { 'set-cookie': cookies } } : { ...head, cookies };
}

/**
 * Makes the result of an invocation. Rejects with a `TooLongError` if the result is longer than Lambda allows: the
 * platform would respond with a 502 instead.
 *
 * @param response the HTTP response; its body is read to the end
 * @param event the event that it answers, which has the payload format
 * @returns the result, with a binary body as base64
 */
export async function toResult(
  response: Response,
  event: Pick<HttpEvent, 'version'> = {},
): Promise<HttpResult> {
  const isText = TEXT.test(response.headers.get('content-type') ?? 'text/plain');
  const body = isText ? await textOf(response) : Buffer.from(await response.arrayBuffer()).toString('base64');
  // Lambda sends the body as a string within JSON, so escapes count.
  const length = body.length > SHORT ? Buffer.byteLength(JSON.stringify(body)) : 0;
  if (length > LONGEST) {
    throw new TooLongError(`The answer has ${length} bytes as a string within JSON. Lambda allows 6 MB.`);
  }
  return { ...toHead(response, event), body, isBase64Encoded: !isText };
}
