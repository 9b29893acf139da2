import { describe, expect, it, vi } from 'vitest';
import { scopesOf, withClaim } from '../../src/core/engine/claims.js';
import { readPath } from '../../src/core/engine/expression/evaluate.js';
import {
  bindCatalog,
  type Caller,
  describeConfiguration,
  describeOrigins,
  type Policy,
  type Primitive,
  resolveConfiguration,
  select,
} from '../../src/core/engine/index.js';
import { findingsOf, policyOf, yaml } from '../policy/author.js';

const policy = policyOf(yaml`
  version: 1
  concerns:
    notes: { values: ["notes:read", "notes:write"], multiple: true, set-by: operator, claim: scope }
    role: { values: [viewer, editor], default: viewer, set-by: operator, claim: [realm_access, roles] }
    team:
      values: [ops, dev]
      multiple: true
      set-by: operator
      claim: https://acme.example/groups
      claim-values: { ops: ["arn:aws:iam::1:role/ops", "ops team"] }
    mail: { values: ["https://x/y.read", "https://x/y.write"], set-by: operator, claim: scope }
  rules: [{ id: r, hide: [tools], when: { in: [x, { var: caller.scopes }] } }]
`);

const defaulted = policyOf(yaml`
  version: 1
  concerns:
    notes: { values: ["notes:read", "notes:write"], multiple: true, set-by: operator, claim: scope, default: "notes:read" }
`);

const callerOf = (claims: object, scopes?: readonly string[]): Caller => ({
  claims: new Map(Object.entries(claims)),
  scopes,
});
const shownTo = (of: Policy, tools: readonly Primitive[], caller: Caller) =>
  select(bindCatalog(of, 'tools', tools), resolveConfiguration(of, [], caller)).kept.map(({ name }) => name);
const valuesOf = (caller: Caller) => describeConfiguration(resolveConfiguration(policy, [], caller));
const originsOf = (caller: Caller) => describeOrigins(resolveConfiguration(policy, [], caller));

describe('the scopes of a caller', () => {
  it.each<[string, Caller]>([
    ['a text (RFC 9068)', callerOf({ scope: 'openid notes:read notes:write' })],
    ['a text with several blanks', callerOf({ scope: ' notes:read  openid\tnotes:write ' })],
    ['a list', callerOf({ scope: ['openid', 'notes:read', 'notes:write'] })],
    ['a text in scp', callerOf({ scp: 'openid notes:read notes:write' })],
    ['a list in scp', callerOf({ scp: ['openid', 'notes:write', 'notes:read'] })],
    ['a list in scopes', callerOf({ scopes: ['openid', 'notes:read', 'notes:write'] })],
    ['the list that the verifier returns', callerOf({}, ['openid', 'notes:read', 'notes:write'])],
    ['several of these', callerOf({ scope: 'openid notes:read', scp: [1, {}] }, ['notes:write'])],
  ])('are one set if the token has them as %s', (_form, caller) => {
    expect(valuesOf(caller).notes).toEqual(['notes:read', 'notes:write']);
    expect(scopesOf(caller)).toContain('openid');
  });

  it('are readable in rules as a list, which is empty without scopes', () => {
    const read = (caller: Caller) => readPath(resolveConfiguration(policy, [], caller).data, 'caller.scopes');
    expect(read(callerOf({ scope: 'a b', scp: ['b', 'c'] }))).toEqual(['a', 'b', 'c']);
    expect(read({})).toEqual([]);
  });

  it('set a concern with one value if the caller has one of its values among others', () => {
    expect(valuesOf(callerOf({ scope: 'openid https://x/y.read' })).mail).toBe('https://x/y.read');
    const both = callerOf({ scope: 'https://x/y.read https://x/y.write' });
    expect([valuesOf(both).mail, originsOf(both).mail]).toEqual([undefined, 'several-claims']);
  });

  it('deny a caller that has only others, and one that has an empty claim', () => {
    expect(originsOf(callerOf({ scope: 'openid' })).notes).toBe('unmatched-claim');
    expect(originsOf(callerOf({ scope: '' })).notes).toBe('unmatched-claim');
  });

  it.each<[string, Caller]>([
    ['an empty list of its verifier', callerOf({}, [])],
    ['a token with other claims only', callerOf({ sub: 'ann' })],
    ['null in place of its scopes', callerOf({ scope: null })],
    ['a scope that is an object', callerOf({ scope: {} })],
  ])('deny a verified caller with %s, also if there is a default', (_what, caller) => {
    const resolved = resolveConfiguration(defaulted, [], caller);
    expect(describeOrigins(resolved)).toEqual({ notes: 'unmatched-claim' });
  });

  it('leave the default to a caller that nobody verified', () => {
    for (const caller of [{}, callerOf({})]) {
      expect(describeOrigins(resolveConfiguration(defaulted, [], caller))).toEqual({ notes: 'default' });
    }
  });

  it('decide the same in any order, and their key is the same', () => {
    const [one, other] = ['a notes:read b', 'b a notes:read'].map((scope) =>
      resolveConfiguration(policy, [], callerOf({ scope })),
    );
    expect(one?.key).toBe(other?.key);
  });
});

describe('more scopes than count', () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);
  const open = policyOf(yaml`
    version: 1
    rules:
      - { id: guests, hide: [tools], when: { in: [guest, { var: caller.scopes }] } }
      - { id: admins, hide: [tools], when: { "!": { in: [admin, { var: caller.scopes }] } } }
  `);
  const tools = [{ name: 'readNote' }];

  it('deny each concern that reads them, with a warning', () => {
    const resolved = resolveConfiguration(policy, [], callerOf({ scope: ['notes:read', ...words(1000)] }));
    expect(describeOrigins(resolved)).toMatchObject({ notes: 'unmatched-claim', mail: 'unmatched-claim' });
    expect(resolved.warnings).toEqual([
      {
        code: 'too-many-scopes',
        message: 'The caller has more than 1000 scopes, so none of them counts. Grant fewer scopes.',
      },
    ]);
  });

  it('are one more than the greatest number that counts', () => {
    const resolved = resolveConfiguration(policy, [], callerOf({ scope: ['notes:read', ...words(999)] }));
    expect(describeConfiguration(resolved).notes).toEqual(['notes:read']);
    expect(resolved.warnings).toEqual([]);
  });

  it('let each rule hide that reads them, and none show', () => {
    expect(shownTo(open, tools, callerOf({ scope: ['admin', ...words(999)] }))).toEqual(['readNote']);
    expect(shownTo(open, tools, callerOf({ scope: ['admin', ...words(1000)] }))).toEqual([]);
    const shows = policyOf(yaml`
      version: 1
      rules: [{ id: r, show: [tools], when: { "!": { in: [guest, { var: caller.scopes }] } } }]
      settings: { unmapped: hide }
    `);
    expect(shownTo(shows, tools, callerOf({ scope: 'admin' }))).toEqual(['readNote']);
    expect(shownTo(shows, tools, callerOf({ scope: words(1001) }))).toEqual([]);
  });

  it('are collected once for 64 concerns and a rule, and make no key of more than 10,000 characters', () => {
    const concerns = Array.from(
      { length: 64 },
      (_, index) =>
        `  c${index}: { values: [a, b], multiple: true, set-by: operator, claim: scope, default: a }\n`,
    );
    const rule = 'rules: [{ id: r, hide: [tools], when: { in: [x, { var: caller.scopes }] } }]';
    const many = policyOf(`version: 1\nconcerns:\n${concerns.join('')}${rule}\n`);
    for (const count of [1000, 100_000]) {
      const claims = new Map([['scope', words(count).join(' ')]]);
      const get = vi.spyOn(claims, 'get');
      const { key } = resolveConfiguration(many, [], { claims });
      expect(get.mock.calls.filter(([name]) => name === 'scope')).toHaveLength(1);
      expect(key.length).toBeLessThan(10_000);
    }
  });
});

describe('a claim', () => {
  it('that is a path is read through objects, and only through their own members', () => {
    expect(valuesOf(callerOf({ realm_access: { roles: ['editor'] } })).role).toBe('editor');
    expect(valuesOf(callerOf({ 'realm_access.roles': ['editor'] })).role).toBe('viewer');
    expect(originsOf(callerOf({ realm_access: { roles: ['editor', 'offline_access'] } })).role).toBe(
      'several-claims',
    );
    const inherited = JSON.parse('{"realm_access": {"__proto__": {"roles": ["editor"]}}}');
    expect(originsOf(callerOf(inherited)).role).toBe('unmatched-claim');
    expect(valuesOf(callerOf(Object.create({ realm_access: { roles: ['editor'] } }))).role).toBe('viewer');
  });

  it.each([
    [{}],
    ['x'],
    [['admin']],
    [{ role: ['editor'] }],
    [{ roles: null }],
    [{ roles: {} }],
    [null],
    [7],
    [''],
    ['map[roles:[editor]]'],
  ])(
    'of which only the beginning of the path is there is denied, and does not get the default: %j',
    (realm_access) => {
      expect(originsOf(callerOf({ realm_access })).role).toBe('unmatched-claim');
    },
  );

  it('that is null is denied, and does not get the default', () => {
    const tier = policyOf(yaml`
      version: 1
      concerns: { tier: { values: [free, pro], default: free, set-by: operator, claim: tier } }
    `);
    const origin = (claims: object) => describeOrigins(resolveConfiguration(tier, [], callerOf(claims))).tier;
    expect(origin({ tier: null })).toBe('unmatched-claim');
    expect([origin({}), origin({ tier: undefined })]).toEqual(['default', 'default']);
  });

  it('that is a path is not read through lists and texts', () => {
    const counted = policyOf(yaml`
      version: 1
      concerns: { size: { values: ["1", "2"], set-by: operator, claim: [groups, length], default: "1" } }
    `);
    for (const groups of [['a', 'b'], 'ab']) {
      const resolved = resolveConfiguration(counted, [], callerOf({ groups }));
      expect(describeOrigins(resolved)).toEqual({ size: 'unmatched-claim' });
    }
  });

  it('named __proto__, constructor or with dots is a claim like any other', () => {
    const odd = policyOf(yaml`
      version: 1
      concerns:
        a: { values: [x, y], set-by: operator, claim: __proto__, default: y }
        b: { values: [x, y], set-by: operator, claim: [constructor, name], default: y }
    `);
    const read = (claims: object) => describeConfiguration(resolveConfiguration(odd, [], callerOf(claims)));
    expect(read({})).toEqual({ a: 'y', b: 'y' });
    expect(read(JSON.parse('{"__proto__": "x", "constructor": {"name": "x"}}'))).toEqual({ a: 'x', b: 'x' });
  });

  it('means a value by its texts in claim-values, and then no longer by its name', () => {
    const team = (groups: unknown) => valuesOf(callerOf({ 'https://acme.example/groups': groups })).team;
    expect(team(['ops team', 'everyone'])).toEqual(['ops']);
    expect(team('arn:aws:iam::1:role/ops')).toEqual(['ops']);
    expect(team(['dev'])).toEqual(['dev']);
    expect(team(['ops'])).toBeUndefined();
  });

  it('that is given to a caller for a value gives it that value, and keeps other scopes and members', () => {
    let caller = callerOf({ realm_access: { other: 1 }, scope: 'openid' });
    for (const [index, value] of ['notes:write', 'editor', 'ops'].entries()) {
      const concern = policy.concerns[index];
      if (concern !== undefined) caller = withClaim(caller, concern, [value]);
    }
    expect(valuesOf(caller)).toEqual({ notes: ['notes:write'], role: 'editor', team: ['ops'] });
    expect(scopesOf(caller)).toContain('openid');
    expect(caller.claims?.get('realm_access')).toEqual({ other: 1, roles: 'editor' });
  });
});

describe('the checks of claims', () => {
  const concern = (text: string) =>
    `version: 1\nconcerns:\n  tier: { values: [free, pro], default: free, ${text} }\n`;

  it.each<[string, string, string[]]>([
    [
      'accept any text as a value',
      'version: 1\nconcerns:\n  s: { values: ["a:b c/é"], set-by: operator, claim: s, default: "a:b c/é" }\n',
      [],
    ],
    [
      'refuse control characters in a value',
      'version: 1\nconcerns:\n  s: { values: ["a\\tb"], set-by: operator, claim: s, default: x }\n',
      ['3:17 bad-name'],
    ],
    [
      'refuse a value of 257 characters',
      `version: 1\nconcerns:\n  s: { values: [${'v'.repeat(257)}], set-by: operator, claim: s }\n`,
      ['3:17 bad-name'],
    ],
    [
      'refuse any text as a value that hosts set',
      'version: 1\nconcerns:\n  s: { values: ["a:b"] }\n',
      ['3:17 bad-name'],
    ],
    ['accept a path', concern('set-by: operator, claim: [a, b]'), []],
    [
      'refuse obtainable of a claim that is not a scope',
      concern('set-by: operator, claim: t, obtainable: true'),
      ['3:75 not-obtainable'],
    ],
    [
      'refuse a scope with a blank, which no caller has',
      concern('set-by: operator, claim: scp, claim-values: { pro: [x, "two words"] }'),
      ['3:102 blank-in-scope'],
    ],
    [
      'refuse a value with a blank that is a scope',
      'version: 1\nconcerns:\n  s: { values: [{ x: About }, "two words"], default: x, set-by: operator, claim: scope }\n',
      ['3:31 blank-in-scope'],
    ],
    [
      'accept a value with a blank that is not a scope',
      'version: 1\nconcerns:\n  s: { values: [x, "two words"], default: x, set-by: operator, claim: [scope, x] }\n',
      [],
    ],
    ...['a\\"b', 'notes:日本'].map((text): [string, string, string[]] => [
      `refuse obtainable of the scope ${text}, which no header can name`,
      `version: 1\nconcerns:\n  s: { values: [x, "${text}"], default: x, set-by: operator, claim: scope, multiple: true, obtainable: true }\nsettings: { enforcement: enforce }\n`,
      [expect.stringMatching(/^3:\d+ not-obtainable$/)],
    ]),
    [
      'refuse obtainable of a concern that hosts set',
      concern('obtainable: true'),
      ['3:47 claim-without-operator'],
    ],
    ['refuse an empty path', concern('set-by: operator, claim: []'), ['3:72 empty']],
    [
      'refuse claim-values of a concern that hosts set',
      concern('claim-values: { pro: [x] }'),
      ['3:47 claim-without-operator'],
    ],
    [
      'refuse claim-values of another value',
      concern('set-by: operator, claim: t, claim-values: { por: [x] }'),
      ['3:91 unknown-value'],
    ],
    [
      'refuse a text that means two values',
      concern('set-by: operator, claim: t, claim-values: { pro: [x, free] }'),
      ['3:100 duplicate'],
    ],
    [
      'refuse a text in place of a list of texts',
      concern('set-by: operator, claim: t, claim-values: { pro: x }'),
      ['3:96 wrong-type'],
    ],
  ])('%s', (_what, text, found) => {
    const places = findingsOf(text);
    expect(places).toEqual(found);
  });
});
