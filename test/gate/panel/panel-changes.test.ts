import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { completeChange } from '../../../src/core/gate/panel/panel-state.js';
import { policyOf, yaml } from '../../policy/author.js';
import { policy, stateOf, TEXT } from './panel-states.js';

describe('the presets', () => {
  const active = (preferences: Record<string, unknown>, from = policy) =>
    stateOf({ preferences, from })
      .presets.filter((each) => each.active)
      .map(({ name }) => name);

  it.each<[Record<string, unknown>, string[]]>([
    [{}, []],
    [{ security: 'high' }, ['safe']],
    [{ security: 'high', budget: 1 }, []],
    [{ security: 'high', topic: null }, ['safe']],
    [{ topic: ['stocks', 'news'], budget: 1 }, ['cheap']],
    [{ budget: 1, topic: ['news', 'stocks'] }, ['cheap']],
    [{ topic: ['news'], budget: 1 }, []],
    [{ preset: 'safe' }, ['safe']],
  ])('are active if their values are exactly in effect: %j', (preferences, names) => {
    expect(active(preferences)).toEqual(names);
  });

  it('have no defaults, which a page never needs', () => {
    const from = policyOf(TEXT.replace('budget: { values', 'budget: { default: 3, values'));
    const [safe] = stateOf({ from }).presets;
    expect(safe).toMatchObject({ name: 'safe', preferences: { security: 'high' }, tools: 2 });
  });

  it('have no entries that remove a value', () => {
    const from = policyOf(TEXT.replace('safe: { security: high }', 'safe: { security: high, topic: null }'));
    expect(stateOf({ from }).presets[0]).toMatchObject({ preferences: { security: 'high' } });
    expect(active({ security: 'high' }, from)).toEqual(['safe']);
  });

  it('replace the other values, and those of the model', () => {
    const from = policyOf(TEXT.replace('multiple: true', 'multiple: true, model: free'));
    const { presets, everything, shown } = stateOf({
      from,
      preferences: { budget: 1 },
      model: { topic: ['news'] },
    });
    expect(shown.tools).toBe(1);
    expect(presets.map(({ tools }) => tools)).toEqual([2, 2]);
    expect(everything.tools).toBe(3);
  });
});

describe('the change that shows an item', () => {
  const OPEN = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, high], model: narrow }
      access: { values: [read, write], model: narrow }
      topic: { values: [news, stocks], model: free }
    primitives:
      tools:
        a: { security: high }
        b: { security: low }
        c: { security: high, access: write }
        d: { topic: stocks }
  `);
  const tools = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
  const changes = (preferences: Record<string, unknown>, model: Record<string, unknown>) =>
    stateOf({ from: OPEN, catalog: { tools }, preferences, model }).items.map(
      ({ name, shown, change, after }) => [name, shown ? 'shown' : change, after],
    );

  it.each<[string, Record<string, unknown>, Record<string, unknown>, unknown[]]>([
    [
      'is a value of the person',
      { security: 'high' },
      {},
      [
        ['a', 'shown'],
        ['b', { security: 'low' }, 2],
        ['c', 'shown'],
        ['d', 'shown'],
      ],
    ],
    [
      'undoes what the model narrows, with the value of the person',
      { security: 'high' },
      { security: 'low' },
      [
        ['a', { security: 'high' }, 3],
        ['b', { security: 'low' }, 2],
        ['c', { security: 'high' }, 3],
        ['d', 'shown'],
      ],
    ],
    [
      'undoes what the model narrows, with no value',
      {},
      { security: 'low' },
      [
        ['a', { security: null }, 4],
        ['b', 'shown'],
        ['c', { security: null }, 4],
        ['d', 'shown'],
      ],
    ],
    [
      'undoes all that the model narrows, if one is not enough',
      {},
      { security: 'low', access: 'read' },
      [
        ['a', { security: null }, 3],
        ['b', 'shown'],
        ['c', { security: null, access: null }, 4],
        ['d', 'shown'],
      ],
    ],
    [
      'undoes all that the model narrows, and nothing that it is free to set',
      {},
      { topic: 'stocks', security: 'low', access: 'read' },
      [
        ['a', { security: null }, 3],
        ['b', 'shown'],
        ['c', { security: null, access: null }, 4],
        ['d', 'shown'],
      ],
    ],
    [
      'replaces what the model is free to set',
      {},
      { topic: 'news' },
      [
        ['a', 'shown'],
        ['b', 'shown'],
        ['c', 'shown'],
        ['d', { topic: 'stocks' }, 4],
      ],
    ],
    [
      'does not undo what the model is free to set',
      {},
      { topic: 'stocks', security: 'low' },
      [
        ['a', { security: null }, 4],
        ['b', 'shown'],
        ['c', { security: null }, 4],
        ['d', 'shown'],
      ],
    ],
  ])('%s', (_what, preferences, model, expected) => {
    expect(changes(preferences, model)).toEqual(
      expected.map((each) => (Array.isArray(each) && each.length === 2 ? [...each, undefined] : each)),
    );
  });

  it('tells what the model narrows', () => {
    const { concerns, items } = stateOf({
      from: OPEN,
      catalog: { tools },
      preferences: { security: 'high' },
      model: { security: 'low' },
    });
    expect(concerns[0]).toMatchObject({ inEffect: ['high'], origin: 'session', model: ['low'] });
    expect(concerns[1]).not.toHaveProperty('model');
    expect(items[0]?.reason).toStrictEqual({
      code: 'concern-mismatch',
      concern: 'security',
      preferred: ['low'],
      actual: ['high'],
      origin: 'model',
    });
  });
});

describe('a change that is completed', () => {
  const before = resolveConfiguration(policy, [
    { from: 'session', concerns: { security: 'low' } },
    { from: 'url', concerns: { topic: ['news'] } },
  ]);

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['nothing', {}, { security: 'low', topic: ['news'], budget: null }],
    ['a value', { security: 'high' }, { security: 'high', topic: ['news'], budget: null }],
    ['no value', { topic: null }, { security: 'low', topic: null, budget: null }],
    ['what is not declared', { other: 1 }, { security: 'low', topic: ['news'], budget: null, other: 1 }],
    ['a preset', { preset: 'safe' }, { security: 'high', topic: null, budget: null, preset: 'safe' }],
    [
      'a preset and a value',
      { preset: 'safe', topic: ['stocks'] },
      { security: 'high', topic: ['stocks'], budget: null, preset: 'safe' },
    ],
    [
      'a preset that does not exist',
      { preset: 'other' },
      { security: null, topic: null, budget: null, preset: 'other' },
    ],
    ['a preset that is no text', { preset: 7 }, { security: null, topic: null, budget: null, preset: 7 }],
  ])('states every concern of the host: %s', (_what, change, completed) => {
    expect(completeChange(before, change)).toEqual(completed);
  });
});
