import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Policy, preparePolicy } from '../src/engine/policy.js';
import { createHandler } from '../src/http/sdk-v1.js';
import { attachConcerns } from '../src/protocol/attach.js';
import { EXTENSION_ID } from '../src/protocol/messages/wire.js';
import { compiledFixture, FIXTURE_CONCERNS, fixturePolicy, fixtureTools } from './fixture.js';
import { type Ratio, ROUNDS, ROW, ratio, type Target } from './measure.js';
import { zodServer } from './zod-server.js';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const tools = fixtureTools(1000);
const CALL = { name: 'tool_0001', arguments: {} };
const META = { _meta: { [EXTENSION_ID]: { concerns: FIXTURE_CONCERNS } } };
/** The first tool that the preferences show. */
const SHOWN = 'tool_0002';
/** A call that fails needs the server's lists, because its text may name hidden tools. */
const VALID = Object.fromEntries(
  Object.keys(tools.find(({ name }) => name === SHOWN)?.inputSchema.properties ?? {}).map((name) => [
    name,
    'x',
  ]),
);

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const post = (body: object) =>
  new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });

function enforcing(): Policy {
  const compiled = compiledFixture(tools);
  return preparePolicy({ ...compiled, settings: { ...compiled.settings, enforcement: 'enforce' } });
}

/** Measures access checks, and servers that are built for each request. */
export async function accessRatios(): Promise<Ratio[]> {
  const [advisory, enforce] = [fixturePolicy(tools), enforcing()];
  const through = (make: () => Server | McpServer, body: object, policy?: Policy) => () =>
    perRequest(make, body, policy);
  const call = message('tools/call', CALL);
  const shown = message('tools/call', { name: SHOWN, arguments: VALID, ...META });
  const found: Ratio[] = [
    await ratio(
      'tools/call, one server per request, advisory / without the gate',
      1.02,
      { work: through(callServer, call, advisory), row: ROW },
      { work: through(callServer, call), row: ROW },
      ROUNDS,
      1.05,
    ),
    await ratio(
      'tools/call, one server per request, enforce / without the gate',
      1.05,
      { work: through(callServer, call, enforce), row: ROW },
      { work: through(callServer, call), row: ROW },
      ROUNDS,
      1.1,
    ),
  ];
  const before: Readonly<Record<number, readonly [number, number]>> = {
    24: [2.6, 1.45],
    200: [5.9, 1.5],
    1000: [12.6, 1.25],
  };
  for (const count of [24, 200, 1000]) {
    const make = () => zodServer(count);
    const handle = createHandler({ server: make, policy: enforce, catalog: 'static' });
    await (await handle(post(message('tools/list', {})))).text();
    const rounds = Math.ceil(9600 / count);
    const row = Math.max(5, Math.ceil(600 / count));
    const name = `tools/call, McpServer of ${count} zod tools per request, enforce`;
    found.push(
      await ratio(
        `${name}, exact entry / without the gate`,
        1.1,
        { work: through(make, shown, enforce), row },
        { work: through(make, shown), row },
        rounds,
        before[count]?.[0],
      ),
      // The handler streams the response to a call.
      await ratio(
        `${name}, catalog: static / without the gate, same response mode`,
        1.1,
        { work: async () => (await handle(post(shown))).text(), row },
        { work: () => perRequest(make, shown, undefined, 'stream'), row },
        rounds,
        before[count]?.[1],
      ),
    );
  }
  return [...found, ...(await concurrent(advisory)), ...(await kept()), await staticList(advisory)];
}

/** 64 requests at once. Requests per second at least 0.98 of the SDK's is a time of at most 1 / 0.98. */
async function concurrent(policy: Policy): Promise<Ratio[]> {
  const AT_ONCE = 64;
  const make = () => zodServer(24);
  const all = (body: object, gated?: Policy) => () =>
    Promise.all(Array.from({ length: AT_ONCE }, () => perRequest(make, body, gated)));
  const compare = (name: string, body: object) =>
    ratio(
      `${AT_ONCE} ${name} at once, McpServer of 24 zod tools per request, advisory / without the gate`,
      1 / 0.98,
      { work: all(body, policy) },
      { work: all(body) },
      40,
    );
  return [
    await compare('tools/list', message('tools/list', {})),
    await compare('tools/call', message('tools/call', CALL)),
  ];
}

/** One connection that stays open, with hidden names that responses must not contain. */
async function kept(): Promise<Ratio[]> {
  const hiding = (hidden: number): Policy => {
    const compiled = compiledFixture(tools);
    const names = tools.slice(0, hidden).map(({ name }) => name);
    const when = { in: [{ var: 'primitive.name' }, names] };
    const rule = { id: 'hidden', effect: 'hide', kinds: ['tools'], when, file: 0, line: 1 } as const;
    const settings = { ...compiled.settings, enforcement: 'enforce' } as const;
    return preparePolicy({ ...compiled, rules: [rule], settings });
  };
  const compare = async (
    name: string,
    target: Target,
    text: string,
    isError: boolean,
    counts: [number, number],
  ) => {
    const [more, fewer] = await Promise.all(counts.map((count) => connected(hiding(count), text, isError)));
    if (more === undefined || fewer === undefined) throw new Error('There are two numbers of hidden names.');
    const repeat = text.length > 100_000 ? 1 : 50;
    return ratio(name, target, { work: more, repeat }, { work: fewer, repeat }, 60);
  };
  const large = 'It failed in some part of the work. '.repeat(Math.ceil(4_000_000 / 36));
  return [
    await compare(
      'a call of 1 KB on a kept connection, enforce, 1000 hidden names / none',
      1.2,
      'x'.repeat(1000),
      false,
      [1000, 0],
    ),
    await compare(
      'an error of 4 MB on a kept connection, enforce, 1000 hidden names / 10',
      1.1,
      large,
      true,
      [1000, 10],
    ),
  ];
}

async function connected(policy: Policy, text: string, isError: boolean): Promise<() => Promise<unknown>> {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  const listed = [...tools, { name: 'another', inputSchema: { type: 'object' as const } }];
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text }], isError }));
  attachConcerns(server, { policy });
  const [client, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  await client.start();
  const body = message('tools/call', { name: 'another', arguments: {} }) as JSONRPCMessage;
  return () =>
    new Promise((resolve) => {
      client.onmessage = resolve;
      void client.send(body);
    });
}

/** A warm list that needs no server, against a handler that reads the request and returns a fixed text. */
async function staticList(policy: Policy): Promise<Ratio> {
  const handle = createHandler({ server: () => zodServer(), policy, catalog: 'static' });
  const body = message('tools/list', META);
  await (await handle(post(body))).text();
  const text = await (await handle(post(body))).text();
  const fixed = async (request: Request) => {
    await request.text();
    return new Response(text, { headers: { 'Content-Type': 'application/json' } });
  };
  return ratio(
    'tools/list with catalog: static, warm, a quarter of 1000 tools / a Response with the same bytes',
    1.3,
    { work: async () => (await handle(post(body))).text(), repeat: 4 },
    { work: async () => (await fixed(post(body))).text(), repeat: 4 },
    200,
    2.2,
  );
}

function callServer(): Server {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: 'ran' }] }));
  return server;
}

async function perRequest(
  make: () => Server | McpServer,
  body: object,
  policy?: Policy,
  mode: 'json' | 'stream' = 'json',
): Promise<string> {
  const server = make();
  if (policy !== undefined) attachConcerns(server, { policy });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: mode === 'json' });
  await server.connect(transport);
  const text = await (await transport.handleRequest(post(body))).text();
  await server.close();
  return text;
}
