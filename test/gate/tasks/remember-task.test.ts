import { describe, expect, it } from 'vitest';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { rememberTask as remembering } from '../../../src/core/gate/tasks/remember-task.js';
import type { TaskRecords } from '../../../src/core/gate/tasks/task-records.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import type { Answer, Failure } from '../../../src/core/wire/messages.js';
import { settledBy } from '../exchange-of.js';
import { BROKEN_STORE, levels, recordsOf, TaskGate, verified } from './task-gate.js';

const policy = levels();
const ALICE = verified('alice');
const BY_ALICE = ownerOf({ issuer: 'issuer', subject: 'sub alice' }, 'one');
const CALL = { name: 'work', task: {} };
const answer = (result: Record<string, unknown>): Answer => ({ jsonrpc: '2.0', id: 'own', result });
const CREATED = answer({ task: { taskId: 'one', status: 'working' } });
const FLAT = answer({ resultType: 'task', taskId: 'one', status: 'working' });
const STORED_NOT = 'The session store could not be written (TypeError).';
const READ_NOT = 'The session store could not be read (TypeError).';

const rememberTask = settledBy((facts, message) => remembering(facts, { message }));

const gate = (tasks: TaskRecords, preferences: SessionPreferences = { place: 'none' }) =>
  new TaskGate(policy, {}, { tasks, preferences });
/** Records whose store can be written later, or not at all. */
const storing = (set: TaskRecords['set']): TaskRecords => ({ get: () => undefined, set });

/** The warnings of the reports, by the method of the request. */
const warningsOf = ({ reports }: TaskGate) =>
  reports.map(({ method, warnings }) => ({ method, warnings: warnings?.map(({ message }) => message) }));

describe('the answer to a tool call', () => {
  it.each<[string, object, Answer]>([
    ['that asked for a task', CALL, CREATED],
    ['that asked for a task, which is the result itself', CALL, FLAT],
    ['that did not ask, and created one', { name: 'work' }, FLAT],
    [
      'that names its task twice',
      CALL,
      answer({ task: { taskId: 'one' }, resultType: 'task', taskId: 'two' }),
    ],
    ['that asked for a task with null', { name: 'work', task: null }, CREATED],
  ])('tells who created a task, and by which tool: of a call %s', (_what, params, message) => {
    const tasks = recordsOf();
    const exchange = gate(tasks).exchange('tools/call', params, ALICE);
    expect(rememberTask(exchange, message)).toBe(message);
    expect(tasks.known).toEqual(new Map([['one', { tool: 'work', owner: BY_ALICE }]]));
  });

  it('tells nothing of an unknown caller but the id of the task', () => {
    const tasks = recordsOf();
    rememberTask(gate(tasks).exchange('tools/call', CALL), CREATED);
    expect(tasks.known.get('one')).toEqual({ tool: 'work', owner: ownerOf({}, 'one') });
  });

  it.each<[string, string, object | undefined, Answer | Failure]>([
    ['to another request', 'tasks/get', CALL, CREATED],
    ['without a task', 'tools/call', CALL, answer({ content: [] })],
    ['with a task that was not asked for', 'tools/call', { name: 'work' }, CREATED],
    ['without params of the call', 'tools/call', undefined, CREATED],
    ['without params of the call, with a task', 'tools/call', undefined, FLAT],
    ['to a call of a name of another type', 'tools/call', { name: ['work'], task: {} }, CREATED],
    ['with an id of another type', 'tools/call', CALL, answer({ task: { taskId: 1 } })],
    ['with an id of another type itself', 'tools/call', CALL, answer({ resultType: 'task', taskId: 1 })],
    [
      'with an id of a complete result',
      'tools/call',
      CALL,
      answer({ resultType: 'complete', taskId: 'one' }),
    ],
    ['with an error', 'tools/call', CALL, { jsonrpc: '2.0', id: 'own', error: { code: 1, message: '' } }],
    [
      'with an error and a result',
      'tools/call',
      CALL,
      { ...CREATED, error: { code: 1, message: 'an answer must not have both' } },
    ],
  ])('%s tells of no task', (_what, method, params, message) => {
    const tasks = recordsOf();
    const exchange = gate(tasks).exchange(method, params, ALICE);
    expect(rememberTask(exchange, message)).toBe(message);
    expect(tasks.known.size).toBe(0);
  });
});

describe('a store', () => {
  it('is waited for before the client learns the id of the task', async () => {
    let written = () => {};
    const tasks = storing(() => new Promise<void>((resolve) => (written = resolve)));
    const exchange = gate(tasks).exchange('tools/call', CALL, ALICE);
    const seen: unknown[] = [];
    const remembered = Promise.resolve(rememberTask(exchange, CREATED)).then((sent) => seen.push(sent));
    await Promise.resolve();
    expect(seen).toEqual([]);
    written();
    await remembered;
    expect(seen).toEqual([CREATED]);
  });

  it('that cannot be written is reported, and the client gets the id', async () => {
    const own = gate(storing(() => Promise.reject(new TypeError('secret host'))));
    expect(await rememberTask(own.exchange('tools/call', CALL, ALICE), CREATED)).toBe(CREATED);
    expect(warningsOf(own)).toEqual([{ method: 'tools/call', warnings: [STORED_NOT] }]);
  });

  it('tells the session that created a task', async () => {
    const store = createMemoryStore();
    await store.update('s', { listChanged: [] });
    const tasks = recordsOf();
    const exchange = gate(tasks, { place: 'store', store, id: 's' }).exchange('tools/call', CALL);
    expect(await rememberTask(exchange, CREATED)).toBe(CREATED);
    expect(tasks.known.get('one')).toEqual({ tool: 'work', owner: ownerOf({ session: 's' }, 'one') });
  });

  it('that cannot be read is reported, and the task belongs to whoever has its id', async () => {
    const tasks = recordsOf();
    const own = gate(tasks, { place: 'store', store: BROKEN_STORE, id: 's' });
    expect(await rememberTask(own.exchange('tools/call', CALL), CREATED)).toBe(CREATED);
    expect(tasks.known.get('one')).toEqual({ tool: 'work', owner: ownerOf({}, 'one') });
    expect(warningsOf(own)).toEqual([{ method: 'tools/call', warnings: [READ_NOT] }]);
  });

  it('that cannot be read can be written later', async () => {
    const tasks = storing(async () => 'stored');
    const own = gate(tasks, { place: 'store', store: BROKEN_STORE, id: 's' });
    expect(await rememberTask(own.exchange('tools/call', CALL), CREATED)).toBe(CREATED);
    expect(warningsOf(own)).toEqual([{ method: 'tools/call', warnings: [READ_NOT] }]);
  });

  it('that can be neither read nor written is reported with both', async () => {
    const tasks = storing(() => Promise.reject(new TypeError('secret host')));
    const own = gate(tasks, { place: 'store', store: BROKEN_STORE, id: 's' });
    expect(await rememberTask(own.exchange('tools/call', CALL), CREATED)).toBe(CREATED);
    expect(warningsOf(own)).toEqual([{ method: 'tools/call', warnings: [READ_NOT, STORED_NOT] }]);
  });
});
