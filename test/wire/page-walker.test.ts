import { describe, expect, it } from 'vitest';
import {
  type AskServer,
  askForPages,
  MAX_WALK,
  PageWalk,
  strictestHints,
  type WalkEnd,
  walkPages,
} from '../../src/core/wire/page-walker.js';

const page = (nextCursor?: unknown, items: readonly number[] = []) => ({ items, nextCursor });

describe('a walk through the pages of a list', () => {
  it('follows each cursor, and is complete at a page without one', () => {
    const walk = new PageWalk();
    expect(walk.next(page('a'))).toEqual({ kind: 'more', cursor: 'a' });
    expect(walk.next(page('b'))).toEqual({ kind: 'more', cursor: 'b' });
    expect(walk.next(page())).toEqual({ kind: 'complete' });
    expect(walk.pages).toBe(3);
  });

  it.each([undefined, null, true, {}, ['a']])(
    'takes a page with the cursor %j for the last one',
    (cursor) => {
      expect(new PageWalk().next(page(cursor))).toEqual({ kind: 'complete' });
    },
  );

  it.each([undefined, null, 'text', 7])('takes %j for a last page', (notPage) => {
    expect(new PageWalk().next(notPage)).toEqual({ kind: 'complete' });
  });

  it('follows an empty cursor', () => {
    expect(new PageWalk().next(page(''))).toEqual({ kind: 'more', cursor: '' });
  });

  it('ignores an inherited cursor', () => {
    expect(new PageWalk().next(Object.create({ nextCursor: 'a' }))).toEqual({ kind: 'complete' });
  });

  it('is bounded in pages, items and time even if no bound is given', () => {
    const pages = new PageWalk({}, () => 0);
    for (let count = 1; count < MAX_WALK.pages; count++) pages.next(page(`${count}`));
    expect(pages.next(page('last'))).toEqual({ kind: 'too-many-pages' });
    expect(new PageWalk({}, () => 0).next(page('a'), MAX_WALK.items + 1)).toEqual({ kind: 'too-many-items' });
    let now = 0;
    const slow = new PageWalk({}, () => now);
    now = MAX_WALK.milliseconds;
    expect(slow.next(page('a'))).toEqual({ kind: 'too-slow' });
  });

  it('stops at a cursor that comes again immediately', () => {
    const walk = new PageWalk();
    walk.next(page('a'));
    expect(walk.next(page('a'))).toEqual({ kind: 'repeated-cursor' });
  });

  it('stops at a cursor that comes again after others', () => {
    const walk = new PageWalk();
    for (const cursor of ['a', 'b', 'c']) expect(walk.next(page(cursor)).kind).toBe('more');
    expect(walk.next(page('a'))).toEqual({ kind: 'repeated-cursor' });
  });

  it('stops after the given number of pages', () => {
    const walk = new PageWalk({ pages: 2 });
    expect(walk.next(page('a')).kind).toBe('more');
    expect(walk.next(page('b'))).toEqual({ kind: 'too-many-pages' });
  });

  it('stops after more than the given number of items', () => {
    const walk = new PageWalk({ items: 5 });
    expect(walk.next(page('a'), 5).kind).toBe('more');
    expect(walk.next(page('b'), 1)).toEqual({ kind: 'too-many-items' });
  });

  it('stops when the given time is over', () => {
    let time = 1000;
    const walk = new PageWalk({ milliseconds: 60 }, () => time);
    time = 1059;
    expect(walk.next(page('a')).kind).toBe('more');
    time = 1060;
    expect(walk.next(page('b'))).toEqual({ kind: 'too-slow' });
  });

  it('is complete at the last page, also if that page reaches every bound', () => {
    let time = 0;
    const walk = new PageWalk({ pages: 1, items: 1, milliseconds: 1 }, () => time);
    time = 100;
    expect(walk.next(page(), 100)).toEqual({ kind: 'complete' });
  });

  it('reports a repeated cursor before any bound', () => {
    const walk = new PageWalk({ pages: 2 });
    walk.next(page('a'));
    expect(walk.next(page('a')).kind).toBe('repeated-cursor');
  });
});

/** Each cursor of a server with these pages is the position of the next page. */
const fetchFrom = (pages: readonly (readonly number[])[]) => (cursor: string | number | undefined) => {
  const at = Number(cursor ?? 0);
  return page(at + 1 < pages.length ? String(at + 1) : undefined, pages[at]);
};

describe('walkPages', () => {
  it('gives every page to the reader, in order', async () => {
    const items: number[] = [];
    const fetchPage = fetchFrom([[1, 2], [], [3]]);
    const walk = await walkPages(async (cursor) => fetchPage(cursor), {
      onPage: (each) => {
        items.push(...each.items);
        return each.items.length;
      },
    });
    expect(walk).toEqual({ end: { kind: 'complete' }, pages: 3 });
    expect(items).toEqual([1, 2, 3]);
  });

  it('stops at a repeated cursor, and fetches no page twice', async () => {
    const fetched: unknown[] = [];
    const walk = await walkPages(
      async (cursor) => {
        fetched.push(cursor);
        return page('same');
      },
      { onPage: () => 0 },
    );
    expect(walk).toEqual({ end: { kind: 'repeated-cursor' }, pages: 2 });
    expect(fetched).toEqual([undefined, 'same']);
  });

  it('counts the items that the reader reports', async () => {
    const fetchPage = fetchFrom([[1, 2], [3], [4]]);
    const { end, pages } = await walkPages(async (cursor) => fetchPage(cursor), {
      bounds: { items: 2 },
      onPage: (each) => each.items.length,
    });
    expect({ end, pages }).toEqual({ end: { kind: 'too-many-items' }, pages: 2 });
  });

  it('returns the error that a fetch threw', async () => {
    const error = new Error('closed');
    let pages = 0;
    const walk = await walkPages(
      async () => {
        if (++pages === 2) throw error;
        return page('a');
      },
      { onPage: () => 0 },
    );
    expect(walk).toEqual({ end: { kind: 'failed', error }, pages: 1 });
  });

  it('returns the error that the reader threw', async () => {
    const error = new TypeError('not a list');
    const onPage = () => {
      throw error;
    };
    expect((await walkPages(async () => page(), { onPage })).end).toEqual({ kind: 'failed', error });
  });
});

describe('askForPages', () => {
  /** A server that answers at once. */
  const serverOf =
    (pages: readonly (readonly number[])[], sent: unknown[] = []): AskServer =>
    (method, params, onResponse) => {
      sent.push([method, params]);
      const result = fetchFrom(pages)(params.cursor as string | undefined);
      onResponse({ jsonrpc: '2.0', id: 1, result });
    };

  it('asks for the first page without a cursor, and for each other with the cursor before', () => {
    const sent: unknown[] = [];
    const ends: WalkEnd[] = [];
    askForPages(serverOf([[1], [2], [3]], sent), 'tools/list', { onPage: () => 1 }, (end) => ends.push(end));
    expect(ends).toEqual([{ kind: 'complete' }]);
    expect(sent).toEqual([
      ['tools/list', {}],
      ['tools/list', { cursor: '1' }],
      ['tools/list', { cursor: '2' }],
    ]);
  });

  it('stops at a bound', () => {
    const ends: WalkEnd[] = [];
    const reader = { bounds: { pages: 2 }, onPage: () => 1 };
    askForPages(serverOf([[1], [2], [3]]), 'tools/list', reader, (end) => ends.push(end));
    expect(ends).toEqual([{ kind: 'too-many-pages' }]);
  });

  it("reports the server's error", () => {
    const ends: WalkEnd[] = [];
    const error = { code: -32601, message: 'Method not found' };
    const ask: AskServer = (_method, _params, onResponse) => onResponse({ jsonrpc: '2.0', id: 1, error });
    askForPages(ask, 'tools/list', { onPage: () => 0 }, (end) => ends.push(end));
    expect(ends).toEqual([{ kind: 'failed', error }]);
  });
});

describe('the hints of several results on caching', () => {
  it.each([
    [
      'the shortest time',
      [
        { ttlMs: 9, cacheScope: 'public' },
        { ttlMs: 7, cacheScope: 'public' },
      ],
      { ttlMs: 7, cacheScope: 'public' },
    ],
    [
      'private if one is',
      [
        { ttlMs: 9, cacheScope: 'public' },
        { ttlMs: 9, cacheScope: 'private' },
      ],
      { ttlMs: 9, cacheScope: 'private' },
    ],
    [
      'no time if one has none',
      [{ ttlMs: 9, cacheScope: 'public' }, {}],
      { ttlMs: 0, cacheScope: 'private' },
    ],
    [
      'no time if one is not a number',
      [{ ttlMs: '9', cacheScope: 'public' }],
      { ttlMs: 0, cacheScope: 'public' },
    ],
    ['none if none has any', [{ tools: [] }, { cacheScope: 'public' }], {}],
    ['none of no results', [], {}],
    ['none of what is no result', [null, 7], {}],
  ])('are %s', (_name, results, hints) => {
    expect(strictestHints(results)).toEqual(hints);
  });
});
