import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseDocument } from 'yaml';
import { parseYaml } from '../../src/core/policy/language/read-yaml.js';

/** The offsets of the comments, where the library finds them: in front of the end of their line. */
const isComment = (text: string) => (offset: number) => text[offset] === '#';

describe('the data of a text', () => {
  it.each(readdirSync('policies').filter((name) => name.endsWith('.yaml')))('is that of %s', (name) => {
    const text = readFileSync(`policies/${name}`, 'utf8');
    const parsed = parseYaml(text, 256);
    expect(parsed.document?.toJS()).toEqual(parseDocument(text).toJS());
    expect(parsed.document?.errors).toEqual([]);
  });

  it('has a key __proto__ as a member', () => {
    const data = parseYaml('"__proto__": { a: 1 }', 256).document?.toJS();
    expect(Object.keys(Object(data))).toEqual(['__proto__']);
    expect(Object(data).a).toBeUndefined();
  });

  it('is not read if the text is nested too deeply, and nothing overflows', () => {
    expect(parseYaml('['.repeat(100_000), 256)).toEqual({ tooDeepAt: expect.any(Number) });
    expect(parseYaml(`${'- '.repeat(300)}a`, 256)).toEqual({ tooDeepAt: expect.any(Number) });
  });
});

describe('any text', () => {
  const scalar = fc.constantFrom(
    'low',
    'a.b-c',
    '"x y"',
    '12',
    '0',
    'null',
    'True',
    '1.5',
    '~',
    "'q'",
    'a b',
    '&a x',
    '*a',
    '!t x',
    '"\\n"',
    '',
    'é',
  );
  const key = fc.constantFrom(
    'tool',
    'get_it',
    '"a*"',
    '"__proto__"',
    '__proto__',
    'toString',
    'vault://a/b',
    'a:b',
    'null',
    '12',
    "'k'",
    '<<',
    '*a',
    'k k',
    '? k',
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(key, scalar).map(([name, is]) => `{ ${name}: ${is} }`) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('{}', '{ a: b, c: [d, e] }', '[]', '[a,b]', '{a: b}', '{ a: { b: c } }'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '|\n      text\n',
        '>+\n      a: b\n\n',
        '"a\n     b"',
        '{\n a: b }',
        'a\n      b',
      ),
    },
    { weight: 2, arbitrary: scalar },
  );
  const simple = fc.nat(99).map((index) => `tool${index}: { cost: low }`);
  const block = (indent: string) =>
    fc
      .array(fc.tuple(key, scalar), { minLength: 1, maxLength: 3 })
      .map((pairs) => ['tool:', ...pairs.map(([name, is]) => `${indent}  ${name}: ${is}`)].join('\n'));
  const entry = (indent: string) =>
    fc.oneof(
      { weight: 12, arbitrary: simple.map((text) => indent + text) },
      { weight: 3, arbitrary: block(indent).map((text) => indent + text) },
      { weight: 2, arbitrary: fc.tuple(key, value).map(([name, is]) => `${indent}${name}: ${is}`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '',
          '  ',
          `${indent}# c`,
          ' # c',
          `${indent}  # c`,
          `${indent}a: {} # c`,
          `${indent}- a`,
        ),
      },
    );
  const section = fc
    .tuple(
      fc.constantFrom('a:', 'a:\n  b:', 'a: |', 'a: "', 'a: {', '- b:', 'a: 1', ''),
      fc.constantFrom('  ', '    ', '   '),
    )
    .chain(([head, indent]) =>
      fc
        .array(entry(indent), { minLength: 5, maxLength: 14 })
        .map((lines) => `${head}\n${lines.join('\n')}\n`),
    );
  const edit = fc.record({
    at: fc.nat(),
    removed: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(80)),
    text: fc.constantFrom(
      ...[
        '',
        'x',
        ' ',
        '    ',
        '\t',
        '\n',
        '\r\n',
        '\r',
        '#',
        ' # c',
        ':',
        ': ',
        '- ',
        '? ',
        '|',
        '>',
        '"',
        "'",
        '{',
        '}',
        '[',
        ']',
        ',',
      ],
      ...[
        '&a ',
        '*a',
        '!t ',
        '---\n',
        '...\n',
        '%YAML 1.1\n---\n',
        '\uFEFF',
        '\\',
        '@',
        '`',
        'null',
        '1',
        'a: b\n',
        '    z: {}\n',
        'é',
        '\u2028',
        '\0',
      ],
    ),
  });

  it('is read without an exception, with its comments and with places inside of it', () => {
    // The library warns about keys that have no text.
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    fc.assert(
      fc.property(
        fc.array(section, { minLength: 1, maxLength: 3 }),
        fc.array(edit, { maxLength: 4 }),
        fc.constantFrom('\n', '\n', '\r\n'),
        (sections, edits, lineBreak) => {
          let text = sections.join('').replaceAll('\n', lineBreak);
          for (const { at, removed, text: added } of edits) {
            const from = at % (text.length + 1);
            text = text.slice(0, from) + added + text.slice(from + removed);
          }
          const { document, comments = [] } = { comments: undefined, ...parseYaml(text, 256) };
          expect(comments.every(isComment(text)), text).toBe(true);
          const [from, to] = document?.contents?.range ?? [0, 0];
          expect(from >= 0 && to <= text.length + 1, text).toBe(true);
          const problems = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
          expect(
            problems.every(({ pos: [start] }) => start >= 0 && start <= text.length + 1),
            text,
          ).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
    warn.mockRestore();
  });
});
