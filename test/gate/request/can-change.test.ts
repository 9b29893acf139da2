import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { canChange, unshared } from '../../../src/core/gate/request/configure.js';
import { policyOf } from '../gate-harness.js';

const POLICY = 'concerns: { a: { values: [b, c] } }\n';
const RULE = 'rules:\n  - { id: r, hide: [tools], when: { "!!": { var: primitive.title } } }\n';
const plain = policyOf(POLICY);

describe('a list', () => {
  it('can differ from that of the server if a value is in effect', () => {
    expect(canChange(resolveConfiguration(plain, []))).toBe(false);
    expect(canChange(resolveConfiguration(plain, [{ from: 'request', concerns: { a: 'b' } }]))).toBe(true);
  });

  it.each([
    ['a rule', RULE, true],
    ['unmapped: hide', 'settings: { unmapped: hide }\n', true],
    ['transparency', 'settings: { transparency: true }\n', true],
    ['another setting', 'settings: { enforcement: enforce }\n', false],
  ])('can differ because of %s', (_what, more, changes) => {
    expect(canChange(resolveConfiguration(policyOf(POLICY + more), []))).toBe(changes);
  });
});

describe('a result', () => {
  it('stays the same object in the legacy era', () => {
    const result = { tools: [], ttlMs: 1_000, cacheScope: 'public' };
    expect(unshared('legacy', result)).toBe(result);
  });

  it.each([
    [{ tools: [] }],
    [{ tools: [], ttlMs: 1_000, cacheScope: 'public' }],
    [{ tools: [], ttlMs: 0, cacheScope: 'public' }],
    [{ tools: [], ttlMs: 1_000, cacheScope: 'private' }],
  ])('is not to be cached in the modern era: %j', (result) => {
    expect(unshared('modern', result)).toEqual({ tools: [], ttlMs: 0, cacheScope: 'private' });
  });

  it('that is not to be cached stays the same object', () => {
    const result = { tools: [], ttlMs: 0, cacheScope: 'private' };
    expect(unshared('modern', result)).toBe(result);
  });
});
