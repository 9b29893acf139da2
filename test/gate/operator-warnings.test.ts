import { expect, it } from 'vitest';
import { Harness, policyOf } from './gate-harness.js';

it('tells only the log about values that the server gives and the policy does not declare', () => {
  const harness = new Harness(policyOf('concerns: { level: { values: [low, high], default: low } }'));
  harness.serve({ 'tools/list': [{ name: 'a', _meta: { concerns: { level: 'MARKER' } } }] });
  const _meta = { 'io.github.mcp-concerns/concerns': { concerns: { level: 'high' } } };
  harness.client({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
  expect(harness.reports.at(-1)?.warnings).toMatchObject([{ code: 'unknown-meta-value' }]);
  const [answer] = harness.toClient;
  expect(answer).toMatchObject({
    id: 1,
    result: { _meta: { 'io.github.mcp-concerns/concerns': { shown: 1 } } },
  });
  expect(JSON.stringify(answer)).not.toContain('warnings');
});
