import { describe, expect, it } from 'vitest';
import { modern } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const operator = (mode: string) =>
  policyOf(`
settings: { enforcement: ${mode}, methods: [com.example/read] }
concerns: { tier: { values: [free, pro], match: at-most, set-by: operator, claim: tier, default: free } }
patterns: { tools: { 'pro*': { tier: pro } } }`);

const METHODS = [
  'server/discover',
  'tools/list',
  'prompts/get',
  'resources/read',
  'completion/complete',
  'tasks/get',
  'tasks/result',
  'com.google.cloud/toolbox.v1/groups/list',
];

/** What a client gets of an answer that the server lets every cache share. */
function scopeOf(method: string, mode: string): unknown {
  const harness = new Harness(operator(mode));
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const result = { resultType: 'complete', tools: [], groups: [], ttlMs: 1000, cacheScope: 'public' };
    void harness.server({ jsonrpc: '2.0', id: message.id, result });
  };
  const params = { name: 'a', uri: 'x://a', taskId: 't', ref: { type: 'ref/prompt', name: 'a' } };
  harness.request('one', method, { ...params, argument: { name: 'a', value: '' }, _meta: modern({}) });
  const [answer] = harness.answers('one');
  return JSON.parse(JSON.stringify(answer ?? {})).result?.cacheScope;
}

describe('an answer that depends on the caller', () => {
  it.each(METHODS)('is never one that caches share, for %s', (method) => {
    expect(scopeOf(method, 'enforce')).not.toBe('public');
  });

  it('stays shared where nothing of the policy decides about it', () => {
    expect(scopeOf('com.example/read', 'advisory')).toBe('public');
  });
});
