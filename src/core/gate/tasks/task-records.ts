import QuickLRU from 'quick-lru';
import { getOrMake } from '../../once.js';
import type { SessionStore } from '../../session/store.js';
import type { TaskMaker } from '../request/decision.js';

/** Who created which task. Promises only if the session store must be waited for. */
export interface TaskRecords {
  get(taskId: string): TaskMaker | undefined | Promise<TaskMaker | undefined>;
  set(taskId: string, maker: TaskMaker): Promise<unknown> | undefined;
}

/** How many tasks a process remembers. A store remembers all. */
const MAX_TASKS = 10_000;

/** The makers of tasks, in the memory of this process. */
export class TaskMemory {
  readonly #makers = new QuickLRU<string, TaskMaker>({ maxSize: MAX_TASKS });

  get(taskId: string): TaskMaker | undefined {
    return this.#makers.get(taskId);
  }

  set(taskId: string, maker: TaskMaker): void {
    this.#makers.set(taskId, maker);
  }
}

/** The key of a task in the session store, where every process can find it. */
const keyOf = (taskId: string): string => `task/${taskId}`;

/** Records in the memory of this process and, with a store, for every process. */
export class StoredRecords implements TaskRecords {
  constructor(
    private readonly memory: TaskMemory,
    private readonly store: SessionStore | undefined,
  ) {}

  get(taskId: string): TaskMaker | Promise<TaskMaker | undefined> | undefined {
    const { memory, store } = this;
    const known = memory.get(taskId);
    return known !== undefined || store === undefined ? known : readMaker(store, taskId);
  }

  set(taskId: string, maker: TaskMaker): Promise<'stored' | 'ended'> | undefined {
    this.memory.set(taskId, maker);
    return this.store?.update(keyOf(taskId), maker);
  }
}

async function readMaker(store: SessionStore, taskId: string): Promise<TaskMaker | undefined> {
  const stored = await store.read(keyOf(taskId));
  if (stored.state !== 'live') return undefined;
  const { tool, owner } = stored.record;
  return tool === undefined || owner === undefined ? undefined : { tool, owner };
}

/** Connections under the same policy, for endpoints that make a transport for each request. */
const memories = new WeakMap<object, TaskMemory>();

/** Returns the memory that all HTTP connections under one policy share, where no handler has a memory of its own. */
export const memoryOf = (policy: object): TaskMemory => getOrMake(memories, policy, () => new TaskMemory());
