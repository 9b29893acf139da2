import { type ErrorClass, errorClass } from '../../core/errors.js';
import { read } from '../../core/wire/messages.js';
import { jsonBytes } from '../author/json-value.js';

/** How a task stands, as its record says. `open` is every state before the end. */
export type TaskStatus = 'open' | TaskEnd['status'];

/** How a task can end. */
export const TASK_ENDS = ['completed', 'tool_error', 'failed', 'cancelled'] as const;

/** How a task stands, as its client sees it. */
export type TaskState = 'working' | 'input_required' | TaskEnd['status'];

/** A JSON-RPC error. */
export interface TaskFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The result of a tool call, as JSON. */
export type ToolResult = { readonly [member: string]: unknown };

/**
 * How a task ended. `tool_error` is a result with `isError`, `failed` a JSON-RPC error: the two eras of the protocol
 * report them differently.
 */
export type TaskEnd =
  | { readonly status: 'completed' | 'tool_error'; readonly result: ToolResult }
  | { readonly status: 'failed'; readonly error: TaskFailure }
  | { readonly status: 'cancelled' };

/** A question that a task asked. */
export interface TaskInputRequest {
  /** The request for the client: its method and params. */
  readonly request: { readonly method: string; readonly params?: unknown };
  /** The engine's handle of the place in the task that waits for the answer. */
  readonly token: string;
  /** When it was asked, in milliseconds. */
  readonly askedAt: number;
  /** When it was last sent to the client as a request, in milliseconds, and a random mark of who sent it. */
  readonly sent?: { readonly at: number; readonly by: string };
}

/** What lists show of a task. Times are milliseconds since 1970. */
export interface TaskSummary {
  readonly id: string;
  readonly tool: string;
  readonly status: TaskStatus;
  /** How many questions are open. */
  readonly waits: number;
  readonly message?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  /** When the record is deleted, in seconds: DynamoDB's TTL. */
  readonly expiresAt: number;
}

/** Everything that is kept of a task. */
export interface TaskRecord extends TaskSummary {
  /** To whom the task belongs; see `ownerOf`. Half of the key, so that others cannot find it. */
  readonly owner: string;
  /** The arguments as JSON text. The text itself is kept: starting an execution again needs the same bytes. */
  readonly args: string;
  /** The questions that the client can answer; see `answerable`. Without it, every question is asked. */
  readonly answers?: readonly string[];
  /** The engine's name of the execution, once it runs. */
  readonly execution?: string;
  /** Open questions by their key. */
  readonly inputs: Readonly<Record<string, TaskInputRequest>>;
  /** How the task ended. Missing for an ended task if it was too large; then the engine has it. */
  readonly end?: TaskEnd;
}

/** One change of a record. A record that has ended does not change. */
export type TaskChange =
  | { readonly kind: 'began'; readonly execution: string }
  | { readonly kind: 'progress'; readonly message: string }
  /** Asking the same key again changes nothing, also after the answer: a step may run again after its write. */
  | { readonly kind: 'asked'; readonly key: string; readonly input: TaskInputRequest }
  | { readonly kind: 'answered'; readonly key: string }
  /** Marks a question as sent. Changes nothing if it was sent in the meantime. Clients do not see it as an update. */
  | {
      readonly kind: 'sent';
      readonly key: string;
      readonly input: TaskInputRequest;
      readonly sent: { readonly at: number; readonly by: string };
    }
  | { readonly kind: 'ended'; readonly end: TaskEnd };

/** A place in a list of tasks: after this task. */
export interface TaskPosition {
  readonly id: string;
  /** The time that the list is ordered by. */
  readonly at: number;
}

/** Which tasks of an owner to list. All bounds are exclusive, in milliseconds. */
export interface TaskQuery {
  readonly orderBy: 'createdAt' | 'updatedAt';
  readonly ascending: boolean;
  readonly limit: number;
  readonly after?: TaskPosition | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly states?: readonly TaskState[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
}

/** A page of a list. It can be shorter than the limit, also empty, and still have a next page. */
export interface TaskPage {
  readonly tasks: readonly TaskSummary[];
  /** Where the next page begins; missing on the last page. */
  readonly next?: TaskPosition;
}

/**
 * Keeps the records of tasks. Every implementation must behave like this:
 *
 * - `create` keeps a new record. If it resolves, every process that shares the records can read it. Creating the same
 *   record twice does not fail, so that a lost answer can be repeated.
 * - `get` returns the record after every change that was made before. A record past its `expiresAt` does not exist.
 * - `change` makes one change, and returns the record after it; `undefined` if the change does not apply, because the
 *   record has ended, has expired or does not exist. Of several concurrent ends, exactly one applies.
 * - `list` returns tasks of one owner.
 * - A promise rejects with a {@link TaskStoreError} if the records cannot be reached. The caller then cannot know
 *   whether anything changed.
 *
 * @example
 * const records: TaskRecords = createMemoryRecords();
 * await records.change(owner, id, { kind: 'progress', message: '1 of 3' });
 */
export interface TaskRecords {
  create(record: TaskRecord): Promise<void>;
  get(owner: string, id: string): Promise<TaskRecord | undefined>;
  change(owner: string, id: string, change: TaskChange): Promise<TaskRecord | undefined>;
  list(owner: string, query: TaskQuery): Promise<TaskPage>;
}

/** Returns how a task stands for its client. */
export function stateOf({ status, waits }: Pick<TaskSummary, 'status' | 'waits'>): TaskState {
  if (status !== 'open') return status;
  return waits > 0 ? 'input_required' : 'working';
}

/** The longest message of an end: lists show it, and an error can be a megabyte. */
const MAX_MESSAGE_CHARACTERS = 1000;

/**
 * Returns the message that replaces the last progress of a task that has ended: why it failed, else nothing (SEP-2663,
 * "Task Execution Errors").
 *
 * @example
 * messageOfEnd({ status: 'failed', error: { code: -32603, message: 'No such report.' } }); // 'No such report.'
 */
export function messageOfEnd(end: TaskEnd): string | undefined {
  if ('error' in end) return end.error.message.slice(0, MAX_MESSAGE_CHARACTERS);
  if (end.status !== 'tool_error') return undefined;
  const content: unknown = end.result.content;
  const texts = Array.isArray(content) ? content.map((each) => read(each, 'text')) : [];
  return texts.find((each) => typeof each === 'string')?.slice(0, MAX_MESSAGE_CHARACTERS);
}

/** The largest end that a record keeps, in bytes of JSON. */
const MAX_INLINE_END_BYTES = 128_000;

/** Whether a record keeps how its task ended. A larger end stays in the engine. */
export function fitsRecord(end: TaskEnd): boolean {
  return jsonBytes(end) <= MAX_INLINE_END_BYTES;
}

const TaskStoreErrorBase: ErrorClass<'TaskStoreError', 'TASK_STORE_FAILED'> = errorClass(
  'TaskStoreError',
  'TASK_STORE_FAILED',
);

/** The records of tasks cannot be reached. `cause` has the error of the client. */
export class TaskStoreError extends TaskStoreErrorBase {}
