import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { pinsOf } from '../src/core/engine/pins.js';
import { byKind, type Policy } from '../src/core/engine/policy.js';
import { attachConcerns } from '../src/core/gate/attach.js';
import { EXTENSION_ID } from '../src/core/wire/messages.js';
import { FIXTURE_CONCERNS, type FixtureTool, fixturePolicy, fixtureTools } from './fixture.js';
import { type Ratio, ratio } from './measure.js';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Compares `tools/list` with and without the gate, on the low-level server of the SDK with its web-standard transport. */
export async function listRatios(): Promise<Ratio[]> {
  const tools = fixtureTools(1000);
  const policy = fixturePolicy(tools);
  const ratios = [
    await ratio(
      'tools/list through the gate, filtered to a quarter, one server for all requests / without the gate',
      0.45,
      { work: await keptServer(tools, policy) },
      { work: await keptServer(tools) },
    ),
    await ratio(
      'the same, one server per request / without the gate',
      0.6,
      { work: () => perRequest(tools, policy) },
      { work: () => perRequest(tools) },
    ),
    await ratio(
      'noise: the same list without the gate / itself',
      undefined,
      { work: () => perRequest(tools) },
      { work: () => perRequest(tools) },
    ),
  ];
  return ratios;
}

/** Compares lists whose definitions are pinned with lists without a lock file. */
export async function pinnedListRatios(): Promise<Ratio[]> {
  const tools = fixtureTools(1000);
  const policy = fixturePolicy(tools);
  const pins = pinsOf({ tools });
  const digests = byKind((kind) => new Map(Object.entries(pins[kind])));
  const pinned: Policy = { ...policy, pins: { digests, changed: 'hide' } };
  return [
    await ratio(
      'tools/list of pinned definitions, one server for all requests / without a lock file',
      { lowerBound: 1.02 },
      { work: await keptServer(tools, pinned) },
      { work: await keptServer(tools, policy) },
    ),
    await ratio(
      'the same, one server per request / without a lock file',
      { lowerBound: 2.6 },
      { work: () => perRequest(tools, pinned) },
      { work: () => perRequest(tools, policy) },
    ),
    await ratio(
      'tools/list of a host without preferences / without a lock file',
      { lowerBound: 1.02 },
      { work: await keptServer(tools, pinned, false) },
      { work: await keptServer(tools, policy, false) },
    ),
  ];
}

function createServer(tools: readonly FixtureTool[], policy: Policy | undefined): Server {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));
  if (policy !== undefined) attachConcerns(server, { policy });
  return server;
}

function listRequest(filtered: boolean, headers: Record<string, string> = {}): Request {
  const params = filtered ? { _meta: { [EXTENSION_ID]: { concerns: FIXTURE_CONCERNS } } } : {};
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params });
  return new Request('http://localhost/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body });
}

async function keptServer(
  tools: readonly FixtureTool[],
  policy?: Policy,
  filtered = policy !== undefined,
): Promise<() => Promise<string>> {
  const server = createServer(tools, policy);
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: () => 'bench',
  });
  await server.connect(transport);
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await transport.handleRequest(
    new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body }),
  );
  return async () => {
    const request = listRequest(filtered, { 'mcp-session-id': 'bench' });
    return (await transport.handleRequest(request)).text();
  };
}

async function perRequest(tools: readonly FixtureTool[], policy?: Policy): Promise<string> {
  const server = createServer(tools, policy);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const text = await (await transport.handleRequest(listRequest(policy !== undefined))).text();
  await server.close();
  return text;
}
