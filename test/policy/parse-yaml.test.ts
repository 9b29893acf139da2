import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findEntryRuns } from '../../src/policy/language/yaml/entry-runs.js';
import { parseWhole, parseYaml } from '../../src/policy/language/yaml/parse-yaml.js';

const entries = (count: number, entry: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${entry(index)}\n`).join('');
const policy = (section: string) => `version: 1\nprimitives:\n  tools:\n${section}`;

/** All that the readers of a policy use. */
function contentOf(parse: typeof parseYaml, text: string) {
  const parsed = parse(text, 256);
  if (parsed.document === undefined) return parsed;
  const { document, root, comments } = parsed;
  const problems = [...document.errors, ...document.warnings];
  return { comments, root, problems: problems.map(({ code, message, pos }) => [code, message, pos]) };
}

/** The data of a text without errors. Aliases have none, and the library prints a warning about keys that have no text. */
function dataOf({ document }: ReturnType<typeof parseYaml>, text: string, data: (() => unknown) | undefined) {
  const isRead = document?.errors.length === 0 && !/[&*?]/.test(text);
  return isRead ? JSON.stringify(data?.()) : undefined;
}

function expectSame(text: string): void {
  expect(contentOf(parseYaml, text), text).toEqual(contentOf(parseWhole, text));
  const [parsed, whole] = [parseYaml(text, 256), parseWhole(text, 256)];
  const expected = dataOf(whole, text, () => whole.document?.toJS());
  expect(dataOf(parsed, text, parsed.data), text).toBe(expected);
}

describe('a run of simple entries', () => {
  it.each([
    [
      'mappings in one line',
      (index: number) => `    tool${index}: { cost: low, area: [a, "b c"], rank: ${index} }`,
    ],
    [
      'mappings in several lines',
      (index: number) => `    tool${index}:\n      cost: low\n      area: [a, b]`,
    ],
    ['quoted names', (index: number) => `    "get ${index}*": {cost: "low"}`],
    ['addresses', (index: number) => `    vault://keys/${index}: {}`],
    [
      'comments and blank lines',
      (index: number) => `    # About ${index}.\n    tool${index}: {} # Nothing.\n`,
    ],
  ])('is found: %s', (_name, entry) => {
    const text = policy(entries(8, entry));
    for (const each of [text, text.replaceAll('\n', '\r\n')]) {
      expect(findEntryRuns(each).flatMap((run) => run.entries)).toHaveLength(6);
      expectSame(each);
    }
  });

  it.each([
    [
      'a value that is not a text',
      (index: number) => (index === 5 ? '    a: { b: null }' : `    t${index}: {}`),
    ],
    [
      'a number that is not whole',
      (index: number) => (index === 5 ? '    a: { b: 1.5 }' : `    t${index}: {}`),
    ],
    ['an escape', (index: number) => (index === 5 ? '    a: { b: "\\x41" }' : `    t${index}: {}`)],
    ['an alias', (index: number) => (index === 5 ? '    a: *b' : `    t${index}: &b {}`)],
    ['a text in several lines', (index: number) => (index === 5 ? '    a: b\n      c' : `    t${index}: {}`)],
    ['another column', (index: number) => (index > 5 ? `   t${index}: {}` : `    t${index}: {}`)],
  ])('ends at %s', (_name, entry) => expectSame(policy(entries(10, entry))));

  it.each([
    ['a block of text', `version: 1\ndescription: |\n${entries(8, (index) => `  t${index}: {}`)}`],
    ['a folded block', `version: 1\ndescription: >\n${entries(8, (index) => `  t${index}: {}`)}`],
    ['a quoted text', `version: "\n${entries(8, (index) => `  t${index}: {}`)}"\n`],
    ['a plain text', `version: one\n${entries(8, (index) => `  t${index}: {}`)}`],
    ['brackets', `version: {\n${entries(8, (index) => `  t${index}: {}`)}}\n`],
    ['a second document', `version: 1\n---\na:\n${entries(8, (index) => `  t${index}: {}`)}`],
    ['YAML 1.1', `%YAML 1.1\n---\na:\n${entries(8, (index) => `  t${index}: { a: yes, y: b }`)}`],
    [
      'a list',
      `- a:\n${entries(8, (index) => `    t${index}: {}`)}- b:\n${entries(8, (index) => `    t${index}: {}`)}`,
    ],
    ['a column that is wrong', `a:\n    b: {}\n${entries(8, (index) => `   t${index}: {}`)}`],
    ['a place without a key', `a: {}\n${entries(8, (index) => `   t${index}: {}`)}`],
  ])('is what the YAML parser makes of it within %s', expectSame);
});

it.each(readdirSync('policies').filter((name) => name.endsWith('.yaml')))('reads %s as a whole', (name) => {
  const text = readFileSync(`policies/${name}`, 'utf8');
  expectSame(text);
  // Every tenth state of a policy that is typed from the top.
  for (let end = 0; end < Math.min(text.length, 3000); end += 10) expectSame(text.slice(0, end));
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

  it('has the same nodes, places, errors and comments as if the YAML parser had read all of it', () => {
    fc.assert(
      fc.property(
        fc.array(section, { minLength: 1, maxLength: 3 }),
        fc.array(edit, { maxLength: 4 }),
        fc.constantFrom('\n', '\n', '\r\n'),
        (sections, edits, lineBreak) => {
          let text = sections.join('').replaceAll('\n', lineBreak);
          expectSame(text);
          for (const { at, removed, text: added } of edits) {
            const from = at % (text.length + 1);
            text = text.slice(0, from) + added + text.slice(from + removed);
            expectSame(text);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
