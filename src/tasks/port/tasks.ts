import { hasOwner, ownerOf, type TaskCaller } from '../../core/session/task-owner.js';
import { checkArguments } from '../author/arguments.js';
import type { TaskDefinition } from '../author/definition.js';
import { messageOf } from '../author/errors.js';
import { jsonBytes } from '../author/json-value.js';
import { createEmbeddedEngine } from '../execution/embedded.js';
import type { QuestionReply, TaskEngine } from '../execution/engine.js';
import { endOfError, failedInternally } from '../execution/outcome.js';
import { createMemoryRecords } from '../records/memory.js';
import { isTaskId, newTaskId } from '../records/owner.js';
import type { TaskPage, TaskQuery, TaskRecord, TaskRecords } from '../records/record.js';

/** The tasks of an endpoint, and where they run. */
export interface TasksOptions {
  readonly definitions: readonly TaskDefinition[];
  /** Where tasks are recorded. The default is the memory of this process. */
  readonly records?: TaskRecords;
  /** What runs the tasks. The default is this process. */
  readonly engine?: TaskEngine;
}

/** How to start a task. */
export interface StartOptions {
  /** The life that the client asks for, in milliseconds. The life of the definition is the most. */
  readonly ttlMs?: number | undefined;
  /** The questions that the client can answer, from `answerable`. Without it, every question is asked. */
  readonly answers?: readonly string[] | undefined;
  /** Whether a call with invalid arguments is a task too, which has ended with a tool error. */
  readonly always?: boolean | undefined;
}

/** A started task, or the reason why it was not started. */
export type StartedTask =
  | { readonly ok: true; readonly record: TaskRecord }
  | {
      readonly ok: false;
      readonly reason: 'unknown-tool' | 'invalid-arguments' | 'not-started';
      readonly message: string;
      readonly cause?: unknown;
    };

/** What happened to the answers of a client, by the key of the question. */
export interface AnsweredTask {
  readonly record: TaskRecord;
  readonly answered: readonly string[];
  /** Answers to questions that the task did not ask, or that are answered already, or that are too large. */
  readonly ignored: readonly { readonly key: string; readonly reason: 'not-asked' | 'too-large' }[];
}

/** A cancelled task, or the record of a task that had ended before. */
export interface CancelledTask {
  readonly cancelled: boolean;
  readonly record: TaskRecord;
}

/**
 * The tasks of an endpoint, as its protocol sees them. For a task that does not exist, has expired or belongs to somebody
 * else, each function returns `undefined`, so that callers cannot learn which of the three it is.
 */
export interface Tasks {
  readonly definitions: ReadonlyMap<string, TaskDefinition>;
  /** Nothing keeps tasks after a call: their tools run as plain calls, and no tasks are declared. */
  readonly plain?: boolean;
  /** Whose the tasks of connections that are not HTTP are, in a process with one client. */
  readonly session?: string;
  start(caller: TaskCaller, tool: string, args: unknown, options?: StartOptions): Promise<StartedTask>;
  read(caller: TaskCaller, id: unknown): Promise<TaskRecord | undefined>;
  answer(
    caller: TaskCaller,
    id: unknown,
    answers: Readonly<Record<string, unknown>>,
  ): Promise<AnsweredTask | undefined>;
  /** Tells a task that the client refuses a question: its `ctx.ask` throws. */
  refuse(caller: TaskCaller, id: unknown, key: string, message: string): Promise<AnsweredTask | undefined>;
  cancel(caller: TaskCaller, id: unknown): Promise<CancelledTask | undefined>;
  list(caller: TaskCaller, query: TaskQuery): Promise<TaskPage>;
  /** Marks a question as sent to the client. Returns whether this caller sends it: of several, exactly one does. */
  markSent(record: TaskRecord, key: string): Promise<boolean>;
}

/** After this silence of a task, a read asks its engine whether it still runs. */
const SILENT_MS = 30_000;
/** After this silence of a task that never began, a read starts it again. The engine may have queued it, so it waits longer. */
const NOT_BEGUN_MS = 60_000;
/** A client asks for at least this life, so that it can read the task once. */
const MIN_TTL_MS = 1000;
/** Callbacks of durable functions take up to 256 KB. */
const MAX_ANSWER_BYTES = 256_000;

const NOT_STARTED = 'The task could not be started. Call the tool again.';
const RESULT_GONE = 'The result of the task is not available any more. Call the tool again.';

/**
 * Makes the tasks of an endpoint.
 *
 * @param options the tasks; where they are recorded; what runs them
 * @returns the tasks
 * @example
 * const tasks = createTasks({ definitions: [report] });
 * const started = await tasks.start({ session }, 'report', { topic: 'rain' });
 * if (started.ok) await tasks.read({ session }, started.record.id);
 */
export function createTasks(options: TasksOptions): Tasks {
  const { records = createMemoryRecords() } = options;
  const { engine = createEmbeddedEngine({ definitions: options.definitions, records }) } = options;
  const definitions = new Map(options.definitions.map((definition) => [definition.name, definition]));
  const find = async (caller: TaskCaller, id: unknown): Promise<TaskRecord | undefined> =>
    isTaskId(id) ? records.get(ownerOf(caller, id), id) : undefined;

  const reply = async (
    caller: TaskCaller,
    id: unknown,
    replies: readonly (readonly [key: string, reply: QuestionReply])[],
  ): Promise<AnsweredTask | undefined> => {
    const record = await find(caller, id);
    if (record === undefined) return undefined;
    const answered: string[] = [];
    const ignored: AnsweredTask['ignored'][number][] = [];
    for (const [key, value] of replies) {
      const input = Object.hasOwn(record.inputs, key) ? record.inputs[key] : undefined;
      if (input === undefined || record.status !== 'open') ignored.push({ key, reason: 'not-asked' });
      else if (jsonBytes(value) > MAX_ANSWER_BYTES) {
        ignored.push({ key, reason: 'too-large' });
      } else {
        // First the engine: in the other order, a crash between the two would lose the answer.
        await engine.answer(record, input.token, value);
        await records.change(record.owner, record.id, { kind: 'answered', key });
        answered.push(key);
      }
    }
    return { record, answered, ignored };
  };

  return {
    definitions,

    async start(caller, tool, sent, { ttlMs, answers, always = false } = {}) {
      const definition = definitions.get(tool);
      if (definition === undefined) {
        return { ok: false, reason: 'unknown-tool', message: `Tool ${tool} not found` };
      }
      const checked = await checkArguments(definition, sent);
      if (!checked.ok && !always) return { ok: false, reason: 'invalid-arguments', message: checked.message };
      const args = checked.ok ? checked.json : '{}';
      const record = newRecord(definition, caller, { args, ttlMs, answers });
      // Recorded before it runs and before anybody learns its id.
      await records.create(record);
      if (!checked.ok) {
        const end = endOfError(new Error(checked.message));
        const ended = await records.change(record.owner, record.id, { kind: 'ended', end });
        return { ok: true, record: ended ?? record };
      }
      try {
        await engine.start(record);
      } catch (cause) {
        await records.change(record.owner, record.id, { kind: 'ended', end: failedInternally(NOT_STARTED) });
        return { ok: false, reason: 'not-started', message: NOT_STARTED, cause };
      }
      return { ok: true, record };
    },

    async read(caller, id) {
      const record = await find(caller, id);
      return record === undefined ? undefined : upToDate(record, records, engine);
    },

    answer(caller, id, answers) {
      const replies = Object.entries(answers).map(([key, answer]) => [key, { answer }] as const);
      return reply(caller, id, replies);
    },

    refuse: (caller, id, key, message) => reply(caller, id, [[key, { refused: message }]]),

    async cancel(caller, id) {
      const record = await find(caller, id);
      if (record === undefined) return undefined;
      if (record.status !== 'open') return { cancelled: false, record };
      const cancelled = await records.change(record.owner, record.id, {
        kind: 'ended',
        end: { status: 'cancelled' },
      });
      // The record decides. Stopping the work only saves its costs, so a failure is not the caller's.
      await engine.stop(record).catch(() => undefined);
      if (cancelled !== undefined) return { cancelled: true, record: cancelled };
      const ended = await find(caller, id);
      return ended === undefined ? undefined : { cancelled: false, record: ended };
    },

    async list(caller, query) {
      return hasOwner(caller) ? records.list(ownerOf(caller, ''), query) : { tasks: [] };
    },

    async markSent(record, key) {
      const input = Object.hasOwn(record.inputs, key) ? record.inputs[key] : undefined;
      if (input === undefined) return false;
      const sent = { at: Date.now(), by: crypto.randomUUID() };
      return (
        (await records.change(record.owner, record.id, { kind: 'sent', key, input, sent })) !== undefined
      );
    },
  };
}

function newRecord(
  { name, ttlSeconds }: TaskDefinition,
  caller: TaskCaller,
  start: { readonly args: string } & StartOptions,
): TaskRecord {
  const now = Date.now();
  const id = newTaskId(now);
  const most = ttlSeconds * 1000;
  const ttlMs = Math.max(MIN_TTL_MS, Math.min(start.ttlMs ?? most, most));
  return {
    owner: ownerOf(caller, id),
    id,
    tool: name,
    status: 'open',
    waits: 0,
    createdAt: now,
    updatedAt: now,
    ttlMs,
    expiresAt: Math.ceil((now + ttlMs) / 1000),
    args: start.args,
    ...(start.answers === undefined ? {} : { answers: start.answers }),
    inputs: {},
  };
}

/** Brings a record up to date with its engine, where the record alone may be behind or incomplete. */
async function upToDate(record: TaskRecord, records: TaskRecords, engine: TaskEngine): Promise<TaskRecord> {
  const { owner, id, status } = record;
  if (status === 'cancelled' || record.end !== undefined) return record;
  if (status !== 'open') {
    // The end was too large for the record, so the engine has it. The record is written first, so until the execution ends
    // too, the task has not finished: an engine that lost an execution says so.
    const end = await engine.outcome(record);
    if (end === undefined) return { ...record, status: 'open', inputs: {}, waits: 0 };
    return { ...record, end: end.status === 'cancelled' ? failedInternally(RESULT_GONE) : end };
  }
  const silentMs = Date.now() - record.updatedAt;
  if (record.execution === undefined && silentMs > NOT_BEGUN_MS) {
    // The process that created the record may have died before it started the work. If that fails too, the next read
    // tries again.
    await engine.start(record).catch(messageOf);
    return record;
  }
  if (silentMs <= SILENT_MS) return record;
  const end = await engine.outcome(record);
  if (end === undefined) return record;
  const ended = await records.change(owner, id, { kind: 'ended', end });
  return ended === undefined ? ((await records.get(owner, id)) ?? record) : { ...ended, end };
}
