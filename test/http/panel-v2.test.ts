import { Server } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { read } from '../../src/core/wire/messages.js';
import { policyOf } from '../gate/gate-harness.js';

const policy = policyOf(`
concerns: { effect: { values: [read-only, destroys], match: at-most } }
presets: { safe: { effect: read-only } }
primitives: { tools: { look: { effect: read-only }, destroy: { effect: destroys } } }
settings: { enforcement: enforce, unmapped: hide, panel: on }
`);

function endpoint() {
  const reached: string[] = [];
  const handle = createHandler({
    policy,
    store: createMemoryStore(),
    preferences: 'principal',
    server: () => {
      const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {}, prompts: {} } });
      server.fallbackRequestHandler = async ({ method }) => {
        reached.push(method);
        const tools = ['look', 'destroy'].map((name) => ({ name, inputSchema: { type: 'object' } }));
        return method === 'tools/list' ? { tools } : { prompts: [] };
      };
      return server;
    },
  });
  const ask = async (method: string, params: Record<string, unknown>): Promise<unknown> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: {},
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
      },
    };
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params.name ?? params.uri),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    const extra = { iss: 'https://login.example', sub: 'ada' };
    const response = await handle(request, {
      authInfo: { token: 't', clientId: 'c', scopes: [], extra },
    });
    return response.json();
  };
  return { ask, reached };
}

it.each([
  ['tools/call', { name: 'concerns', arguments: {} }, 'tools are shown'],
  ['tools/call', { name: 'concerns_read', arguments: {} }, '"structuredContent"'],
  ['prompts/get', { name: 'concerns-safe' }, 'In effect: effect read-only'],
  ['resources/read', { uri: 'ui://concerns/panel.html' }, '<html'],
])('an enforcing endpoint of SDK v2 answers %s with %j itself', async (method, params, expected) => {
  const { ask, reached } = endpoint();
  expect(JSON.stringify(read(await ask(method, params), 'result'))).toContain(expected);
  expect(reached).not.toContain(method);
});
