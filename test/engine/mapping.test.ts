import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Kind, mapPrimitive, type Policy, type Primitive } from '../../src/core/engine/index.js';
import { loadPolicy } from '../../src/core/policy/index.js';
import { policyOf, shown, write, yaml } from '../policy/author.js';

/** The resulting values of a primitive as the policy writes them, each as `value (source)`. */
function valuesOf(policy: Policy, kind: Kind, primitive: Primitive): Record<string, string> {
  const found: [string, string][] = [];
  mapPrimitive(policy, kind, primitive).offers.forEach((offer, index) => {
    const concern = policy.concerns[index];
    if (offer === undefined || concern === undefined) return;
    const { values } = concern;
    const words = offer.offered.map((number) => ('min' in values ? number : values[number]));
    found.push([concern.name, `${words.join(' ')} (${offer.source.replace(/^.*\//, '')})`]);
  });
  return Object.fromEntries(found);
}

describe('the values of a primitive', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, medium, high] }
      cost: { values: [minimal, moderate, high] }
    patterns:
      tools:
        "log*": { security: medium, cost: moderate }
        "*Data": { security: low }
    primitives:
      tools:
        logData: { security: high }
        logFree: { cost: any }
        logNone: {}
        data:
          cost:
            - minimal
            - high
  `);

  it.each<[string, Primitive, Record<string, string>]>([
    [
      'an exact entry overrides patterns, per concern',
      { name: 'logData' },
      { security: 'high (policy.yaml:11)', cost: 'moderate (policy.yaml:7)' },
    ],
    [
      'a later pattern overrides an earlier one, per concern',
      { name: 'logOtherData' },
      { security: 'low (policy.yaml:8)', cost: 'moderate (policy.yaml:7)' },
    ],
    ['`any` takes a value away', { name: 'logFree' }, { security: 'medium (policy.yaml:7)' }],
    [
      '`{}` leaves what weaker sources say',
      { name: 'logNone' },
      { security: 'medium (policy.yaml:7)', cost: 'moderate (policy.yaml:7)' },
    ],
    [
      'a value on its own lines has its own line number',
      { name: 'data' },
      { cost: 'minimal high (policy.yaml:15)' },
    ],
    ['names are case-sensitive', { name: 'LogData' }, { security: 'low (policy.yaml:8)' }],
    ['an unmapped primitive has no values', { name: 'encrypt' }, {}],
    ['a primitive without a name has no values', {}, {}],
    ['a name that is not a text is ignored', { name: 7 }, {}],
    [
      "the server's own values are the weakest",
      { name: 'logData', _meta: { concerns: { security: 'medium', cost: 'high' } } },
      { security: 'high (policy.yaml:11)', cost: 'moderate (policy.yaml:7)' },
    ],
    [
      "the server's own values apply if the policy has none",
      { name: 'own', _meta: { concerns: { security: ['low', 'high'], cost: 'high' } } },
      { security: 'low high (_meta.concerns)', cost: 'high (_meta.concerns)' },
    ],
    [
      "`any` removes the server's own value",
      { name: 'logFree', _meta: { concerns: { cost: 'high' } } },
      { security: 'medium (policy.yaml:7)' },
    ],
    [
      "the server's own values that the policy does not declare are left out",
      { name: 'own', _meta: { concerns: { security: ['secret', 'high'], cost: 'free', color: 'red' } } },
      { security: 'high (_meta.concerns)' },
    ],
    [
      'a declared value of an undeclared concern',
      { name: 'own', _meta: { concerns: { color: 'high' } } },
      {},
    ],
    ['_meta.concerns of the wrong type', { name: 'own', _meta: { concerns: 'high' } }, {}],
    ['_meta.concerns that is null', { name: 'own', _meta: { concerns: null } }, {}],
    ['_meta of the wrong type', { name: 'own', _meta: 'high' }, {}],
    ['_meta that is null', { name: 'own', _meta: null }, {}],
    [
      '_meta.concerns with names of Object.prototype',
      { name: 'own', _meta: JSON.parse('{"concerns":{"__proto__":"low","constructor":{},"toString":1}}') },
      {},
    ],
    [
      'an inherited _meta.concerns',
      { name: 'own', _meta: Object.create({ concerns: { cost: 'high' } }) },
      {},
    ],
  ])('come from the strongest source: %s', (_name, primitive, values) => {
    expect(valuesOf(policy, 'tools', primitive)).toEqual(values);
  });

  it("reports which of the server's own values are not declared", () => {
    const own = { security: ['secret', 'high'], color: 'red', cost: null };
    expect(mapPrimitive(policy, 'tools', { name: 'own', _meta: { concerns: own } }).unknown).toEqual([
      'security: "secret"',
      'color: "red"',
      'cost: null',
    ]);
  });

  it('has one item per concern even if nothing has a value', () => {
    expect(mapPrimitive(policy, 'tools', { name: 'encrypt' }).offers).toHaveLength(2);
  });

  it('keeps only numbers, and only those in the range', () => {
    const priced = policyOf('version: 1\nconcerns:\n  price: { values: { min: 0, max: 10 } }\n');
    const offered = (price: unknown) =>
      valuesOf(priced, 'tools', { name: 'a', _meta: { concerns: { price } } }).price;
    expect([0, 10, 2.5, [3, 99]].map(offered)).toEqual([
      '0 (_meta.concerns)',
      '10 (_meta.concerns)',
      '2.5 (_meta.concerns)',
      '3 (_meta.concerns)',
    ]);
    expect([-0.1, 10.1, '5', null, true, Number.NaN, [], {}].map(offered)).toEqual(
      new Array(8).fill(undefined),
    );
  });
});

describe('names that look like something else', () => {
  it('distinguishes entries from members of Object.prototype with the same name', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        security: { values: [low, high] }
        constructor: { values: [low, high] }
      primitives:
        tools:
          __proto__: { security: high }
          toString: { constructor: high }
    `);
    expect(valuesOf(policy, 'tools', { name: '__proto__' })).toEqual({ security: 'high (policy.yaml:7)' });
    expect(valuesOf(policy, 'tools', { name: 'toString' })).toEqual({ constructor: 'high (policy.yaml:8)' });
    expect(valuesOf(policy, 'tools', { name: 'valueOf' })).toEqual({});
    expect(valuesOf(policy, 'tools', { name: 'constructor' })).toEqual({});
  });

  it('keeps the order of patterns as written, even if one is a number', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        security: { values: [low, high] }
      patterns:
        tools:
          "*": { security: high }
          "7": { security: low }
    `);
    expect(valuesOf(policy, 'tools', { name: '7' })).toEqual({ security: 'low (policy.yaml:7)' });
  });
});

describe('the fields of a primitive that rules read', () => {
  const ruled = policyOf(yaml`
    version: 1
    rules: [{ id: r, hide: [tools], when: { in: [beta, { var: primitive.tags }] } }]
  `);
  const read = (kind: Kind, primitive: Primitive) => mapPrimitive(ruled, kind, primitive).primitive;

  it.each<[string, Primitive, unknown]>([
    ['its own', { tags: ['a'], _meta: { tags: ['b'] } }, ['a']],
    ['those of _meta if it has none', { _meta: { tags: ['b'] } }, ['b']],
    ['none if _meta is null', { _meta: null }, undefined],
    ['none if _meta is a text', { _meta: 'tags' }, undefined],
    ['none without _meta', {}, undefined],
  ])('include tags: %s', (_name, primitive, tags) => {
    expect(read('tools', primitive)).toMatchObject({ kind: 'tools', tags });
  });

  it('include uri, which is the URI of a resource or the URI template of a resource template', () => {
    expect(read('resources', { uri: 'vault://a', name: 'a' })).toMatchObject({ uri: 'vault://a', name: 'a' });
    expect(read('resourceTemplates', { uriTemplate: 'vault://{id}' })).toMatchObject({ uri: 'vault://{id}' });
  });
});

describe('kinds of primitives', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      access: { values: [read, write] }
    patterns:
      resources: { "log://*": { access: write } }
      resourceTemplates: { "log://*": { access: read } }
    primitives:
      tools: { same: { access: read } }
      prompts: { same: { access: write } }
      resources: { "vault://audit": { access: read } }
      resourceTemplates: { "vault://keys/{id}": { access: write } }
  `);

  it.each<[Kind, string, string[]]>([
    ['tools', 'same', ['read']],
    ['prompts', 'same', ['write']],
    ['resources', 'vault://audit', ['read']],
    ['resources', 'log://today', ['write']],
    ['resourceTemplates', 'vault://keys/{id}', ['write']],
    ['resourceTemplates', 'log://{day}', ['read']],
    ['resourceTemplates', 'vault://audit', ['read', 'write']],
    ['resources', 'same', ['read', 'write']],
  ])('%s: shows %s for the preferences %j', (kind, identity, accesses) => {
    const found = ['read', 'write'].filter(
      (access) => shown(policy, [identity], { access }, { kind }).length === 1,
    );
    expect(found).toEqual(accesses);
  });
});

describe('a resource that a template matches', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, medium, high] }
      cost: { values: [minimal, high] }
    patterns:
      resources: { "vault://*": { security: low, cost: minimal } }
      resourceTemplates: { "vault://*": { cost: high } }
    primitives:
      resources:
        "vault://keys/own": { cost: high }
      resourceTemplates:
        "vault://{+path}": { security: low }
        "vault://keys/{id}": { security: high }
        "vault://keys/{id}/{part}": { security: medium }
        "vault://{area}/all": {}
  `);

  it.each([
    ['inherits from its template', 'vault://keys/7', 'high'],
    ['inherits from the most specific template in any order', 'vault://keys/all', 'high'],
    ['does not inherit from a template with other segments', 'vault://keys/7/public', 'medium'],
    ['inherits from a template for any path', 'vault://a/b/c/d', 'low'],
    ['does not inherit if it has its own entry', 'vault://keys/own', 'low'],
    ['does not inherit from a template that does not match it', 'vault://keys/7?x', 'low'],
  ])('%s: %s', (_name, uri, security) => {
    expect(valuesOf(policy, 'resources', { uri }).security).toMatch(new RegExp(`^${security} `));
  });

  it('takes the values of patterns for concerns that its template does not set', () => {
    expect(valuesOf(policy, 'resources', { uri: 'vault://keys/7' })).toEqual({
      security: 'high (policy.yaml:13)',
      cost: 'minimal (policy.yaml:6)',
    });
  });

  it('counts as mapped under `unmapped: hide`', () => {
    const hiding = policyOf(yaml`
      version: 1
      primitives: { resourceTemplates: { "vault://keys/{id}": {} } }
      settings: { unmapped: hide }
    `);
    const uris = ['vault://keys/7', 'vault://audit'];
    expect(shown(hiding, uris, undefined, { kind: 'resources' })).toEqual(['vault://keys/7']);
    // The template matches only resources, because other templates and tools are not URIs.
    expect(shown(hiding, ['vault://keys/7'], undefined, { kind: 'tools' })).toEqual([]);
    expect(shown(hiding, ['vault://keys/7'], undefined, { kind: 'resourceTemplates' })).toEqual([]);
  });
});

describe('several files', () => {
  it('are read after the files that they include, so that the including file wins', () => {
    const folder = write({
      'vault.yaml': yaml`
        version: 1
        include: [common.yaml]
        patterns:
          tools: { "log*": { security: high } }
      `,
      'common.yaml': yaml`
        version: 1
        concerns:
          security: { values: [low, medium, high] }
          cost: { values: [minimal, high] }
        patterns:
          tools: { "*": { security: low, cost: minimal } }
      `,
    });
    const policy = loadPolicy(join(folder, 'vault.yaml'));
    expect(valuesOf(policy, 'tools', { name: 'logData' })).toEqual({
      security: 'high (vault.yaml:4)',
      cost: 'minimal (common.yaml:6)',
    });
    expect(valuesOf(policy, 'tools', { name: 'hash' })).toEqual({
      security: 'low (common.yaml:6)',
      cost: 'minimal (common.yaml:6)',
    });
  });

  it('give entries precedence over patterns in any file', () => {
    const folder = write({
      'vault.yaml': 'version: 1\ninclude: [common.yaml]\npatterns: { tools: { "*": { security: high } } }\n',
      'common.yaml':
        'version: 1\nconcerns: { security: { values: [low, high] } }\nprimitives: { tools: { log: { security: low } } }\n',
    });
    const policy = loadPolicy(join(folder, 'vault.yaml'));
    expect(valuesOf(policy, 'tools', { name: 'log' })).toEqual({ security: 'low (common.yaml:3)' });
  });
});
