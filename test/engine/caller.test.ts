import { describe, expect, it } from 'vitest';
import { readPath } from '../../src/core/engine/expression/evaluate.js';
import { type Caller, describeConfiguration, resolveConfiguration } from '../../src/core/engine/index.js';
import { policyOf, yaml } from '../policy/author.js';

/** Reads a path of the data that rules get about a caller, under a policy with a rule that reads it. */
function read(caller: Caller, path: string): unknown {
  const policy = policyOf(yaml`
    version: 1
    rules: [{ id: r, hide: [tools], when: { var: "${path}" } }]
  `);
  return readPath(resolveConfiguration(policy, [], caller).data, path);
}

describe('names with dots in rules', () => {
  const claims = (entries: object) => ({ claims: new Map(Object.entries(entries)) });

  it.each<[string, object, string, unknown]>([
    ['are readable as they are written', { 'address.region': 'eu' }, 'claims.address.region', 'eu'],
    ['are readable with several dots', { 'com.example/a.b': 1 }, 'claims.com.example/a.b', 1],
    ['are readable inside other names', { realm: { 'a.b': 1 } }, 'claims.realm.a.b', 1],
    ['do not replace names that begin alike', { 'a.b': 1, 'a.c': 2 }, 'claims.a.c', 2],
    ['do not replace nested names', { a: { b: 1 }, 'a.c': 2 }, 'claims.a.c', 2],
    ['are weaker than nested names', { a: { b: 1 }, 'a.b': 2 }, 'claims.a.b', 1],
    ['do not replace a text', { a: 'text', 'a.b': 1 }, 'claims.a', 'text'],
    ['are not readable inside a text', { a: 'text', 'a.b.c': 1 }, 'claims.a.b.c', undefined],
    ['may be empty between two dots', { 'a..b': 1 }, 'claims.a..b', 1],
    ['are readable next to null', { a: null, 'b.c': 1 }, 'claims.b.c', 1],
    ['are not made readable in a list', { a: [{ 'b.c': 1 }] }, 'claims.a.0.b.c', undefined],
  ])('%s', (_name, entries, path, value) => {
    expect(read(claims(entries), path) ?? undefined).toBe(value);
  });

  it('are readable at any depth', () => {
    const nested = (levels: number): unknown => (levels === 0 ? { 'b.c': 1 } : { a: nested(levels - 1) });
    const found = (levels: number) =>
      read(claims({ a: nested(levels) }), `claims.${'a.'.repeat(levels + 1)}b.c`) ?? undefined;
    expect([found(0), found(7), found(8)]).toEqual([1, 1, 1]);
  });

  it('are readable in the capabilities of the client', () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const path = 'client.capabilities.extensions.io.modelcontextprotocol/tasks';
    expect(read({ capabilities }, path)).toEqual({});
  });
});

describe('the data of rules', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      level: { values: [low, high] }
      cost: { values: [low, high] }
      topic: { values: [maps, code], multiple: true }
      tier: { values: [free, pro], set-by: operator, claim: tier }
    rules: [{ id: r, hide: [tools], when: { "===": [{ var: claims.team }, red] } }]
  `);
  const resolve = (claims: object) =>
    resolveConfiguration(policy, [{ from: 'request', concerns: { level: 'high', topic: ['code'] } }], {
      claims: new Map(Object.entries(claims)),
    });

  it('contains the values in effect as the policy writes them, and nothing for unset or denied concerns', () => {
    expect(resolve({}).data.concerns).toEqual({ level: 'high', topic: ['code'] });
    expect(Object.keys(resolve({}).data.concerns ?? {})).toEqual(['level', 'topic']);
    expect(resolve({ tier: 'pro' }).data.concerns).toEqual({ level: 'high', topic: ['code'], tier: 'pro' });
  });

  it('separates callers only by what a rule reads', () => {
    expect(resolve({ team: 'red' }).key).not.toBe(resolve({ team: 'blue' }).key);
    expect(resolve({ team: 'red' }).key).not.toBe(resolve({}).key);
    expect(resolve({ team: 'red', name: 'a' }).key).toBe(resolve({ team: 'red', name: 'b' }).key);
  });
});

it('contains nothing about a client whose capabilities are not known', () => {
  const policy = policyOf(yaml`
    version: 1
    rules: [{ id: r, hide: [tools], when: { var: client.capabilities.sampling } }]
  `);
  expect(resolveConfiguration(policy, []).data.client).toBeUndefined();
  expect(resolveConfiguration(policy, [], { capabilities: {} }).data.client).toEqual({ capabilities: {} });
});

describe('a host whose preferences were lost', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      level: { values: [low, high] }
      cost: { values: [low, high], default: low }
      tier: { values: [free, pro], set-by: operator, claim: tier }
    settings: { defaults: always }
  `);
  const effective = (concerns: object, caller: Caller) =>
    resolveConfiguration(policy, [{ from: 'request', concerns }], caller).effective;
  const claims = new Map([['tier', 'pro']]);

  it('is denied every host concern, even those with a default', () => {
    expect(effective({}, { claims, forgotten: true })).toEqual(['denied', 'denied', 1]);
    expect(effective({}, { claims, forgotten: false })).toEqual([undefined, 0, 1]);
  });

  it('gets the concerns that it states again, including null', () => {
    expect(effective({ level: 'high', cost: null }, { claims, forgotten: true })).toEqual([1, undefined, 1]);
  });

  it('has its own configuration key', () => {
    const key = (caller: Caller) => resolveConfiguration(policy, [], caller).key;
    expect(key({ forgotten: true })).not.toBe(key({}));
  });
});

describe('claims as values', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      beta: { values: ["true", "1"], set-by: operator, claim: beta }
      seats: { values: { min: 0, max: 10 }, set-by: operator, claim: seats }
  `);
  const effective = (claims: object) =>
    describeConfiguration(resolveConfiguration(policy, [], { claims: new Map(Object.entries(claims)) }));

  it.each<[unknown, unknown]>([
    [true, 'true'],
    [1, '1'],
    ['1', '1'],
    [false, undefined],
  ])('takes the claim %j for the name %j', (claim, value) => {
    expect(effective({ beta: claim }).beta).toBe(value);
  });

  it.each<[unknown, unknown]>([
    [0, 0],
    [10, 10],
    [-0.1, undefined],
    [10.1, undefined],
    ['2.25', 2.25],
    ['10', 10],
    ['1e1', undefined],
    ['2.', undefined],
    [' 2', undefined],
    [['2'], 2],
  ])('takes the claim %j for the number %j', (claim, value) => {
    expect(effective({ seats: claim }).seats).toBe(value);
  });
});
