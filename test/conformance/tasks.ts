import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequests,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The tasks extension of 2026-07-28 (SEP-2663), which SDK v2 does not implement. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The work of a tool in its task. `ask` suspends it until the client has answered everything. */
export type Work = (ask: Task['ask'], cancelled: AbortSignal) => Promise<CallToolResult>;

/** All tasks of one endpoint. They outlive the server instance of a request. */
export class Tasks {
  private readonly tasks = new Map<string, Task>();

  /** Starts a task. Returns the result of `tools/call` that refers to it. */
  start(work: Work): CallToolResult {
    const task = new Task();
    this.tasks.set(task.taskId, task);
    void task.run(work);
    return { ...task.summary(), resultType: 'task', content: [] };
  }

  serve(server: Server): void {
    const params = z.looseObject({ taskId: z.string() });
    server.setRequestHandler('tasks/get', { params }, ({ taskId }, ctx) => this.find(taskId, ctx).details());
    server.setRequestHandler('tasks/cancel', { params }, ({ taskId }, ctx) => {
      this.find(taskId, ctx).cancel();
      return {};
    });
    server.setRequestHandler('tasks/update', { params }, ({ taskId }, ctx) => {
      // The SDK removes `inputResponses` from the params of every method.
      this.find(taskId, ctx).answer(Object.keys(ctx.mcpReq.inputResponses ?? {}));
      return {};
    });
  }

  private find(taskId: string, ctx: ServerContext): Task {
    requireTasks(ctx);
    const task = this.tasks.get(taskId);
    if (task === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Task not found');
    return task;
  }
}

/** Returns the capabilities of the request's client. */
export function capabilitiesOf(ctx: ServerContext): ClientCapabilities {
  const envelope = ctx.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}

/** Returns whether the request's client supports tasks. */
export function supportsTasks(ctx: ServerContext): boolean {
  return capabilitiesOf(ctx).extensions?.[TASKS_EXTENSION] !== undefined;
}

export function requireTasks(ctx: ServerContext): void {
  if (supportsTasks(ctx)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}

class Task {
  readonly taskId = randomUUID();
  private readonly createdAt = new Date().toISOString();
  private readonly cancellation = new AbortController();
  private status = 'working';
  private outcome: { result?: CallToolResult; error?: { code: number; message: string } } = {};
  private pending: InputRequests = {};
  private resume: (() => void) | undefined;

  async run(work: Work): Promise<void> {
    try {
      this.end('completed', { result: await work(this.ask, this.cancellation.signal) });
    } catch (cause) {
      const code = cause instanceof ProtocolError ? cause.code : ProtocolErrorCode.InternalError;
      this.end('failed', { error: { code, message: String(cause) } });
    }
  }

  readonly ask = async (requests: InputRequests): Promise<void> => {
    this.pending = { ...requests };
    this.status = 'input_required';
    await new Promise<void>((resolve) => {
      this.resume = resolve;
    });
    this.status = 'working';
  };

  answer(keys: readonly string[]): void {
    for (const key of keys) delete this.pending[key];
    if (Object.keys(this.pending).length === 0) this.resume?.();
  }

  cancel(): void {
    this.end('cancelled', {});
    this.cancellation.abort();
  }

  summary() {
    const { taskId, status, createdAt } = this;
    const lastUpdatedAt = new Date().toISOString();
    return { taskId, status, createdAt, lastUpdatedAt, ttlMs: 600_000, pollIntervalMs: 100 };
  }

  details() {
    const asks = this.status === 'input_required' ? { inputRequests: this.pending } : {};
    return { ...this.summary(), ...this.outcome, ...asks };
  }

  /** Ends the task. A task that has ended does not change again. */
  private end(status: 'completed' | 'failed' | 'cancelled', outcome: Task['outcome']): void {
    if (['completed', 'failed', 'cancelled'].includes(this.status)) return;
    this.status = status;
    this.outcome = outcome;
  }
}
