import { ConcernsError } from '../../core/errors.js';
import { readJson } from '../../core/http/request-body.js';
import { sameSecret } from '../../core/http/same-secret.js';
import { SessionGoneError } from './switch-errors.js';

/** A page, and what it may load. */
interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** A page of this process, and what opens everything below it. */
interface LocalPageOptions {
  /** Where the page is, for example `/panel`. */
  readonly path: string;
  /** 32 random bytes as text. Whoever knows it can do what the page does. */
  readonly key: string;
  /** The command that opens the page with its key. */
  readonly command: string;
  /** The longest body of a request, in bytes. */
  readonly maxBody: number;
  readonly load: () => Promise<Page>;
}

/** What a page asks of its process. */
export interface PageRequest {
  /** The method, and the path below that of the page: `GET /sessions`. */
  readonly route: string;
  /** The JSON of a PUT. */
  readonly body: unknown;
  /** Aborted when the page disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Answers a request, unless `listenLocally` refused it: another page could have sent it. `undefined` if its path is not that of
 * the page or below it.
 */
export type PageHandler = (request: Request, refused: Response | undefined) => Promise<Response | undefined>;

/**
 * Answers the requests for a page, and those that it sends with its key, which is compared in constant time. The page itself
 * contains no secret and needs no key.
 *
 * @param options the page and its key
 * @param answer answers what the page asks; `undefined` if there is nothing
 * @returns answers a request, unless `listenLocally` refused it: another page could have sent it. `undefined` if its path is
 *   not that of the page or below it
 */
export function localPage(
  { path, key, command, maxBody, load }: LocalPageOptions,
  answer: (request: PageRequest) => Promise<Response | undefined>,
): PageHandler {
  return async (request, refused) => {
    const { pathname } = new URL(request.url);
    if (pathname !== path && !pathname.startsWith(`${path}/`)) return undefined;
    if (refused !== undefined) return refused;
    const { method, signal } = request;
    const route = `${method} ${pathname.slice(path.length)}`;
    if (route === 'GET ') return pageResponse(await load());
    const given = request.headers.get('authorization')?.replace(/^Bearer /i, '') ?? '';
    if (!sameSecret(given, key))
      return problem(401, `The key is missing or wrong. Run "mcp-concerns ${command}".`);
    const body = method === 'PUT' ? await readJson(request, {}, maxBody) : { value: undefined };
    if (body instanceof Response) return problem(body.status, 'The body is too long, or it is not JSON.');
    try {
      return (await answer({ route, body: body.value, signal })) ?? problem(404, 'There is nothing here.');
    } catch (cause) {
      if (!(cause instanceof ConcernsError)) throw cause;
      return problem(cause instanceof SessionGoneError ? 404 : 422, cause.message);
    }
  };
}

const PROTECTION = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

function pageResponse({ html, contentSecurityPolicy }: Page): Response {
  const headers = {
    ...PROTECTION,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
  };
  return new Response(html, { headers });
}

export const json = (body: object, status = 200): Response =>
  Response.json(body, { status, headers: PROTECTION });

export function problem(status: number, error: string): Response {
  const response = json({ error }, status);
  if (status === 401) response.headers.set('www-authenticate', 'Bearer');
  return response;
}

/** The text of a file that leads a browser to an address. A key must not be an argument of a program: every user can read those. */
export const openerTo = (url: string): string =>
  `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}">`;
