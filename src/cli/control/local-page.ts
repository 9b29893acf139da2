import { sameSecret } from '../../http/same-secret.js';

/** A page, and what it may load. */
export interface LocalPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/**
 * Refuses requests that another page could have made: `Host` names another server if its name was bound to 127.0.0.1, and
 * `Origin` tells where a page came from.
 *
 * @param request a request to 127.0.0.1
 * @param port the port that the process listens on
 * @returns the refusal; `undefined` if the request may come from a page of this process
 */
export function refusedOrigin(request: Request, port: number): Response | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(request.headers.get('host') ?? '')) {
    return problem(403, 'The Host header names another server.');
  }
  const origin = request.headers.get('origin');
  if (origin !== null && !hosts.some((host) => origin === `http://${host}`)) {
    return problem(403, 'Pages of other origins may not use this address.');
  }
  return undefined;
}

/** Returns whether a request has the key, which is compared in constant time. */
export const hasKey = (request: Request, key: string): boolean =>
  sameSecret(request.headers.get('authorization')?.replace(/^Bearer /i, '') ?? '', key);

const PROTECTION = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export function pageResponse(page: LocalPage): Response {
  const headers = {
    ...PROTECTION,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': page.contentSecurityPolicy,
  };
  return new Response(page.html, { headers });
}

export const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { ...PROTECTION, ...headers } });

export const problem = (status: number, error: string): Response =>
  json(status, { error }, status === 401 ? { 'www-authenticate': 'Bearer' } : {});

/** The text of a file that leads a browser to an address. A key must not be an argument of a program: every user can read those. */
export const openerTo = (url: string): string =>
  `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}">`;
