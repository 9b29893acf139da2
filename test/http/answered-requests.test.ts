import { setImmediate, setTimeout } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { policyOf, SECURITY } from '../gate/gate-harness.js';

/** Serves a tool that works for a while. Remembers the signal of the latest request, and whether its server was closed. */
function signalling(enforcement: string, work: () => Promise<unknown>) {
  const seen: { signal?: AbortSignal; isClosed: boolean } = { isClosed: false };
  const server = (): Server => {
    const made = new Server({ name: 'signalling', version: '1.0.0' }, { capabilities: { tools: {} } });
    made.setRequestHandler(ListToolsRequestSchema, async (_request, { signal }) => {
      seen.signal = signal;
      await work();
      return { tools: [{ name: 'any', inputSchema: { type: 'object' } }] };
    });
    made.setRequestHandler(CallToolRequestSchema, async (_request, { signal }) => {
      seen.signal = signal;
      await work();
      return { content: [{ type: 'text', text: 'done' }] };
    });
    made.onclose = () => {
      seen.isClosed = true;
    };
    return made;
  };
  const policy = policyOf(`${SECURITY}settings: { enforcement: ${enforcement} }`);
  return { seen, handle: createHandler({ server, policy }) };
}

const postOf = (body: unknown) =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const post = (method: string, params: object) => postOf({ jsonrpc: '2.0', id: 1, method, params });
const list = () => post('tools/list', {});
const call = () => post('tools/call', { name: 'any', arguments: {} });

describe.each(['advisory', 'enforce'])('%s', (mode) => {
  it.each([
    ['a list', list, '"any"'],
    ['a call', call, 'done'],
  ])(
    'closes the server after its answer to %s, and does not abort the answered request',
    async (_name, request, text) => {
      // What is answered before the response begins, and what later: it depends on the microtasks that an answer takes.
      for (let count = 0; count < 20; count++) {
        const { seen, handle } = signalling(mode, async () => {
          for (let waited = 0; waited < count; waited++) await Promise.resolve();
        });
        expect(await (await handle(request())).text()).toContain(text);
        await setImmediate();
        expect([count, seen.isClosed, seen.signal?.aborted]).toEqual([count, true, false]);
      }
    },
  );

  it('waits for all answers to a batch', async () => {
    let calls = 0;
    const { seen, handle } = signalling(mode, () => (++calls === 1 ? Promise.resolve() : setTimeout(20)));
    const batch = [1, 2].map((id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'any', arguments: {} },
    }));
    const response = await handle(postOf(batch));
    expect(seen.isClosed).toBe(false);
    const text = await response.text();
    expect([text.includes('"id":1'), text.includes('"id":2')]).toEqual([true, true]);
    await setImmediate();
    expect([seen.isClosed, seen.signal?.aborted]).toEqual([true, false]);
  });

  it('aborts a call whose reader leaves before its answer', async () => {
    const { seen, handle } = signalling(mode, () => new Promise(() => undefined));
    const response = await handle(call());
    await response.body?.cancel();
    expect([seen.isClosed, seen.signal?.aborted]).toEqual([true, true]);
  });
});
