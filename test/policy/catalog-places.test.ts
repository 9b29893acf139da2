import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PolicyCatalog, readPolicy } from '../../src/core/policy/index.js';
import { write, yaml } from './author.js';

function found(text: string, catalog: PolicyCatalog): string[] {
  const { findings } = readPolicy(join(write({ 'policy.yaml': text }), 'policy.yaml'), catalog);
  return findings.map(({ line, column, code }) => `${line}:${column} ${code}`);
}

const named = (...names: string[]) => names.map((name) => ({ name }));

describe('a finding about a primitive', () => {
  it.each([
    [
      'its entry',
      yaml`
        version: 1
        concerns: { access: { values: [read, write] } }
        patterns: { tools: { "a*": {} } }
        primitives: { tools: { a1: { access: [read, write] } } }
      `,
      { tools: named('a1', 'a2') },
      ['4:24 always-visible'],
    ],
    [
      'the last pattern that matches it',
      yaml`
        version: 1
        concerns: { access: { values: [read, write] } }
        patterns:
          tools:
            "*": {}
            "a*": { access: [read, write] }
      `,
      { tools: named('a1', 'b') },
      ['6:5 always-visible'],
    ],
    [
      'the template that covers it',
      yaml`
        version: 1
        concerns: { access: { values: [read, write] } }
        primitives:
          resourceTemplates:
            "v://{id}": { access: [read, write] }
      `,
      { resources: [{ uri: 'v://1' }] },
      ['5:5 always-visible'],
    ],
    [
      'the last assign that fires for it',
      yaml`
        version: 1
        concerns: { access: { values: [read, write] } }
        assign:
          - { when: false, to: {} }
          - { when: true, to: { access: [read, write] } }
      `,
      { tools: named('a') },
      ['5:5 always-visible'],
    ],
  ])('points at %s', (_name, text, catalog, findings) => {
    expect(found(text, catalog)).toEqual(findings);
  });
});

describe('a policy with errors', () => {
  it('is checked against the catalog as far as it is right', () => {
    const text = yaml`
      version: 1
      concerns:
        level: { values: [low, high] }
        broken: { values: [a, any] }
      primitives:
        tools:
          gone: { level: low }
          wrong: { level: hihg }
          later: { broken: a, level: low }
      rules:
        - { id: bad, hide: [tools], when: { "==": [1, 1] } }
        - { id: good, hide: [tools], when: { "===": [{ var: primitive.name }, missing] } }
    `;
    expect(found(text, { tools: named('wrong', 'later', 'new') })).toEqual([
      '4:25 reserved-name',
      '6:3 unmapped',
      '7:5 dead-entry',
      '8:21 unknown-value',
      '11:37 loose-equality',
      '12:73 unlisted-name',
    ]);
  });

  it('does not report a primitive as unmapped that the wrong part may map', () => {
    const long = `"${'*'.repeat(17)}"`;
    const text = `version: 1\npatterns: { tools: { ${long}: {} } }\n`;
    expect(found(text, { tools: named('a') })).toEqual(['2:22 pattern-too-long']);
    const shape = 'version: 1\nprimitives: { tools: { a: [], gone: {} } }\n';
    expect(found(shape, { tools: named('a') })).toEqual(['2:27 wrong-type', '2:31 dead-entry']);
  });

  it('keeps the places of the items after a wrong one', () => {
    const text = yaml`
      version: 1
      assign:
        - { when: { "==": [1, 1] }, to: {} }
        - { when: true, to: { nope: x } }
        - { when: { "===": [{ var: primitive.name }, gone] }, to: {} }
    `;
    expect(found(text, { tools: named('a') })).toEqual([
      '3:13 loose-equality',
      '4:25 unknown-concern',
      '5:48 unlisted-name',
    ]);
  });
});

describe('a name in a rule', () => {
  const rule = (when: object, kinds = ['tools']) =>
    `version: 1\npatterns: { tools: { "*": {} }, prompts: { "*": {} }, resources: { "*": {} } }\nrules:\n  - id: r\n    hide: ${JSON.stringify(kinds)}\n    when: ${JSON.stringify(when)}\n`;
  const catalog = {
    tools: named('read', 'write'),
    prompts: named('ask'),
    resources: [{ uri: 'v://1', name: 'one' }],
    resourceTemplates: [{ uriTemplate: 'k://{id}', name: 'key' }],
  };
  const unlisted = (when: object, kinds?: string[]) =>
    readPolicy(join(write({ 'policy.yaml': rule(when, kinds) }), 'policy.yaml'), catalog)
      .findings.filter(({ code }) => code === 'unlisted-name')
      .map(({ message }) => message);

  it.each([
    [{ '===': [{ var: 'primitive.name' }, 'read'] }, undefined, 0],
    [{ '===': [{ var: 'primitive.name' }, 'raed'] }, undefined, 1],
    [{ '!': [{ in: [{ var: 'primitive.name' }, ['read', 'x1', 'x2']] }] }, undefined, 2],
    [{ '===': ['ask', { var: 'primitive.name' }] }, undefined, 1],
    [{ '===': ['ask', { var: 'primitive.name' }] }, ['tools', 'prompts'], 0],
    [{ '===': [{ var: 'primitive.title' }, 'nobody'] }, undefined, 0],
    [{ '===': [{ var: 'primitive.uri' }, 'v://1'] }, ['resources'], 0],
    [{ '===': [{ var: 'primitive.uri' }, 'v://2'] }, ['resources'], 1],
    [{ '===': [{ var: 'primitive.uri' }, 'k://7'] }, ['resources'], 0],
  ])('%j for %j has %i findings', (when, kinds, count) => {
    expect(unlisted(when, kinds)).toHaveLength(count);
  });

  it('is explained', () => {
    expect(unlisted({ '===': [{ var: 'primitive.name' }, 'raed'] })).toEqual([
      'The server does not have a tool "raed", so this comparison is always false. Did you mean "read"?',
    ]);
  });
});
