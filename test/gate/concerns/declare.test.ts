import { describe, expect, it } from 'vitest';
import {
  concernsOfInitialize,
  declareChanges,
  declareConcerns,
  describePolicy,
} from '../../../src/core/gate/concerns/declare.js';
import { EXTENSION_ID, read, TASK_FILTER_CAPABILITY } from '../../../src/core/wire/messages.js';
import { policyOf, yaml } from '../../policy/author.js';

const PLAIN = policyOf('version: 1\nconcerns: { security: { values: [low, high] } }\n');

const RICH = policyOf(yaml`
  version: 1
  concerns:
    security: { description: How safe, values: [low, high], default: low, match: at-least }
    topic: { values: [{ news: What happens }, stocks], multiple: true }
    budget: { values: { min: 0, max: 5 }, default: 0 }
    exact: { values: { min: 0, max: 5 }, match: exact }
    most: { values: [a, b], match: at-most }
    tier: { values: [free, pro], set-by: operator, claim: tier }
  presets:
    safe: { security: high }
    cheap: { budget: 1, topic: [news, stocks] }
`);

const IN_PROPOSAL = [
  { name: 'security', description: 'How safe', values: ['low', 'high'], default: 'low' },
  { name: 'topic', values: ['news', 'stocks'], valueDescriptions: { news: 'What happens' } },
  { name: 'budget', values: { min: 0, max: 5 }, default: 0 },
  { name: 'exact', values: { min: 0, max: 5 } },
  { name: 'most', values: ['a', 'b'] },
  { name: 'tier', values: ['free', 'pro'] },
];

const DESCRIBED = {
  concerns: [
    { ...IN_PROPOSAL[0], match: 'at-least' },
    { ...IN_PROPOSAL[1], multiple: true },
    IN_PROPOSAL[2],
    { ...IN_PROPOSAL[3], match: 'exact' },
    { ...IN_PROPOSAL[4], match: 'at-most' },
    { ...IN_PROPOSAL[5], setBy: 'operator' },
  ],
  presets: { safe: { security: 'high' }, cheap: { budget: 1, topic: ['news', 'stocks'] } },
};

describe('the description of a policy', () => {
  it('names what differs from the usual way to match, and nothing that is not declared', () => {
    expect(describePolicy(RICH)).toStrictEqual(DESCRIBED);
    expect(describePolicy(PLAIN)).toStrictEqual({
      concerns: [{ name: 'security', values: ['low', 'high'] }],
      presets: {},
    });
  });
});

describe('the declaration of concerns', () => {
  it('is in the extension, and in the legacy era in the capabilities too', () => {
    const result = { serverInfo: { name: 's' }, capabilities: { extensions: { other: {} }, logging: {} } };
    const extensions = {
      other: {},
      [EXTENSION_ID]: { ...DESCRIBED, methods: ['listConcerns'], filtering: {} },
    };
    expect(declareConcerns(result, RICH, 'modern', false)).toEqual({
      serverInfo: { name: 's' },
      capabilities: { logging: {}, extensions },
    });
    expect(declareConcerns(result, RICH, 'legacy', false)).toEqual({
      serverInfo: { name: 's' },
      capabilities: { logging: {}, extensions, concerns: IN_PROPOSAL },
    });
  });

  it.each([
    [true, ['listConcerns', 'updateConcerns']],
    [false, ['listConcerns']],
  ])('has the method that changes preferences if it works: %s', (updatable, methods) => {
    const { capabilities } = declareConcerns({}, PLAIN, 'modern', updatable);
    expect(capabilities).toEqual({
      extensions: { [EXTENSION_ID]: { ...describePolicy(PLAIN), methods, filtering: {} } },
    });
  });

  it.each([undefined, null, 'text', 7])('replaces capabilities that are no object: %j', (capabilities) => {
    const extensions = {
      [EXTENSION_ID]: { ...describePolicy(PLAIN), methods: ['listConcerns'], filtering: {} },
    };
    expect(declareConcerns({ capabilities }, PLAIN, 'modern', false)).toEqual({
      capabilities: { extensions },
    });
  });

  it('has the filters of the capabilities that the server declares', () => {
    const capabilities = { tools: { own: 1 }, resources: {}, completions: {} };
    const declared = declareConcerns({ capabilities }, PLAIN, 'modern', false);
    const both = ['namePatterns', 'uriPatterns'];
    expect(declared.capabilities).toEqual({
      tools: { own: 1, filtering: { supported: ['namePatterns'] } },
      resources: { filtering: { supported: both } },
      completions: {},
      extensions: {
        [EXTENSION_ID]: {
          ...describePolicy(PLAIN),
          methods: ['listConcerns'],
          filtering: { tools: ['namePatterns'], resources: both },
        },
      },
    });
  });

  it.each<[string, unknown, object]>([
    ['no filter', {}, { supported: ['namePatterns'] }],
    ['a capability that is no object', true, { supported: ['namePatterns'] }],
    ['a filter that is no object', { filtering: 'odd' }, { supported: ['namePatterns'] }],
    ['a filter that is null', { filtering: null }, { supported: ['namePatterns'] }],
    ['fields that are no list', { filtering: { supported: 'tags' } }, { supported: ['namePatterns'] }],
    [
      'fields of its own',
      { filtering: { supported: ['tags'], own: 1 } },
      { supported: ['tags', 'namePatterns'], own: 1 },
    ],
    [
      'the same field',
      { filtering: { supported: ['namePatterns', 'tags'] } },
      { supported: ['namePatterns', 'tags'] },
    ],
  ])('adds to the filter of a server with %s', (_what, prompts, filtering) => {
    const declared = declareConcerns({ capabilities: { prompts } }, PLAIN, 'modern', false);
    expect(read(declared, 'capabilities', 'prompts')).toEqual({ filtering });
  });

  it.each<[string, unknown, unknown]>([
    ['no tasks', undefined, undefined],
    ['tasks without a list', { cancel: {} }, { cancel: {} }],
    ['tasks that are no object', 'odd', 'odd'],
    ['a list', { cancel: {}, list: {} }, { cancel: {}, list: { filter: TASK_FILTER_CAPABILITY } }],
    ['a list that is true', { list: true }, { list: { filter: TASK_FILTER_CAPABILITY } }],
    [
      'a filter of its own',
      { list: { more: 1, filter: { own: 1, status: false } } },
      { list: { more: 1, filter: { ...TASK_FILTER_CAPABILITY, own: 1 } } },
    ],
    ['a filter that is null', { list: { filter: null } }, { list: { filter: TASK_FILTER_CAPABILITY } }],
  ])('has the filter of tasks in the legacy era: %s', (_what, tasks, expected) => {
    const result = { capabilities: { tasks } };
    expect(read(declareConcerns(result, PLAIN, 'legacy', true), 'capabilities', 'tasks')).toEqual(expected);
    expect(read(declareConcerns(result, PLAIN, 'modern', true), 'capabilities', 'tasks')).toEqual(tasks);
  });
});

describe('the announcement that lists change', () => {
  it('is added to the lists that the server has', () => {
    const capabilities = { tools: { own: 1, listChanged: false }, resources: true, logging: {} };
    expect(declareChanges({ serverInfo: {}, capabilities }, true)).toEqual({
      serverInfo: {},
      capabilities: { tools: { own: 1, listChanged: true }, resources: { listChanged: true }, logging: {} },
    });
  });

  it.each([undefined, null, 'text'])(
    'does nothing to capabilities that are no object: %j',
    (capabilities) => {
      expect(declareChanges({ capabilities }, true)).toEqual({ capabilities: {} });
    },
  );
});

describe('the preferences of initialize', () => {
  const extension = (concerns: unknown) => ({
    capabilities: { extensions: { [EXTENSION_ID]: { concerns } } },
  });

  it.each<[string, unknown, unknown]>([
    ['params', { concerns: { a: 1 } }, { a: 1 }],
    ['the extension', extension({ b: 1 }), { b: 1 }],
    ['both', { concerns: { a: 1 }, ...extension({ b: 1 }) }, { a: 1 }],
    ['params, as null', { concerns: null, ...extension({ b: 1 }) }, { b: 1 }],
    ['neither', { capabilities: { extensions: {} } }, undefined],
    ['no params', undefined, undefined],
  ])('are in %s', (_where, params, concerns) => {
    expect(concernsOfInitialize(params)).toEqual(concerns);
  });
});
