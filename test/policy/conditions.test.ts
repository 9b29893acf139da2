import { describe, expect, it } from 'vitest';
import { reportOf } from './author.js';

const PLACES = {
  'the whole condition': (part: string) => part,
  'an operand of and': (part: string) => `{ and: [true, ${part}] }`,
  'an operand of or': (part: string) => `{ or: [${part}, false] }`,
  'the operand of !': (part: string) => `{ "!": [${part}] }`,
  'the operand of !!': (part: string) => `{ "!!": [${part}] }`,
  'the condition of if': (part: string) => `{ if: [${part}, true, false] }`,
  'a branch of if': (part: string) => `{ if: [{ var: claims.a }, ${part}, false] }`,
  'the last branch of if': (part: string) => `{ if: [{ var: claims.a }, true, ${part}] }`,
  'the condition of some': (part: string) => `{ some: [{ var: claims.a }, ${part}] }`,
  'the condition of none': (part: string) => `{ none: [{ var: claims.a }, ${part}] }`,
};

/** What authors write where a condition is expected, with what the message says. */
const WRITTEN: Readonly<Record<string, RegExp>> = {
  '"claims.role == \'admin\'"': /JSON Logic, not texts of CEL/,
  '"input.role == \\"admin\\""': /JSON Logic, not texts of CEL/,
  '"role = admin"': /JSON Logic, not texts of CEL/,
  '"true"': /JSON Logic, not texts of CEL/,
  '""': /JSON Logic, not texts of CEL/,
  admin: /JSON Logic, not texts of CEL/,
  'claims.role': /Write \{var: claims\.role\}/,
  'primitive.name': /Write \{var: primitive\.name\}/,
  'concerns.level': /Write \{var: concerns\.level\}/,
  'caller.scopes': /Write \{var: caller\.scopes\}/,
  '1': /always true or always false/,
  '0': /always true or always false/,
  '1.5': /always true or always false/,
  '~': /always true or always false/,
  '[true]': /"and" or "or" with the list/,
  '[[{ var: claims.a }, { var: claims.b }]]': /"and" or "or" with the list/,
};

describe.each(Object.entries(PLACES))('%s', (_place, write) => {
  it.each(Object.entries(WRITTEN))('is not %s', (part, message) => {
    const text = `version: 1\nconcerns: { level: { values: [a, b] } }\nrules:\n  - { id: r, show: [tools], when: ${write(part)} }\n`;
    const found = reportOf({ 'policy.yaml': text }).findings.filter(({ code }) => code === 'not-a-condition');
    expect(found.map(({ severity }) => severity)).toEqual(['error']);
    expect(found[0]?.message).toMatch(message);
  });
});

it('replaces the name of a path by what reads it', () => {
  const text = 'version: 1\nrules:\n  - { id: r, show: [tools], when: claims.role }\n';
  const { findings } = reportOf({ 'policy.yaml': text });
  expect(findings.find(({ code }) => code === 'not-a-condition')?.fix?.text).toBe('{ var: claims.role }');
});

it.each([
  ['{ some: [{ var: caller.scopes }, { "===": [{ var: name }, admin] }] }', /Read an item with \{var: ""\}/],
  ['{ some: [[a, b], { "===": [{ var: name }, admin] }] }', /Read an item with \{var: ""\}/],
  ['{ some: [{ var: caller.scopes }, { "===": [{ var: "" }, { var: primitive.nam }] }] }', /primitive\.name/],
])('reports a path that no item has: %s', (when, message) => {
  const { findings } = reportOf({
    'policy.yaml': `version: 1\nrules:\n  - { id: r, show: [tools], when: ${when} }\n`,
  });
  expect(findings.find(({ code }) => code === 'unknown-path')?.message).toMatch(message);
});
