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

/** Types whose bytes are UTF-8; everything else is sent as base64. */
const TEXT = /^(text\/|application\/json\b|application\/[\w.-]+\+json\b)/i;

/**
 * Makes the HTTP request that an event tells of.
 *
 * @param event the event
 * @returns the request
 * @throws {EventError} if it is no event of payload format 2.0
 * @example
 * new URL(toRequest(event).url).pathname; // '/mcp'
 */
export function toRequest(event: HttpEvent): Request {
  const method = (event as Partial<HttpEvent> | null)?.requestContext?.http?.method;
  if (typeof method !== 'string' || typeof event.rawPath !== 'string') {
    const message =
      'The event is no HTTP request of payload format 2.0; call the function through an HTTP API or its URL.';
    throw new EventError(message);
  }
  const { rawPath, rawQueryString, requestContext, body, isBase64Encoded } = event;
  const query = rawQueryString ? `?${rawQueryString}` : '';
  // Written as one text: a path like //elsewhere would name another host if it were resolved against a base.
  const url = new URL(`https://${requestContext.domainName ?? 'localhost'}${rawPath}${query}`);
  const hasBody = body !== undefined && body !== null && method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
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
 */
export async function toResult(response: Response): Promise<HttpResult> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isText = TEXT.test(response.headers.get('content-type') ?? 'text/plain');
  return {
    ...toHead(response),
    body: bytes.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
  };
}
