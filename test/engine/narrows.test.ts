import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import { onlyNarrows } from '../../src/core/engine/narrows.js';
import { policyOf } from '../gate/gate-harness.js';

const CONCERNS = `
concerns:
  one: { values: [a, b, c] }
  least: { values: [a, b, c], match: at-least }
  most: { values: [a, b, c], match: at-most }
  several: { values: [a, b, c], multiple: true }
  within: { values: [x, x.y, z], match: within }
  range: { values: { min: 0, max: 9 } }
  read: { values: [a, b] }
rules:
  - { id: r, show: [tools], when: { "===": [{ var: concerns.read }, b] } }
`;
const policy = policyOf(CONCERNS);
const open = policyOf(CONCERNS.replace('read: { values: [a, b] }', 'read: { values: [a, b], model: free }'));

const narrows = (before: object, after: object, from = policy): boolean => {
  const [old, now] = [before, after].map((concerns) =>
    resolveConfiguration(from, [{ from: 'request', concerns }]),
  );
  return old !== undefined && now !== undefined && onlyNarrows(old, now);
};

describe('a change of values', () => {
  it.each([
    [{}, { one: 'a' }],
    [{ one: 'a' }, { one: 'a' }],
    [{ least: 'b' }, { least: 'c' }],
    [{ most: 'b' }, { most: 'a' }],
    [{ several: ['a', 'b'] }, { several: ['b'] }],
    [{ within: 'x' }, { within: 'x' }],
    [{ range: 5 }, { range: 4 }],
    [{ read: 'a' }, { read: 'a', one: 'b' }],
  ])('only narrows from %j to %j', (before, after) => {
    expect(narrows(before, after)).toBe(true);
  });

  it.each([
    [{ one: 'a' }, {}],
    [{ one: 'a' }, { one: 'b' }],
    [{ least: 'b' }, { least: 'a' }],
    [{ most: 'b' }, { most: 'c' }],
    [{ several: ['a'] }, { several: ['a', 'c'] }],
    [{ within: 'x.y' }, { within: 'z' }],
    [{ range: 4 }, { range: 5 }],
    [
      { one: 'a', most: 'c' },
      { one: 'b', most: 'a' },
    ],
    [{}, { read: 'a' }],
  ])('may show more from %j to %j', (before, after) => {
    expect(narrows(before, after)).toBe(false);
  });

  it('is free where the policy opens the concern to the model', () => {
    expect(narrows({}, { read: 'b' }, open)).toBe(true);
    expect(narrows({ one: 'a' }, { one: 'b' }, open)).toBe(false);
  });

  it('may show what was denied before', () => {
    const denied = resolveConfiguration(policy, [], { forgotten: true });
    const chosen = resolveConfiguration(policy, [{ from: 'request', concerns: { one: 'a' } }]);
    expect(onlyNarrows(denied, chosen)).toBe(false);
    expect(onlyNarrows(chosen, denied)).toBe(false);
    expect(onlyNarrows(denied, denied)).toBe(true);
  });
});
