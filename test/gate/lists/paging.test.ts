import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PageLimits, pageOf } from '../../../src/core/gate/lists/answer-page.js';
import { applyListFilter, readListFilter } from '../../../src/core/gate/lists/client-filter.js';
import { type CursorTarget, digestOf, makeCursor, readCursor } from '../../../src/core/gate/lists/cursor.js';
import { sample } from '../../sample.js';

afterEach(() => vi.restoreAllMocks());

/** The size of a page in bytes, by the simplest calculation. */
const bytesOf = (items: readonly unknown[]): number => Buffer.byteLength(JSON.stringify(items));

/** Returns all pages, as a client that follows `next` gets them. */
function walk<T>(items: readonly T[], limits?: PageLimits): (readonly T[])[] {
  const pages: (readonly T[])[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: { readonly items: readonly T[]; readonly next?: number } = pageOf(items, offset, limits);
    pages.push(page.items);
    if (pages.length > items.length + 1) throw new Error('The pages do not end.');
    offset = page.next;
  }
  return pages;
}

describe('a page', () => {
  const letters = ['a', 'b', 'c', 'd', 'e'];

  it('is the whole list, the same object, without a page size', () => {
    const page = pageOf(letters, 0);
    expect(page).toEqual({ items: letters });
    expect(page.items).toBe(letters);
    expect('next' in page).toBe(false);
  });

  it('is the rest of the list after an offset', () => {
    expect(pageOf(letters, 3)).toEqual({ items: ['d', 'e'] });
  });

  it.each<[number, (readonly string[])[]]>([
    [1, [['a'], ['b'], ['c'], ['d'], ['e']]],
    [2, [['a', 'b'], ['c', 'd'], ['e']]],
    [4, [['a', 'b', 'c', 'd'], ['e']]],
    [5, [letters]],
    [6, [letters]],
    [Number.POSITIVE_INFINITY, [letters]],
    [1e308, [letters]],
    // Invalid page sizes still make progress, and give integer offsets.
    [2.9, [['a', 'b'], ['c', 'd'], ['e']]],
    [0.5, [['a'], ['b'], ['c'], ['d'], ['e']]],
    [0, [['a'], ['b'], ['c'], ['d'], ['e']]],
    [-3, [['a'], ['b'], ['c'], ['d'], ['e']]],
    [Number.NaN, [['a'], ['b'], ['c'], ['d'], ['e']]],
  ])('has %d items if that is the page size', (pageSize, pages) => {
    expect(walk(letters, { pageSize })).toEqual(pages);
    expect(pageOf(letters, 0, { pageSize }).next).toBe(pages.length > 1 ? pages[0]?.length : undefined);
  });

  it.each([5, 6, 1e15, Number.MAX_SAFE_INTEGER])('is empty, and the last one, at offset %d', (offset) => {
    expect(pageOf(letters, offset)).toEqual({ items: [] });
    expect(pageOf(letters, offset, { pageSize: 2 })).toEqual({ items: [] });
  });

  it('of an empty list is empty', () => {
    expect(pageOf([], 0, { pageSize: 3, maxBytes: 0 })).toEqual({ items: [] });
  });
});

describe('the size of a page in bytes', () => {
  /** Returns a list whose JSON has exactly this many bytes. */
  const listOf = (bytes: number, items = 10): string[] => {
    const each = Math.floor((bytes - 2 - (items - 1)) / items) - 2;
    const list = Array.from({ length: items }, () => 'x'.repeat(each));
    list[items - 1] += 'x'.repeat(bytes - bytesOf(list));
    return list;
  };

  it('is at most 5,000,000', () => {
    const fits = listOf(5_000_000);
    expect(bytesOf(fits)).toBe(5_000_000);
    expect(pageOf(fits, 0)).toEqual({ items: fits });
    const over = listOf(5_000_001);
    expect(bytesOf(over)).toBe(5_000_001);
    expect(pageOf(over, 0)).toEqual({ items: over.slice(0, 9), next: 9 });
  });

  it.each<[string, string, number]>([
    ['quotes', '"', 2],
    ['control characters', '\u0001', 6],
    ['line breaks', '\n', 2],
    ['characters of two bytes', 'é', 2],
    ['characters of three bytes', '語', 3],
    ['pairs of surrogates', '😀', 4],
    ['lone surrogates', '\ud800', 6],
  ])('counts escapes: %s', (_name, character, bytes) => {
    const items = [character.repeat(100), 'x'];
    const both = 2 + (2 + 100 * bytes) + 1 + 3;
    expect(pageOf(items, 0, { maxBytes: both })).toEqual({ items });
    expect(pageOf(items, 0, { maxBytes: both - 1 })).toEqual({ items: items.slice(0, 1), next: 1 });
  });

  it.each<[string, unknown]>([
    ['the number with the most digits', -0.0000012345678901234567],
    ['a huge number', -1.7976931348623157e308],
    ['null', null],
    ['undefined, which JSON writes as null', undefined],
    ['a function, also null', () => 'x'],
    ['an empty string', ''],
    ['an empty object', {}],
    ['an object with long names', { abc: 1, '\u0000': 2, '\ud800': 3 }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 'b' })],
    ['names of Object.prototype', JSON.parse('{"__proto__":{"constructor":"x"},"toString":"y"}')],
    ['nested arrays', [[[['x']]], [], [[]]]],
    ['a Date', new Date(0)],
    ['a URL', new URL('https://example.com/a/long/path/to/somewhere')],
    ['an object with a toJSON', { toJSON: () => 'x'.repeat(100) }],
    ['a boxed string', new String('"'.repeat(30))],
  ])('is exact for %s', (_name, item) => {
    const items = [item, item, item];
    const two = bytesOf([item, item]);
    expect(pageOf(items, 0, { maxBytes: two })).toEqual({ items: items.slice(0, 2), next: 2 });
    expect(pageOf(items, 0, { maxBytes: bytesOf(items) - 1 }).next).toBe(2);
    expect(pageOf(items, 0, { maxBytes: two - 1 }).next).toBe(1);
    expect(pageOf(items, 1, { maxBytes: two })).toEqual({ items: items.slice(1) });
  });

  it('exceeds the limit only with a single item', () => {
    const large = 'x'.repeat(6_000_000);
    expect(walk([large]).map((page) => page.length)).toEqual([1]);
    expect(walk(['a', large, 'b', 'c'])).toEqual([['a'], [large], ['b', 'c']]);
    expect(walk([large, large]).map((page) => page.length)).toEqual([1, 1]);
  });

  it('is limited together with the number of items', () => {
    const items = ['aaaa', 'bbbb', 'c', 'd', 'e'];
    expect(walk(items, { pageSize: 2, maxBytes: 12 })).toEqual([['aaaa'], ['bbbb', 'c'], ['d', 'e']]);
  });

  it('never exceeds the limit, and no page has room for one more item', () => {
    const sizes = fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 5 }));
    const items = fc.array(
      fc.oneof(
        fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
        fc.string({ unit: fc.constantFrom('"', '\\', '\u0000', '\ud800', '語', 'a'), maxLength: 8 }),
        fc.double(),
        fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), fc.double(), { maxKeys: 3 }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(items, sizes, fc.nat(120), (items, pageSize, maxBytes) => {
        const pages = walk(items, { pageSize, maxBytes });
        expect(pages.flat()).toEqual(items);
        let offset = 0;
        for (const page of pages) {
          const full = page.length === pageSize || offset + page.length === items.length;
          const more = items.slice(offset, offset + page.length + 1);
          if (page.length > 1) expect(bytesOf(page)).toBeLessThanOrEqual(maxBytes);
          if (!full) expect(bytesOf(more)).toBeGreaterThan(maxBytes);
          if (items.length > 0) expect(page.length).toBeGreaterThan(0);
          if (pageSize !== undefined) expect(page.length).toBeLessThanOrEqual(pageSize);
          offset += page.length;
        }
      }),
      { numRuns: sample(5_000) },
    );
  });

  const tools = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `tool${index}`,
      description: 'x'.repeat(length),
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      _meta: { priority: 1, open: true, nothing: null },
    }));

  it('is calculated once for each item, in whatever lists it is', () => {
    const items = tools(1_000, 500);
    pageOf(items, 0);
    const stringify = vi.spyOn(JSON, 'stringify');
    expect(pageOf(items.slice(1), 0).items).toHaveLength(999);
    expect(stringify).not.toHaveBeenCalled();
  });

  it('is calculated once for each item of a page, not for the whole list on every page', () => {
    const items = tools(200, 1_000);
    const stringify = vi.spyOn(JSON, 'stringify');
    const pages = walk(items, { maxBytes: 20_000 });
    expect(pages.length).toBeGreaterThan(10);
    // One more item than the page has, to notice that it does not fit.
    expect(stringify.mock.calls.length).toBeLessThanOrEqual(items.length + pages.length);
  });
});

describe('a value that cannot be written as JSON', () => {
  const cycle: { self?: unknown; name: string } = { name: 'x'.repeat(100) };
  cycle.self = cycle;
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);

  it.each<[string, unknown]>([
    ['a value that contains itself', cycle],
    ['a bigint', { size: 10n }],
    ['nesting that overflows the stack', deep],
    [
      'a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
    ],
  ])('passes in memory: %s', (_name, item) => {
    const page = pageOf([item, item], 0, { maxBytes: 1_000 });
    expect(page.items).toHaveLength(2);
    expect(page.next).toBeUndefined();
  });
});

describe('all pages together', () => {
  const items = fc.array(
    fc.record({ name: fc.string({ unit: fc.constantFrom('a', 'b', 'é', '"', '\ud800'), maxLength: 5 }) }),
    { maxLength: 30 },
  );
  const limits = fc.record(
    { pageSize: fc.integer({ min: 1, max: 8 }), maxBytes: fc.integer({ min: 1, max: 300 }) },
    { requiredKeys: [] },
  );
  const patterns = fc.array(fc.constantFrom('*', 'a*', '*b', '?', '?*a?'), { maxLength: 2 });

  it('have the same items as the unpaged list, whatever their size', () => {
    fc.assert(
      fc.property(items, limits, patterns, (items, limits, namePatterns) => {
        const read = readListFilter({ filter: { namePatterns } }, 'tools');
        if (!read.ok) throw new Error(read.message);
        const { filter, key } = read;
        const whole = applyListFilter('tools', items, filter);
        const target: CursorTarget = {
          catalog: digestOf(['tools', ...items.map(({ name }) => name)]),
          policy: 'policy',
          configuration: '0;1;',
          filter: key,
        };
        // Like a stateless server: everything is computed again for each page.
        const list = (cursor: string | undefined) => {
          const from = cursor === undefined ? { ok: true as const, offset: 0 } : readCursor(cursor, target);
          if (!from.ok) throw new Error(from.reason);
          const page = pageOf(applyListFilter('tools', items, filter), from.offset, limits);
          return page.next === undefined
            ? { tools: page.items }
            : { tools: page.items, nextCursor: makeCursor({ ...target, offset: page.next }) };
        };
        const walked: unknown[] = [];
        let cursor: string | undefined;
        do {
          const result: { readonly tools: readonly unknown[]; readonly nextCursor?: string } = list(cursor);
          walked.push(...result.tools);
          cursor = result.nextCursor;
          expect(cursor === undefined || result.tools.length > 0).toBe(true);
        } while (cursor !== undefined);
        expect(walked).toEqual(whole);
      }),
      { numRuns: 1_000 },
    );
  });
});
