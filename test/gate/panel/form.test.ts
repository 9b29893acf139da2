import { describe, expect, it } from 'vitest';
import { changeIn, formOf } from '../../../src/core/gate/panel/form.js';
import type { PanelConcern, PanelPreset } from '../../../src/core/gate/panel/panel-document.js';
import { panelDocument } from './panel-document.js';

const concern = (rest: Partial<PanelConcern>): PanelConcern => ({
  name: 'security',
  match: 'exact',
  multiple: false,
  setBy: 'host',
  inEffect: [],
  ...rest,
});
const preset = (name: string, active = false): PanelPreset => ({
  name,
  preferences: {},
  active,
  tools: 3,
  tokens: 40,
});
const options = [
  { value: 'low', tools: 2, tokens: 20 },
  { value: 'high', tools: 1, tokens: 10 },
  { value: null, tools: 4, tokens: 50 },
];
const oneOf = [
  { const: 'low', title: 'low: 2 tools' },
  { const: 'high', title: 'high: 1 tools' },
  { const: '-', title: 'any: 4 tools' },
];

describe('a form', () => {
  it('without presets and concerns has a message only', () => {
    expect(formOf(panelDocument())).toEqual({
      mode: 'form',
      message:
        '1 of 4 tools are shown (about 10 of 50 tokens). No preferences are in effect. Choose what to show.',
      requestedSchema: { type: 'object', properties: {} },
    });
  });

  it.each([
    ['safe', [preset('cheap'), preset('safe', true)]],
    ['-', [preset('cheap'), preset('safe')]],
  ])('begins with the presets, of which %s is chosen', (chosen, presets) => {
    const { properties } = formOf(
      panelDocument({ presets, concerns: [concern({ options })] }),
    ).requestedSchema;
    expect(Object.keys(properties)).toEqual(['preset', 'security']);
    expect(properties.preset).toEqual({
      type: 'string',
      title: 'Preset',
      description: 'A preset that you choose here replaces the values below.',
      oneOf: [
        { const: 'cheap', title: 'cheap: 3 tools, about 40 tokens' },
        { const: 'safe', title: 'safe: 3 tools, about 40 tokens' },
        { const: '-', title: 'no preset: the values below' },
      ],
      default: chosen,
    });
  });

  it.each<[string, Partial<PanelConcern>, object]>([
    ['a value', { options }, { type: 'string', title: 'security', oneOf, default: '-' }],
    [
      'a value in effect, and a description',
      { options, inEffect: ['high'], description: 'How safe' },
      { type: 'string', title: 'security', description: 'How safe', oneOf, default: 'high' },
    ],
    [
      'several values',
      { options, multiple: true },
      { type: 'array', title: 'security', items: { anyOf: oneOf.slice(0, 2) }, default: [] },
    ],
    [
      'several values in effect, and a description',
      { options, multiple: true, inEffect: ['high', 'low'], description: 'How safe' },
      {
        type: 'array',
        title: 'security',
        description: 'How safe',
        items: { anyOf: oneOf.slice(0, 2) },
        default: ['high', 'low'],
      },
    ],
    [
      'a number',
      { range: { min: 0, max: 9 } },
      { type: 'number', title: 'security', minimum: 0, maximum: 9 },
    ],
    [
      'a number in effect, and a description',
      { range: { min: 0, max: 9 }, inEffect: [0], description: 'How much' },
      {
        type: 'number',
        title: 'security',
        description: 'How much',
        minimum: 0,
        maximum: 9,
        default: 0,
      },
    ],
    ['no values', {}, { type: 'string', title: 'security', oneOf: [], default: '-' }],
  ])('has a field for %s', (_what, rest, field) => {
    const form = formOf(panelDocument({ concerns: [concern(rest)] }));
    expect(form.requestedSchema.properties).toStrictEqual({ security: field });
  });

  it('has no field for what the operator sets', () => {
    const concerns = [concern({ name: 'tier', setBy: 'operator', inEffect: ['free'] })];
    expect(formOf(panelDocument({ concerns })).requestedSchema.properties).toEqual({});
  });
});

describe('the change in a form', () => {
  const presets = [preset('cheap'), preset('safe', true)];
  const state = panelDocument({
    presets,
    concerns: [
      concern({ name: 'one', inEffect: ['low'] }),
      concern({ name: 'open' }),
      concern({ name: 'many', multiple: true, inEffect: ['a', 'b'] }),
      concern({ name: 'toString', inEffect: [5] }),
      concern({ name: 'tier', setBy: 'operator', inEffect: ['free'] }),
    ],
  });
  const same = { one: 'low', many: ['a', 'b'], toString: 5 };

  it.each<[string, Record<string, unknown>, object | undefined]>([
    ['nothing', same, undefined],
    ['the preset that is in effect', { ...same, preset: 'safe' }, undefined],
    ['no preset', { ...same, preset: '-' }, undefined],
    ['another preset', { one: 'high', preset: 'cheap' }, { preset: 'cheap' }],
    ['a preset that does not exist', { ...same, preset: 7 }, { preset: 7 }],
    ['a value', { ...same, one: 'high' }, { one: 'high' }],
    ['a value beside the preset in effect', { ...same, preset: 'safe', one: 'high' }, { one: 'high' }],
    ['no value', { ...same, one: '-' }, { one: null }],
    ['a value that is left out', { many: ['a', 'b'], toString: 5 }, { one: null }],
    ['a value of another type', { ...same, toString: '5' }, { toString: '5' }],
    ['an inherited name', { one: 'low', many: ['a', 'b'] }, { toString: null }],
    ['a first value', { ...same, open: 'x' }, { open: 'x' }],
    ['no first value', { ...same, open: '-' }, undefined],
    ['no value of several', { ...same, many: [] }, { many: null }],
    ['fewer of several values', { ...same, many: ['a'] }, { many: ['a'] }],
    ['several first values', { ...same, open: ['a'] }, { open: ['a'] }],
    ['what the operator sets', { ...same, tier: 'pro' }, undefined],
    ['two values', { ...same, one: 'high', many: [] }, { one: 'high', many: null }],
  ])('is found: %s', (_what, content, change) => {
    expect(changeIn(state, content)).toEqual(change);
  });

  it('is a preset if none is in effect', () => {
    expect(changeIn(panelDocument({ presets: [preset('cheap')] }), { preset: 'cheap' })).toEqual({
      preset: 'cheap',
    });
  });
});
