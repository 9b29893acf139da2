import { describe, expect, it } from 'vitest';
import {
  type Caller,
  evaluate,
  mapPrimitive,
  type Policy,
  type Primitive,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { POLICY_WITHOUT_RULES, policyOf, requested, shown, yaml } from './author.js';

describe('assign', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      access: { values: [read, write] }
      stage: { values: [beta, stable] }
    primitives:
      tools:
        own: { access: write }
        freed: { access: any }
    patterns:
      tools: { "pat*": { access: write } }
    assign:
      - { when: { "===": [{ var: primitive.annotations.readOnlyHint }, true] }, to: { access: read, stage: beta } }
      - { when: { in: [stable, { var: primitive.tags }] }, to: { stage: stable } }
      - { when: { "===": [{ var: primitive.kind }, prompts] }, to: { access: read } }
    settings: { unmapped: hide }
  `);
  const readOnly = { annotations: { readOnlyHint: true } };

  it('gives values that depend on the definition of the server, and maps the primitives that it fires for', () => {
    const tools = [{ name: 'reads', ...readOnly }, { name: 'silent' }];
    expect(shown(policy, tools, undefined)).toEqual(['reads']);
    expect(shown(policy, tools, { access: 'read' })).toEqual(['reads']);
    expect(shown(policy, tools, { access: 'write' })).toEqual([]);
    expect(shown(policy, ['p'], { access: 'write' }, { kind: 'prompts' })).toEqual([]);
    expect(shown(policy, ['p'], { access: 'read' }, { kind: 'prompts' })).toEqual(['p']);
  });

  it("overrides the server's own values and earlier items, but not patterns and entries", () => {
    const sources = (primitive: Primitive) =>
      mapPrimitive(policy, 'tools', primitive).offers.map((offer) =>
        offer?.source.replace(/.*policy/, 'policy'),
      );
    expect(sources({ name: 'own', ...readOnly })).toEqual(['policy.yaml:7', 'policy.yaml:12']);
    expect(sources({ name: 'pattern', ...readOnly })).toEqual(['policy.yaml:10', 'policy.yaml:12']);
    expect(sources({ name: 'freed', ...readOnly })).toEqual([undefined, 'policy.yaml:12']);
    expect(sources({ name: 'x', ...readOnly, _meta: { concerns: { access: 'write' } } })).toEqual([
      'policy.yaml:12',
      'policy.yaml:12',
    ]);
    expect(sources({ name: 'x', ...readOnly, tags: ['stable'] })).toEqual([
      'policy.yaml:12',
      'policy.yaml:13',
    ]);
    expect(sources({ name: 'x', ...readOnly, _meta: { tags: ['stable'] } })).toEqual([
      'policy.yaml:12',
      'policy.yaml:13',
    ]);
  });
});

describe('the effect of rules', () => {
  const decisionOn = (policy: Policy, primitive: Primitive, concerns: unknown, caller?: Caller) => {
    const configuration = resolveConfiguration(
      policy,
      concerns === undefined ? [] : requested(concerns),
      caller,
    );
    return evaluate(mapPrimitive(policy, 'tools', primitive), configuration);
  };

  it('lets a hide rule override a show rule in any order, and a show rule override a host concern', () => {
    const rules = (first: string, second: string) =>
      policyOf(
        `${POLICY_WITHOUT_RULES}primitives: { tools: { a: { security: high } } }\nrules:\n  - ${first}\n  - ${second}\n`,
      );
    const hide = '{ id: hides, hide: [tools], when: { "===": [{ var: concerns.environment }, production] } }';
    const show = '{ id: shows, show: [tools], when: { "===": [{ var: primitive.name }, a] } }';
    for (const policy of [rules(hide, show), rules(show, hide)]) {
      expect(shown(policy, ['a', 'b'], { environment: 'production' })).toEqual([]);
      expect(shown(policy, ['a', 'b'], { security: 'low' })).toEqual(['a', 'b']);
      expect(decisionOn(policy, { name: 'a' }, { security: 'low' }).reason).toMatchObject({
        code: 'rule',
        rule: 'shows',
      });
      expect(decisionOn(policy, { name: 'a' }, { environment: 'production' }).reason).toMatchObject({
        rule: 'hides',
      });
    }
  });

  it('does not let a show rule override an operator concern, but lets it show an unmapped primitive', () => {
    const policy = policyOf(`${POLICY_WITHOUT_RULES}primitives: { tools: { paid: { tier: pro } } }
settings: { unmapped: hide }
rules: [{ id: shows, show: [tools], when: { in: [{ var: primitive.name }, [paid, new]] } }]
`);
    expect(shown(policy, ['paid', 'new', 'other'], undefined)).toEqual(['new']);
    expect(shown(policy, ['paid', 'new', 'other'], undefined, { claims: { 'custom:tier': 'pro' } })).toEqual([
      'paid',
      'new',
    ]);
    expect(decisionOn(policy, { name: 'other' }, undefined).reason).toEqual({ code: 'unmapped' });
  });

  it('applies to clients that never sent preferences, and only to the kinds that the rules name', () => {
    const policy = policyOf(`${POLICY_WITHOUT_RULES}rules:
  - { id: hidden, hide: [tools, resources], when: { in: [{ var: primitive.name }, [a, b]] } }
  - { id: secret, hide: [resources], when: { "===": [{ var: primitive.uri }, "vault://a"] } }
  - { id: templates, hide: [resourceTemplates], when: { "===": [{ var: primitive.uri }, "vault://{a}"] } }
`);
    expect(shown(policy, ['a', 'c'], undefined)).toEqual(['c']);
    expect(shown(policy, ['a', 'c'], undefined, { kind: 'prompts' })).toEqual(['a', 'c']);
    expect(shown(policy, ['vault://a', 'vault://b'], undefined, { kind: 'resources' })).toEqual([
      'vault://b',
    ]);
    expect(shown(policy, ['vault://{a}'], undefined, { kind: 'resourceTemplates' })).toEqual([]);
    expect(shown(policy, [{ uri: 'vault://c', name: 'a' }], undefined, { kind: 'resources' })).toEqual([]);
  });

  it('depends on the values in effect, including defaults, claims and lists', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        level: { values: [low, high], default: high }
        topic: { values: [charts, maps], multiple: true }
        tier: { values: [free, pro], set-by: operator, claim: "custom:tier", default: free }
      rules:
        - { id: level, hide: [tools], when: { and: [{ "===": [{ var: concerns.level }, high] }, { "===": [{ var: primitive.name }, level] }] } }
        - { id: topic, hide: [tools], when: { and: [{ in: [maps, { var: concerns.topic }] }, { "===": [{ var: primitive.name }, topic] }] } }
        - { id: tier, hide: [tools], when: { and: [{ "===": [{ var: concerns.tier }, free] }, { "===": [{ var: primitive.name }, tier] }] } }
      settings: { defaults: aware }
    `);
    const tools = ['level', 'topic', 'tier'];
    expect(shown(policy, tools, undefined)).toEqual(['level', 'topic']);
    expect(shown(policy, tools, { topic: ['maps', 'charts'] })).toEqual([]);
    expect(shown(policy, tools, { topic: 'charts', level: 'low' })).toEqual(['level', 'topic']);
    expect(shown(policy, tools, undefined, { claims: { 'custom:tier': 'pro' } })).toEqual(tools);
  });

  it('is absent for rules about the client while its capabilities are not known', () => {
    const policy = policyOf(`${POLICY_WITHOUT_RULES}rules:
  - { id: needs, hide: [tools], when: { and: [{ "!": { var: client.capabilities.sampling } }, { "===": [{ var: primitive.name }, a] }] } }
`);
    const shows = (capabilities: unknown) =>
      decisionOn(policy, { name: 'a' }, undefined, { capabilities }).effect === 'show';
    expect(shows(undefined)).toBe(true);
    expect(shows({})).toBe(false);
    expect(shows({ sampling: {} })).toBe(true);
    expect(shows(null)).toBe(false);
  });

  it('depends only on verified claims, never on inherited properties', () => {
    const policy = policyOf(`${POLICY_WITHOUT_RULES}rules:
  - { id: group, hide: [tools], when: { "!": { in: [admin, { var: claims.groups }] } } }
  - { id: inherited, hide: [tools], when: { or: [{ "!": { missing: claims.constructor } }, { "!": { missing: claims.toString } }] } }
`);
    const shows = (claims?: [string, unknown][]) =>
      decisionOn(policy, { name: 'a' }, undefined, claims && { claims: new Map(claims) }).effect === 'show';
    expect(shows()).toBe(false);
    expect(shows([['groups', 'admin']])).toBe(false);
    expect(shows([['groups', ['staff', 'admin']]])).toBe(true);
    expect(
      shows([
        ['groups', ['admin']],
        ['__proto__', { polluted: true }],
      ]),
    ).toBe(true);
  });

  it('differs between callers that differ in what a rule reads', () => {
    const policy = policyOf(
      `${POLICY_WITHOUT_RULES}rules: [{ id: blocked, hide: [tools], when: { "===": [{ var: claims.blocked }, true] } }]\n`,
    );
    const keyOf = (claims: [string, unknown][]) =>
      resolveConfiguration(policy, [], { claims: new Map(claims) }).key;
    expect(keyOf([['blocked', true]])).not.toBe(keyOf([['blocked', false]]));
    expect(keyOf([['blocked', true]])).toBe(
      keyOf([
        ['blocked', true],
        ['name', 'else'],
      ]),
    );
  });

  it('is explained with the reason of the rule and the values that it read', () => {
    const policy = policyOf(`${POLICY_WITHOUT_RULES}rules:
  - id: no-destruction
    hide: [tools]
    when:
      and:
        - { "===": [{ var: concerns.environment }, production] }
        - { "===": [{ var: [primitive.annotations.destructiveHint, true] }, true] }
        - { "!": { var: claims.admin } }
    reason: Destructive tools are hidden in production
  - { id: silent, hide: [tools], when: { "===": [{ var: primitive.name }, b] } }
`);
    const { effect, reason } = decisionOn(policy, { name: 'a' }, { environment: 'production' });
    expect(effect).toBe('hide');
    expect(reason).toEqual({
      code: 'rule',
      rule: 'no-destruction',
      source: expect.stringMatching(/policy\.yaml:11$/),
      reason: 'Destructive tools are hidden in production',
      values: {
        'concerns.environment': 'production',
        'primitive.annotations.destructiveHint': null,
        'claims.admin': null,
      },
    });
    expect(decisionOn(policy, { name: 'b' }, undefined).reason).toEqual({
      code: 'rule',
      rule: 'silent',
      source: expect.stringMatching(/policy\.yaml:19$/),
      values: { 'primitive.name': 'b' },
    });
  });
});
