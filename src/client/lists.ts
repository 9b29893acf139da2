import { LISTS, read } from '../core/wire/messages.js';
import { walkPages } from '../core/wire/page-walker.js';
import { type Declaration, list } from './declaration.js';
import { PreferencesError } from './errors.js';
import type { Kind } from './request-meta.js';
import type { HostClient } from './sdk.js';

/** The client's method for each list. */
export interface ListMethods extends Readonly<Record<Kind, keyof HostClient>> {
  readonly tools: 'listTools';
  readonly prompts: 'listPrompts';
  readonly resources: 'listResources';
  readonly resourceTemplates: 'listResourceTemplates';
}

export const LIST_METHODS: ListMethods = {
  tools: 'listTools',
  prompts: 'listPrompts',
  resources: 'listResources',
  resourceTemplates: 'listResourceTemplates',
};

/** No real list has more pages. */
const MAX_PAGES = 1000;

/**
 * Fetches all pages of a list. Clients of SDK v2 do that themselves; clients of v1 fetch one page.
 *
 * @param field the member of a page that has its items
 * @param params the parameters of each request; if they contain a cursor, only that page is fetched
 * @param fetchPage sends a request with these parameters
 * @returns the first page, without its cursor, and with the items of all pages
 * @throws {PreferencesError} `LIST_ENDLESS` if a cursor is repeated, or after 1000 pages
 * @throws the client's own errors
 */
export async function fetchAll(
  field: string,
  params: object | undefined,
  fetchPage: (page: object | undefined) => Promise<object>,
): Promise<object> {
  const first = await fetchPage(params);
  if (read(first, 'nextCursor') === undefined || read(params, 'cursor') !== undefined) return first;

  const items: unknown[] = [];
  const { end, pages } = await walkPages<object>(
    async (cursor) => (cursor === undefined ? first : fetchPage({ ...params, cursor })),
    {
      bounds: { pages: MAX_PAGES + 1 },
      onPage: (page) => {
        const found = list(read(page, field));
        items.push(...found);
        return found.length;
      },
    },
  );
  if (end.kind === 'failed') throw end.error;
  if (end.kind !== 'complete') {
    const message = `The server's list of ${field} has no last page (${pages} pages were fetched). Pass a cursor to fetch single pages.`;
    throw new PreferencesError('LIST_ENDLESS', message);
  }
  const { nextCursor: _, ...rest }: { nextCursor?: unknown } = first;
  return { ...rest, [field]: items };
}

/**
 * Checks that a server declares the fields of a client's own filter: a server that does not would ignore them, and show more.
 *
 * @throws {PreferencesError} `FILTER_UNSUPPORTED`
 */
export function checkFilter(declaration: Declaration, kind: Kind, filter: unknown): void {
  if (typeof filter !== 'object' || filter === null) return;
  const supported = (declaration.declared && declaration.filtering[LISTS[kind].capability]) || [];
  const missing = Object.keys(filter).filter((field) => !supported.includes(field));
  if (missing.length === 0) return;
  const message = `The server does not declare the filter ${missing.join(', ')} for its list of ${kind}, so it would ignore it. Leave it out, and filter the list.`;
  throw new PreferencesError('FILTER_UNSUPPORTED', message);
}
