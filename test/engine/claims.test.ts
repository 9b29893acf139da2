import { describe, expect, it } from 'vitest';
import { scopesOf, withClaim } from '../../src/engine/claims.js';
import { readPath } from '../../src/engine/expression/evaluate.js';
import {
  type Caller,
  describeConfiguration,
  describeOrigins,
  resolveConfiguration,
} from '../../src/engine/index.js';
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

const callerOf = (claims: object, scopes?: readonly string[]): Caller => ({
  claims: new Map(Object.entries(claims)),
  scopes,
});
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
    expect(originsOf(callerOf({}, [])).notes).toBe('no-claim');
  });

  it('of 100,000 words show nothing that one of them does not show', () => {
    const words = Array.from({ length: 100_000 }, (_, index) => `notes:read${index}`);
    expect(originsOf(callerOf({ scope: words.join(' ') })).notes).toBe('unmatched-claim');
    expect(valuesOf(callerOf({ scope: [...words, 'notes:read'].join(' ') })).notes).toEqual(['notes:read']);
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
    expect(valuesOf(callerOf(inherited)).role).toBe('viewer');
    expect(valuesOf(callerOf(Object.create({ realm_access: { roles: ['editor'] } }))).role).toBe('viewer');
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
    ...['two words', 'a\\"b', 'notes:日本'].map((text): [string, string, string[]] => [
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
