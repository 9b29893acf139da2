import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { TaskCaller, Tasks } from '../../src/tasks/index.js';
import type { WireAnswer } from '../../src/tasks/wire/answer.js';
import { answerLegacy } from '../../src/tasks/wire/legacy.js';
import { listTasks } from '../../src/tasks/wire/list.js';
import { answerModern } from '../../src/tasks/wire/modern.js';
import { isQuestionId, takeResponse } from '../../src/tasks/wire/questions.js';
import { callTask } from '../../src/tasks/wire/start.js';
import { toolOf } from '../../src/tasks/wire/tools.js';
import { read, TASKS_EXTENSION } from '../../src/wire/messages.js';
import type { TaskFilter } from '../../src/wire/task-lister.js';
import { definitions } from './demo-tasks.js';

const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol/';

/** An endpoint that puts the functions of the wire in front of servers of SDK v1 and v2. */
export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts an endpoint. `makeTasks` is called for each request: no request knows anything of another.
 *
 * @param legacyCapabilities what legacy clients of this endpoint declare; a session would know it
 */
export async function startEndpoint(
  makeTasks: () => Tasks,
  shows: (tool: string) => boolean,
  legacyCapabilities: unknown,
): Promise<Endpoint> {
  const server = createServer(async (incoming, response) => {
    const request = await toRequest(incoming);
    const answer =
      (await answerTasks(makeTasks(), request.clone(), shows, legacyCapabilities)) ?? (await serve(request));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A token is "issuer|subject" here. */
function callerOf(request: Request): TaskCaller {
  const [issuer, subject] = (request.headers.get('authorization') ?? '').replace('Bearer ', '').split('|');
  return subject === undefined
    ? { session: request.headers.get('mcp-session-id') ?? undefined }
    : { issuer, subject };
}

async function answerTasks(
  tasks: Tasks,
  request: Request,
  shows: (tool: string) => boolean,
  legacyCapabilities: unknown,
): Promise<Response | undefined> {
  const caller = callerOf(request);
  const body: unknown = await request.json().catch(() => undefined);
  const method = read(body, 'method');
  const id = read(body, 'id');
  const params = read(body, 'params');
  if (method === undefined && isQuestionId(id)) {
    const response = { id, result: read(body, 'result'), error: read(body, 'error') };
    await takeResponse(tasks, { caller, shows }, response);
    return new Response(null, { status: 202 });
  }
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const meta = read(params, '_meta');
  const era = read(meta, `${META}protocolVersion`) === MODERN ? 'modern' : 'legacy';
  const capabilities = era === 'modern' ? read(meta, `${META}clientCapabilities`) : legacyCapabilities;
  if (method === 'tools/call') {
    const definition = tasks.definitions.get(String(read(params, 'name')));
    if (definition === undefined || !shows(definition.name)) return undefined;
    return toResponse(await callTask(tasks, definition, { era, caller, capabilities, params }, 2000), id);
  }
  if (!method.startsWith('tasks/')) return undefined;
  if (era === 'modern') {
    return toResponse(await answerModern(tasks, { caller, method, params, shows, capabilities }), id);
  }
  if (method === 'tasks/list') {
    const filter = read(params, 'filter') as TaskFilter | undefined;
    const tools = [...tasks.definitions.keys()].filter(shows);
    const cursor = read(params, 'cursor');
    const after = typeof cursor === 'string' ? cursor : undefined;
    const page = await listTasks(tasks, { caller, filter, tools, pageSize: 3, after });
    return toResponse(
      page.ok
        ? { kind: 'result', result: { tasks: page.tasks, nextCursor: page.next } }
        : { kind: 'error', code: -32602, message: page.message },
      id,
    );
  }
  return toResponse(await answerLegacy(tasks, { caller, method, params, shows, id }), id);
}

function toResponse(answer: WireAnswer, id: string | number | undefined): Response {
  const jsonrpc = '2.0';
  if (answer.kind === 'result') return Response.json({ jsonrpc, id, result: answer.result });
  if (answer.kind === 'error') {
    const { code, message, data, httpStatus = 200 } = answer;
    return Response.json({ jsonrpc, id, error: { code, message, data } }, { status: httpStatus });
  }
  const events = answer.messages.map((message) => `data: ${JSON.stringify(message)}\n\n`);
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
  return new Response(events.join(''), { headers });
}

/** Servers that only list the tools. */
async function serve(request: Request): Promise<Response> {
  const body = request.method === 'POST' ? await request.clone().text() : '';
  if (body.includes(`${META}protocolVersion`) || body.includes('"server/discover"'))
    return modern.fetch(request);
  const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
  const server = new Server({ name: 'v1', version: '1' }, { capabilities });
  const tools = definitions.map((definition) => toolOf(definition, true));
  server.setRequestHandler(ListToolsRequestSchema, () => JSON.parse(JSON.stringify({ tools })));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  return transport.handleRequest(request);
}

const modern = createMcpHandler(
  () => {
    const capabilities = { tools: {}, extensions: { [TASKS_EXTENSION]: {} } };
    const server = new McpServer({ name: 'v2', version: '1' }, { capabilities });
    for (const { name } of definitions) {
      server.registerTool(name, { inputSchema: z.looseObject({}) }, () => ({ content: [] }));
    }
    return server;
  },
  { legacy: 'reject' },
);

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const body = await text(incoming);
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Request(`http://127.0.0.1${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers,
    ...(body === '' ? {} : { body }),
  });
}
