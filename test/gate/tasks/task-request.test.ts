import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import {
  BROKEN_STORE,
  type GivenOptions,
  HIGH,
  LISTS,
  levels,
  type Reply,
  recordsOf,
  TaskGate,
  verified,
} from './task-gate.js';

const advisory = levels();
const enforced = levels('{ enforcement: enforce }');
const ALICE = verified('alice');
const BOB = verified('bob');
const ID = 'task-0123456789abcdef';
const MINE = { tool: 'work', owner: ownerOf({ issuer: 'issuer', subject: 'sub alice' }, ID) };
const ANSWER = { result: { taskId: ID, status: 'working' } };

/** A server over HTTP that knows one task, which is Alice's. */
function gate(options: GivenOptions = {}, policy: Policy = advisory, reply?: Reply): TaskGate {
  const answer = (params: Record<string, unknown>): Reply =>
    params.taskId === ID ? ANSWER : { error: { code: -32602, message: `No task ${String(params.taskId)}` } };
  const replies = { ...LISTS, 'tasks/get': reply ?? answer };
  return new TaskGate(policy, replies, {
    preferences: { place: 'none' },
    tasks: recordsOf({ [ID]: MINE }),
    ...options,
  });
}
const answered = (body: object) => [{ jsonrpc: '2.0', id: 'request-1', ...body }];
const UNKNOWN = { error: { code: -32602, message: `No task ${ID}` } };
const UNREAD = { error: { code: -32603, message: 'The owners of tasks could not be read. Try again.' } };
const STORE_WARNING = {
  code: 'store-unavailable',
  message: 'The session store could not be read (TypeError).',
};

describe.each([
  ['advisory', advisory],
  ['enforce', enforced],
] as const)('a task under %s', (_mode, policy) => {
  it('is that of its owner', async () => {
    const own = gate({}, policy);
    expect(await own.ask('tasks/get', { taskId: ID, more: 1 }, ALICE)).toEqual(answered(ANSWER));
    expect(own.received('tasks/get')).toEqual([{ taskId: ID, more: 1 }]);
    expect(own.reports).toEqual([{ method: 'tasks/get', era: 'legacy' }]);
  });

  it('of another one does not exist', async () => {
    const own = gate({}, policy);
    expect(await own.ask('tasks/get', { taskId: ID, more: 1 }, BOB)).toEqual(answered(UNKNOWN));
    expect(own.received('tasks/get')).toEqual([{ taskId: expect.not.stringContaining(ID), more: 1 }]);
  });

  it('of an unknown maker belongs to nobody', async () => {
    const own = gate({ tasks: recordsOf() }, policy);
    expect(await own.ask('tasks/get', { taskId: ID }, ALICE)).toEqual(answered(UNKNOWN));
  });

  it('of an unknown maker belongs to the client of a connection that has only one', async () => {
    const own = gate({ preferences: { place: 'connection', record: {} }, tasks: recordsOf() }, policy);
    expect(await own.ask('tasks/get', { taskId: ID })).toEqual(answered(ANSWER));
  });

  it.each([
    ['a list', [ID]],
    ['null', null],
    ['a number', 7],
  ])('cannot be named by %s', async (_what, taskId) => {
    const own = gate({}, policy);
    const error = { code: -32602, message: 'params.taskId must be a string.' };
    expect(await own.ask('tasks/get', { taskId }, ALICE)).toEqual(answered({ error }));
    expect(own.toServer).toEqual([]);
    expect(own.reports.at(-1)).toEqual({ method: 'tasks/get', era: 'legacy', error: -32602 });
  });

  it.each([undefined, { other: 1 }])('that is not named is for the server to refuse: %j', async (params) => {
    const own = gate({}, policy, { error: { code: -32602, message: 'No id' } });
    const error = { code: -32602, message: 'No id' };
    expect(await own.ask('tasks/get', params, BOB)).toEqual(answered({ error }));
    expect(own.received('tasks/get')).toEqual([params]);
  });

  it('is asked for at once if nothing must be waited for', () => {
    for (const sender of [ALICE, BOB]) {
      const own = gate({}, policy);
      own.client({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: ID } }, sender);
      expect(own.received('tasks/get')).toHaveLength(1);
    }
  });

  it('is found in a store', async () => {
    const store = createMemoryStore();
    await store.update('s', { listChanged: [] });
    const owner = ownerOf({ session: 's' }, ID);
    const get = async () => ({ tool: 'work', owner });
    const tasks = { get, set: () => undefined };
    const own = gate({ preferences: { place: 'store', store, id: 's' }, tasks }, policy);
    expect(await own.ask('tasks/get', { taskId: ID })).toEqual(answered(ANSWER));
    const other = gate({ preferences: { place: 'store', store, id: 'other' }, tasks }, policy);
    expect(await other.ask('tasks/get', { taskId: ID })).toEqual(answered(UNKNOWN));
  });

  it('is found in a store for a caller that is known at once', async () => {
    const tasks = { get: async () => MINE, set: () => undefined };
    expect(await gate({ tasks }, policy).ask('tasks/get', { taskId: ID }, ALICE)).toEqual(answered(ANSWER));
    expect(await gate({ tasks }, policy).ask('tasks/get', { taskId: ID }, BOB)).toEqual(answered(UNKNOWN));
    const none = { get: async () => undefined, set: () => undefined };
    const own = gate({ tasks: none }, policy);
    expect(await own.ask('tasks/get', { taskId: ID }, ALICE)).toEqual(answered(UNKNOWN));
  });

  it('is not sent if the store of the makers cannot be read', async () => {
    const tasks = { get: () => Promise.reject(new TypeError('secret host')), set: () => undefined };
    const own = gate({ tasks }, policy);
    expect(await own.ask('tasks/get', { taskId: ID }, ALICE)).toEqual(answered(UNREAD));
    expect(own.toServer).toEqual([]);
    expect(own.reports).toEqual([
      { method: 'tasks/get', era: 'legacy', warnings: [STORE_WARNING], error: -32603 },
    ]);
  });
});

describe('the configuration of a request about a task', () => {
  const invalid = { taskId: ID, _meta: { [EXTENSION_ID]: { concerns: { level: 'none' } } } };
  const strict = (enforcement: string) => levels(`{ enforcement: ${enforcement}, invalid: error }`);

  it('must be valid under enforce', async () => {
    const own = gate({}, strict('enforce'));
    expect(await own.ask('tasks/get', invalid, ALICE)).toMatchObject([{ error: { code: -32602 } }]);
    expect(own.toServer).toEqual([]);
  });

  it('must be valid under enforce, also if a store is read first', async () => {
    const store = createMemoryStore();
    const own = gate({ principal: { place: 'store', store, id: 'p' } }, strict('enforce'));
    expect(await own.ask('tasks/get', invalid, ALICE)).toMatchObject([{ error: { code: -32602 } }]);
    expect(own.toServer).toEqual([]);
  });

  it('is not needed if nothing is enforced', async () => {
    const own = gate({}, strict('advisory'));
    expect(await own.ask('tasks/get', invalid, ALICE)).toEqual(answered(ANSWER));
  });

  it('must be readable under enforce', async () => {
    const own = gate({ principal: { place: 'store', store: BROKEN_STORE, id: 'p' } }, enforced);
    const message = 'The preferences of this session could not be read. Try again.';
    expect(await own.ask('tasks/get', { taskId: ID }, ALICE)).toEqual(
      answered({ error: { code: -32603, message } }),
    );
    expect(own.toServer).toEqual([]);
  });

  it('that is in a store is waited for', async () => {
    const store = createMemoryStore();
    await store.update('p', { concerns: { level: 'high' } });
    const principal = { place: 'store', store, id: 'p' } as const;
    const own = gate({ principal }, enforced, { result: { taskId: ID, statusMessage: 'for secret' } });
    expect(await own.ask('tasks/get', { taskId: ID }, ALICE)).toEqual(
      answered({ result: { taskId: ID, statusMessage: 'for [hidden]' } }),
    );
  });
});

describe('the answer about a task that does not exist for the caller', () => {
  /** The id that the server got, as its answer names it. */
  const echo = (answer: (sent: string) => Reply): [TaskGate['replies'], () => string] => {
    let sent = '';
    const reply = (params: Record<string, unknown>): Reply => {
      sent = String(params.taskId);
      return answer(sent);
    };
    return [{ ...LISTS, 'tasks/get': reply }, () => sent];
  };

  it.each<[string, (id: string) => Reply]>([
    [
      'an error with data',
      (id) => ({ error: { code: 7, message: `${id}, ${id}`, data: { [id]: [id, 1] }, more: id } }),
    ],
    ['an error without data', (id) => ({ error: { code: 7, message: `No ${id}` } })],
    ['an error with data of null', (id) => ({ error: { code: 7, message: id, data: null } })],
    ['a result', (id) => ({ result: { taskId: id, [id]: { deep: [`about ${id}`] }, count: 1 } })],
  ])('has the id of the client: %s', async (_what, answer) => {
    for (const policy of [advisory, enforced]) {
      const [replies, sentId] = echo(answer);
      const own = new TaskGate(policy, replies, { preferences: { place: 'none' } });
      const [sent] = await own.ask('tasks/get', { taskId: ID, ...HIGH }, BOB);
      expect(sentId()).not.toBe(ID);
      expect(sent).toStrictEqual({ jsonrpc: '2.0', id: 'request-1', ...answer(ID) });
    }
  });

  it('stays as it is if the message of an error is no text', async () => {
    const own = gate({}, advisory, { error: { code: 7, message: 8 } });
    expect(await own.ask('tasks/get', { taskId: ID }, BOB)).toEqual(
      answered({ error: { code: 7, message: 8 } }),
    );
  });

  it('puts back ids that look like patterns of a replacement', async () => {
    const id = '$&-0123456789abcdef-$1';
    const own = gate();
    expect(await own.ask('tasks/get', { taskId: id }, BOB)).toEqual(
      answered({ error: { code: -32602, message: `No task ${id}` } }),
    );
  });
});

describe('the answer about a task', () => {
  const TEXT = { result: { taskId: ID, statusMessage: 'for secret', error: 'no secret' } };

  it('has no hidden names under enforce', async () => {
    const own = gate({}, enforced, TEXT);
    expect(await own.ask('tasks/get', { taskId: ID, ...HIGH }, ALICE)).toEqual(
      answered({ result: { taskId: ID, statusMessage: 'for [hidden]', error: 'no [hidden]' } }),
    );
  });

  it('waits for the lists that tell what is hidden', async () => {
    const own = gate({}, enforced, TEXT);
    delete own.replies['tools/list'];
    expect(await own.ask('tasks/get', { taskId: ID, ...HIGH }, ALICE)).toEqual([]);
    const [asked] = own.toServer.filter((message) => read(message, 'method') === 'tools/list');
    await own.server({ jsonrpc: '2.0', id: read(asked, 'id'), result: { tools: [] } });
    await own.ask('ping');
    expect(own.answersTo('request-1')).toEqual(
      answered({ result: { taskId: ID, statusMessage: 'for [hidden]', error: 'no [hidden]' } }),
    );
  });

  it('stays if nothing is enforced', async () => {
    const own = gate({}, advisory, TEXT);
    expect(await own.ask('tasks/get', { taskId: ID, ...HIGH }, ALICE)).toEqual(answered(TEXT));
  });

  it('has no hidden names in an error that no task has caused', async () => {
    const own = gate({}, enforced, { error: { code: 7, message: 'for secret' } });
    expect(await own.ask('tasks/get', { taskId: ID, ...HIGH }, ALICE)).toEqual(
      answered({ error: { code: 7, message: 'for [hidden]' } }),
    );
  });
});
