import { expect, it } from 'vitest';
import { attachGate } from '../../src/core/gate/attach.js';
import { shareUpstream } from '../../src/proxy/isolation.js';
import { policyOf } from '../gate/gate-harness.js';

const policy = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { tools: { secret: { tier: pro } } }
settings: { enforcement: enforce }
`);

interface Wire {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  start(): Promise<void>;
  close(): Promise<void>;
  send(message: unknown): Promise<void>;
}

/** A server without an SDK: it runs whatever looks like a call, and takes the text of any value as a name. */
function carelessServer(ran: string[]): Wire {
  const wire: Wire = {
    start: async () => undefined,
    close: async () => wire.onclose?.(),
    send: async (sent) => {
      for (const message of [sent].flat() as {
        id?: unknown;
        method?: string;
        params?: { name?: unknown };
      }[]) {
        if (message.method === 'tools/call') ran.push(String(message.params?.name));
        const result =
          message.method === 'tools/list'
            ? { tools: [{ name: 'secret' }, { name: 'open' }] }
            : message.method === 'initialize'
              ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
              : { content: [] };
        if (message.id !== undefined) {
          queueMicrotask(() => wire.onmessage?.({ jsonrpc: '2.0', id: message.id, result } as never));
        }
      }
    },
  };
  return wire;
}

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'secret' } };

it.each([
  ['as it should be', call],
  ['with a list as the name', { ...call, params: { name: ['secret'] } }],
  ['without an id', { ...call, id: undefined }],
  ['with a result', { ...call, result: {} }],
  ['with an error', { ...call, error: { code: 1, message: 'x' } }],
  ['in a batch', [call]],
  ['in a batch in a batch', [[call]]],
])('a shared server without an SDK never runs a hidden tool: a call %s', async (_what, message) => {
  const ran: string[] = [];
  const upstream = shareUpstream(() => carelessServer(ran) as never);
  const server = upstream.server();
  attachGate(server as never, { policy });
  const answers: unknown[] = [];
  const client: Wire = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (sent) => void answers.push(sent),
  };
  await server.connect(client as never);
  client.onmessage?.(message as never);
  client.onmessage?.({ ...call, id: 2, params: { name: 'open' } } as never);
  await expect.poll(() => ran).toContain('open');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ran.filter((name) => name.includes('secret'))).toEqual([]);
  expect(answers).toContainEqual({ jsonrpc: '2.0', id: 2, result: { content: [] } });
  await upstream.close();
});
