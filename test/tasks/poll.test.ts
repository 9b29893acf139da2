import { describe, expect, it } from 'vitest';
import { legacyTask, modernTask, statesOf } from '../../src/tasks/wire/describe.js';
import { pollInterval } from '../../src/tasks/wire/poll.js';
import { newRecord, question } from './records-suite.js';

const NOW = Date.UTC(2026, 10, 22);
const aged = (seconds: number) => newRecord({ createdAt: NOW - seconds * 1000, updatedAt: NOW });

describe('pollInterval', () => {
  it.each([
    [0, 1000],
    [10, 1000],
    [60, 6000],
    [300, 30_000],
    [86_400, 30_000],
  ])('is, for a task of %i seconds, %i milliseconds', (age, interval) => {
    expect(pollInterval(aged(age), NOW)).toBe(interval);
  });

  it.each([
    [0, 1000],
    [2, 1000],
    [7, 3500],
    [20, 10_000],
    [600, 10_000],
  ])('is, for a person who was asked %i seconds ago, %i milliseconds', (waited, interval) => {
    const asked = { ...aged(900), updatedAt: NOW - waited * 1000, waits: 1 };
    expect(pollInterval(asked, NOW)).toBe(interval);
  });
});

describe('a task on the wire', () => {
  const record = { ...aged(0), message: 'half', waits: 1, inputs: { name: question('t') } };
  const times = { createdAt: '2026-11-22T00:00:00.000Z', lastUpdatedAt: '2026-11-22T00:00:00.000Z' };

  it('has the members of its era, and no token of the engine', () => {
    expect(legacyTask(record, NOW)).toEqual({
      taskId: record.id,
      statusMessage: 'half',
      ...times,
      status: 'input_required',
      ttl: 100_000,
      pollInterval: 1000,
    });
    expect(modernTask(record, NOW)).toEqual({
      taskId: record.id,
      statusMessage: 'half',
      ...times,
      status: 'input_required',
      ttlMs: 100_000,
      pollIntervalMs: 1000,
      inputRequests: { name: question('t').request },
    });
  });

  it('has no questions after it ended', () => {
    const ended = { ...record, status: 'cancelled', end: { status: 'cancelled' } } as const;
    expect(modernTask(ended, NOW)).not.toHaveProperty('inputRequests');
    expect(modernTask(ended, NOW)).toMatchObject({ status: 'cancelled' });
  });
});

it('reads the statuses of a filter: a tool error has failed', () => {
  expect(statesOf(['failed', 'nonsense'])).toEqual(['tool_error', 'failed']);
  expect(statesOf([])).toEqual([]);
});
