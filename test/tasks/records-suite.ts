import { describe, expect, it } from 'vitest';
import { newTaskId } from '../../src/tasks/records/owner.js';
import type {
  TaskChange,
  TaskInputRequest,
  TaskRecord,
  TaskRecords,
} from '../../src/tasks/records/record.js';
import { START } from '../session/clock.js';

/** A record as the port creates it. */
export function newRecord(changes: Partial<TaskRecord> = {}): TaskRecord {
  const now = Date.now();
  return {
    owner: 'p#ann',
    id: newTaskId(now),
    tool: 'report',
    status: 'open',
    waits: 0,
    createdAt: now,
    updatedAt: now,
    ttlMs: 100_000,
    expiresAt: Math.ceil(now / 1000) + 100,
    args: '{"topic":"rain"}',
    answers: ['elicitation.form'],
    inputs: {},
    ...changes,
  };
}

/** A question with a token. */
export function question(token: string): TaskInputRequest {
  return { request: { method: 'elicitation/create', params: { message: 'Who?' } }, token, askedAt: START };
}

const completed = (text: string): TaskChange => ({
  kind: 'ended',
  end: { status: 'completed', result: { content: [{ type: 'text', text }] } },
});

/** Tests the contract of `TaskRecords`, which every implementation must satisfy. */
export function describeRecords(
  name: string,
  { open, advance }: { open(): Promise<TaskRecords>; advance(seconds: number): void },
): void {
  const created = async (changes: Partial<TaskRecord> = {}) => {
    const records = await open();
    const record = newRecord(changes);
    await records.create(record);
    const change = (what: TaskChange) => records.change(record.owner, record.id, what);
    return { records, record, change, read: () => records.get(record.owner, record.id) };
  };

  describe(name, () => {
    it('keeps a record as it was created', async () => {
      const { record, read } = await created();
      expect(await read()).toEqual(record);
    });

    it('finds no record of another owner or id', async () => {
      const { records, record } = await created();
      expect(await records.get('p#eve', record.id)).toBeUndefined();
      expect(await records.get(record.owner, newTaskId(START))).toBeUndefined();
      expect(await records.change('p#eve', record.id, completed('x'))).toBeUndefined();
    });

    it('does not replace a record that is created again', async () => {
      const { records, record, change, read } = await created();
      await change({ kind: 'progress', message: '1 of 3' });
      await records.create(record);
      expect(await read()).toMatchObject({ message: '1 of 3' });
    });

    it('does not find an expired record', async () => {
      const { change, read, records } = await created();
      advance(101);
      expect(await read()).toBeUndefined();
      expect(await change({ kind: 'progress', message: 'late' })).toBeUndefined();
      const query = { orderBy: 'createdAt', ascending: true, limit: 10 } as const;
      expect(await records.list('p#ann', query)).toEqual({ tasks: [] });
    });

    it('records the beginning, messages and the end, each with its time', async () => {
      const { record, change, read } = await created();
      advance(1);
      await change({ kind: 'began', execution: 'arn' });
      await change({ kind: 'progress', message: 'half' });
      expect(await read()).toEqual({ ...record, execution: 'arn', message: 'half', updatedAt: START + 1000 });
      advance(1);
      const after = await change(completed('done'));
      expect(after).toMatchObject({ status: 'completed', updatedAt: START + 2000 });
      expect(await read()).toEqual(after);
      expect(after?.end).toEqual({
        status: 'completed',
        result: { content: [{ type: 'text', text: 'done' }] },
      });
    });

    it('does not change a record that has ended', async () => {
      const { change, read } = await created();
      await change({ kind: 'ended', end: { status: 'cancelled' } });
      const ended = await read();
      advance(1);
      expect(await change({ kind: 'progress', message: 'late' })).toBeUndefined();
      expect(await change({ kind: 'asked', key: 'a', input: question('t') })).toBeUndefined();
      expect(await change(completed('late'))).toBeUndefined();
      expect(await read()).toEqual(ended);
    });

    it('lets exactly one of several ends apply', async () => {
      const { change, read } = await created();
      const cancelled: TaskChange = { kind: 'ended', end: { status: 'cancelled' } };
      const ends = await Promise.all([change(completed('a')), change(cancelled)]);
      expect(ends.filter((each) => each !== undefined)).toHaveLength(1);
      expect(await read()).toEqual(ends.find((each) => each !== undefined));
    });

    it('keeps open questions and counts them', async () => {
      const { change, read } = await created();
      await change({ kind: 'asked', key: 'a', input: question('t1') });
      await change({ kind: 'asked', key: '__proto__', input: question('t2') });
      const record = await read();
      expect(record?.waits).toBe(2);
      expect(Object.entries(record?.inputs ?? {}).sort()).toEqual([
        ['__proto__', question('t2')],
        ['a', question('t1')],
      ]);
      await change({ kind: 'answered', key: 'a' });
      expect(Object.keys((await read())?.inputs ?? {})).toEqual(['__proto__']);
      expect((await read())?.waits).toBe(1);
      expect(await change({ kind: 'answered', key: 'a' })).toBeUndefined();
      expect(await change({ kind: 'answered', key: 'toString' })).toBeUndefined();
    });

    it('keeps the first of two equal questions, and does not ask an answered one again', async () => {
      const { change, read } = await created();
      await change({ kind: 'asked', key: 'a', input: question('first') });
      expect(await change({ kind: 'asked', key: 'a', input: question('second') })).toMatchObject({
        waits: 1,
        inputs: { a: { token: 'first' } },
      });
      await change({ kind: 'answered', key: 'a' });
      expect(await change({ kind: 'asked', key: 'a', input: question('third') })).toMatchObject({
        waits: 0,
        inputs: {},
      });
      expect(await read()).toMatchObject({ waits: 0, inputs: {} });
    });

    it('lets one of several processes send a question', async () => {
      const { change, read } = await created();
      const input = question('t');
      await change({ kind: 'asked', key: 'a', input });
      const before = await read();
      const sent = (by: string) => change({ kind: 'sent', key: 'a', input, sent: { at: START, by } });
      const results = await Promise.all([sent('x'), sent('y')]);
      expect(results.filter((each) => each !== undefined)).toHaveLength(1);
      const after = await read();
      expect(after?.updatedAt).toBe(before?.updatedAt);
      const again = after?.inputs.a;
      if (again === undefined) throw new Error('The question is gone.');
      const later = { at: START + 3, by: 'z' };
      expect(await change({ kind: 'sent', key: 'a', input: again, sent: later })).toMatchObject({
        inputs: { a: { sent: later } },
      });
    });

    it('leaves a large result to the engine', async () => {
      const { change, read } = await created();
      await change(completed('x'.repeat(200_000)));
      expect(await read()).toMatchObject({ status: 'completed' });
      expect(await read()).not.toHaveProperty('end');
    });

    it('keeps the largest arguments, questions and result that fit at the same time', async () => {
      const { change, read } = await created({ args: JSON.stringify('x'.repeat(127_000)) });
      for (const key of ['a', 'b', 'c']) {
        const input = { ...question(key), request: { method: 'x', params: 'y'.repeat(31_000) } };
        await change({ kind: 'asked', key, input });
      }
      await change(completed('z'.repeat(127_000)));
      expect((await read())?.end).toBeDefined();
    });

    it('does not let callers change what is kept', async () => {
      const { records, record } = await created();
      const read = await records.get(record.owner, record.id);
      Object.assign(read?.inputs ?? {}, { added: question('t') });
      expect(await records.get(record.owner, record.id)).toEqual(record);
    });
  });
}
