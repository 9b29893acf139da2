import { describe, expect, it } from 'vitest';
import {
  type Caller,
  describeConfiguration,
  describeOrigins,
  type PreferenceSource,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { policyOf } from '../gate/gate-harness.js';

const policy = policyOf(`
concerns:
  size: { values: [all, most, few], match: at-least, default: most }
  topic: { values: [maps, code], default: maps }
presets: { few: { size: few }, most: { size: most, topic: maps } }
defaults-for:
  - { when: { client.name: "cursor*" }, preset: most }
  - { when: { client.name: "cursor*", client.version: "0.*" }, preset: few }
`);
const cursor = { name: 'cursor', version: '1.7' };
const old = { name: 'cursor-vscode', version: '0.9' };

function resolved(client: unknown, sources: readonly PreferenceSource[] = [], more: Caller = {}) {
  const configuration = resolveConfiguration(policy, sources, { client, ...more });
  return { values: describeConfiguration(configuration), origins: describeOrigins(configuration) };
}

describe('the defaults of a client', () => {
  it.each<[string, unknown, object]>([
    ['apply to its name', cursor, { size: 'most', topic: 'maps' }],
    ['are those of the last item that matches', old, { size: 'few', topic: 'maps' }],
    ['do not apply to another name', { name: 'code', version: '0.9' }, {}],
    ['do not apply without a name', { version: '0.9' }, {}],
    ['do not apply to a client that is not known', undefined, {}],
    ['do not apply to a name that is inherited', Object.create({ name: 'cursor' }), {}],
  ])('%s', (_what, client, values) => {
    expect(resolved(client).values).toEqual(values);
  });

  it('say where they come from', () => {
    expect(resolved(old).origins).toEqual({ size: 'client preset few', topic: 'client preset most' });
  });

  it('are stronger than the default of a concern, and weaker than the weakest preference', () => {
    expect(resolved(old, [{ from: 'url', concerns: { topic: 'code' } }]).values).toEqual({
      size: 'few',
      topic: 'code',
    });
    expect(resolved(old, [{ from: 'url', concerns: { size: null } }]).values).toEqual({ topic: 'maps' });
  });

  it('do not turn on the defaults of other concerns', () => {
    const one = policyOf(`
concerns:
  size: { values: [all, few] }
  topic: { values: [maps, code], default: maps }
presets: { few: { size: few } }
defaults-for: [{ when: { client.name: cursor }, preset: few }]
`);
    expect(describeConfiguration(resolveConfiguration(one, [], { client: cursor }))).toEqual({ size: 'few' });
  });

  it('do not replace preferences that were lost', () => {
    expect(resolved(old, [], { forgotten: true }).values).toEqual({});
    expect(resolved(old, [], { forgotten: true }).origins).toEqual({ size: 'forgotten', topic: 'forgotten' });
  });
});
