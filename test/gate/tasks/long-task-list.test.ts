import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/engine/policy.js';
import { sealCursor } from '../../../src/gate/lists/cursor.js';
import { CURSOR_MESSAGES } from '../../../src/gate/request/generated/texts.js';
import { ownerOf } from '../../../src/session/task-owner.js';
import { EXTENSION_ID, read } from '../../../src/wire/messages.js';
import { HIGH, LISTS, levels, MODERN, type Reply, recordsOf, TaskGate, verified } from './task-gate.js';

const advisory = levels();
const enforced = levels('{ enforcement: enforce }');
const ALICE = verified('alice');
const caller = { issuer: 'issuer', subject: 'sub alice' };
const made = (taskId: string, tool: string) => [taskId, { tool, owner: ownerOf(caller, taskId) }] as const;
const RECORDS = recordsOf(Object.fromEntries([made('a', 'work'), made('b', 'secret'), made('c', 'work')]));
const A = { taskId: 'a', status: 'working' };
const B = { taskId: 'b', status: 'working' };
const C = { taskId: 'c', status: 'failed' };
const STRANGE = { taskId: 'strange', status: 'working' };

/** The gate reads up to a hundred pages at once. */
const TOO_MANY = 101;

/** A server whose list has many pages. The first two are as given. */
class LongList extends TaskGate {
  constructor(policy: Policy, first: Reply, second: object = {}) {
    super(policy, { ...LISTS }, { preferences: { place: 'none' }, tasks: RECORDS });
    // The whole list is asked for before any page is passed on.
    let asked = 0;
    this.replies['tasks/list'] = ({ cursor = '1' }) => {
      asked += 1;
      const next = Number(cursor) + 1;
      if (asked < TOO_MANY) return { result: { tasks: [A], nextCursor: String(next) } };
      return cursor === '1' ? first : { result: second };
    };
  }
}
const first = (members: object): Reply => ({
  result: { tasks: [A, B, STRANGE, C], nextCursor: '2', ...members },
});
const answered = (body: object) => [{ jsonrpc: '2.0', id: 'request-1', ...body }];
const UNBOUNDED = {
  code: 'unbounded-list',
  message:
    'The list is too long to be read at once. It is filtered and ordered page by page, so pages may be short.',
};
const LEVEL_HIGH = { level: 'high' };
const about = (own: object, meta: object = {}) => ({
  _meta: { ...meta, [EXTENSION_ID]: { ...own, warnings: [UNBOUNDED] } },
});
const targetOf = (own: TaskGate, policy: Policy, params: object, filter = '') => ({
  catalog: 'tasks/pages',
  policy: policy.digest,
  configuration: own.exchange('tasks/list', params).configuration.key,
  filter,
});

describe('a list of tasks that is too long to be read at once', () => {
  it('is filtered page by page', async () => {
    const own = new LongList(advisory, first({ note: 1 }));
    const nextCursor = sealCursor(targetOf(own, advisory, {}), '2');
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(
      answered({ result: { tasks: [A, B, C], nextCursor, note: 1, ...about({}) } }),
    );
    expect(own.received('tasks/list')).toHaveLength(TOO_MANY);
    expect(own.received('tasks/list').at(-1)).toEqual({});
    expect(own.reports).toEqual([
      { method: 'tasks/list', era: 'legacy', concerns: {}, shown: 3, total: 3, warnings: [UNBOUNDED] },
    ]);
  });

  it('is described on each page', async () => {
    const own = new LongList(advisory, first({ _meta: { of: 'the server' } }));
    const nextCursor = sealCursor(targetOf(own, advisory, HIGH), '2');
    const described = about({ concerns: LEVEL_HIGH, shown: 2, total: 3 }, { of: 'the server' });
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(
      answered({ result: { tasks: [A, C], nextCursor, ...described } }),
    );
  });

  it("is ordered by the client's own filter on each page", async () => {
    const own = new LongList(advisory, first({}));
    const [message] = await own.ask('tasks/list', { status: ['failed'] }, ALICE);
    expect(read(message, 'result', 'tasks')).toEqual([C]);
    expect(own.received('tasks/list').at(-1)).toEqual({ status: ['failed'] });
    // The next page belongs to the same filter.
    const cursor = read(message, 'result', 'nextCursor');
    const [next] = await own.ask('tasks/list', { cursor, status: ['failed'] }, ALICE);
    expect(read(next, 'result')).toEqual({ tasks: [], ...about({}) });
    expect(own.received('tasks/list').at(-1)).toEqual({ cursor: '2', status: ['failed'] });
  });

  it('has only members that the protocol has, under enforce', async () => {
    const own = new LongList(enforced, first({ note: 1, ttlMs: 5, nextCursor: 7 }));
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(
      answered({ result: { tasks: [A, B, C], ttlMs: 5, ...about({}) } }),
    );
  });

  it('must not be kept by a client of 2026-07-28', async () => {
    const own = new LongList(advisory, { result: { tasks: 'none', ttlMs: 5 } });
    expect(await own.ask('tasks/list', { _meta: MODERN }, ALICE)).toEqual(
      answered({ result: { tasks: [], ttlMs: 0, cacheScope: 'private', ...about({}) } }),
    );
  });

  it.each([
    ['as it is', advisory, 'not while secret runs'],
    ['without hidden names under enforce', enforced, 'not while [hidden] runs'],
  ])('can end in an error, %s', async (_how, policy, message) => {
    const own = new LongList(policy, { error: { code: 7, message: 'not while secret runs' } });
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(answered({ error: { code: 7, message } }));
  });

  it('is not passed on to a client that cancelled', async () => {
    const own = new LongList(advisory, first({}));
    const reply = own.replies['tasks/list'];
    delete own.replies['tasks/list'];
    await own.ask('tasks/list', {}, ALICE);
    own.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'request-1' } });
    if (reply !== undefined) own.replies['tasks/list'] = reply;
    const id = read(own.toServer[0], 'id');
    void own.server({ jsonrpc: '2.0', id, result: { tasks: [A], nextCursor: '2' } });
    await own.ask('ping');
    expect(own.received('tasks/list')).toHaveLength(TOO_MANY - 1);
    expect(own.answersTo('request-1')).toEqual([]);
  });
});

it('a page of very many tasks is answered', async () => {
  const tasks = [...new Array(200_000).fill(null), A];
  const replies = { 'tasks/list': { result: { tasks } } };
  const own = new TaskGate(advisory, replies, { preferences: { place: 'none' }, tasks: RECORDS });
  own.client({ jsonrpc: '2.0', id: 1, method: 'tasks/list', params: {} }, ALICE);
  await expect.poll(() => own.toClient).toEqual([{ jsonrpc: '2.0', id: 1, result: { tasks: [A] } }]);
});

describe('the next page of such a list', () => {
  it('is the one of the server', async () => {
    const own = new LongList(advisory, first({}), { tasks: [B, C] });
    const [page] = await own.ask('tasks/list', {}, ALICE);
    const cursor = read(page, 'result', 'nextCursor');
    expect(await own.ask('tasks/list', { cursor, more: 1 }, ALICE)).toEqual([
      { jsonrpc: '2.0', id: 'request-2', result: { tasks: [B, C], ...about({}) } },
    ]);
    expect(own.received('tasks/list').at(-1)).toEqual({ cursor: '2', more: 1 });
    expect(own.received('tasks/list')).toHaveLength(TOO_MANY + 1);
  });

  it.each<[string, (own: TaskGate) => unknown, object]>([
    ['it was made for another filter', (own) => sealCursor(targetOf(own, advisory, {}, 'x'), '2'), {}],
    ['the configuration is another', (own) => sealCursor(targetOf(own, advisory, {}), '2'), HIGH],
    ['it is a cursor of the server', () => '2', {}],
    ['it is null', () => null, {}],
    [
      'the list was short when it was made',
      (own) => sealCursor({ ...targetOf(own, advisory, {}), catalog: 'tasks' }, '["a",null]'),
      {},
    ],
  ])('cannot be had with its cursor if %s', async (_what, cursorOf, params) => {
    const own = new LongList(advisory, first({}));
    const error = { code: -32602, message: CURSOR_MESSAGES.changed };
    expect(await own.ask('tasks/list', { cursor: cursorOf(own), ...params }, ALICE)).toEqual(
      answered({ error }),
    );
    expect(own.reports).toEqual([{ method: 'tasks/list', era: 'legacy', error: -32602 }]);
  });
});
