import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

type Message = ReturnType<typeof JSON.parse>;
type Send = (message: Message) => void;

/** What a server without an SDK was asked to listen to, and whether it still is. */
interface Listening {
  readonly id: unknown;
  readonly send: Send;
  readonly taskIds: readonly string[];
  isOpen: boolean;
}

/** A server of 2026-07-28 whose tools `make` and `secret` create tasks. Its tasks change when a test says so. */
export class TaskServer {
  readonly listens: Listening[] = [];
  /** Ids of tasks that it has. */
  readonly tasks: string[] = [];
  /** The most tasks of a stream. */
  limit = 100;

  async connect(transport: Transport): Promise<void> {
    const send: Send = (message) => void transport.send(message);
    transport.onmessage = (message) => this.receive(message, send);
    await transport.start();
  }

  /** The tasks of the streams that are open. */
  get watched(): (readonly string[])[] {
    return this.listens.filter(({ isOpen }) => isOpen).map(({ taskIds }) => taskIds);
  }

  /** Tells each stream that asked for a task of its state. */
  tell(taskId: string, status: string, more: object = {}): void {
    for (const stream of this.listens) {
      if (!stream.isOpen || !stream.taskIds.includes(taskId)) continue;
      notify(stream, 'notifications/tasks', { ...taskOf(taskId, status), ...more });
    }
  }

  private receive(received: JSONRPCMessage, send: Send): void {
    const { id, method, params }: Message = received;
    if (method === 'notifications/cancelled') {
      const found = this.listens.find((each) => each.id === params.requestId);
      if (found !== undefined) found.isOpen = false;
    } else if (method === 'subscriptions/listen') this.listen(id, params, send);
    else if (id !== undefined) {
      const result = this.answer(method, params);
      const error = { code: -32601, message: 'Method not found' };
      send({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
    }
  }

  private listen(id: unknown, { notifications, _meta }: Message, send: Send): void {
    const asked: string[] = notifications.taskIds ?? [];
    const { extensions } = _meta['io.modelcontextprotocol/clientCapabilities'];
    if (asked.length > this.limit || (asked.length > 0 && extensions === undefined)) {
      return send({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Not these tasks.' } });
    }
    const taskIds = asked.filter((each) => this.tasks.includes(each));
    const stream = { id, send, taskIds, isOpen: true };
    this.listens.push(stream);
    notify(stream, 'notifications/subscriptions/acknowledged', { notifications: { taskIds } });
    // The state of each task at the beginning, so that nothing is missed.
    for (const each of taskIds) notify(stream, 'notifications/tasks', taskOf(each, 'working'));
  }

  private answer(method: string, params: Message): object | undefined {
    const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    if (method === 'server/discover') {
      const capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
      const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'tasks', version: '1' } };
      return { ...complete, supportedVersions: ['2026-07-28'], capabilities, _meta };
    }
    if (method === 'tools/list') {
      const tools = ['make', 'secret'].map((name) => ({ name, inputSchema: { type: 'object' } }));
      return { ...complete, tools };
    }
    if (method !== 'tools/call') return undefined;
    const taskId = `${params.name[0]}${crypto.randomUUID()}`;
    this.tasks.push(taskId);
    return { resultType: 'task', ...taskOf(taskId, 'working') };
  }
}

function notify({ id, send }: Listening, method: string, params: object): void {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  send({ jsonrpc: '2.0', method, params: { ...params, _meta } });
}

const taskOf = (taskId: string, status: string) => ({
  taskId,
  status,
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
});
