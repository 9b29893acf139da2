import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { HIGH, LISTS, levels, MODERN, recordsOf, TaskGate, verified } from './task-gate.js';

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

/** The gate reads up to so many pages at once. */
const MAX_PAGES = 10_000;

/** A server whose list has pages without end. The first one is as given, and others have no tasks. */
class LongList extends TaskGate {
  constructor(policy: Policy, first: object) {
    super(policy, { ...LISTS }, { preferences: { place: 'none' }, tasks: RECORDS });
    this.replies['tasks/list'] = ({ cursor }) => {
      const nextCursor = String(Number(cursor ?? 1) + 1);
      return { result: { tasks: [], nextCursor, ...(cursor === undefined ? first : {}) } };
    };
  }
}
const first = (members: object = {}): object => ({ tasks: [A, B, STRANGE, C], ...members });
const answered = (body: object) => [{ jsonrpc: '2.0', id: 'request-1', ...body }];
const UNBOUNDED = {
  code: 'unbounded-list',
  message: 'The list is too long to be read at once. Only the tasks on its first pages are listed.',
};
const LEVEL_HIGH = { level: 'high' };
const about = (own: object, meta: object = {}) => ({
  _meta: { ...meta, [EXTENSION_ID]: { ...own, warnings: [UNBOUNDED] } },
});

describe('a list of tasks that is too long to be read at once', () => {
  it('has the tasks on its first pages', async () => {
    const own = new LongList(advisory, first({ note: 1 }));
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(
      answered({ result: { tasks: [A, B, C], note: 1, ...about({}) } }),
    );
    expect(own.received('tasks/list')).toHaveLength(MAX_PAGES);
    expect(own.reports).toEqual([
      { method: 'tasks/list', era: 'legacy', concerns: {}, shown: 3, total: 3, warnings: [UNBOUNDED] },
    ]);
  });

  it('is described as other lists are', async () => {
    const own = new LongList(advisory, first({ _meta: { of: 'the server' } }));
    const described = about({ concerns: LEVEL_HIGH, shown: 2, total: 3 }, { of: 'the server' });
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(
      answered({ result: { tasks: [A, C], ...described } }),
    );
  });

  it("is filtered by the client's own filter", async () => {
    const own = new LongList(advisory, first());
    const [message] = await own.ask('tasks/list', { status: ['failed'] }, ALICE);
    expect(read(message, 'result', 'tasks')).toEqual([C]);
  });

  it('has only members that the protocol has, under enforce', async () => {
    const own = new LongList(enforced, first({ note: 1, ttlMs: 5 }));
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(
      answered({ result: { tasks: [A, B, C], ttlMs: 5, ...about({}) } }),
    );
  });

  it('must not be kept by a client of 2026-07-28', async () => {
    const own = new LongList(advisory, { tasks: 'none', ttlMs: 5 });
    expect(await own.ask('tasks/list', { _meta: MODERN }, ALICE)).toEqual(
      answered({
        result: { resultType: 'complete', tasks: [], ttlMs: 0, cacheScope: 'private', ...about({}) },
      }),
    );
  });

  it('is not read for a client that cancelled', async () => {
    const own = new LongList(advisory, first());
    const reply = own.replies['tasks/list'];
    delete own.replies['tasks/list'];
    await own.ask('tasks/list', {}, ALICE);
    own.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'request-1' } });
    if (reply !== undefined) own.replies['tasks/list'] = reply;
    const id = read(own.toServer[0], 'id');
    void own.server({ jsonrpc: '2.0', id, result: { tasks: [A], nextCursor: '2' } });
    await own.ask('ping');
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
