import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { describe, expect, it } from 'vitest';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { policyOf } from '../gate/gate-harness.js';

const policyIn = (mode: string) =>
  policyOf(`
concerns: { security: { values: [low, medium, high], match: at-least } }
primitives: { tools: { a: { security: low }, b: { security: high }, c: {} } }
settings: { enforcement: ${mode} }
`);
const down = () => Promise.reject(new Error('down'));

/** A server with a gate and a transport that makes its own session id. */
async function serving(mode: string, store = createMemoryStore(), id?: string) {
  const server = new McpServer({ name: 'small', version: '1.0.0' });
  for (const name of ['a', 'b', 'c'])
    server.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `ran ${name}` }] }));
  const attached = attachConcerns(server, { policy: policyIn(mode), store });
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    ...(id === undefined ? { sessionIdGenerator: () => 'own' } : {}),
  });
  if (id !== undefined) transport.sessionId = id;
  await server.connect(transport);
  return async (method: string, params: object = {}): Promise<unknown> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(method === 'initialize' ? {} : { 'mcp-session-id': 'own' }),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await transport.handleRequest(
      new Request('http://localhost/mcp', { method: 'POST', headers, body }),
    );
    await attached.settled();
    return response.json();
  };
}

const hello = (security: string) => ({
  protocolVersion: '2025-11-25',
  capabilities: { extensions: { [EXTENSION_ID]: { concerns: { security } } } },
  clientInfo: { name: 'host', version: '1' },
});
const texts = (items: unknown, member: string): string[] =>
  Array.isArray(items) ? items.map((each) => String(read(each, member))) : [];
const warningsIn = (answer: unknown) =>
  texts(read(answer, 'result', '_meta', EXTENSION_ID, 'warnings'), 'code');
const shown = (answer: unknown) => ({
  names: texts(read(answer, 'result', 'tools'), 'name'),
  warnings: warningsIn(answer),
});

describe.each(['advisory', 'enforce'])(
  'under %s, a server with a gate and session ids of its transport',
  (mode) => {
    it('hides what a preference could hide if those of initialize could not be stored', async () => {
      const store = createMemoryStore();
      let isDown = true;
      const failing = {
        ...store,
        update: (key: string, change: object) => (isDown ? down() : store.update(key, change)),
      };
      const ask = await serving(mode, failing);
      expect(warningsIn(await ask('initialize', hello('high')))).toEqual(['store-unavailable']);
      isDown = false;
      expect(shown(await ask('tools/list'))).toEqual({ names: ['c'], warnings: ['unknown-session'] });
    });

    it('hides what a preference could hide, and tells the client, if no store knows the session', async () => {
      const store = createMemoryStore();
      // A server of its own for each request: no process remembers anything.
      const ask = async (...given: [string, object?]) => (await serving(mode, store, 'own'))(...given);
      expect(shown(await ask('tools/list'))).toEqual({ names: ['c'], warnings: ['unknown-session'] });
      await ask('updateConcerns', { concerns: { security: 'high' } });
      expect(shown(await ask('tools/list'))).toEqual({ names: ['b', 'c'], warnings: [] });
    });
  },
);

it('continues with what it knew last while the store cannot be read', async () => {
  const store = createMemoryStore();
  let isDown = false;
  const failing = { ...store, read: (key: string) => (isDown ? down() : store.read(key)) };
  const ask = await serving('advisory', failing);
  await ask('initialize', hello('low'));
  await ask('updateConcerns', { concerns: { security: 'high' } });
  isDown = true;
  expect(shown(await ask('tools/list'))).toEqual({ names: ['b', 'c'], warnings: ['store-unavailable'] });
});
