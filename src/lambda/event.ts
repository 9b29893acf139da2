import { textOf } from '../http/text-response.js';

/** What is read of an event of an HTTP API (payload format 2.0) or a function URL: they have the same shape. */
export interface HttpEvent {
  readonly version?: string;
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Lower-case names; values of a header that came several times are joined by commas. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Cookies come apart from the other headers. */
  readonly cookies?: readonly string[];
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly http: { readonly method: string };
    readonly domainName?: string;
    readonly requestId?: string;
    /** Filled by a JWT authorizer of an HTTP API, and by nothing that a client sends. */
    readonly authorizer?: {
      readonly jwt?: {
        readonly claims?: Readonly<Record<string, unknown>>;
        readonly scopes?: readonly string[] | null;
      };
    };
  };
}

/** The answer that Lambda turns into an HTTP response. */
export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** The function was invoked with something else than an HTTP request. */
export class EventError extends Error {
  readonly code = 'EVENT_INVALID';
  override readonly name = 'EventError';
}

/** The answer is longer than Lambda takes. */
export class TooLongError extends Error {
  readonly code = 'ANSWER_TOO_LONG';
  override readonly name = 'TooLongError';
}

/** Bytes of JSON that a buffered function may return; a little is kept for status and headers. */
const LONGEST = 6 * 1024 * 1024 - 64 * 1024;
/** Characters that cannot become too long: none becomes more than six bytes (`\\u001f`). */
const SHORT = LONGEST / 6;

/** Types whose bytes are UTF-8; everything else is sent as base64. */
const TEXT = /^(text\/|application\/json\b|application\/[\w.-]+\+json\b)/i;

/** @throws {EventError} if a value is no event of payload format 2.0, as REST APIs and tests of the console send them */
export function checkEvent(event: HttpEvent): void {
  const { rawPath, requestContext } = (event ?? {}) as Partial<HttpEvent>;
  if (typeof rawPath === 'string' && typeof requestContext?.http?.method === 'string') return;
  const message =
    'The event is no HTTP request of payload format 2.0; call the function through an HTTP API or its URL.';
  throw new EventError(message);
}

/**
 * Makes the HTTP request that an event tells of.
 *
 * @param event the event
 * @param signal ends the request when nobody waits for its answer any more
 * @returns the request
 * @example
 * new URL(toRequest(event).url).pathname; // '/mcp'
 */
export function toRequest(event: HttpEvent, signal: AbortSignal | null = null): Request {
  const { rawPath, rawQueryString, requestContext, body, isBase64Encoded } = event;
  const { method } = requestContext.http;
  const query = rawQueryString ? `?${rawQueryString}` : '';
  // Written as one text: a path like //elsewhere would name another host if it were resolved against a base.
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
      // Bytes that no header may have: nothing that is read here needs them.
    }
  }
  if (event.cookies !== undefined && event.cookies.length > 0)
    headers.set('cookie', event.cookies.join('; '));
  return headers;
}

/** @returns status and headers of a response, in the form that events are answered in */
export function toHead(response: Response): Pick<HttpResult, 'statusCode' | 'headers' | 'cookies'> {
  const cookies = response.headers.getSetCookie();
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'));
  return { statusCode: response.status, headers, ...(cookies.length === 0 ? {} : { cookies }) };
}

/**
 * Makes the answer to an event.
 *
 * @param response the HTTP response; its body is read to the end
 * @returns the answer, binary bodies as base64
 * @throws {TooLongError} if Lambda would not take it: the platform would answer in its place, with a 502
 */
export async function toResult(response: Response): Promise<HttpResult> {
  const isText = TEXT.test(response.headers.get('content-type') ?? 'text/plain');
  const body = isText ? await textOf(response) : Buffer.from(await response.arrayBuffer()).toString('base64');
  // It is sent as a text within JSON.
  const length = body.length > SHORT ? Buffer.byteLength(JSON.stringify(body)) : 0;
  if (length > LONGEST) {
    throw new TooLongError(`The answer has ${length} bytes as a text within JSON; Lambda takes 6 MB.`);
  }
  return { ...toHead(response), body, isBase64Encoded: !isText };
}
