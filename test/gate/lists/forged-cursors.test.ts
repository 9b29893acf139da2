import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CursorTarget, digestOf, makeCursor, readCursor } from '../../../src/core/gate/lists/cursor.js';
import { CURSOR_MESSAGES } from '../../../src/core/gate/request/messages.js';

const TARGET: CursorTarget = {
  catalog: digestOf(['tools', 'encryptData', 'logData']),
  policy: '0123456789abcdef0123456789abcdef',
  configuration: '2;;0,1;',
  filter: '{"namePatterns":["log*"]}',
};
const CURSOR = makeCursor({ ...TARGET, offset: 500 });

const MALFORMED = { ok: false, reason: 'malformed' };
const CHANGED = { ok: false, reason: 'changed' };
const FILTER_CHANGED = { ok: false, reason: 'filter-changed' };

/** Strings that JSON, UTF-8 and separators could confuse. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom('a', '"', ',', '.', ';', '\\', '\u0000', '\ud800', '\udfff', '\ufffd'),
    maxLength: 4,
  }),
);
const targets = fc.record({ catalog: texts, policy: texts, configuration: texts, filter: texts });
const offsets = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, 1, 35, 36, Number.MAX_SAFE_INTEGER));

describe('a cursor', () => {
  it('gives its offset for the target that it was made for', () => {
    fc.assert(
      fc.property(targets, offsets, (target, offset) => {
        expect(readCursor(makeCursor({ ...target, offset }), target)).toEqual({ ok: true, offset });
      }),
      { numRuns: 1_000 },
    );
  });

  it('needs no escape in a URL, and is short', () => {
    fc.assert(
      fc.property(targets, offsets, (target, offset) => {
        const cursor = makeCursor({ ...target, offset });
        expect(encodeURIComponent(cursor)).toBe(cursor);
        expect(cursor.length).toBeLessThanOrEqual(60);
      }),
    );
  });

  it('is the same for the same page', () => {
    expect(makeCursor({ ...TARGET, offset: 500 })).toBe(CURSOR);
    // A fixed text: another process or another Node version must make the same cursor.
    expect(CURSOR).toBe('dw.x_rjrfC-VvxLcI8f9whoHh.n-gyNapymvcSYAyGkM-nie');
  });

  it('reveals nothing of its target', () => {
    for (const part of Object.values(TARGET)) expect(CURSOR).not.toContain(part);
  });

  it.each<[string, Partial<CursorTarget>, object]>([
    ['catalog', { catalog: digestOf(['tools', 'encryptData']) }, CHANGED],
    ['the catalog of another kind', { catalog: digestOf(['prompts', 'encryptData', 'logData']) }, CHANGED],
    ['policy', { policy: '0123456789abcdef0123456789abcdee' }, CHANGED],
    ['configuration', { configuration: '2;;0;' }, CHANGED],
    ['no configuration', { configuration: '' }, CHANGED],
    ['filter', { filter: '{"namePatterns":["log"]}' }, FILTER_CHANGED],
    ['a filter that is left out', { filter: '' }, FILTER_CHANGED],
    ['both: reported as a changed list', { filter: '', configuration: '' }, CHANGED],
    ['two members swapped', { catalog: TARGET.policy, policy: TARGET.catalog }, CHANGED],
  ])('is refused where this changed: %s', (_name, other, refused) => {
    expect(readCursor(CURSOR, { ...TARGET, ...other })).toEqual(refused);
  });

  it('is refused when a filter is added', () => {
    const unfiltered = { ...TARGET, filter: '' };
    expect(readCursor(makeCursor({ ...unfiltered, offset: 1 }), TARGET)).toEqual(FILTER_CHANGED);
  });

  it('is refused for every other target', () => {
    fc.assert(
      fc.property(targets, targets, offsets, (target, other, offset) => {
        const list = (['catalog', 'policy', 'configuration'] as const).every(
          (each) => target[each] === other[each],
        );
        const expected = !list
          ? CHANGED
          : target.filter === other.filter
            ? { ok: true, offset }
            : FILTER_CHANGED;
        expect(readCursor(makeCursor({ ...target, offset }), other)).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused if a single part differs', () => {
    const parts = fc.constantFrom<keyof CursorTarget>('catalog', 'policy', 'configuration', 'filter');
    fc.assert(
      fc.property(targets, parts, texts, offsets, (target, part, text, offset) => {
        fc.pre(target[part] !== text);
        const read = readCursor(makeCursor({ ...target, offset }), { ...target, [part]: text });
        expect(read).toEqual(part === 'filter' ? FILTER_CHANGED : CHANGED);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused if only the boundary between two parts moved', () => {
    const target = { ...TARGET, catalog: 'ab', policy: 'c' };
    const cursor = makeCursor({ ...target, offset: 1 });
    expect(readCursor(cursor, { ...target, catalog: 'a', policy: 'bc' })).toEqual(CHANGED);
  });
});

describe('a value that is not a cursor', () => {
  const [offset = '', list = '', filter = ''] = CURSOR.split('.');

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 500],
    ['an array with a cursor', [CURSOR]],
    ['an object whose toString returns a cursor', { toString: () => CURSOR }],
    ['the empty string', ''],
    ['a cursor of a server', 'eyJwYWdlIjoyfQ=='],
    ['prototype names', '__proto__.constructor.toString'],
    ['a line break after it', `${CURSOR}\n`],
    ['a space before it', ` ${CURSOR}`],
    ['no offset', `.${list}.${filter}`],
    ['no filter', `${offset}.${list}`],
    ['one part too many', `${CURSOR}.${filter}`],
    ['a short digest', `${offset}.${list.slice(1)}.${filter}`],
    ['a long digest', `${offset}.${list}.${filter}x`],
    ['a negative offset', `-1.${list}.${filter}`],
    ['a fraction', `1.5.${list}.${filter}`],
    ['leading zeros', `0${offset}.${list}.${filter}`],
    ['upper case', `DW.${list}.${filter}`],
    ['an offset that is not a safe integer', `${(2 ** 53).toString(36)}.${list}.${filter}`],
    ['the largest offset of its length', `zzzzzzzzzzz.${list}.${filter}`],
    ['a huge offset', `${'9'.repeat(400)}.${list}.${filter}`],
    ['Infinity', `Infinity.${list}.${filter}`],
    ['a lone surrogate', `${offset}.${list}.${filter.slice(1)}\ud800`],
    ['a megabyte', 'a.'.repeat(500_000)],
  ])('%s is malformed', (_name, cursor) => {
    expect(readCursor(cursor, TARGET)).toEqual(MALFORMED);
  });

  it('is refused, and never throws', () => {
    const garbage = fc.oneof(
      fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.base64String({ maxLength: 80 }),
      fc.stringMatching(/^[0-9a-z]{1,12}\.[\w-]{22}\.[\w-]{22}$/),
    );
    fc.assert(
      fc.property(garbage, (cursor) => {
        expect(readCursor(cursor, TARGET).ok).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is not more than another page of the same list if one character of a cursor changed', () => {
    fc.assert(
      fc.property(
        fc.nat(CURSOR.length - 1),
        fc.oneof(fc.constantFrom(...'0z9-_.A'), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
        (at, unit) => {
          const cursor = CURSOR.slice(0, at) + unit + CURSOR.slice(at + 1);
          const read = readCursor(cursor, TARGET);
          if (cursor === CURSOR) expect(read).toEqual({ ok: true, offset: 500 });
          else if (at >= offset.length) expect(read.ok).toBe(false);
          // This reveals nothing: the list is filtered for the client wherever the page starts.
          else expect(read.ok ? Number.isSafeInteger(read.offset) && read.offset >= 0 : true).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('a digest', () => {
  it('differs if the strings differ', () => {
    const lists = fc.array(texts, { maxLength: 3 });
    fc.assert(
      fc.property(lists, lists, (one, other) => {
        const same = one.length === other.length && one.every((text, index) => text === other[index]);
        expect(digestOf(one) === digestOf(other)).toBe(same);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [['a,b'], ['a', 'b']],
    [['a","b'], ['a', 'b']],
    [['a', ''], ['a']],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    // Both are EF BF BD in UTF-8.
    [['\ud800'], ['\ud801']],
    [['\ud800'], ['\ufffd']],
    [['\ud800'], ['\\ud800']],
    [[], ['']],
  ])('of %j is another than of %j', (one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });

  it('has a fixed length and alphabet', () => {
    expect(digestOf([])).toMatch(/^[\w-]{22}$/);
    expect(digestOf(Array.from({ length: 50_000 }, (_, index) => `tool${index}`))).toMatch(/^[\w-]{22}$/);
  });
});

it('reports why a cursor is refused, a changed filter in the words of SEP-2564', () => {
  expect(CURSOR_MESSAGES).toEqual({
    malformed: 'The cursor is not valid. List again without a cursor.',
    changed: 'The list changed, so the cursor is not valid any more. List again without a cursor.',
    'filter-changed': 'Filter parameters must not change between paginated requests',
  });
});
