import { randomUUID } from 'node:crypto';
import {
  type CreateTaskOptions,
  isTerminal,
  type Task,
  type TaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks';
import type { Request, RequestId, Result } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS } from './limits.js';

interface StoredTask {
  task: Task;
  result?: Result;
  expiresAt: number;
  readonly sessionId: string | undefined;
}

const PAGE = 20;

/**
 * The tasks of one vault, for all requests.
 *
 * The store of the SDK removes expired tasks with timers, which keep the process alive as long as a client requests, and
 * never removes tasks without a time to live. This store checks expiry on each access, and limits the number of tasks
 * and their time to live.
 */
export class VaultTaskStore implements TaskStore {
  readonly #tasks = new Map<string, StoredTask>();

  constructor(private readonly now: () => number = Date.now) {}

  async createTask(options: CreateTaskOptions, _id: RequestId, _request: Request, sessionId?: string) {
    this.#dropExpired();
    if (this.#tasks.size >= LIMITS.tasks) this.#dropOneFinished();
    const longest = LIMITS.taskSeconds * 1_000;
    // At least one second, so that the task can store its result.
    const ttl = Math.max(1_000, Math.min(options.ttl ?? longest, longest));
    const createdAt = this.#timestamp();
    const task: Task = {
      taskId: randomUUID(),
      status: 'working',
      ttl,
      createdAt,
      lastUpdatedAt: createdAt,
      pollInterval: options.pollInterval ?? 1_000,
    };
    this.#tasks.set(task.taskId, { task, expiresAt: this.now() + ttl, sessionId });
    return { ...task };
  }

  async getTask(taskId: string, sessionId?: string): Promise<Task | null> {
    const stored = this.#lookup(taskId, sessionId);
    return stored ? { ...stored.task } : null;
  }

  async storeTaskResult(
    taskId: string,
    status: 'completed' | 'failed',
    result: Result,
    sessionId?: string,
  ): Promise<void> {
    const stored = this.#unfinished(taskId, sessionId);
    stored.result = result;
    this.#update(stored, { status });
  }

  async getTaskResult(taskId: string, sessionId?: string): Promise<Result> {
    const { task, result } = this.#require(taskId, sessionId);
    if (!result) throw new Error(`Task ${taskId} is ${task.status} and has no result; start it again.`);
    return result;
  }

  async updateTaskStatus(
    taskId: string,
    status: Task['status'],
    statusMessage?: string,
    sessionId?: string,
  ): Promise<void> {
    const stored = this.#unfinished(taskId, sessionId);
    this.#update(stored, { status, ...(statusMessage !== undefined && { statusMessage }) });
  }

  async listTasks(cursor?: string, sessionId?: string): Promise<{ tasks: Task[]; nextCursor?: string }> {
    this.#dropExpired();
    const visible = [...this.#tasks.values()].filter((stored) => belongsTo(stored, sessionId));
    const last = cursor === undefined ? -1 : visible.findIndex(({ task }) => task.taskId === cursor);
    if (cursor !== undefined && last === -1)
      throw new Error('The cursor is unknown; list the tasks again without a cursor.');
    const page = visible.slice(last + 1, last + 1 + PAGE).map(({ task }) => ({ ...task }));
    const nextCursor = visible.length > last + 1 + PAGE ? page.at(-1)?.taskId : undefined;
    return { tasks: page, ...(nextCursor !== undefined && { nextCursor }) };
  }

  #lookup(taskId: string, sessionId: string | undefined): StoredTask | undefined {
    this.#dropExpired();
    const stored = this.#tasks.get(taskId);
    return stored && belongsTo(stored, sessionId) ? stored : undefined;
  }

  #require(taskId: string, sessionId: string | undefined): StoredTask {
    const stored = this.#lookup(taskId, sessionId);
    if (!stored) throw new Error(`There is no task ${taskId}; it may have expired: start it again.`);
    return stored;
  }

  #unfinished(taskId: string, sessionId: string | undefined): StoredTask {
    const stored = this.#require(taskId, sessionId);
    if (isTerminal(stored.task.status)) {
      throw new Error(`Task ${taskId} is ${stored.task.status} already; start a new one.`);
    }
    return stored;
  }

  #update(stored: StoredTask, change: Pick<Task, 'status'> & { statusMessage?: string }): void {
    stored.task = { ...stored.task, ...change, lastUpdatedAt: this.#timestamp() };
    // The time to live of a finished task starts again.
    if (isTerminal(stored.task.status)) stored.expiresAt = this.now() + (stored.task.ttl ?? 0);
  }

  #dropExpired(): void {
    const now = this.now();
    for (const [id, { expiresAt }] of this.#tasks) if (expiresAt <= now) this.#tasks.delete(id);
  }

  #dropOneFinished(): void {
    for (const [id, { task }] of this.#tasks) {
      if (isTerminal(task.status)) {
        this.#tasks.delete(id);
        return;
      }
    }
    throw new Error(`The vault runs ${LIMITS.tasks} tasks, which is the maximum; wait for one to finish.`);
  }

  #timestamp(): string {
    return new Date(this.now()).toISOString();
  }
}

/** Tasks that were created without a session belong to every session, as in the SDK's own store. */
function belongsTo({ sessionId: owner }: StoredTask, sessionId: string | undefined): boolean {
  return owner === undefined || sessionId === undefined || owner === sessionId;
}
