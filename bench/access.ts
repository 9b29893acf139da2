import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Policy, preparePolicy } from '../src/core/engine/policy.js';
import { attachConcerns } from '../src/core/gate/attach.js';
import { createHandler } from '../src/core/http/sdk-v1.js';
import { EXTENSION_ID } from '../src/core/wire/messages.js';
import { compiledFixture, FIXTURE_CONCERNS, fixturePolicy, fixtureTools } from './fixture.js';
import { type Measurement, type Ratio, ROUNDS, ROW, ratio, type Target } from './measure.js';
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

const advisory = () => fixturePolicy(tools);
const call = message('tools/call', CALL);
const shown = message('tools/call', { name: SHOWN, arguments: VALID, ...META });

/** A call of a server that is built for it. */
async function single(mode: string, target: number, before: number, policy: Policy): Promise<Ratio[]> {
  const through = (given?: Policy) => ({ work: () => perRequest(callServer, call, given), row: ROW });
  const name = `tools/call, one server per request, ${mode} / without the gate`;
  return [await ratio(name, target, through(policy), through(), ROUNDS, before)];
}

/** A call of an `McpServer` that is built for it, if no list is known before. */
async function exactEntry(count: number, before: number): Promise<Ratio[]> {
  const make = () => zodServer(count);
  const policy = enforcing();
  const { rounds, row } = zodRounds(count);
  return [
    await ratio(
      `tools/call, McpServer of ${count} zod tools per request, enforce, exact entry / without the gate`,
      1.1,
      { work: () => perRequest(make, shown, policy), row },
      { work: () => perRequest(make, shown), row },
      rounds,
      before,
    ),
  ];
}

/** A call of an `McpServer` that is built for it, with the list of its tools. */
async function staticCatalog(count: number, before: number): Promise<Ratio[]> {
  let closed: Promise<void> | undefined;
  const make = () => {
    const server = zodServer(count);
    closed = new Promise((resolve) => {
      server.server.onclose = resolve;
    });
    return server;
  };
  const handle = createHandler({ server: make, policy: enforcing(), catalog: 'static' });
  await (await handle(post(message('tools/list', {})))).text();
  const gated = async () => {
    await (await handle(post(shown))).text();
    // The handler closes the server after the response was read. Without the gate, that is part of the time too.
    await closed;
  };
  const { rounds, row } = zodRounds(count);
  return [
    await ratio(
      `tools/call, McpServer of ${count} zod tools per request, enforce, catalog: static / without the gate, same response mode`,
      1.1,
      // The handler streams the response to a call.
      { work: gated, row },
      { work: () => perRequest(make, shown, undefined, 'stream'), row },
      rounds,
      before,
    ),
  ];
}

const zodRounds = (count: number) => ({
  rounds: Math.min(ROUNDS, Math.ceil(9600 / count)),
  row: Math.max(5, Math.ceil(600 / count)),
});

/** 64 requests at once. Requests per second at least 0.98 of the SDK's is a time of at most 1 / 0.98. */
async function concurrent(name: string, body: object): Promise<Ratio[]> {
  const AT_ONCE = 64;
  const make = () => zodServer(24);
  const all = (gated?: Policy) => ({
    work: () => Promise.all(Array.from({ length: AT_ONCE }, () => perRequest(make, body, gated))),
  });
  return [
    await ratio(
      `${AT_ONCE} ${name} at once, McpServer of 24 zod tools per request, advisory / without the gate`,
      1 / 0.98,
      all(advisory()),
      all(),
      // With 40, the interval of the baseline against itself is 10 % wide.
      100,
    ),
  ];
}

const hiddenNames = () =>
  kept('a call of 1 KB on a kept connection, enforce, 1000 hidden names / none', 1.2, {
    text: 'x'.repeat(1000),
    isError: false,
    counts: [1000, 0],
  });

const longError = () =>
  kept('an error of 4 MB on a kept connection, enforce, 1000 hidden names / 10', 1.1, {
    text: 'It failed in some part of the work. '.repeat(Math.ceil(4_000_000 / 36)),
    isError: true,
    counts: [1000, 10],
  });

/** Access checks, and servers that are built for each request. */
export const ACCESS: readonly Measurement[] = [
  () => single('advisory', 1.02, 1.05, advisory()),
  () => single('enforce', 1.05, 1.1, enforcing()),
  () => exactEntry(24, 2.6),
  () => exactEntry(200, 5.9),
  () => exactEntry(1000, 12.6),
  () => staticCatalog(24, 1.45),
  () => staticCatalog(200, 1.5),
  () => staticCatalog(1000, 1.25),
  () => concurrent('tools/list', message('tools/list', {})),
  () => concurrent('tools/call', message('tools/call', CALL)),
  hiddenNames,
  longError,
  staticList,
];

interface KeptCall {
  readonly text: string;
  readonly isError: boolean;
  /** The numbers of hidden names that are compared. */
  readonly counts: readonly [number, number];
}

/** One connection that stays open, with hidden names that responses must not contain. */
async function kept(name: string, target: Target, { text, isError, counts }: KeptCall): Promise<Ratio[]> {
  const hiding = (hidden: number): Policy => {
    const compiled = compiledFixture(tools);
    const names = tools.slice(0, hidden).map((tool) => tool.name);
    const when = { in: [{ var: 'primitive.name' }, names] };
    const rule = { id: 'hidden', effect: 'hide', kinds: ['tools'], when, file: 0, line: 1 } as const;
    const settings = { ...compiled.settings, enforcement: 'enforce' } as const;
    return preparePolicy({ ...compiled, rules: [rule], settings });
  };
  const repeat = text.length > 100_000 ? 1 : 50;
  const [more, fewer] = [
    await connected(hiding(counts[0]), text, isError),
    await connected(hiding(counts[1]), text, isError),
  ];
  return [await ratio(name, target, { work: more, repeat }, { work: fewer, repeat }, 60)];
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
async function staticList(): Promise<Ratio[]> {
  const handle = createHandler({ server: () => zodServer(), policy: advisory(), catalog: 'static' });
  const body = message('tools/list', META);
  await (await handle(post(body))).text();
  const text = await (await handle(post(body))).text();
  const fixed = async (request: Request) => {
    await request.text();
    return new Response(text, { headers: { 'Content-Type': 'application/json' } });
  };
  return [
    await ratio(
      'tools/list with catalog: static, warm, a quarter of 1000 tools / a Response with the same bytes',
      1.3,
      { work: async () => (await handle(post(body))).text(), repeat: 4 },
      { work: async () => (await fixed(post(body))).text(), repeat: 4 },
      120,
      2.2,
    ),
  ];
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
