import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import type { Policy } from '../../../src/core/engine/policy.js';
import { isShownByEntry } from '../../../src/core/gate/enforce/visibility.js';
import { policyOf, yaml } from '../../policy/author.js';

const POLICY = yaml`
  version: 1
  concerns:
    security: { values: [low, high], model: narrow }
    cost: { values: [small, large], model: narrow }
  primitives:
    tools: { open: { security: high }, both: { security: high, cost: small }, weak: { security: low } }
    prompts: { "r://p": { security: high } }
    resources: { "file:///shown": { security: high } }
  patterns:
    tools: { "known_*": { security: high } }
`;
const policy = policyOf(POLICY);
const configured = (concerns: object, from: Policy = policy) =>
  resolveConfiguration(from, [{ from: 'request', concerns }]);
const high = configured({ security: 'high' });
const tool = (name: string) => ({ type: 'tool', name }) as const;

describe('the entry of the policy alone', () => {
  it('shows a tool with a value for each concern in effect', () => {
    expect(isShownByEntry(tool('open'), high)).toBe(true);
    expect(isShownByEntry(tool('open'), configured({ security: 'high', cost: 'small' }))).toBe(false);
    expect(isShownByEntry(tool('both'), configured({ security: 'high', cost: 'small' }))).toBe(true);
    expect(isShownByEntry(tool('both'), configured({ security: 'high', cost: 'large' }))).toBe(false);
  });

  it('does not decide where an operator concern has no value in it', () => {
    const tier = '  tier: { values: [free, pro], set-by: operator, claim: tier, default: free }\n';
    const from = policyOf(POLICY.replace('primitives:', `${tier}primitives:`));
    expect(isShownByEntry(tool('open'), configured({ security: 'high' }, from))).toBe(false);
  });

  it('does not decide about patterns, URIs, and what it hides', () => {
    expect(isShownByEntry(tool('known_1'), high)).toBe(false);
    expect(isShownByEntry(tool('weak'), high)).toBe(false);
    expect(isShownByEntry({ type: 'uri', name: 'file:///shown' }, high)).toBe(false);
    expect(isShownByEntry({ type: 'prompt', name: 'open' }, high)).toBe(false);
  });

  it('does not decide about a URI that is named like a prompt', () => {
    expect(isShownByEntry({ type: 'prompt', name: 'r://p' }, high)).toBe(true);
    expect(isShownByEntry({ type: 'uri', name: 'r://p' }, high)).toBe(false);
    expect(isShownByEntry(tool('r://p'), high)).toBe(false);
  });
});

describe('the entry of the policy alone, where a model set values', () => {
  const session = { from: 'session', concerns: { security: 'low' } } as const;

  it('decides only if these values show the tool, too', () => {
    const narrowed = resolveConfiguration(policy, [
      { from: 'model', concerns: { security: 'high' } },
      session,
    ]);
    expect(isShownByEntry(tool('weak'), resolveConfiguration(policy, [session]))).toBe(true);
    expect(narrowed.narrowed).toBeDefined();
    expect(isShownByEntry(tool('weak'), narrowed)).toBe(false);
  });

  it('does not decide if the entry has no value for one of them', () => {
    const narrowed = resolveConfiguration(policy, [
      { from: 'model', concerns: { cost: 'small' } },
      { from: 'session', concerns: { security: 'high', cost: null } },
    ]);
    expect(narrowed.narrowed).toBeDefined();
    expect(isShownByEntry(tool('open'), high)).toBe(true);
    expect(isShownByEntry(tool('open'), narrowed)).toBe(false);
    expect(isShownByEntry(tool('both'), narrowed)).toBe(true);
  });
});

describe('the entry of the policy alone, where there are rules', () => {
  const withRule = (rule: string) => policyOf(`${POLICY}rules:\n  - ${rule}\n`);

  it.each([
    ['its name', '{ in: [{ var: primitive.name }, [open]] }', true],
    ['its kind', '{ "===": [{ var: primitive.kind }, prompts] }', true],
    ['its name and kind', '{ and: [{ var: primitive.name }, { var: primitive.kind }] }', true],
    ['its name and its title', '{ and: [{ var: primitive.name }, { var: primitive.title }] }', false],
    ['its title and its name', '{ and: [{ var: primitive.title }, { var: primitive.name }] }', false],
    ['its annotations', '{ "!!": { var: primitive.annotations.destructiveHint } }', false],
    ['its tags', '{ in: [a, { var: primitive.tags }] }', false],
    ['a member of its metadata named like the client', '{ "!!": { var: primitive.meta.client } }', false],
    ['a member of its metadata named like a name', '{ "!!": { var: primitive.meta.primitive.name } }', false],
    ['a concern', '{ "!!": { var: concerns.security } }', true],
    ['claims', '{ "!!": { var: claims.blocked } }', true],
    ['the client', '{ "!!": { var: client.capabilities.sampling } }', true],
    ['the era', '{ "===": [{ var: protocol.era }, modern] }', true],
  ])('decides if they read %s: %s', (_what, when, decides) => {
    // Nothing hides the tool, because the rule shows tools.
    const from = withRule(`{ id: r, show: [tools], when: ${when} }`);
    expect(isShownByEntry(tool('both'), configured({ security: 'high' }, from))).toBe(decides);
  });

  it('does not show what they hide', () => {
    const from = withRule('{ id: r, hide: [tools], when: { in: [{ var: primitive.name }, [open]] } }');
    expect(isShownByEntry(tool('open'), configured({ security: 'high' }, from))).toBe(false);
    expect(isShownByEntry(tool('both'), configured({ security: 'high' }, from))).toBe(true);
  });

  it('does not care for those about other kinds', () => {
    const from = withRule('{ id: r, hide: [prompts], when: { "!!": { var: primitive.title } } }');
    expect(isShownByEntry(tool('both'), configured({ security: 'high' }, from))).toBe(true);
  });
});
