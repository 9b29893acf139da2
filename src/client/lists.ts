import { read } from '../wire/messages.js';
import { walkPages } from '../wire/page-walker.js';
import { list } from './declaration.js';
import { PreferencesError } from './errors.js';
import type { Kind } from './request-meta.js';
import { callClient, type HostClient } from './sdk.js';

/** The client's method for each list. */
export const LIST_METHODS = {
  tools: 'listTools',
  prompts: 'listPrompts',
  resources: 'listResources',
  resourceTemplates: 'listResourceTemplates',
} as const satisfies { readonly [K in Kind]: keyof HostClient };

/** No real list has more pages. */
const MAX_PAGES = 1000;

/**
 * Fetches all pages of a list. Clients of SDK v2 do that themselves; clients of v1 fetch one page.
 *
 * @param client the client
 * @param kind which list
 * @param params the parameters of each request; if they contain a cursor, only that page is fetched
 * @param options the options of each request
 * @returns the first page, without its cursor, and with the items of all pages
 * @throws {PreferencesError} `LIST_ENDLESS` if a cursor is repeated, or after 1000 pages
 * @throws the client's own errors
 */
export async function listAll(
  client: HostClient,
  kind: Kind,
  params: object | undefined,
  options: object | undefined,
): Promise<object> {
  const fetchPage = (page: object | undefined) => callClient(client, LIST_METHODS[kind], [page, options]);
  const first = await fetchPage(params);
  if (read(first, 'nextCursor') === undefined || read(params, 'cursor') !== undefined) return first;

  const items: unknown[] = [];
  const { end, pages } = await walkPages<object>(
    async (cursor) => (cursor === undefined ? first : fetchPage({ ...params, cursor })),
    {
      bounds: { pages: MAX_PAGES + 1 },
      onPage: (page) => {
        const found = list(read(page, kind));
        items.push(...found);
        return found.length;
      },
    },
  );
  if (end.kind === 'failed') throw end.error;
  if (end.kind !== 'complete') {
    const message = `The server's list of ${kind} has no last page (${pages} pages were fetched). Pass a cursor to fetch single pages.`;
    throw new PreferencesError('LIST_ENDLESS', message);
  }
  const { nextCursor: _, ...rest }: { nextCursor?: unknown } = first;
  return { ...rest, [kind]: items };
}
