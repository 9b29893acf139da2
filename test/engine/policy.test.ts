import { describe, expect, it } from 'vitest';
import { type CompiledPolicy, preparePolicy } from '../../src/core/engine/index.js';
import { EMPTY } from './small-policies.js';

const base = { multiple: false, setBy: 'host', match: 'exact' } as const;
const compiled: CompiledPolicy = {
  ...EMPTY,
  files: ['common.yaml', 'policy.yaml'],
  concerns: [
    { ...base, name: 'level', values: ['low', 'high'] },
    { ...base, name: 'price', values: { min: 0, max: 9 } },
  ],
  rules: [
    { id: 'a', effect: 'hide', kinds: ['tools'], when: { var: 'claims.b' }, reason: 'So.', file: 1, line: 7 },
    { id: 'b', effect: 'show', kinds: ['prompts'], when: { var: 'claims.a' }, file: 0, line: 3 },
  ],
};
const entry = (name: string, values: CompiledPolicy['primitives']['tools'][number]['values'] = {}) => ({
  name,
  file: 1,
  line: 5,
  values,
});

describe('a prepared policy', () => {
  it('has its values as numbers, each with the place where it was written', () => {
    const tool = entry('t', {
      level: { is: ['high', 'low'], line: 8 },
      price: { is: [4.5], line: 9 },
    });
    const { entries } = preparePolicy({ ...compiled, primitives: { ...compiled.primitives, tools: [tool] } });
    expect(entries.tools.get('t')).toEqual({
      name: 't',
      source: 'policy.yaml:5',
      assignments: [
        { concern: 0, offered: [1, 0], source: 'policy.yaml:8' },
        { concern: 1, offered: [4.5], source: 'policy.yaml:9' },
      ],
      number: 0,
    });
  });

  it('has the same number for entries with equal values, wherever they were written', () => {
    const tools = [
      entry('a', { level: { is: ['high'], line: 8 }, price: { is: [1], line: 9 } }),
      entry('b', { price: { is: [1], line: 3 }, level: { is: ['high'], line: 4 } }),
      entry('c', { level: { is: ['high'], line: 1 }, price: { is: [1], line: 2 } }),
      entry('d', { level: { is: ['high', 'low'], line: 1 }, price: { is: [1], line: 2 } }),
      entry('e', { level: { is: 'any', line: 1 }, price: { is: [1], line: 2 } }),
      entry('f', {}),
    ];
    const { entries } = preparePolicy({ ...compiled, primitives: { ...compiled.primitives, tools } });
    const numbers = [...entries.tools.values()].map(({ number }) => number);
    // The order in which concerns are written does not matter to a decision, so a second number for "b" only costs time.
    expect(numbers).toEqual([0, 1, 0, 2, 3, 4]);
  });

  it('keeps `any` and leaves out values for undeclared concerns', () => {
    const pattern = entry('t*', { level: { is: 'any', line: 8 }, gone: { is: ['x'], line: 9 } });
    const { patterns } = preparePolicy({ ...compiled, patterns: { ...compiled.patterns, tools: [pattern] } });
    expect(patterns.tools[0]?.assignments).toEqual([{ concern: 0, offered: 'any', source: 'policy.yaml:8' }]);
  });

  it('has rules with their places and, if given, their reasons', () => {
    const [first, second] = preparePolicy(compiled).rules;
    expect(first).toMatchObject({ id: 'a', effect: 'hide', source: 'policy.yaml:7', reason: 'So.' });
    expect(second).toMatchObject({ id: 'b', kinds: ['prompts'], source: 'common.yaml:3' });
    expect(second).not.toHaveProperty('reason');
  });

  it('lists what rules read of callers, once each and in order', () => {
    const when = {
      and: [
        { var: 'client.capabilities.sampling' },
        { var: 'claims.a' },
        { var: 'primitive.annotations.client' },
      ],
    };
    const rules = [
      ...compiled.rules,
      { id: 'c', effect: 'hide', kinds: ['tools'], when, file: 0, line: 4 } as const,
    ];
    expect(preparePolicy({ ...compiled, rules }).callerPaths).toEqual([
      'claims.a',
      'claims.b',
      'client.capabilities.sampling',
    ]);
  });

  it('tries templates with more literal characters first, and equally specific ones in the order of the policy', () => {
    const templates = ['a://{x}', 'a://long/{x}', 'b://{x}', 'a://long/{x}/end'];
    const { covering } = preparePolicy({
      ...compiled,
      primitives: { ...compiled.primitives, resourceTemplates: templates.map((name) => entry(name)) },
    });
    expect(covering.map(({ name }) => name)).toEqual([
      'a://long/{x}/end',
      'a://long/{x}',
      'a://{x}',
      'b://{x}',
    ]);
  });

  it('gives the values of an assign to the primitives that it fires for', () => {
    const { assigns } = preparePolicy({
      ...compiled,
      assign: [
        { when: { var: 'primitive.title' }, file: 0, line: 2, values: { level: { is: ['low'], line: 3 } } },
      ],
    });
    expect(assigns.map(({ fires }) => fires({ primitive: { title: 'A' } }, []))).toEqual(['A']);
    expect(assigns[0]?.assignments).toEqual([{ concern: 0, offered: [0], source: 'common.yaml:3' }]);
  });
});
