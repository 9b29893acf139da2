import {
  stateOf,
  TASK_ENDS,
  type TaskEnd,
  type TaskRecord,
  type TaskState,
  type TaskSummary,
} from '../records/record.js';
import { pollInterval } from './poll.js';

/**
 * The words of both eras are the states. Only a tool error is told as another one: it has failed in 2025-11-25 ("Tasks: Task
 * Status") and is completed in the Tasks extension (SEP-2663), where only a JSON-RPC error has failed.
 */
const legacyWord = (state: TaskState): string => (state === 'tool_error' ? 'failed' : state);
const modernWord = (state: TaskState): string => (state === 'tool_error' ? 'completed' : state);

/** Describes a task of protocol 2025-11-25. */
export function legacyTask(task: TaskSummary, now: number): Record<string, unknown> {
  return {
    ...described(task),
    status: legacyStatus(task),
    ttl: task.ttlMs,
    pollInterval: pollInterval(task, now),
  };
}

/** Returns the status of a task in protocol 2025-11-25. */
export function legacyStatus(task: TaskSummary): string {
  return legacyWord(stateOf(task));
}

/** Returns the states that a status of SEP-1904's filter stands for. An unknown status matches no task. */
export function statesOf(statuses: readonly string[]): readonly TaskState[] {
  const states: readonly TaskState[] = ['working', 'input_required', ...TASK_ENDS];
  return states.filter((state) => statuses.includes(legacyWord(state)));
}

/** Describes a task of the Tasks extension, with its questions, its result or its error (SEP-2663). */
export function modernTask(record: TaskRecord, now: number): Record<string, unknown> {
  const state = stateOf(record);
  return {
    ...described(record),
    status: modernWord(state),
    ttlMs: record.ttlMs,
    pollIntervalMs: pollInterval(record, now),
    ...(state === 'input_required' ? { inputRequests: inputRequests(record) } : {}),
    ...(record.end === undefined ? {} : modernEnd(record.end)),
  };
}

function described({ id, message, createdAt, updatedAt }: TaskSummary): Record<string, unknown> {
  return {
    taskId: id,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}

function inputRequests({ inputs }: TaskRecord): Record<string, unknown> {
  return Object.fromEntries(Object.entries(inputs).map(([key, { request }]) => [key, request]));
}

function modernEnd(end: TaskEnd): Record<string, unknown> {
  // Without resultType, the official client takes the result for an unfinished one.
  if ('result' in end) return { result: { resultType: 'complete', ...end.result } };
  return 'error' in end ? { error: end.error } : {};
}
