import type { Sender } from '../../../src/core/gate/request/configure.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns: { security: { values: [low, high] } }
primitives:
  tools: { open: { security: high }, weak: { security: low } }
  prompts: { ask: { security: low } }
`;
export const policyWith = (settings: string) => policyOf(`${POLICY}settings: ${settings}\n`);
export const plain = policyWith('{}');

export const named = (...names: string[]) => names.map((name) => ({ name }));
export const TOOLS = named('open', 'weak', 'free');
export const high = { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } };

/** The gate of a server with these tools. */
export const gate = (policy = plain, tools: readonly object[] = TOOLS) =>
  new Harness(policy).serve({ 'tools/list': [...tools], 'prompts/list': named('ask') });

/** Sends a list request, and returns what the client receives. */
export function list(harness: Harness, params?: object, method = 'tools/list', sender: Partial<Sender> = {}) {
  harness.client({ jsonrpc: '2.0', id: 'list', method, ...(params && { params }) }, sender);
  return harness.answers('list').at(-1);
}
export const answerWith = (result: object) => ({ jsonrpc: '2.0', id: 'list', result });
export const errorWith = (code: number, message: string) => ({
  jsonrpc: '2.0',
  id: 'list',
  error: { code, message },
});
