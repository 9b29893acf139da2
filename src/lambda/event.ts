import { ConcernsError } from '../errors.js';
import { textOf } from '../http/text-response.js';

/** The members that are read from an event of an HTTP API (payload format 2.0) or a function URL. Both have this shape. */
export interface HttpEvent {
  readonly version?: string;
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Names in lower case. The values of a header that was sent several times are joined by commas. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Lambda passes cookies apart from the other headers. */
  readonly cookies?: readonly string[];
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly http: { readonly method: string };
    readonly domainName?: string;
    readonly requestId?: string;
    /** Set by the JWT authorizer of an HTTP API. A client cannot set it. */
    readonly authorizer?: {
      readonly jwt?: {
        readonly claims?: Readonly<Record<string, unknown>>;
        readonly scopes?: readonly string[] | null;
      };
    };
  };
}

/** The result that Lambda turns into an HTTP response. */
export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** The function was invoked with an event that is not an HTTP request. */
export class EventError extends ConcernsError {
  readonly code = 'EVENT_INVALID';
  override readonly name = 'EventError';
}

/** The answer is longer than Lambda allows. */
export class TooLongError extends ConcernsError {
  readonly code = 'ANSWER_TOO_LONG';
  override readonly name = 'TooLongError';
}

/** Bytes of JSON that the body may have. Lambda allows 6 MB in all; 64 KB are reserved for status and headers. */
const LONGEST = 6 * 1024 * 1024 - 64 * 1024;
/** A body of this many characters is never too long, because a character takes at most six bytes in JSON (`\\u001f`). */
const SHORT = LONGEST / 6;

/** Media types whose bytes are UTF-8. Bodies of other types are sent as base64. */
const TEXT = /^(text\/|application\/json\b|application\/[\w.-]+\+json\b)/i;

/**
 * Checks that an event has payload format 2.0. REST APIs and the test events of the console have other formats.
 *
 * @param event the event
 * @throws {EventError} if it has another format
 */
export function checkEvent(event: HttpEvent): void {
  const { rawPath, requestContext } = (event ?? {}) as Partial<HttpEvent>;
  if (typeof rawPath === 'string' && typeof requestContext?.http?.method === 'string') return;
  const message =
    'The event is not an HTTP request of payload format 2.0. Call the function through an HTTP API or its URL.';
  throw new EventError(message);
}

/**
 * Makes the HTTP request that an event describes.
 *
 * @param event the event
 * @param signal aborts the request when its response is no longer needed
 * @returns the request
 * @example
 * new URL(toRequest(event).url).pathname; // '/mcp'
 */
export function toRequest(event: HttpEvent, signal: AbortSignal | null = null): Request {
  const { rawPath, rawQueryString, requestContext, body, isBase64Encoded } = event;
  const { method } = requestContext.http;
  const query = rawQueryString ? `?${rawQueryString}` : '';
  // Concatenated, because a path like //elsewhere would name another host if it were resolved against a base URL.
  const url = new URL(`https://${requestContext.domainName ?? 'localhost'}${rawPath}${query}`);
  const hasBody = body !== undefined && body !== null && method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
    signal,
    headers: headersOf(event),
    ...(hasBody ? { body: isBase64Encoded === true ? Buffer.from(body, 'base64') : body } : {}),
  });
}

function headersOf(event: HttpEvent): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    try {
      if (value !== undefined) headers.set(name, value);
    } catch {
      // A header may not contain these bytes. No header that is read here needs them.
    }
  }
  if (event.cookies !== undefined && event.cookies.length > 0)
    headers.set('cookie', event.cookies.join('; '));
  return headers;
}

/** @returns status and headers of a response, in the form that Lambda expects */
export function toHead(response: Response): Pick<HttpResult, 'statusCode' | 'headers' | 'cookies'> {
  const cookies = response.headers.getSetCookie();
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'));
  return { statusCode: response.status, headers, ...(cookies.length === 0 ? {} : { cookies }) };
}

/**
 * Makes the result of an invocation. Rejects with a `TooLongError` if the result is longer than Lambda allows: the
 * platform would respond with a 502 instead.
 *
 * @param response the HTTP response; its body is read to the end
 * @returns the result, with a binary body as base64
 */
export async function toResult(response: Response): Promise<HttpResult> {
  const isText = TEXT.test(response.headers.get('content-type') ?? 'text/plain');
  const body = isText ? await textOf(response) : Buffer.from(await response.arrayBuffer()).toString('base64');
  // Lambda sends the body as a string within JSON, so escapes count.
  const length = body.length > SHORT ? Buffer.byteLength(JSON.stringify(body)) : 0;
  if (length > LONGEST) {
    throw new TooLongError(`The answer has ${length} bytes as a string within JSON. Lambda allows 6 MB.`);
  }
  return { ...toHead(response), body, isBase64Encoded: !isText };
}
