import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callerFacts } from '../../src/core/engine/caller-facts.js';
import {
  bindCatalog,
  type Caller,
  type CompiledPolicy,
  preparePolicy,
  resolveConfiguration,
  select,
} from '../../src/core/engine/index.js';
import { policyOf, yaml } from '../policy/author.js';
import { sample } from '../sample.js';
import { EMPTY } from './small-policies.js';

const TOOLS = [{ name: 'a' }];
const claims = (entries: object): Caller => ({ claims: new Map(Object.entries(entries)) });

describe('the key of a configuration', () => {
  it('tells a client whose capabilities are not known from a client without the capability', () => {
    const policy = policyOf(yaml`
      version: 1
      rules: [{ id: r, hide: [tools], when: { "!": { var: client.capabilities.sampling } } }]
    `);
    const catalog = bindCatalog(policy, 'tools', TOOLS);
    const kept = (caller: Caller) => select(catalog, resolveConfiguration(policy, [], caller)).kept;
    expect(kept({})).toEqual(TOOLS);
    expect(kept({ capabilities: {} })).toEqual([]);
    expect(kept({ capabilities: { sampling: {} } })).toEqual(TOOLS);
    expect(kept({})).toEqual(TOOLS);
  });

  it('tells a claim that is null from a claim that is missing', () => {
    const policy = policyOf(yaml`
      version: 1
      rules: [{ id: r, hide: [tools], when: { "===": [{ var: [claims.team, none] }, none] } }]
    `);
    const catalog = bindCatalog(policy, 'tools', TOOLS);
    const kept = (entries: object) => select(catalog, resolveConfiguration(policy, [], claims(entries))).kept;
    expect(kept({ team: null })).toEqual(TOOLS);
    expect(kept({})).toEqual([]);
  });
});

describe('equal keys', () => {
  const PATHS = ['claims.a', 'claims.a.b', 'claims.b', 'client.capabilities.a', 'client.capabilities.a.b'];
  const path = fc.constantFrom(...PATHS);
  const test = fc.oneof(
    path.map((at) => ({ '!!': { var: at } })),
    path.map((at) => ({ missing: [at] })),
    path.map((at) => ({ '===': [{ var: [at, 'none'] }, 'none'] })),
    path.map((at) => ({ '===': [{ var: at }, null] })),
    fc.tuple(path, path).map((both) => ({ '===': both.map((at) => ({ var: at })) })),
    fc.tuple(path, path).map((both) => ({ in: both.map((at) => ({ var: at })) })),
    path.map((at) => ({ some: [{ var: at }, { '===': [{ var: 'b' }, 1] }] })),
  );
  const member = fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    'none',
    0,
    1,
    Number.NaN,
    [],
    [1, 'none'],
    [{ b: 1 }],
    {},
    { b: 1 },
    { b: null },
  );
  const data = fc.record({ a: member, b: member, 'a.b': member }, { requiredKeys: [] });
  const caller = fc.record({
    claims: data.map((entries) => new Map(Object.entries(entries))),
    capabilities: fc.option(data, { nil: undefined }),
  });

  it('imply equal decisions', () => {
    let equal = 0;
    fc.assert(
      fc.property(
        fc.array(test, { minLength: 1, maxLength: 3 }),
        caller,
        fc.array(caller, { maxLength: 12 }),
        (tests, one, others) => {
          const compiled: CompiledPolicy = {
            ...EMPTY,
            rules: tests.map((when, line) => ({
              id: `r${line}`,
              effect: 'hide',
              kinds: ['tools'],
              when,
              file: 0,
              line,
            })),
          };
          const policy = preparePolicy(compiled);
          const decided = (each: Caller) => {
            const configuration = resolveConfiguration(policy, [], each);
            const { kept, hidden } = select(bindCatalog(policy, 'tools', TOOLS), configuration);
            return { key: configuration.key, kept, hidden };
          };
          const first = decided(one);
          for (const each of others.map(decided).filter(({ key }) => key === first.key)) {
            equal++;
            expect(each).toEqual(first);
          }
        },
      ),
      { numRuns: sample(2000) },
    );
    expect(equal).toBeGreaterThan(sample(500));
  });
});

describe('capabilities with two million dots', () => {
  const name = '.'.repeat(2_000_000);
  /** Fails the test if its names are listed, which is necessary to copy it or to write it as JSON. */
  const unlisted = <T extends object>(target: T): T =>
    new Proxy(target, { ownKeys: () => expect.fail('The names of the capabilities were listed.') });
  const extensions = unlisted({ [`io${name}`]: {}, 'io.example/x': {} });
  const capabilities = unlisted({ [name]: { [name]: {} }, extensions });
  const policy = policyOf(yaml`
    version: 1
    rules: [{ id: r, hide: [tools], when: { var: client.capabilities.extensions.io.example/x } }]
  `);

  it('cost nothing, because only the paths of the policy are read', () => {
    const { key } = resolveConfiguration(policy, [], { capabilities });
    expect(key.length).toBeLessThan(200);
  });
});

describe('the facts about a caller', () => {
  const ofClaims = (entries: object, ...paths: string[]): unknown =>
    JSON.parse(JSON.stringify(callerFacts(claims(entries), paths).claims));

  it('contain only what the paths read', () => {
    const entries = { team: 'red', name: 'Ann', org: { id: 1, plan: { tier: 'pro' } } };
    expect(ofClaims(entries)).toEqual({});
    expect(ofClaims(entries, 'claims.team')).toEqual({ team: 'red' });
    expect(ofClaims(entries, 'claims.org')).toEqual({ org: {} });
    expect(ofClaims(entries, 'claims.org', 'claims.org.id')).toEqual({ org: { id: 1 } });
    expect(ofClaims(entries, 'claims')).toEqual({});
  });

  it('contain nothing about a client that the paths do not read, or whose capabilities are not known', () => {
    const capabilities = { roots: {} };
    expect(callerFacts({ capabilities }, ['claims.a']).client).toBeUndefined();
    expect(callerFacts({}, ['client.capabilities.roots']).client).toBeUndefined();
    expect(callerFacts({ capabilities }, ['client.capabilities.sampling']).client).toEqual({
      capabilities: {},
    });
    expect(callerFacts({ capabilities: null }, ['client.capabilities.a']).client).toEqual({
      capabilities: null,
    });
  });

  it('keep whole lists, and read texts and lists as rules do', () => {
    const entries = { groups: [{ id: 1 }, 'x'], role: 'admin' };
    expect(ofClaims(entries, 'claims.groups', 'claims.groups.0.id')).toEqual({ groups: [{ id: 1 }, 'x'] });
    expect(ofClaims(entries, 'claims.groups.0.id')).toEqual({ groups: { 0: { id: 1 } } });
    expect(ofClaims(entries, 'claims.groups.length')).toEqual({ groups: { length: 2 } });
    expect(ofClaims(entries, 'claims.role', 'claims.role.length')).toEqual({ role: 'admin' });
  });

  it('do not contain inherited members', () => {
    const own = JSON.parse('{ "org": { "__proto__": { "x": 1 } } }');
    expect(ofClaims(own, 'claims.org.constructor', 'claims.toString', 'claims.org.x')).toEqual({});
    const facts = callerFacts(claims(own), ['claims.org.__proto__.x']);
    expect(JSON.stringify(facts)).toBe('{"claims":{"org":{"__proto__":{"x":1}}}}');
  });

  it('are JSON: what JSON cannot keep is missing or null', () => {
    const entries = { none: undefined, nan: Number.NaN, big: 1n, list: [undefined], deep: nested(100_000) };
    const paths = Object.keys(entries).map((name) => `claims.${name}`);
    expect(ofClaims(entries, ...paths)).toEqual({ nan: null, list: [null], deep: {} });
  });

  it('have a value of the client only up to 4,096 characters', () => {
    const factOf = (roots: unknown) =>
      callerFacts({ capabilities: { roots } }, ['client.capabilities.roots']).client?.capabilities;
    for (const roots of ['x'.repeat(4096), ['x'.repeat(4092)]]) expect(factOf(roots)).toEqual({ roots });
    for (const roots of ['x'.repeat(4097), ['x'.repeat(4093)]]) expect(factOf(roots)).toEqual({ roots: {} });
    expect(ofClaims({ a: 'x'.repeat(4097) }, 'claims.a')).toEqual({ a: 'x'.repeat(4097) });
  });
});

function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}
