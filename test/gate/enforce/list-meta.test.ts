import { describe, expect, it } from 'vitest';
import { modern } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const META = { 'com.example/note': 'Failed in purge_all, see db://secret.' };
const RESULTS: Readonly<Record<string, object>> = {
  'tools/list': { tools: [{ name: 'open' }, { name: 'purge_all' }] },
  'prompts/list': { prompts: [{ name: 'ask' }] },
  'resources/list': {
    resources: [
      { uri: 'db://secret', name: 's' },
      { uri: 'db://open', name: 'o' },
    ],
  },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'x://{a}', name: 'x' }] },
};

/** Nothing but the lists names what is hidden: the policy has patterns. */
const policy = policyOf(`
settings: { enforcement: enforce, unmapped: hide }
patterns:
  tools: { 'open*': {} }
  prompts: { '*': {} }
  resources: { 'db://open*': {} }
  resourceTemplates: { '*': {} }`);

function answerTo(method: string, era: 'legacy' | 'modern'): Record<string, unknown> {
  const harness = new Harness(policy);
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const result = { resultType: 'complete', ...RESULTS[message.method], _meta: META };
    void harness.server({ jsonrpc: '2.0', id: message.id, result });
  };
  harness.request('list', method, era === 'modern' ? { _meta: modern({}) } : {});
  const [answer] = harness.answers('list');
  return JSON.parse(JSON.stringify(answer ?? {}));
}

describe.each(['legacy', 'modern'] as const)('the _meta of a list under enforce in the %s era', (era) => {
  it.each(Object.keys(RESULTS))(
    'names nothing hidden of any kind in %s, whatever was listed before',
    (method) => {
      const { result } = answerTo(method, era);
      expect(result).toMatchObject({ _meta: { 'com.example/note': 'Failed in [hidden], see [hidden].' } });
      expect(JSON.stringify(result)).not.toMatch(/purge_all|db:\/\/secret/);
    },
  );
});
