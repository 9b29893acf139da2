import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { policyOf, SECURITY } from '../gate/gate-harness.js';

const server = () => {
  const made = new McpServer({ name: 'small', version: '1.0.0' });
  for (const name of ['a', 'b', 'c'])
    made.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `ran ${name}` }] }));
  return made;
};

const call = (name: string) => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: {}, _meta },
    }),
  });
};

it('answers a call under enforce with an error if the preferences of the caller cannot be read', async () => {
  const store = { ...createMemoryStore(), read: () => Promise.reject(new Error('down')) };
  const policy = policyOf(`${SECURITY}\nsettings: { enforcement: enforce }\n`);
  const handle = createHandler({ server, policy, store, preferences: 'principal' });
  const authInfo = { token: 'x', clientId: 'host', scopes: [], extra: { iss: 'https://login', sub: 'ada' } };
  const response = await handle(call('a'), { authInfo });
  const text = await response.text();
  expect(text).toMatch(/"error":\{"code":-32603/);
  expect(text).not.toContain('ran a');
});
