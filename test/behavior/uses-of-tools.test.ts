import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as LegacyServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { policyOf } from '../gate/gate-harness.js';

const ran: unknown[] = [];
beforeEach(() => {
  ran.length = 0;
});
const run = (args: unknown) => {
  ran.push(args);
  return { content: [{ type: 'text' as const, text: `ran ${JSON.stringify(args)}` }] };
};

const policy = policyOf(`
concerns:
  effect: { values: [read-only, destroys], match: at-most, default: read-only }
  region: { values: [eu, us], set-by: operator, claim: region, default: eu }
primitives:
  tools: { projects: {}, projects(action=delete): { effect: destroys } }
bind:
  region: { var: concerns.region }
settings: { defaults: always, enforcement: enforce }
`);
const ACTIONS = ['list', 'get', 'delete'] as const;

function serverV2(): McpServer {
  const server = new McpServer({ name: 'projects', version: '1.0.0' });
  const inputSchema = z.object({
    action: z.enum(ACTIONS).meta({ 'x-mcp-header': 'Action' }),
    region: z.string().meta({ 'x-mcp-header': 'Region' }),
  });
  server.registerTool('projects', { inputSchema }, async (args) => run(args));
  return server;
}

function legacyServer(): LegacyServer {
  const server = new LegacyServer({ name: 'projects', version: '1.0.0' });
  const inputSchema = { action: z.enum(ACTIONS), region: z.string() };
  server.registerTool('projects', { inputSchema }, async (args) => run(args));
  return server;
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string; inputSchema: unknown }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

async function modernClient(): Promise<AnyClient> {
  const handler = createHandler({ server: serverV2, policy });
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) => handler(new Request(url, init)),
  });
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport);
  return client as unknown as AnyClient;
}

async function legacyClient(): Promise<AnyClient> {
  const server = legacyServer();
  attachConcerns(server, { policy });
  const [there, here] = InMemoryTransport.createLinkedPair();
  const client = new LegacyClient({ name: 'host', version: '1.0.0' });
  await Promise.all([server.connect(there), client.connect(here)]);
  return client as unknown as AnyClient;
}

/**
 * Plays a model that knows a tool from elsewhere. It calls the use that it knows, reads the refusal as a model does, and tries the
 * first value that the refusal names.
 */
async function converse(client: AnyClient, first: Record<string, unknown>): Promise<string[]> {
  const said: string[] = [];
  let args = first;
  for (let turn = 0; turn < 3; turn++) {
    const result = (await client.callTool({ name: 'projects', arguments: args })) as {
      isError?: boolean;
      content: { text: string }[];
    };
    const text = result.content[0]?.text ?? '';
    said.push(text);
    if (result.isError !== true) break;
    const [, argument = '', value = ''] = /(\w+) must be one of "(\w+)"/.exec(text) ?? [];
    args = { ...args, [argument]: value };
  }
  return said;
}

describe.each([
  ['2025-11-25', legacyClient],
  ['2026-07-28', modernClient],
])('a host of %s', (_era, connect) => {
  it('is shown what is left of a tool, and a model corrects itself by the refusal', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { action: { enum: ['list', 'get'] } },
      required: ['action'],
      additionalProperties: false,
    });
    expect(JSON.stringify(tools)).not.toMatch(/delete|region/i);
    expect(await converse(client, { action: 'delete' })).toEqual([
      'Invalid arguments for tool projects: action must be one of "list", "get".',
      'ran {"action":"list","region":"eu"}',
    ]);
    expect(ran).toEqual([{ action: 'list', region: 'eu' }]);
    await client.close();
  });
});

describe('headers that repeat arguments (2026-07-28)', () => {
  const handler = createHandler({ server: serverV2, policy });
  const call = async (args: object, headers: Record<string, string>) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'projects', arguments: args, _meta: meta };
    const response = await handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'projects',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    );
    return { status: response.status, text: await response.text() };
  };

  it('pass for an argument that is left', async () => {
    const { status, text } = await call({ action: 'list' }, { 'mcp-param-action': 'list' });
    expect([status, ran]).toEqual([200, [{ action: 'list', region: 'eu' }]]);
    expect(text).toContain('ran');
  });

  it.each(['us', 'eu'])('are refused for an argument that is bound: %s', async (region) => {
    const { status, text } = await call(
      { action: 'list' },
      { 'mcp-param-action': 'list', 'mcp-param-region': region },
    );
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ id: 1, error: { code: -32020 } });
    expect(ran).toEqual([]);
  });
});
