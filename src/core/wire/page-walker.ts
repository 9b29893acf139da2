import { type Answer, errorOf, type Failure, type Members, read } from './messages.js';

/** How far to follow the pages of a list. Each bound that is not given is that of `MAX_WALK`. */
export interface WalkBounds {
  readonly pages?: number;
  readonly items?: number;
  /** Checked when a page arrives: a page that never arrives is for the caller to time out. */
  readonly milliseconds?: number;
}

/** The bounds of every walk: more than any real server lists, so only a server that never ends its list reaches them. */
export const MAX_WALK: Required<WalkBounds> = { pages: 10_000, items: 1_000_000, milliseconds: 10 * 60_000 };

/**
 * Why a walk ended. `repeated-cursor`: the server sent a cursor that was already followed, so its pages have no end. `failed`
 * carries what the server answered instead of a page, or what was thrown.
 */
export type WalkEnd<E = unknown> =
  | { readonly kind: 'complete' | 'too-many-pages' | 'too-many-items' | 'too-slow' | 'repeated-cursor' }
  | { readonly kind: 'failed'; readonly error: E };

/** What to do after a page: fetch the next one with `cursor`, or stop. */
export type WalkStep =
  | { readonly kind: 'more'; readonly cursor: string | number }
  | Exclude<WalkEnd, { kind: 'failed' }>;

/**
 * Follows the cursors of one list without fetching anything itself, so it works with callbacks and with promises
 * (MCP, "Pagination").
 *
 * @example
 * const walk = new PageWalk({ pages: 100 });
 * const step = walk.next(page, page.tools.length);
 * if (step.kind === 'more') fetchPage(step.cursor);
 */
export class PageWalk {
  private readonly followed = new Set<string | number>();
  private readonly started: number;
  private readonly bounds: Required<WalkBounds>;
  /** How many pages arrived. */
  pages = 0;
  private items = 0;

  /**
   * @param bounds how far to go
   * @param now returns the time in milliseconds
   */
  constructor(
    bounds: WalkBounds = {},
    private readonly now: () => number = () => performance.now(),
  ) {
    this.bounds = { ...MAX_WALK, ...bounds };
    this.started = now();
  }

  /**
   * Takes a page that arrived.
   *
   * @param page the result that contains `nextCursor`, if there is a next page
   * @param items how many items the page has
   * @returns the cursor of the next page, or why the walk ends here. The last page always ends it as `complete`.
   */
  next(page: unknown, items = 0): WalkStep {
    const { bounds } = this;
    this.pages += 1;
    this.items += items;
    const cursor = read(page, 'nextCursor');
    if (typeof cursor !== 'string' && typeof cursor !== 'number') return { kind: 'complete' };
    if (this.followed.has(cursor)) return { kind: 'repeated-cursor' };
    if (this.pages >= bounds.pages) return { kind: 'too-many-pages' };
    if (this.items > bounds.items) return { kind: 'too-many-items' };
    if (this.now() - this.started >= bounds.milliseconds) return { kind: 'too-slow' };
    this.followed.add(cursor);
    return { kind: 'more', cursor };
  }
}

/** How `walkPages` and `askForPages` read a page. */
export interface PageReader<P> {
  readonly bounds?: WalkBounds;
  /** Called for each page, in order. Returns how many items the page has. */
  readonly onPage: (page: P) => number;
  /** What each request has beside the cursor. Read by `askForPages`. */
  readonly params?: Record<string, unknown> | undefined;
}

/**
 * Fetches all pages of a list by promises.
 *
 * @param fetchPage fetches the first page without a cursor, and each other page with the cursor of the page before
 * @param reader the bounds, and what to do with each page
 * @returns why the walk ended, and how many pages arrived; `failed` if `fetchPage` or `onPage` threw
 * @example
 * const tools: Tool[] = [];
 * const { end } = await walkPages((cursor) => client.listTools({ cursor }), { onPage: (page) => tools.push(...page.tools) });
 */
export async function walkPages<P>(
  fetchPage: (cursor: string | number | undefined) => Promise<P>,
  { bounds = {}, onPage }: PageReader<P>,
): Promise<{ readonly end: WalkEnd; readonly pages: number }> {
  const walk = new PageWalk(bounds);
  try {
    for (let cursor: string | number | undefined; ; ) {
      const page = await fetchPage(cursor);
      const step = walk.next(page, onPage(page));
      if (step.kind !== 'more') return { end: step, pages: walk.pages };
      cursor = step.cursor;
    }
  } catch (error) {
    return { end: { kind: 'failed', error }, pages: walk.pages };
  }
}

/**
 * Joins the hints of several results on how long they may be cached: the shortest time, and `public` only if each is.
 *
 * @param results what a server answered, of any form
 * @returns no hints if no result has any, as in the legacy era
 */
export function strictestHints(results: readonly unknown[]): Members {
  const times = results.map((result) => read(result, 'ttlMs'));
  if (times.every((time) => time === undefined)) return {};
  const isPublic = results.every((result) => read(result, 'cacheScope') === 'public');
  return {
    ttlMs: Math.min(...times.map((time) => (typeof time === 'number' ? time : 0))),
    cacheScope: isPublic ? 'public' : 'private',
  };
}

/** Sends the server a request made by the gate itself. */
export type AskServer = (
  method: string,
  params: Record<string, unknown>,
  onResponse: (response: Answer | Failure) => void,
) => void;

/**
 * Asks the server for all pages of a list.
 *
 * @param ask sends a request to the server
 * @param method a list method, such as `tools/list`
 * @param reader the bounds, and what to do with each page
 * @param then called once, with the reason why the walk ended
 * @example
 * askForPages(ask, 'tools/list', { bounds: { pages: 100 }, onPage: keep }, (end) => use(end.kind === 'complete'));
 */
export function askForPages(
  ask: AskServer,
  method: string,
  { bounds = {}, onPage, params = {} }: PageReader<Record<string, unknown>>,
  then: (end: WalkEnd<Failure['error']>) => void,
): void {
  const walk = new PageWalk(bounds);
  const onResponse = (response: Answer | Failure): void => {
    if ('error' in response) return then({ kind: 'failed', error: errorOf(response) });
    const step = walk.next(response.result, onPage(response.result));
    if (step.kind !== 'more') return then(step);
    ask(method, { ...params, cursor: step.cursor }, onResponse);
  };
  ask(method, params, onResponse);
}
