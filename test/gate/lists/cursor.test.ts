import { describe, expect, it } from 'vitest';
import { cutPage, pageOf } from '../../../src/core/gate/lists/answer-page.js';
import {
  digestOf,
  digestsOf,
  isGateCursor,
  makeCursor,
  readCursor,
} from '../../../src/core/gate/lists/cursor.js';

const target = { catalog: 'c', policy: 'p', configuration: 'f', filter: '' };
const cursorAt = (offset: number) => makeCursor({ ...target, offset });

describe('a cursor', () => {
  it('is its offset, then a digest of the list and one of the filter', () => {
    const [list, filter] = digestsOf(target);
    expect(list).toBe(digestOf(['c', 'p', 'f']));
    expect(filter).toBe(digestOf(['']));
    expect(cursorAt(71)).toBe(`1z.${list}.${filter}`);
  });

  it.each([0, 1, 35, 36, Number.MAX_SAFE_INTEGER])('has the offset %d', (offset) => {
    expect(readCursor(cursorAt(offset), target)).toEqual({ ok: true, offset });
  });

  it.each(['00', '01', '', 'A', '-1', '2gosa7pa2gw', 'zzzzzzzzzzz', '1zzzzzzzzzzzz', ' 1'])(
    'has no offset %j',
    (offset) => {
      const cursor = cursorAt(0).replace(/^0/, offset);
      expect(readCursor(cursor, target)).toEqual({ ok: false, reason: 'malformed' });
      expect(isGateCursor(cursor)).toBe(false);
    },
  );
});

describe('a cursor of any gate', () => {
  it.each<[unknown, boolean]>([
    [cursorAt(3), true],
    [makeCursor({ catalog: '', policy: '', configuration: '', filter: '', offset: 3 }), true],
    [makeCursor({ catalog: '', policy: '', configuration: '', filter: 'f', offset: 3 }), true],
    [`${cursorAt(3)}x`, false],
    [`x.${cursorAt(3)}`, false],
    [`${cursorAt(3)}\n`, false],
    ['page-2', false],
    [undefined, false],
    [3, false],
  ])('%j: %j', (cursor, is) => {
    expect(isGateCursor(cursor)).toBe(is);
  });
});

describe('the page that a cursor points to', () => {
  const items = ['a', 'b', 'c'];
  const limits = { pageSize: 2 };
  const unused = () => expect.unreachable();

  it('is the first one without a cursor', () => {
    expect(cutPage(items, undefined, () => target, limits)).toEqual({
      ok: true,
      items: ['a', 'b'],
      nextCursor: { nextCursor: cursorAt(2) },
    });
  });

  it('is the last one, without a next cursor', () => {
    expect(cutPage(items, cursorAt(2), () => target, limits)).toStrictEqual({
      ok: true,
      items: ['c'],
      nextCursor: {},
    });
  });

  it('is the whole list by default, whatever it depends on', () => {
    const page = cutPage(items, undefined, unused);
    expect(page).toStrictEqual({ ok: true, items, nextCursor: {} });
    expect(page.ok && page.items).toBe(items);
  });

  it.each([
    ['nonsense', 'The cursor is not valid. List again without a cursor.'],
    [null, 'The cursor is not valid. List again without a cursor.'],
    [
      makeCursor({ ...target, policy: 'q', offset: 1 }),
      'The list changed, so the cursor is not valid any more. List again without a cursor.',
    ],
    [
      makeCursor({ ...target, filter: 'x', offset: 1 }),
      'Filter parameters must not change between paginated requests',
    ],
  ])('does not exist for %j', (cursor, message) => {
    expect(cutPage(items, cursor, () => target, limits)).toEqual({ ok: false, message });
  });
});

describe('a list of which no page fits as a whole', () => {
  /** Each is allowed on one page with one other. */
  const large = () => ['a', 'b', 'c'].map((letter) => letter.repeat(2_200_000));
  const first = (items: readonly string[]) => ({ items: items.slice(0, 2), next: 2 });

  it.each<[string, number, object]>([
    ['the same page', 0, {}],
    ['a page of one item', 0, { pageSize: 1 }],
    ['a later page', 1, {}],
    ['a page without such a limit', 0, { maxBytes: 10_000_000 }],
  ])('is cut again after %s', (_what, offset, limits) => {
    const items = large();
    pageOf(items, offset, limits);
    expect(pageOf(items, 0)).toEqual(first(items));
  });
});

describe('the size of a page', () => {
  it('is known after an item that cannot be written as JSON', () => {
    const items = [1n, 'a'.repeat(100), 'b'.repeat(100)];
    expect(pageOf(items, 0, { maxBytes: 120 })).toEqual({ items: items.slice(0, 2), next: 2 });
  });

  it('is at most what was asked for, exactly', () => {
    expect(pageOf(['aa', 'bb'], 0, { maxBytes: 11 })).toEqual({ items: ['aa', 'bb'] });
    expect(pageOf(['aa', 'bb'], 0, { maxBytes: 10 })).toEqual({ items: ['aa'], next: 1 });
  });

  it('does not fit on one page because it did with other limits', () => {
    const items = ['aa', 'bb', 'cc'];
    expect(pageOf(items, 0)).toEqual({ items });
    expect(pageOf(items, 0, { maxBytes: 11 })).toEqual({ items: ['aa', 'bb'], next: 2 });
    expect(pageOf(items, 0, { pageSize: 1 })).toEqual({ items: ['aa'], next: 1 });
    expect(pageOf(items, 1)).toEqual({ items: ['bb', 'cc'] });
  });
});
