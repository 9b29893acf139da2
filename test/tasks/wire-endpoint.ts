import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { CallAnswer } from '../../src/core/wire/calls.js';
import {
  type Answer,
  type Failure,
  type Message,
  type RequestId,
  read,
  TASKS_EXTENSION,
} from '../../src/core/wire/messages.js';
import type { TaskFilter } from '../../src/core/wire/task-lister.js';
import { toolOf } from '../../src/tasks/attach/declare.js';
import type { TaskCaller, Tasks } from '../../src/tasks/index.js';
import { answerAboutTask } from '../../src/tasks/wire/about-task.js';
import type { TaskCall } from '../../src/tasks/wire/answer.js';
import { listTasks } from '../../src/tasks/wire/list.js';
import { isQuestionId, takeResponse } from '../../src/tasks/wire/questions.js';
import { callTask } from '../../src/tasks/wire/start.js';
import { definitions } from './demo-tasks.js';

const MODERN = '2026-07-28';
const MISSING_CAPABILITY = -32021;
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
  const sees = async (tool: string) => shows(tool);
  if (method === undefined && isQuestionId(id)) {
    const response = { id, result: read(body, 'result'), error: read(body, 'error') };
    await takeResponse({ tasks, caller, shows: sees }, answered(response));
    return new Response(null, { status: 202 });
  }
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const meta = read(params, '_meta');
  const era = read(meta, `${META}protocolVersion`) === MODERN ? 'modern' : 'legacy';
  const capabilities = era === 'modern' ? read(meta, `${META}clientCapabilities`) : legacyCapabilities;
  const sent: Message[] = [];
  const call: TaskCall = {
    method,
    params,
    era,
    capabilities,
    tasks,
    caller,
    shows: sees,
    extra: undefined,
    session: undefined,
    isGated: false,
    signal: new AbortController().signal,
    clientId: id,
    connection: undefined,
    send: async (message) => void sent.push(message),
    acknowledge: async (message) => sent.push(message) < 0,
    questions: async () => undefined,
    comeBack: () => () => undefined,
  };
  if (method === 'tools/call') {
    const definition = tasks.definitions.get(String(read(params, 'name')));
    if (definition === undefined || !shows(definition.name)) return undefined;
    return toResponse(await callTask(definition, call, 2000), id, sent);
  }
  if (!method.startsWith('tasks/')) return undefined;
  if (era === 'legacy' && method === 'tasks/list') {
    const filter = read(params, 'filter') as TaskFilter | undefined;
    const tools = [...tasks.definitions.keys()].filter(shows);
    const cursor = read(params, 'cursor');
    const after = typeof cursor === 'string' ? cursor : undefined;
    const page = await listTasks(tasks, caller, { filter, tools, pageSize: 3, after });
    return toResponse(
      page.ok
        ? { result: { tasks: page.tasks, nextCursor: page.next } }
        : { error: { code: -32602, message: page.message } },
      id,
      sent,
    );
  }
  return toResponse(await answerAboutTask(call), id, sent);
}

/** A response with one of the two members, as the SDK reads it. */
function answered({ id, result, error }: { id: string; result: unknown; error: unknown }): Answer | Failure {
  const jsonrpc = '2.0';
  return result === undefined
    ? { jsonrpc, id, error: error as Failure['error'] }
    : { jsonrpc, id, result: result as Answer['result'] };
}

/** Messages before the answer, or a response without an answer, need a stream. */
function toResponse(answer: CallAnswer | undefined, id: RequestId, sent: readonly Message[]): Response {
  const response = { jsonrpc: '2.0', id, ...answer };
  if (answer !== undefined && sent.length === 0) {
    const isMissing = 'error' in answer && answer.error.code === MISSING_CAPABILITY;
    return Response.json(response, { status: isMissing ? 400 : 200 });
  }
  const messages = answer === undefined ? sent : [...sent, response];
  const events = messages.map((message) => `data: ${JSON.stringify(message)}\n\n`);
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
