import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { Policy } from '../src/engine/policy.js';
import { attachConcerns } from '../src/protocol/attach.js';
import { EXTENSION_ID } from '../src/protocol/wire.js';
import { createFetchHandler } from '../src/serve/sdk-v1.js';
import { FIXTURE_CONCERNS, fixturePolicy, fixtureTools } from './fixture.js';
import { type Ratio, ratio } from './measure.js';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const FILTERED = { _meta: { [EXTENSION_ID]: { concerns: FIXTURE_CONCERNS } } };
const tools = fixtureTools(1000);

/** A thousand tools with zod schemas, as `McpServer` users write them: every list converts every schema. */
export function zodServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const { name, description, inputSchema } of tools) {
    const shape = Object.entries(inputSchema.properties).map(([argument, property]) => [
      argument,
      z.string().describe(String((property as { description?: string }).description)),
    ]);
    server.registerTool(name, { description, inputSchema: Object.fromEntries(shape) }, async () => ({
      content: [],
    }));
  }
  return server;
}

function callServer(): Server {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: 'ran' }] }));
  return server;
}

async function perRequest(
  make: () => Server | McpServer,
  body: object,
  json: boolean,
  policy?: Policy,
): Promise<string> {
  const server = make();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: json });
  if (policy !== undefined) attachConcerns(server, { policy });
  await server.connect(transport);
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
  });
  const text = await (await transport.handleRequest(request)).text();
  await server.close();
  return text;
}

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

/** What the gate costs where it does nothing, and what it saves where it answers from a shared catalog. */
export async function protocolRatios(): Promise<Ratio[]> {
  const policy = fixturePolicy(tools);
  const call = message('tools/call', { name: 'tool_0001', arguments: {} });
  const ping = message('ping', {});
  const list = message('tools/list', FILTERED);
  const handle = createFetchHandler({ server: zodServer, policy, catalog: 'static' });
  const shared = async () => {
    const init = { method: 'POST', headers: HEADERS, body: JSON.stringify(list) };
    return (await handle(new Request('http://localhost/mcp', init))).text();
  };
  const full = await shared();
  if (JSON.parse(full).result.tools.length !== 250)
    throw new Error('The fixture is not filtered to a quarter.');
  const bare = message('tools/list', {});
  return [
    await ratio(
      'tools/call through the gate, server per request / without',
      1.05,
      { work: () => perRequest(callServer, call, false, policy), repeat: 10 },
      { work: () => perRequest(callServer, call, false), repeat: 10 },
      400,
    ),
    await ratio(
      'the same call without the gate / itself',
      Number.NaN,
      { work: () => perRequest(callServer, call, false), repeat: 10 },
      { work: () => perRequest(callServer, call, false), repeat: 10 },
      400,
    ),
    await ratio(
      'a message that the gate does not judge (ping), server per request / without',
      1.02,
      { work: () => perRequest(callServer, ping, true, policy), repeat: 10 },
      { work: () => perRequest(callServer, ping, true), repeat: 10 },
      400,
    ),
    await ratio(
      'tools/list of a 1000-tool McpServer per request, static catalog, a quarter / without the gate, in full',
      0.015,
      { work: shared, repeat: 4 },
      { work: () => perRequest(zodServer, bare, true) },
      40,
    ),
  ];
}
