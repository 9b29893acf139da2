import type { TaskEnd, TaskRecord } from '../records/record.js';

/**
 * Runs tasks. The record decides what clients see; an engine only does the work and writes the record.
 *
 * @example
 * const tasks = createTasks({ definitions, records, engine: createDurableEngine({ functionArn }) });
 */
export interface TaskEngine {
  /** Starts the work of a record. Starting a record again changes nothing. */
  start(record: TaskRecord): Promise<void>;
  /** Gives a reply to the place in the task that waits for it, as JSON. A second reply changes nothing. */
  answer(record: TaskRecord, token: string, reply: QuestionReply): Promise<void>;
  /** Stops the work, if that is still possible. */
  stop(record: TaskRecord): Promise<void>;
  /** Returns how the work ended; `undefined` if it has not, as far as the engine knows. */
  outcome(record: TaskRecord): Promise<TaskEnd | undefined>;
}

/**
 * The checkpointed operations that an engine offers to a running task. They begin in the same order whenever the task
 * runs again, and one that is done is answered from the engine's log.
 */
export interface TaskOperations {
  /** Runs work once, and again if it throws. Rejects with the message of the last error. */
  step<T>(name: string, retries: number, work: () => Promise<T>): Promise<T>;
  wait(name: string, seconds: number): Promise<void>;
  /** Submits a token, and returns the answer to it as JSON text. */
  question(name: string, submit: (token: string) => Promise<void>): Promise<string>;
  parallel<T>(
    name: string,
    branches: readonly ((operations: TaskOperations) => Promise<T>)[],
  ): Promise<readonly T[]>;
}

/** A client's answer to a question, or that it refuses to answer. */
export type QuestionReply = { readonly answer: unknown } | { readonly refused: string };

/** What an execution is started with. The arguments are JSON text. */
export type TaskInput = Pick<TaskRecord, 'owner' | 'id' | 'tool' | 'args' | 'answers'>;

/** Returns the input of an execution. The same record always gives the same input. */
export function inputOf({ owner, id, tool, args, answers }: TaskRecord): TaskInput {
  return { owner, id, tool, args, ...(answers === undefined ? {} : { answers }) };
}

/** The delay before a step is run again, in seconds. */
export function retryDelay(attempt: number): number {
  return Math.min(60, 2 ** attempt);
}
