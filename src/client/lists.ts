import { walkPages } from '../protocol/messages/page-walker.js';
import { read } from '../protocol/messages/wire.js';
import type { Kind } from './carry.js';
import { ConcernsError } from './errors.js';
import { callClient, type HostClient } from './sdk.js';

/** The client's method for each list. */
export const LIST_METHODS = {
  tools: 'listTools',
  prompts: 'listPrompts',
  resources: 'listResources',
  resourceTemplates: 'listResourceTemplates',
} as const satisfies { readonly [K in Kind]: keyof HostClient };

/** A list that has more pages than this has no end. */
const MAX_PAGES = 1000;

/**
 * Takes a list to its last page. Clients of SDK v2 walk the pages themselves, those of v1 take one at a time.
 *
 * @param client the client
 * @param kind what to list
 * @param params the parameters of each page; with a cursor, that one page is taken
 * @param options options of each request
 * @returns the first page with the items of all, and without a cursor
 * @throws {ConcernsError} `LIST_ENDLESS` if a cursor comes again, or after 1000 pages
 * @throws the client's own errors
 */
export async function listAll(
  client: HostClient,
  kind: Kind,
  params: object | undefined,
  options: object | undefined,
): Promise<object> {
  const take = (page: object | undefined) => callClient(client, LIST_METHODS[kind], [page, options]);
  const first = await take(params);
  if (read(first, 'nextCursor') === undefined || read(params, 'cursor') !== undefined) return first;

  const items: unknown[] = [];
  const { end, pages } = await walkPages<object>(
    async (cursor) => (cursor === undefined ? first : take({ ...params, cursor })),
    {
      bounds: { pages: MAX_PAGES + 1 },
      onPage: (page) => {
        const found = itemsOf(page, kind);
        items.push(...found);
        return found.length;
      },
    },
  );
  if (end.kind === 'failed') throw end.error;
  if (end.kind !== 'complete') {
    const message = `The server's list of ${kind} does not end (${pages} pages); take its pages one by one.`;
    throw new ConcernsError('LIST_ENDLESS', message);
  }
  const { nextCursor: _last, ...rest } = first as { nextCursor?: unknown };
  return { ...rest, [kind]: items };
}

function itemsOf(page: object, kind: Kind): readonly unknown[] {
  const items = read(page, kind);
  return Array.isArray(items) ? items : [];
}
