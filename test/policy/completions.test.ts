import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completionsAt, type KnownNames } from '../../src/core/policy/check/completions.js';
import { positionInYaml } from '../../src/core/policy/language/path-at.js';
import { readPolicyText } from '../../src/core/policy/language/read-yaml.js';

const known: KnownNames = {
  concerns: [
    {
      name: 'security',
      description: 'How safe',
      values: ['low', 'high'],
      valueDescriptions: { low: 'For tests' },
    },
    { name: 'latency', values: { min: 0, max: 500 } },
  ],
  catalog: {
    tools: [{ name: 'echo' }, { name: 'readLog', title: 'Read the log' }, { name: 'yes' }],
    resources: [{ uri: 'vault://keys' }],
  },
};

/** The completions where `|` is. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { from, items } = completionsAt(text, offset, known);
  return { word: text.slice(from, offset), labels: items.map(({ label }) => label), items };
}

describe('completions', () => {
  it.each([
    ['a key of the top level', 'version: 1\nse|', 'se', ['concerns', 'settings', 'rules']],
    ['a key of a section', 'settings:\n  un|', 'un', ['unmapped', 'enforcement']],
    ['a choice', 'settings:\n  unmapped: |', '', ['show', 'hide']],
    ['a choice in a flow mapping', 'settings: { unmapped: h|', 'h', ['show', 'hide']],
    ['a boolean', 'settings:\n  transparency: |', '', ['true', 'false']],
    ['a key of a concern', 'concerns:\n  security:\n    values: [low]\n    ma|', 'ma', ['match', 'default']],
    [
      'a key of a concern in a flow mapping',
      'concerns:\n  risk: { values: [a, b], m|',
      'm',
      ['match', 'multiple'],
    ],
    ['a default', 'concerns:\n  security:\n    default: |', '', ['low', 'high']],
    ['a kind', 'primitives:\n  |', '', ['tools', 'resourceTemplates']],
    ['a primitive that has no entry', 'primitives:\n  tools:\n    echo: {}\n    |', '', ['readLog', 'yes']],
    ['a concern of an entry', 'primitives:\n  tools:\n    echo: { s|', 's', ['security', 'latency']],
    [
      'a concern of an entry on its own line',
      'primitives:\n  tools:\n    echo:\n      |',
      '',
      ['security', 'latency'],
    ],
    [
      'a value of an entry',
      'primitives:\n  tools:\n    echo: { latency: 3, security: |',
      '',
      ['low', 'high', 'any'],
    ],
    ['a value in a list', 'primitives:\n  tools:\n    echo: { security: [low, |', '', ['low', 'high', 'any']],
    [
      'a value in a block list',
      'primitives:\n  tools:\n    echo:\n      security:\n        - |',
      '',
      ['low', 'high', 'any'],
    ],
    ['a value of a preset', 'presets:\n  safe: { security: |', '', ['low', 'high', 'null']],
    [
      'a value that assign gives',
      'assign:\n  - when: true\n    to: { security: |',
      '',
      ['low', 'high', 'any'],
    ],
    ['a key of a rule', 'rules:\n  - id: a\n    |', '', ['id', 'hide', 'when']],
    ['a key of a rule in the column of its list', 'rules:\n- id: a\n  |', '', ['id', 'hide', 'when']],
    ['a kind of a rule', 'rules:\n  - id: a\n    hide: [|', '', ['tools', 'prompts']],
    ['an operator', 'rules:\n  - id: a\n    when: { |', '', ['===', 'and', 'var']],
    [
      'a pattern of a client',
      'defaults-for:\n  - when: { |',
      '',
      ['client.name', 'client.title', 'client.version'],
    ],
    [
      'a path',
      'rules:\n  - id: a\n    when: { "===": [{ var: |',
      '',
      ['concerns.security', 'primitive.annotations.readOnlyHint', 'client.name', 'protocol.era'],
    ],
  ])('offers %s', (_name, text, word, labels) => {
    const found = at(text);
    expect(found.word).toBe(word);
    expect(found.labels).toEqual(expect.arrayContaining(labels));
  });

  it('does not offer a primitive that has an entry, and quotes names that YAML reads as something else', () => {
    const { items } = at('primitives:\n  tools:\n    echo: {}\n    |');
    expect(items).toEqual([
      { label: 'readLog', text: 'readLog: ', description: 'Read the log' },
      { label: 'yes', text: '"yes": ' },
    ]);
    expect(at('primitives:\n  resources:\n    |').items).toEqual([
      { label: 'vault://keys', text: '"vault://keys": ' },
    ]);
  });

  it('offers nothing in a comment, and no values of an unknown concern', () => {
    expect(at('settings:\n  unmapped: show # |').labels).toEqual([]);
    expect(at('primitives:\n  tools:\n    echo: { risk: |').labels).toEqual(['any']);
  });

  it('never throws, wherever the position is', () => {
    const text = readFileSync('policies/vault.yaml', 'utf8');
    const positions = fc.nat({ max: text.length });
    fc.assert(
      fc.property(positions, positions, (cut, offset) => {
        const part = text.slice(0, cut);
        expect(completionsAt(part, Math.min(offset, cut), known).from).toBeLessThanOrEqual(
          Math.min(offset, cut),
        );
      }),
    );
  });

  it('finds every path of a policy that a parser finds', () => {
    for (const name of ['vault', 'github', 'everything', 'playwright']) {
      const text = readFileSync(`policies/${name}.yaml`, 'utf8');
      const source = readPolicyText(text, 'policy.yaml');
      const lines = text.split('\n');
      const offsetOf = (line: number, column: number) =>
        lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
      let count = 0;
      const visit = (data: unknown, path: readonly (string | number)[]): void => {
        if (typeof data !== 'object' || data === null) return;
        for (const [key, value] of Object.entries(data)) {
          const step = Array.isArray(data) ? Number(key) : key;
          if (typeof step === 'string') {
            const { line, column } = source.locate([...path, step], 'key');
            const expected = path.map((each) => (typeof each === 'number' ? 0 : each));
            const found = positionInYaml(text, offsetOf(line, column));
            // Conditions over several lines in flow style are the exception: only their outer keys are found.
            if (!path.includes('when')) expect(found?.path, `${name}:${line}`).toEqual(expected);
            count++;
          }
          visit(value, [...path, step]);
        }
      };
      visit(source.data, []);
      expect(count).toBeGreaterThan(40);
    }
  });
});
