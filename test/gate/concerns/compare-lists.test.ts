import { expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { compareLists } from '../../../src/core/gate/concerns/compare-lists.js';
import { decided } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';
import { Talk } from './talk.js';

const policy = policyOf(`
concerns:
  security: { values: [low, high] }
primitives:
  tools: { a: { security: low }, b: { security: high }, c: { security: high } }
  prompts: { p: { security: low } }
  resources: { "x://r": { security: low } }
  resourceTemplates: { "x://t/{id}": { security: high } }
`);
const lists = {
  tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'free' }],
  prompts: [{ name: 'p' }],
  resources: [{ uri: 'x://r', name: 'r' }],
  resourceTemplates: [{ uriTemplate: 'x://t/{id}', name: 't' }],
};

const compare = async (talk: Talk, before: object, after: object) => {
  const [old, now] = [before, after].map((concerns) =>
    resolveConfiguration(policy, [{ from: 'session', concerns }]),
  );
  if (old === undefined || now === undefined) throw new Error('two configurations');
  const { changed, ...rest } = await decided(talk.exchange('tools/call'), compareLists(old, now));
  return { ...rest, changed: [...changed] };
};

it.each([
  [
    'the same values',
    { security: 'low' },
    { security: 'low' },
    {
      visible: { tools: 2, prompts: 1, resources: 1, resourceTemplates: 0 },
      changed: [],
      appeared: [],
      disappeared: 0,
    },
  ],
  [
    'other values',
    { security: 'low' },
    { security: 'high' },
    {
      visible: { tools: 3, prompts: 0, resources: 0, resourceTemplates: 1 },
      changed: ['tools', 'prompts', 'resources'],
      appeared: ['b', 'c', 'x://t/{id}'],
      disappeared: 3,
    },
  ],
  [
    'a value that hides',
    {},
    { security: 'high' },
    {
      visible: { tools: 3, prompts: 0, resources: 0, resourceTemplates: 1 },
      changed: ['tools', 'prompts', 'resources'],
      appeared: [],
      disappeared: 3,
    },
  ],
])('compares lists under %s', async (_what, before, after, comparison) => {
  expect(await compare(new Talk(policy, { lists }), before, after)).toEqual(comparison);
});

it('finds lists of the same length that differ', async () => {
  const tools = [{ name: 'a' }, { name: 'b' }];
  expect(
    await compare(new Talk(policy, { lists: { tools } }), { security: 'low' }, { security: 'high' }),
  ).toEqual({ visible: { tools: 1 }, changed: ['tools'], appeared: ['b'], disappeared: 1 });
});

it('leaves out what the server does not list', async () => {
  const talk = new Talk(policy, { lists: { tools: 500, prompts: lists.prompts } });
  expect(await compare(talk, {}, { security: 'high' })).toEqual({
    visible: { prompts: 0 },
    changed: ['prompts'],
    appeared: [],
    disappeared: 1,
  });
});
