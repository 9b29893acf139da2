import { describe, expect, it } from 'vitest';
import { memoryOf, StoredRecords, TaskMemory } from '../../../src/core/gate/tasks/task-records.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionRecord } from '../../../src/core/session/store.js';

const MAKER = { tool: 'work', owner: 'p#alice' };

describe('the memory of tasks', () => {
  it('knows the makers that were set, and no others', () => {
    const memory = new TaskMemory();
    expect(memory.get('one')).toBeUndefined();
    memory.set('one', MAKER);
    memory.set('two', { ...MAKER, tool: 'other' });
    expect(memory.get('one')).toEqual(MAKER);
    expect(memory.get('two')).toEqual({ ...MAKER, tool: 'other' });
    expect(memory.get('three')).toBeUndefined();
  });

  it('is shared by the connections of one policy', () => {
    const policy = {};
    expect(memoryOf(policy)).toBe(memoryOf(policy));
    expect(memoryOf(policy)).not.toBe(memoryOf({}));
  });
});

describe('records without a store', () => {
  it('are those of the memory', () => {
    const memory = new TaskMemory();
    const records = new StoredRecords(memory, undefined);
    expect(records.get('one')).toBeUndefined();
    expect(records.set('one', MAKER)).toBeUndefined();
    expect(records.get('one')).toEqual(MAKER);
    expect(memory.get('one')).toEqual(MAKER);
  });
});

describe('records with a store', () => {
  it('are found by every process', async () => {
    const store = createMemoryStore();
    await expect(new StoredRecords(new TaskMemory(), store).set('one', MAKER)).resolves.toBe('stored');
    expect(await store.read('task/one')).toEqual({ state: 'live', record: MAKER });
    const other = new StoredRecords(new TaskMemory(), store).get('one');
    expect(other).toBeInstanceOf(Promise);
    expect(await other).toEqual(MAKER);
  });

  it('need no store for a task of the same process', () => {
    const records = new StoredRecords(new TaskMemory(), createMemoryStore());
    void records.set('one', MAKER);
    expect(records.get('one')).toEqual(MAKER);
  });

  it.each<[string, SessionRecord | undefined]>([
    ['nothing', undefined],
    ['no tool', { owner: 'p#alice' }],
    ['no owner', { tool: 'work' }],
    ['preferences', { concerns: { level: 'high' } }],
  ])('have no maker if the store has %s', async (_what, record) => {
    const store = createMemoryStore();
    if (record !== undefined) await store.update('task/one', record);
    expect(await new StoredRecords(new TaskMemory(), store).get('one')).toBeUndefined();
  });

  it('have no maker if the task has ended', async () => {
    const store = createMemoryStore();
    await store.update('task/one', MAKER);
    await store.end('task/one');
    expect(await new StoredRecords(new TaskMemory(), store).get('one')).toBeUndefined();
  });
});
