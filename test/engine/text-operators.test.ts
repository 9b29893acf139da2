import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/core/analysis/index.js';
import { compileExpression } from '../../src/core/engine/expression/evaluate.js';
import { parseExpression } from '../../src/core/engine/expression/parse.js';
import { findingsOf, policyOf, shown, yaml } from '../policy/author.js';

const apply = (operator: string, text: unknown, part: unknown): unknown => {
  const { expression } = parseExpression({
    [operator]: [{ var: 'primitive.name' }, { var: 'concerns.part' }],
  });
  return compileExpression(expression).evaluate({ primitive: { name: text }, concerns: { part } }, []);
};

describe('an operator on texts', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['starts-with', 'delete_note', 'delete_', true],
    ['starts-with', 'undelete_note', 'delete_', false],
    ['starts-with', 'delete', 'delete_', false],
    ['starts-with', 'a', '', true],
    ['ends-with', 'note_v2', '_v2', true],
    ['ends-with', 'note_v2_old', '_v2', false],
    ['ends-with', '', '', true],
    // Servers and clients can send any character, also the first one of Unicode.
    ['starts-with', 'x\u0000delete_y', 'delete_', false],
    ['starts-with', '\u0000delete_y', 'delete_', false],
    ['starts-with', 'delete_\u0000y', 'delete_', true],
    ['starts-with', '\u0000', '\u0000', true],
    ['ends-with', 'note_v2\u0000x', '_v2', false],
    ['ends-with', 'x\u0000note_v2', '_v2', true],
    ['contains', 'read\u0000note', 'd\u0000n', true],
    ['contains', 'read_note', 'd_n', true],
    ['contains', 'read_note', 'N', false],
    ['contains', '', '', true],
    ['contains', 'a.*b', '.*', true],
  ])('compares: %s of %j and %j is %j', (operator, text, part, result) => {
    expect(apply(operator, text, part)).toBe(result);
  });

  it('compares each item of a list', () => {
    const { expression } = parseExpression({
      some: [{ var: 'primitive.tags' }, { 'starts-with': [{ var: '' }, 'a'] }],
    });
    const { evaluate } = compileExpression(expression);
    expect(evaluate({ primitive: { tags: ['b', 'ab'] } }, [])).toBe(true);
    expect(evaluate({ primitive: { tags: ['b', 'x\u0000ab'] } }, [])).toBe(false);
  });

  it.each(['starts-with', 'ends-with', 'contains'])('is false for what is not a text: %s', (operator) => {
    for (const other of [undefined, null, 1, true, ['note'], [['note']], { note: 1 }, []]) {
      expect([operator, other, apply(operator, other, '')]).toEqual([operator, other, false]);
      expect([operator, other, apply(operator, 'note', other)]).toEqual([operator, other, false]);
    }
    expect(apply(operator, '1', 1)).toBe(false);
  });
});

const RULES = yaml`
  version: 1
  concerns: { area: { values: [notes, mail] } }
  rules:
    - { id: by-name, hide: [tools], when: { starts-with: [{ var: primitive.name }, delete_] } }
    - { id: by-text, hide: [tools], when: { contains: [{ var: primitive.description }, "[internal]"] } }
    - { id: by-parameter, hide: [tools], when: { in: [sudo, { var: primitive.parameters }] } }
    - { id: by-required, hide: [tools], when: { in: [path, { var: primitive.required }] } }
    - id: by-area
      hide: [tools]
      when: { and: [{ "!!": { var: concerns.area } }, { "!": { starts-with: [{ var: primitive.name }, { var: concerns.area }] } }] }
`;
const schema = (properties: object, required: string[] = []) => ({
  inputSchema: { type: 'object', properties, required },
});
const TOOLS = [
  { name: 'delete_note', ...schema({}) },
  { name: 'notes_list', description: 'Lists notes. [internal]', ...schema({}) },
  { name: 'notes_run', ...schema({ sudo: {} }) },
  { name: 'notes_read', ...schema({ path: {} }, ['path']) },
  { name: 'notes_find', ...schema({ path: {} }) },
  { name: 'mail_find' },
];

describe('a rule', () => {
  const policy = policyOf(RULES);

  it('reads the name, the description and the parameters of a tool', () => {
    expect(shown(policy, TOOLS, undefined)).toEqual(['notes_find', 'mail_find']);
    expect(shown(policy, TOOLS, { area: 'mail' })).toEqual(['mail_find']);
  });

  it('does not read a parameter that an object inherits', () => {
    const inherited = { name: 'x', inputSchema: { properties: Object.create({ sudo: {} }) } };
    const hidden = { name: 'y', inputSchema: JSON.parse('{"properties":{"__proto__":{},"sudo":{}}}') };
    expect(shown(policy, [inherited, hidden, { name: 'z', inputSchema: null }], undefined)).toEqual([
      'x',
      'z',
    ]);
  });

  it('with operators on texts is analyzed exactly', () => {
    const { rules } = analyze(policy, { tools: TOOLS.slice(4) });
    expect(rules.map(({ id, fires }) => [id, fires])).toEqual([
      ['by-name', 'never'],
      ['by-text', 'never'],
      ['by-parameter', 'never'],
      ['by-required', 'never'],
      ['by-area', 'sometimes'],
    ]);
  });

  it.each([
    ['a list', '{ contains: [{ var: primitive.parameters }, a] }'],
    ['a number', '{ starts-with: [{ var: primitive.name }, 1] }'],
    ['a list of texts', '{ ends-with: [{ var: primitive.name }, [a, b]] }'],
  ])('that compares %s with a text is reported', (_what, when) => {
    const found = findingsOf(`version: 1\nrules:\n  - { id: r, hide: [tools], when: ${when} }\n`);
    expect(found.map((each) => each.split(' ')[1])).toEqual(['text-expected']);
  });
});
