import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { policyOf } from '../gate/gate-harness.js';

const policy = policyOf(`
concerns: { level: { values: [low, high] } }
primitives: { tools: { a: { level: low }, b: { level: high } } }
settings: { enforcement: enforce, panel: on }
`);
const authInfo = { token: 't', clientId: 'c', scopes: [], extra: { iss: 'https://login', sub: 'ada' } };

it('a prompt of the gate itself is answered under enforce, also in front of the transport', async () => {
  const server = () => {
    const made = new McpServer({ name: 's', version: '1' });
    for (const name of ['a', 'b']) made.registerTool(name, {}, async () => ({ content: [] }));
    made.registerPrompt('own', {}, async () => ({ messages: [] }));
    return made;
  };
  const handle = createHandler({ server, policy, store: createMemoryStore(), preferences: 'principal' });
  const client = new Client(
    { name: 'host', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const fetch = (url: string | URL, init?: RequestInit) => handle(new Request(url, init), { authInfo });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
  // From the second time on, the preferences hide something, and names are checked.
  for (const level of ['high', 'low']) await client.getPrompt({ name: 'concerns', arguments: { level } });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.not.arrayContaining(['b']));
  await client.close();
});
