/**
 * The members that are read from an event of an HTTP API (payload format 2.0) or a function URL. Both have this shape.
 * An event of a REST API is read into it too.
 */
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
    readonly domainName?: string | undefined;
    readonly requestId?: string | undefined;
    /** Set by the authorizer in front of the function. A client cannot set it. */
    readonly authorizer?: Authorizer | undefined;
  };
}

/** What the authorizer of an HTTP API, a function URL or a REST API found out about the caller. */
export interface Authorizer {
  /** A JWT authorizer, or an authorizer of Amazon Cognito. */
  readonly jwt?: {
    readonly claims?: Readonly<Record<string, unknown>>;
  };
  /** The context that a Lambda authorizer returned. */
  readonly lambda?: Readonly<Record<string, unknown>> | null;
  /** The identity that signed the request (SigV4). */
  readonly iam?: IamIdentity;
}

/** The AWS identity that signed a request. */
export interface IamIdentity {
  readonly accountId?: string | null;
  readonly callerId?: string | null;
  readonly principalOrgId?: string | null;
  readonly userArn?: string | null;
  readonly userId?: string | null;
  readonly cognitoIdentity?: { readonly identityId?: string | null } | null;
}

/** `fetch` can represent every method but these: https://fetch.spec.whatwg.org/#methods */
const FORBIDDEN_METHOD = /^(connect|trace|track)$/i;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;

/** @returns whether a `Request` can have the method of an event; a client can send any text */
export function isRequestMethod(method: string): boolean {
  return TOKEN.test(method) && !FORBIDDEN_METHOD.test(method);
}

/**
 * Makes the HTTP request that an event describes.
 *
 * @param event the event
 * @param signal aborts the request when its response is no longer needed
 * @returns the request; a GET without a body if no `Request` can have the method of the event
 * @example
 * new URL(toRequest(event).url).pathname; // '/mcp'
 */
export function toRequest(event: HttpEvent, signal: AbortSignal | null = null): Request {
  const { rawPath, rawQueryString, requestContext, body, isBase64Encoded } = event;
  const method = isRequestMethod(requestContext.http.method) ? requestContext.http.method : 'GET';
  const query = rawQueryString ? `?${rawQueryString}` : '';
  // Concatenated, because a path like //elsewhere would name another host if it were resolved against a base URL.
  const url = new URL(`https://${requestContext.domainName ?? 'localhost'}${rawPath}${query}`);
  const hasBody = body !== undefined && body !== null && !/^(get|head)$/i.test(method);
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
