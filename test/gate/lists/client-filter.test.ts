import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS, type Kind, type Primitive } from '../../../src/core/engine/index.js';
import {
  applyListFilter,
  FILTER_FIELDS,
  type ReadListFilter,
  readListFilter,
} from '../../../src/core/gate/lists/client-filter.js';
import { compilePattern as compileMatcher } from '../../../src/core/gate/lists/wildcard-pattern.js';
import { growth, LINEAR } from '../../growth.js';

function compilePattern(pattern: string): (text: string) => boolean {
  const matches = compileMatcher(pattern);
  return (text) => matches([...text]);
}

/** Returns the names or URIs that stay, or the message of the error. */
function ask(kind: Kind, filter: unknown, items: readonly Primitive[]): readonly unknown[] | string {
  const read = readListFilter({ filter }, kind);
  if (!read.ok) return read.message;
  return applyListFilter(kind, items, read.filter).map(({ name }) => name);
}

const keyOf = (read: ReadListFilter): string => (read.ok ? read.key : 'an error');

const TOOLS = ['encryptData', 'decryptData', 'logData', 'logFile', 'log', 'LogData'].map((name) => ({
  name,
}));
const RESOURCES = [
  { name: 'notes', uri: 'file:///notes.txt' },
  { name: 'notes', uri: 'https://example.com/notes' },
  { name: 'readme', uri: 'file:///readme.md' },
];
const TEMPLATES = [
  { name: 'one log', uriTemplate: 'log://{day}' },
  { name: 'one key', uriTemplate: 'key://{id}' },
];

describe('a filter', () => {
  it.each<[string, unknown, readonly string[]]>([
    [
      '* matches any number of characters',
      { namePatterns: ['*Data'] },
      ['encryptData', 'decryptData', 'logData', 'LogData'],
    ],
    ['* matches no characters', { namePatterns: ['log*'] }, ['logData', 'logFile', 'log']],
    ['several *', { namePatterns: ['*cr*t*'] }, ['encryptData', 'decryptData']],
    ['? matches one character', { namePatterns: ['log????'] }, ['logData', 'logFile']],
    ['? does not match an empty string', { namePatterns: ['log?'] }, []],
    ['? next to *', { namePatterns: ['?og?*'] }, ['logData', 'logFile', 'LogData']],
    ['a pattern without wildcards matches the name itself', { namePatterns: ['log'] }, ['log']],
    ['case counts', { namePatterns: ['Log*'] }, ['LogData']],
    ['one matching pattern of a field is enough', { namePatterns: ['enc*', 'log'] }, ['encryptData', 'log']],
    ['the order of the list stays', { namePatterns: ['log', 'enc*'] }, ['encryptData', 'log']],
    ['a name is kept once', { namePatterns: ['log', 'log', 'lo*g'] }, ['log']],
    ['nothing matches', { namePatterns: ['delete*'] }, []],
    ['an empty array keeps everything', { namePatterns: [] }, TOOLS.map(({ name }) => name)],
    ['no field', {}, TOOLS.map(({ name }) => name)],
    ['unknown fields', { tagPatterns: ['x'], limit: 3 }, TOOLS.map(({ name }) => name)],
    [
      'an unknown field next to a known one is ignored',
      { tagPatterns: ['x'], namePatterns: ['log'] },
      ['log'],
    ],
    ['uriPatterns of tools are ignored', { uriPatterns: ['x'] }, TOOLS.map(({ name }) => name)],
    ['an unknown field may have any value', { uriPatterns: 7, namePatterns: ['log'] }, ['log']],
  ])('%s', (_name, filter, kept) => {
    expect(ask('tools', filter, TOOLS)).toEqual(kept);
  });

  it.each(['.', '[a-z]', '(a|b)', '{a,b}', '^a$', '!a', 'a+', '%', '_', '\\a'])(
    'matches %s literally',
    (special) => {
      expect(ask('tools', { namePatterns: [special] }, [{ name: special }, { name: 'a' }])).toEqual([
        special,
      ]);
    },
  );

  it('has no escape: a backslash matches a backslash', () => {
    expect(compilePattern('a\\*')('a*')).toBe(false);
    expect(compilePattern('a\\*')('a\\bc')).toBe(true);
  });

  it.each<Kind>(['tools', 'prompts', 'resources', 'resourceTemplates'])('matches names of %s', (kind) => {
    const items = [{ name: 'logData' }, { name: 'hashData' }];
    expect(ask(kind, { namePatterns: ['log*'] }, items)).toEqual(['logData']);
  });

  it.each<[string, unknown, readonly unknown[]]>([
    ['the URI', { uriPatterns: ['file:///*'] }, [RESOURCES[0], RESOURCES[2]]],
    ['one of several patterns', { uriPatterns: ['*.md', 'https:*'] }, [RESOURCES[1], RESOURCES[2]]],
    ['both fields must match', { uriPatterns: ['file:*'], namePatterns: ['notes'] }, [RESOURCES[0]]],
    ['both fields, and nothing matches both', { uriPatterns: ['https:*'], namePatterns: ['readme'] }, []],
    ['an empty field next to the other', { uriPatterns: [], namePatterns: ['readme'] }, [RESOURCES[2]]],
    ['name patterns do not match the URI', { namePatterns: ['file:*'] }, []],
    ['URI patterns do not match the name', { uriPatterns: ['notes'] }, []],
  ])('resources: %s', (_name, filter, kept) => {
    const read = readListFilter({ filter }, 'resources');
    expect(read.ok && applyListFilter('resources', RESOURCES, read.filter)).toEqual(kept);
  });

  it('matches URI patterns with the text of a template', () => {
    expect(ask('resourceTemplates', { uriPatterns: ['log://*'] }, TEMPLATES)).toEqual(['one log']);
    expect(ask('resourceTemplates', { uriPatterns: ['*{id}'] }, TEMPLATES)).toEqual(['one key']);
    const resource = { name: 'no template', uri: 'log://today' };
    expect(ask('resourceTemplates', { uriPatterns: ['log:*'] }, [resource])).toEqual([]);
  });

  it.each<Kind>(['prompts', 'tools'])('ignores URI patterns of %s when it is applied', (kind) => {
    expect(applyListFilter(kind, TOOLS, { uriPatterns: ['nothing'] })).toEqual(TOOLS);
  });

  it('that is missing returns the same list object', () => {
    expect(applyListFilter('tools', TOOLS, undefined)).toBe(TOOLS);
  });

  it.each<[string, Primitive]>([
    ['no name', {}],
    ['a name that is not a string', { name: 7 }],
    ['a name that is a list', { name: ['log'] }],
  ])('matches what a server lists with %s as the empty text', (_name, item) => {
    const apply = (pattern: string) => applyListFilter('tools', [item], { namePatterns: [pattern] });
    expect(apply('*')).toEqual([item]);
    expect(apply('?*')).toEqual([]);
    expect(apply('log')).toEqual([]);
    expect(applyListFilter('resources', [item], { uriPatterns: ['?*'] })).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('treats %s as a name', (name) => {
    const items = [{ name: 'log' }, { name }];
    expect(ask('tools', { namePatterns: [name] }, items)).toEqual([name]);
  });
});

describe('a character', () => {
  it.each<[string, string, boolean]>([
    ['?', '😀', true],
    ['??', '😀', false],
    ['a?c', 'a😀c', true],
    ['*😀', 'x😀', true],
    ['*?', '😀', true],
    ['?', '', false],
    ['', '', true],
    ['*', '', true],
    // A lone surrogate is a character of its own, and not a part of the whole one.
    ['?', '\ud83d', true],
    ['*\ude00', '😀', false],
    ['\ud83d*', '😀', false],
    ['*\ude00', 'a\ude00', true],
    ['\ud83d?', '\ud83da', true],
    // A letter and a combining accent are two characters.
    ['?', 'e\u0301', false],
    ['??', 'e\u0301', true],
  ])('%j and %j: %s', (pattern, text, matches) => {
    expect(compilePattern(pattern)(text)).toBe(matches);
  });
});

/** A reference by dynamic programming over all prefixes: slow, but short enough to check by reading. */
function reference(pattern: string, text: string): boolean {
  const characters = [...text];
  let matched = [true, ...characters.map(() => false)];
  for (const symbol of pattern) {
    const next = [symbol === '*' && matched[0] === true];
    characters.forEach((character, index) => {
      if (symbol === '*') next.push(next[index] === true || matched[index + 1] === true);
      else next.push(matched[index] === true && (symbol === '?' || symbol === character));
    });
    matched = next;
  }
  return matched.at(-1) === true;
}

const unit = fc.constantFrom('a', 'b', '*', '?', '😀', '\ud83d', '\ude00', '\n', '\u0000');
const pattern = fc.string({
  unit: fc.constantFrom('a', 'b', '*', '*', '?', '😀', '\ude00', '\n'),
  maxLength: 12,
});
const text = fc.string({ unit, maxLength: 16 });

/** A string, and a pattern made from it with wildcards. It matches unless a character is changed too. */
const related = text.chain((text) => {
  const characters = [...text];
  return fc
    .array(fc.constantFrom('same', 'same', '?', '*', '**', 'b'), {
      minLength: characters.length,
      maxLength: characters.length,
    })
    .map((ways): [string, string] => {
      return [characters.map((each, index) => (ways[index] === 'same' ? each : ways[index])).join(''), text];
    });
});

/** Long enough that a part takes several 32-bit words. */
const longText = fc.string({ unit: fc.constantFrom('a', 'a', 'a', 'b'), maxLength: 200 });
const longPattern = fc
  .array(fc.tuple(fc.constantFrom('*', '?', 'a', 'b', '*?'), fc.integer({ min: 1, max: 70 })), {
    maxLength: 5,
  })
  .map((runs) => runs.map(([symbol, count]) => symbol.repeat(count)).join(''));

describe('the matcher', () => {
  it('agrees with the reference on parts of several words', () => {
    let matches = 0;
    fc.assert(
      fc.property(longPattern, longText, (pattern, text) => {
        const expected = reference(pattern, text);
        if (expected) matches++;
        expect(compilePattern(pattern)(text)).toBe(expected);
        // A pattern made from the text itself matches, with each part in its place.
        const wild = `*${text.slice(3, -3).replaceAll('b', '?')}*`;
        expect(compilePattern(wild)(text)).toBe(reference(wild, text));
      }),
      { numRuns: 1_000 },
    );
    expect(matches).toBeGreaterThan(20);
  });

  it('agrees with the reference on any pattern and text', () => {
    fc.assert(
      fc.property(pattern, text, (pattern, text) => {
        expect(compilePattern(pattern)(text)).toBe(reference(pattern, text));
      }),
      { numRuns: 5_000 },
    );
  });

  it('agrees with the reference if pattern and text nearly match', () => {
    let matches = 0;
    fc.assert(
      fc.property(related, ([pattern, text]) => {
        const expected = reference(pattern, text);
        if (expected) matches++;
        expect(compilePattern(pattern)(text)).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
    expect(matches).toBeGreaterThan(500);
  });

  it('can be used again: one match does not change the next', () => {
    const matches = compilePattern('*a?*b');
    for (const [text, expected] of [
      ['xaxb', true],
      ['ab', false],
      ['aab', true],
      ['', false],
    ] as const) {
      expect(matches(text)).toBe(expected);
    }
  });

  it.each([
    ['only *', `${'*a'.repeat(127)}*b`],
    ['* and ?', `${'*?a'.repeat(84)}*b`],
    ['only stars', `${'*'.repeat(255)}b`],
  ])('stays linear in the text where RegExp takes for ever: %s', async (_name, pattern) => {
    const matching = (length: number) => () =>
      expect(compilePattern(pattern)('a'.repeat(length))).toBe(false);
    expect(await growth(matching, 2_500)).toBeLessThan(LINEAR);
  });
});

it.each([
  ['? after a star', (index: number) => `*${'?'.repeat(index)}zz`],
  ['? after a star, and a star at the end', (index: number) => `*${'?'.repeat(index % 40)}zz*`],
  ['? within a part', (index: number) => `*${'a?'.repeat((index % 40) + 1)}z*`],
  ['a part that nearly matches everywhere', (index: number) => `*${'a'.repeat(index)}?b*`],
])('filters resources by 100 patterns in linear time: %s', async (_name, patternOf) => {
  const uriPatterns = Array.from({ length: 100 }, (_, index) => patternOf(index));
  const filtering = (count: number, length: number) => {
    const items = Array.from({ length: count }, (_, index) => ({
      uri: `file:///${'a'.repeat(length)}${index}`,
    }));
    return () => expect(applyListFilter('resources', items, { uriPatterns })).toEqual([]);
  };
  expect(await growth((count) => filtering(count, 80), 8)).toBeLessThan(LINEAR);
  expect(await growth((length) => filtering(5, length), 125)).toBeLessThan(LINEAR);
});

describe('an invalid filter', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

  it.each<[string, unknown, string]>([
    [
      'a string instead of the filter',
      'log*',
      'Invalid pattern in filter: \'log*\' — filter must be an object, such as {"namePatterns": ["log*"]}',
    ],
    [
      'null',
      null,
      'Invalid pattern in filter: \'null\' — filter must be an object, such as {"namePatterns": ["log*"]}',
    ],
    [
      'an array instead of the filter',
      [{ namePatterns: ['log*'] }],
      'Invalid pattern in filter: \'[…]\' — filter must be an object, such as {"namePatterns": ["log*"]}',
    ],
    [
      'a huge number',
      1e308,
      'Invalid pattern in filter: \'1e+308\' — filter must be an object, such as {"namePatterns": ["log*"]}',
    ],
    [
      'a string instead of an array',
      { namePatterns: 'log*' },
      'Invalid pattern in namePatterns: \'log*\' — namePatterns must be an array of patterns, such as ["log*"]',
    ],
    [
      'an object instead of an array',
      { namePatterns: { 0: 'log*', length: 1 } },
      'Invalid pattern in namePatterns: \'{…}\' — namePatterns must be an array of patterns, such as ["log*"]',
    ],
    [
      'null instead of an array',
      { uriPatterns: null },
      'Invalid pattern in uriPatterns: \'null\' — uriPatterns must be an array of patterns, such as ["log*"]',
    ],
    [
      'a number',
      { namePatterns: ['a', 7] },
      "Invalid pattern in namePatterns: '7' — a pattern must be a string",
    ],
    [
      'true',
      { namePatterns: [true] },
      "Invalid pattern in namePatterns: 'true' — a pattern must be a string",
    ],
    ['null', { uriPatterns: [null] }, "Invalid pattern in uriPatterns: 'null' — a pattern must be a string"],
    [
      'an object',
      { namePatterns: [{}] },
      "Invalid pattern in namePatterns: '{…}' — a pattern must be a string",
    ],
    [
      'an array',
      { namePatterns: [['a']] },
      "Invalid pattern in namePatterns: '[…]' — a pattern must be a string",
    ],
    [
      'the empty string',
      { namePatterns: ['a', ''] },
      'Invalid pattern in namePatterns: \'\' — a pattern must not be empty; "*" matches everything',
    ],
    [
      'a pattern that is too long, cut in the message',
      { uriPatterns: ['x'.repeat(257)] },
      `Invalid pattern in uriPatterns: '${'x'.repeat(64)}…' — a pattern must have at most 256 characters, this one has 257`,
    ],
    [
      'a text of 64 characters, which is shown whole',
      { namePatterns: 'x'.repeat(64) },
      `Invalid pattern in namePatterns: '${'x'.repeat(64)}' — namePatterns must be an array of patterns, such as ["log*"]`,
    ],
    [
      'whole characters are counted and cut',
      { namePatterns: [`x${'😀'.repeat(300)}`] },
      `Invalid pattern in namePatterns: 'x${'😀'.repeat(63)}…' — a pattern must have at most 256 characters, this one has 301`,
    ],
    ['101 patterns', { namePatterns: many(101) }, 'Too many patterns: 101 exceeds maximum of 100'],
    ['many patterns', { uriPatterns: many(100_000) }, 'Too many patterns: 100000 exceeds maximum of 100'],
    [
      'repeated patterns count, and none is read if there are too many',
      { namePatterns: [...many(100), ''] },
      'Too many patterns: 101 exceeds maximum of 100',
    ],
    [
      'a pattern with quotes is shown as it was sent',
      { namePatterns: [`it's ' — "fine"${'y'.repeat(300)}`] },
      `Invalid pattern in namePatterns: 'it's ' — "fine"${'y'.repeat(49)}…' — a pattern must have at most 256 characters, this one has 315`,
    ],
  ])('%s', (_name, filter, message) => {
    expect(readListFilter({ filter }, 'resources')).toEqual({ ok: false, message });
  });

  it('is not one that reaches the limits', () => {
    const filter = { namePatterns: many(100), uriPatterns: [...many(99), 'x'.repeat(256)] };
    expect(readListFilter({ filter }, 'resources').ok).toBe(true);
    expect(readListFilter({ filter: { namePatterns: ['😀'.repeat(256)] } }, 'tools').ok).toBe(true);
  });

  it('is reported by field in a fixed order, whatever order the client used', () => {
    const filter = { uriPatterns: [''], namePatterns: [7] };
    const message = "Invalid pattern in namePatterns: '7' — a pattern must be a string";
    expect(readListFilter({ filter }, 'resources')).toEqual({ ok: false, message });
  });

  it.each<[string, unknown]>([
    ['no params', undefined],
    ['params that are not an object', 'filter'],
    ['params that are an array', [{ filter: { namePatterns: [7] } }]],
    ['no filter', { cursor: 'x' }],
    ['an inherited filter', Object.create({ filter: { namePatterns: [7] } })],
    ['inherited fields', { filter: Object.create({ namePatterns: [7] }) }],
  ])('reads no filter from %s', (_name, params) => {
    const none = { ok: true, filter: undefined, vendor: undefined, key: '' };
    expect(readListFilter(params, 'resources')).toEqual(none);
  });

  it.each<[string, object]>([
    ['__proto__ as a JSON member', JSON.parse('{"__proto__": {"namePatterns": [7]}}')],
    ['names of Object.prototype', { constructor: ['x'], toString: 7 }],
  ])('leaves %s to the server', (_name, filter) => {
    const read = readListFilter({ filter }, 'resources');
    expect(read).toMatchObject({ ok: true, filter: undefined });
    expect(read.ok && JSON.stringify(read.vendor)).toBe(JSON.stringify(filter));
  });

  it('never throws, whatever value is in whatever place', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const hostile = fc.oneof(
      fc.anything({ withBigInt: true, withSparseArray: true, withNullPrototype: true }),
      fc.constantFrom(deep, Symbol('x'), () => 'x', 2 ** 1000, -0, Number.NaN, '\ud800'),
    );
    const params = fc.oneof(
      hostile,
      fc.record({ filter: hostile }),
      fc.record({ filter: fc.record({ namePatterns: hostile, uriPatterns: hostile }) }),
      fc.record({ filter: fc.record({ namePatterns: fc.array(hostile) }) }),
    );
    fc.assert(
      fc.property(params, fc.constantFrom(...KINDS), hostile, (params, kind, item) => {
        const read = readListFilter(params, kind);
        if (!read.ok) {
          expect(read.message).toMatch(/^(Invalid pattern in \w+: '|Too many patterns: )/);
          expect(read.message.length).toBeLessThan(400);
          return;
        }
        const items = [{ name: item, uri: item, uriTemplate: item }];
        expect(applyListFilter(kind, items, read.filter).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the key of a filter', () => {
  const words = fc.array(
    fc.string({ unit: fc.constantFrom('a', '*', '"', ',', ']', '\ud800'), minLength: 1, maxLength: 2 }),
    {
      maxLength: 3,
    },
  );
  const filters = fc.record({ namePatterns: words, uriPatterns: words });
  const meaning = ({
    namePatterns,
    uriPatterns,
  }: Record<'namePatterns' | 'uriPatterns', string[]>): unknown => [
    new Set(namePatterns),
    new Set(uriPatterns),
  ];

  it('is equal if and only if the patterns are equal', () => {
    fc.assert(
      fc.property(filters, filters, (one, other) => {
        const keys = [one, other].map((filter) => keyOf(readListFilter({ filter }, 'resources')));
        let same = true;
        try {
          expect(meaning(one)).toEqual(meaning(other));
        } catch {
          same = false;
        }
        expect(keys[0] === keys[1]).toBe(same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on order or repetition', () => {
    const key = keyOf(
      readListFilter({ filter: { namePatterns: ['a', 'b'], uriPatterns: ['c'] } }, 'resources'),
    );
    const same = { uriPatterns: ['c', 'c'], namePatterns: ['b', 'a', 'b'] };
    expect(keyOf(readListFilter({ filter: same }, 'resources'))).toBe(key);
    expect(key).not.toBe('');
  });

  it('depends on which field has a pattern', () => {
    const [name, uri] = FILTER_FIELDS.resources.map((field) =>
      keyOf(readListFilter({ filter: { [field]: ['a'] } }, 'resources')),
    );
    expect(name).not.toBe(uri);
  });

  it.each([{}, { namePatterns: [] }, { uriPatterns: ['a'] }])(
    'is empty for %j, as without a filter',
    (filter) => {
      const none = { ok: true, filter: undefined, vendor: undefined, key: '' };
      expect(readListFilter({ filter }, 'tools')).toEqual(none);
    },
  );

  it('depends on the fields for the server, in any order', () => {
    const keys = [{ tags: ['a'], on: 1 }, { on: 1, tags: ['a'] }, { tags: ['b'], on: 1 }, {}].map((filter) =>
      keyOf(readListFilter({ filter }, 'tools')),
    );
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(3);
  });
});

it('keeps what matches one pattern of each given field, for any filter', () => {
  const patterns = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 4 }),
    {
      maxLength: 3,
    },
  );
  const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 });
  const items = fc.array(fc.record({ name: texts, uri: texts }), { maxLength: 12 });
  fc.assert(
    fc.property(patterns, patterns, items, (namePatterns, uriPatterns, items) => {
      const any = (patterns: readonly string[], text: string) =>
        patterns.length === 0 || patterns.some((each) => reference(each, text));
      const expected = items.filter(({ name, uri }) => any(namePatterns, name) && any(uriPatterns, uri));
      const read = readListFilter({ filter: { namePatterns, uriPatterns } }, 'resources');
      expect(read.ok && applyListFilter('resources', items, read.filter)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});
