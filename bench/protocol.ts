import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Policy } from '../src/core/engine/policy.js';
import { attachConcerns } from '../src/core/gate/attach.js';
import { gatedTransport } from '../src/core/gate/edge/gated-transport.js';
import { createHandler } from '../src/core/http/sdk-v1.js';
import { EXTENSION_ID } from '../src/core/wire/messages.js';
import { FIXTURE_CONCERNS, fixturePolicy, fixtureTools } from './fixture.js';
import { type Measurement, type Ratio, ROUNDS, ROW, ratio, type Target } from './measure.js';
import { zodServer } from './zod-server.js';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const FILTERED = { _meta: { [EXTENSION_ID]: { concerns: FIXTURE_CONCERNS } } };
const tools = fixtureTools(1000);

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
  // As `createHandler` does. `attachConcerns` costs a little more, because it replaces a method of the server.
  await server.connect(policy === undefined ? transport : gatedTransport(transport as Transport, { policy }));
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

const policy = fixturePolicy(tools);
const enforced = { ...policy, settings: { ...policy.settings, enforcement: 'enforce' } } as const;
const call = message('tools/call', { name: 'tool_0001', arguments: {} });
const ping = message('ping', {});
const list = message('tools/list', FILTERED);
const bare = message('tools/list', {});

/** A call or a ping, one server per request, against the same without the gate. */
async function forwarded(
  name: string,
  target: Target,
  body: object,
  { json, given = policy }: { readonly json: boolean; readonly given?: Policy },
): Promise<Ratio[]> {
  const gated = { work: () => perRequest(callServer, body, json, given), row: ROW };
  const plain = { work: () => perRequest(callServer, body, json), row: ROW };
  return [await ratio(`${name} / without the gate`, target, gated, plain, ROUNDS)];
}

/** Rounds against a server of 1000 tools per request, which takes a hundred times longer than what is measured. */
const SERVERS = 60;

/** What a shared catalog saves. */
async function sharedCatalog(): Promise<Ratio[]> {
  const handle = createHandler({ server: () => zodServer(), policy, catalog: 'static' });
  const shared = (body: object) => async () => {
    const init = { method: 'POST', headers: HEADERS, body: JSON.stringify(body) };
    return (await handle(new Request('http://localhost/mcp', init))).text();
  };
  if (JSON.parse(await shared(list)()).result.tools.length !== 250)
    throw new Error('The fixture is not filtered to a quarter.');
  const plain = { work: () => perRequest(() => zodServer(), bare, true) };
  return [
    await ratio(
      'tools/list of a 1000-tool McpServer per request, static catalog, filtered to a quarter / without the gate, unfiltered',
      0.015,
      { work: shared(list), repeat: 4 },
      plain,
      SERVERS,
    ),
    await ratio(
      'the same, unfiltered on both sides',
      undefined,
      { work: shared(bare), repeat: 4 },
      plain,
      SERVERS,
    ),
  ];
}

/** What filtering saves on one connection. */
async function keptConnection(): Promise<Ratio[]> {
  const [gated, plain] = [await keptServer(policy), await keptServer()];
  const baseline = { work: () => plain(bare) };
  return [
    await ratio(
      'tools/list of one 1000-tool McpServer in memory, filtered to a quarter / without the gate, unfiltered',
      0.005,
      { work: () => gated(list), repeat: 20 },
      baseline,
      SERVERS,
    ),
    await ratio(
      'the same, unfiltered on both sides',
      undefined,
      { work: () => gated(bare), repeat: 4 },
      baseline,
      SERVERS,
    ),
  ];
}

/** What the gate costs for messages that it only forwards. */
export const CALLS: readonly Measurement[] = [
  () =>
    forwarded('tools/call through the gate, streamed, one server per request', { lowerBound: 1.02 }, call, {
      json: false,
    }),
  () =>
    forwarded('the same call under enforce, nothing hidden', { lowerBound: 1.05 }, call, {
      json: false,
      given: enforced,
    }),
  () =>
    forwarded(
      'a message that the gate only forwards (ping), one server per request',
      { lowerBound: 1.02 },
      ping,
      { json: true },
    ),
];

/** What the gate saves with a list that is made once. */
export const CATALOGS: readonly Measurement[] = [sharedCatalog, keptConnection];

/** Connects one server over the in-memory transport of the SDK. Returns a function that sends a message and waits. */
async function keptServer(policy?: Policy): Promise<(body: object) => Promise<JSONRPCMessage>> {
  const server = zodServer();
  if (policy !== undefined) attachConcerns(server, { policy });
  const [client, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  await client.start();
  return (body) =>
    new Promise((resolve) => {
      client.onmessage = resolve;
      void client.send(body as JSONRPCMessage);
    });
}
