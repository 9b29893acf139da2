import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';

/** In every text of every task. */
export const MARKER = 'MARKER-of-the-owner';

/** Servers of SDK v1 that share one store of tasks, as a store in a database does. */
export function taskServers() {
  const taskStore = new InMemoryTaskStore();
  const create = (): Server => {
    const server = new Server(
      { name: 'tasks', version: '1.0.0' },
      {
        capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        taskStore,
      },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: ['work', 'secret'].map((name) => ({
        name,
        inputSchema: { type: 'object' as const },
        execution: { taskSupport: 'optional' as const },
      })),
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { taskStore: tasks }) => {
      if (params.task === undefined || tasks === undefined) return { content: [] };
      const { taskId } = await tasks.createTask({ ttl: 60_000 });
      await tasks.updateTaskStatus(taskId, 'working', `${MARKER} waits for secret`);
      if (params.arguments?.finish === true) {
        const text = `${MARKER} and secret`;
        await tasks.storeTaskResult(taskId, 'completed', {
          content: [{ type: 'text', text }],
          isError: true,
        });
      }
      return { task: await tasks.getTask(taskId) };
    });
    return server;
  };
  return { create, close: () => taskStore.cleanup() };
}

/** Opens a transport to a server in this process, for `shareUpstream`. */
export function openTo(server: Server): InMemoryTransport {
  const [near, far] = InMemoryTransport.createLinkedPair();
  void server.connect(far);
  return near;
}

export interface Caller {
  readonly authInfo?: AuthInfo;
  readonly session?: string;
}

export const principal = (sub: string): AuthInfo => ({
  token: sub,
  clientId: 'client',
  scopes: [],
  extra: { iss: 'https://issuer.test', sub },
});

export interface Answered {
  readonly text: string;
  readonly session: string | undefined;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Sends one request, as any HTTP client can. */
export async function ask(
  handle: FetchHandler,
  { authInfo, session }: Caller,
  method: string,
  params: object = {},
): Promise<Answered> {
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const response = await handle(request, authInfo === undefined ? {} : { authInfo });
  const text = await response.text();
  const [, data = text] = /^data: (.*)$/m.exec(text) ?? [];
  const { result, error } = JSON.parse(data);
  return { text, session: response.headers.get('mcp-session-id') ?? undefined, result, error };
}

/** Opens a session. */
export async function initialize(handle: FetchHandler, caller: Caller = {}) {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  const { session, result } = await ask(handle, caller, 'initialize', params);
  return { caller: { ...caller, ...(session === undefined ? {} : { session }) }, result };
}
