import { failure, HTTP_ERRORS } from './http-errors.js';

/** What browser hosts send beside what every page may send. */
const REQUEST_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Last-Event-ID',
  'Mcp-Concerns',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
];
/** What browser hosts must be able to read: their session, and where to log in. */
const RESPONSE_HEADERS = 'Mcp-Session-Id, WWW-Authenticate';
/** Seconds that a browser may keep the answer to a preflight; Chrome takes no more. */
const MAX_AGE = '7200';

/** What an endpoint says to the page that a request comes from. */
export interface PageAnswer {
  /** The whole answer, if the request is not to be looked at any further: a refusal, or a preflight. */
  readonly response?: Response;
  /** Adds what the page's browser needs to see to the answer. */
  readonly allow: (response: Response) => Response;
}

/**
 * Judges the page that a request comes from. Programs send no `Origin`, pages of the endpoint's own origin are taken,
 * other pages must be listed: MCP asks servers to refuse pages that they do not know.
 *
 * @param request the HTTP request
 * @param origins the origins whose pages may use the endpoint; `*` for all
 * @returns a refusal (403), the answer to a preflight, or what to add to the answer
 * @example
 * judgePage(request, ['https://host.example']).allow(response);
 */
export function judgePage(request: Request, origins: readonly string[]): PageAnswer {
  const origin = request.headers.get('origin');
  if (origin === null || origin === new URL(request.url).origin) return { allow: (response) => response };
  if (!origins.includes(origin) && !origins.includes('*')) {
    const message = 'Pages of this origin may not use this endpoint; its operator can add the origin.';
    const response = failure(403, HTTP_ERRORS.refused, message, { Vary: 'Origin' });
    return { response, allow: (answer) => answer };
  }
  const allow = (response: Response): Response => allowed(response, origin);
  const asked = request.headers.get('access-control-request-method');
  if (request.method !== 'OPTIONS' || asked === null) return { allow };
  const headers = {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE',
    'Access-Control-Allow-Headers': requestHeaders(request).join(', '),
    'Access-Control-Max-Age': MAX_AGE,
  };
  return { response: allow(new Response(null, { status: 204, headers })), allow };
}

/** Newer protocol versions add headers whose names depend on a tool's parameters; all of them begin with `Mcp-`. */
function requestHeaders(request: Request): string[] {
  const asked = request.headers.get('access-control-request-headers') ?? '';
  const more = asked.split(',').map((name) => name.trim().toLowerCase());
  const known = new Set(REQUEST_HEADERS.map((name) => name.toLowerCase()));
  return [...REQUEST_HEADERS, ...more.filter((name) => /^mcp-[\w-]+$/.test(name) && !known.has(name))];
}

function allowed(response: Response, origin: string): Response {
  const headers = new Headers(response.headers);
  headers.set('Access-Control-Allow-Origin', origin);
  headers.set('Access-Control-Expose-Headers', RESPONSE_HEADERS);
  headers.append('Vary', 'Origin');
  const { status, body } = response;
  return new Response(body, { status, headers });
}
