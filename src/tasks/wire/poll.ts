import { stateOf, type TaskSummary } from '../records/record.js';

/** Bounds of the interval in milliseconds, and the interval while a person is asked. */
const INTERVAL = { least: 1000, most: 30_000, asked: 10_000 };

/**
 * Returns how long a client should wait before it reads a task again. Reading costs more than the work of a long task, so
 * the interval grows with the age of the task: a second at first, later a tenth of the age, at most half a minute.
 */
export function pollInterval(task: TaskSummary, now: number): number {
  if (stateOf(task) === 'input_required') return INTERVAL.asked;
  const tenth = Math.round((now - task.createdAt) / 10);
  return Math.min(INTERVAL.most, Math.max(INTERVAL.least, tenth));
}
