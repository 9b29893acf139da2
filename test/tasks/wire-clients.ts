import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, toolDeclaration } from '@modelcontextprotocol/ext-tasks/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { TASKS_EXTENSION } from '../../src/core/wire/messages.js';
import { PATIENCE } from '../patience.js';

/** Who the clients are. */
export const ANN_TOKEN = 'Bearer https://login.example|ann';
export const INFO = { name: 'client', version: '1.0.0' };
export const CAPABILITIES = { extensions: { [TASKS_EXTENSION]: {} }, elicitation: { form: {} } };
/** How the clients answer every question. */
export const accept = async () => ({ action: 'accept' as const, content: { name: 'Ann' } });

/** What one message was answered with: the whole text, and its last message. */
export interface Answered {
  readonly text: string;
  readonly answer: ReturnType<typeof JSON.parse>;
  readonly status: number;
}

let requests = 0;

/** Sends one message without an SDK. */
export async function send(
  url: string,
  method: string,
  params: object,
  authorization = ANN_TOKEN,
): Promise<Answered> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...modernHeaders(method, params),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++requests, method, params }),
  });
  const text = await response.text();
  const last = text.startsWith('{') ? text : text.trimEnd().split('\n').at(-1)?.slice('data: '.length);
  return { text, answer: JSON.parse(last || '{}'), status: response.status };
}

/** The headers that repeat parts of a request of protocol 2026-07-28. */
function modernHeaders(method: string, params: object): Record<string, string> {
  if (!JSON.stringify(params).includes('"io.modelcontextprotocol/protocolVersion":')) return {};
  const name = 'name' in params ? params.name : 'taskId' in params ? params.taskId : undefined;
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': String(name) }),
  };
}

/** Sends one message of protocol 2026-07-28 without an SDK. */
export function sendModern(
  url: string,
  method: string,
  params: object,
  capabilities: object = CAPABILITIES,
  authorization = ANN_TOKEN,
): Promise<Answered> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return send(url, method, { ...params, _meta }, authorization);
}

/** Calls the tool `report` and follows its task to the end. Returns the result as text. */
export type Follow = (url: string) => Promise<string>;

const ARGUMENTS = { topic: 'snow' };
const transportV2 = (url: string) =>
  new TransportV2(new URL(url), { requestInit: { headers: { authorization: ANN_TOKEN } } });

/** The official client of the extension, protocol 2026-07-28. */
export const followModern: Follow = async (url) => {
  const client = new ClientV2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: 'auto' } });
  client.setRequestHandler('elicitation/create', accept);
  await client.connect(transportV2(url));
  // The options of this client differ between its releases, and their types do not fit both SDKs.
  const session = await createTaskSessionFromClient(client, {
    endpointId: 'test',
    rawDispatch: async (request: { method: string; params?: object }) =>
      (await send(url, request.method, request.params ?? {})).answer,
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo: INFO, clientCapabilities: CAPABILITIES },
    onInputRequest: accept,
  } as never);
  const execution = await session.callTool('report', ARGUMENTS);
  const settled = JSON.stringify(await execution.settle());
  await client.close();
  return `${execution.kind} ${settled}`;
};

/** The same client on protocol 2025-11-25. */
export const followLegacy: Follow = async (url) => {
  const client = new ClientV2(INFO, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', accept);
  await client.connect(transportV2(url));
  const options = { endpointId: 'test', onInputRequest: accept };
  const session = await createTaskSessionFromClient(client, options as never);
  const declaration = toolDeclaration({
    name: 'report',
    inputSchema: { type: 'object' },
    taskSupport: 'required',
  });
  const call = { task: { preference: 'require' }, declaration };
  const execution = await session.callTool('report', ARGUMENTS, call as never);
  const settled = JSON.stringify(await execution.settle());
  await client.close();
  return `${execution.kind} ${settled}`;
};

/** Connects a client of SDK v1. `asked` gets the message of each question. */
export async function connectV1(url: string, asked: string[]): Promise<Client> {
  const client = new Client(INFO, { capabilities: { elicitation: { form: {} }, tasks: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return accept();
  });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: ANN_TOKEN } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  await client.listTools();
  return client;
}

/** `callToolStream` of SDK v1. Returns the questions, the different statuses and the result. */
export const followV1: Follow = async (url) => {
  const asked: string[] = [];
  const client = await connectV1(url, asked);
  const seen: string[] = [];
  const stream = client.experimental.tasks.callToolStream(
    { name: 'report', arguments: ARGUMENTS },
    CallToolResultSchema,
    // The client gives up after a minute otherwise, and processes that are killed need longer on a busy machine.
    { task: { ttl: 600_000 }, timeout: PATIENCE.test },
  );
  for await (const message of stream) {
    if (message.type === 'taskStatus' && !seen.includes(message.task.status)) seen.push(message.task.status);
    else if (message.type === 'result') seen.push(JSON.stringify(message.result.content));
    else if (message.type === 'error') seen.push(message.error.message);
  }
  await client.close();
  return [...asked, ...seen].join(' ');
};

/** A client without SDK, protocol 2026-07-28. */
export const followRaw: Follow = async (url) => {
  const created = await sendModern(url, 'tools/call', { name: 'report', arguments: ARGUMENTS });
  const { taskId } = created.answer.result;
  for (;;) {
    const { result } = (await sendModern(url, 'tasks/get', { taskId })).answer;
    if (result.status !== 'working' && result.status !== 'input_required') return JSON.stringify(result);
    for (const key of Object.keys(result.inputRequests ?? {})) {
      await sendModern(url, 'tasks/update', { taskId, inputResponses: { [key]: await accept() } });
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
};
