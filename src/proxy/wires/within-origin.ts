import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { UpstreamError } from '../upstream-error.js';

/** How many redirects of one request are followed. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** All others turn a POST into a GET. */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);

/**
 * Follows redirects within the origin of a URL only: the headers can have secrets, and the body has arguments. A redirect of a
 * GET that needs no method is returned, because the transport of the SDK decides about it in the same way.
 *
 * @param reach sends one request
 * @returns what sends a request; rejects with an UpstreamError if the server redirects it elsewhere, or too often
 * @example
 * const fetch = withinOrigin(globalThis.fetch);
 */
export const withinOrigin =
  (reach: FetchLike): FetchLike =>
  async (given, init) => {
    let url = new URL(given);
    for (let followed = 0; ; followed++) {
      const response = await reach(url, { ...init, redirect: 'manual' });
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      const keepsMethod = KEEPS_METHOD.has(response.status);
      if (location === null || (!keepsMethod && init?.method !== 'POST')) return response;
      await response.body?.cancel();
      const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
      if (next === undefined || !keepsMethod || !isWithin(url, next)) throw notFollowed(next);
      if (followed === MAX_REDIRECTS) throw notFollowed(next, `more than ${MAX_REDIRECTS} times, last `);
      url = next;
    }
  };

/** Whether a URL has the origin of another one, or is the same host by https. */
function isWithin(from: URL, to: URL): boolean {
  if (to.username !== from.username || to.password !== from.password) return false;
  const isUpgrade =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return to.origin === from.origin || (isUpgrade && to.hostname === from.hostname);
}

/** The server is well, and did not run the request. */
const notFollowed = (to: URL | undefined, often = ''): UpstreamError =>
  new UpstreamError(`it redirects ${often}to ${to?.origin ?? 'an invalid URL'}, which is not followed`, {
    isRefused: true,
  });
