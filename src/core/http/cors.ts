import { failure, HTTP_ERRORS } from './http-errors.js';

/** Headers that hosts in a browser send, beyond those that every page may send. */
const REQUEST_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Last-Event-ID',
  'Mcp-Concerns',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
];
/** Headers that hosts in a browser must be able to read: the session, and where to log in. */
const RESPONSE_HEADERS = 'Mcp-Session-Id, WWW-Authenticate';
/** Seconds that a browser may cache the response to a preflight: the maximum that Chrome allows. */
const MAX_AGE = '7200';

/** How an endpoint responds to the web page that sent a request. */
interface PageDecision {
  /** The complete response, if the request goes no further: a refusal, or the response to a preflight. */
  readonly response?: Response;
  /** Adds the headers that the browser of the page needs to a response. */
  readonly allow: (response: Response) => Response;
}

/** The response stays as it is, whatever page sent the request. */
export const ANY_PAGE: PageDecision = { allow: (response) => response };

/**
 * Decides whether the web page that sent a request may use the endpoint. Programs send no `Origin`, and pages of the
 * endpoint's own origin are allowed. Other pages must be listed, because MCP requires servers to validate `Origin`:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 *
 * @param request the HTTP request
 * @param origins the origins whose pages may use the endpoint; `*` for all
 * @returns a refusal (403), the response to a preflight, or what to add to the response
 * @example
 * checkOrigin(request, ['https://host.example']).allow(response);
 */
export function checkOrigin(request: Request, origins: readonly string[]): PageDecision {
  const origin = request.headers.get('origin');
  if (origin === null || origin === new URL(request.url).origin) return ANY_PAGE;
  if (!origins.includes(origin) && !origins.includes('*')) {
    const message = 'Pages of this origin may not use this endpoint. Its operator can add the origin.';
    return { ...ANY_PAGE, response: failure(403, HTTP_ERRORS.refused, message, { Vary: 'Origin' }) };
  }
  const allow = (response: Response): Response => {
    const headers = new Headers(response.headers);
    headers.set('Access-Control-Allow-Origin', origin);
    headers.set('Access-Control-Expose-Headers', RESPONSE_HEADERS);
    headers.append('Vary', 'Origin');
    return new Response(response.body, { status: response.status, headers });
  };
  const preflighted = request.headers.get('access-control-request-method');
  if (request.method !== 'OPTIONS' || preflighted === null) return { allow };
  const headers = {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE',
    'Access-Control-Allow-Headers': requestHeaders(request).join(', '),
    'Access-Control-Max-Age': MAX_AGE,
  };
  return { response: allow(new Response(null, { status: 204, headers })), allow };
}

/**
 * Newer protocol versions add headers whose names depend on the parameters of a tool. All of them begin with `Mcp-`. Those
 * with which hosts filter tools by name begin with `X-MCP-`.
 */
function requestHeaders(request: Request): string[] {
  const requested = request.headers.get('access-control-request-headers') ?? '';
  const more = requested.split(',').map((name) => name.trim().toLowerCase());
  const known = new Set(REQUEST_HEADERS.map((name) => name.toLowerCase()));
  return [...REQUEST_HEADERS, ...more.filter((name) => /^(x-)?mcp-[\w-]+$/.test(name) && !known.has(name))];
}
