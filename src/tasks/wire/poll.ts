import { stateOf, type TaskSummary } from '../records/record.js';

/** Bounds of the interval in milliseconds, and the longest one while a person is asked. */
const INTERVAL = { least: 1000, most: 30_000, asked: 10_000 };

/**
 * Returns how long a client should wait before it reads a task again. Reading costs more than the work of a long task, so
 * the interval grows with the age of the task: a second at first, later a tenth of the age, at most half a minute. While a
 * person is asked, it is half of the time that the task has waited, so a quick answer costs a second, and at most ten.
 */
export function pollInterval(task: TaskSummary, now: number): number {
  const isAsked = stateOf(task) === 'input_required';
  const interval = Math.round(isAsked ? (now - task.updatedAt) / 2 : (now - task.createdAt) / 10);
  return Math.min(isAsked ? INTERVAL.asked : INTERVAL.most, Math.max(INTERVAL.least, interval));
}
