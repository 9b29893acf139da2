import { describe, expect, it } from 'vitest';
import { applyTaskFilter, readTaskFilter } from '../../../src/core/gate/tasks/task-filter.js';

const at = (time: string) => `2026-01-01T${time}Z`;

describe('a task', () => {
  it('without a readable time comes last, wherever the server lists it', () => {
    const early = { id: 'early', createdAt: at('09:00:00') };
    const late = { id: 'late', createdAt: at('10:00:00') };
    const none = { id: 'none' };
    const word = { id: 'word', createdAt: 'soon' };
    const orders = [
      [none, early, word, late],
      [early, none, late, word],
      [late, early, none, word],
      [none, word, late, early],
    ];
    for (const tasks of orders) {
      const ascending = applyTaskFilter(tasks, { orderBy: 'createdAt', order: 'asc' }, () => undefined);
      const descending = applyTaskFilter(tasks, { orderBy: 'createdAt', order: 'desc' }, () => undefined);
      expect(ascending).toEqual([early, late, none, word]);
      expect(descending).toEqual([late, early, none, word]);
    }
  });
});

describe('the offset of a timestamp', () => {
  it.each([
    ['+23:00', '-23:00', true],
    ['+24:00', '-24:00', false],
    ['+01:59', '-01:59', true],
    ['+01:60', '-01:60', false],
  ])('%s or %s exists, or not', (east, west, exists) => {
    for (const offset of [east, west]) {
      expect(readTaskFilter({ createdAfter: `2026-01-01T10:00:00${offset}` }).ok).toBe(exists);
    }
  });
});

it('a filter has its times in UTC, and its lists sorted', () => {
  const params = {
    methods: ['tools/call'],
    taskIds: ['b', 'a', 'b'],
    status: [],
    createdAfter: '1970-01-01T00:00:01.500Z',
    lastUpdatedBefore: '1970-01-02',
    orderBy: 'createdAt',
  };
  const filter = {
    methods: ['tools/call'],
    taskIds: ['a', 'b'],
    createdAfter: 1500,
    lastUpdatedBefore: 86_400_000,
    orderBy: 'createdAt',
    order: 'desc',
  };
  expect(readTaskFilter(params)).toEqual({ ok: true, filter, key: JSON.stringify(filter) });
});
