import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { sealCursor } from '../../../src/core/gate/lists/cursor.js';
import { CURSOR_MESSAGES } from '../../../src/core/gate/request/messages.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import {
  type GivenOptions,
  HIGH,
  LISTS,
  levels,
  MODERN,
  type Reply,
  recordsOf,
  TaskGate,
  verified,
} from './task-gate.js';

const advisory = levels();
const shadow = levels('{ enforcement: shadow }');
const enforced = levels('{ enforcement: enforce }');
const ALICE = verified('alice');
const caller = { issuer: 'issuer', subject: 'sub alice' };

const made = (taskId: string, tool: string) => [taskId, { tool, owner: ownerOf(caller, taskId) }] as const;
const RECORDS = recordsOf(
  Object.fromEntries([made('a', 'work'), made('b', 'secret'), made('c', 'open'), made('d', 'work')]),
);
const task = (taskId: string, status: string, minute: number) => ({
  taskId,
  status,
  lastUpdatedAt: `2026-01-01T10:0${minute}:00Z`,
});
const A = task('a', 'working', 1);
const B = task('b', 'working', 2);
const C = task('c', 'failed', 3);
const D = task('d', 'failed', 4);
const STRANGE = task('strange', 'working', 5);
const TASKS = [A, B, C, STRANGE, D];

type Listed = Reply | ((params: Record<string, unknown>) => Reply);

/** A server over HTTP whose tasks are Alice's, but for one. */
function gate(
  policy: Policy = advisory,
  reply: Listed = { result: { tasks: TASKS } },
  options: GivenOptions = {},
): TaskGate {
  const replies = { ...LISTS, 'tasks/list': reply };
  return new TaskGate(policy, replies, { preferences: { place: 'none' }, tasks: RECORDS, ...options });
}
/** A connection with one client, whose list needs no change. */
const PRIVATE: GivenOptions = { preferences: { place: 'connection', record: {} } };

const answered = (body: object) => [{ jsonrpc: '2.0', id: 'request-1', ...body }];
const about = (own: object, meta: object = {}) => ({ _meta: { ...meta, [EXTENSION_ID]: own } });
const LEVEL_HIGH = { level: 'high' };
const UNHEARD = { _meta: { [EXTENSION_ID]: { concerns: { unheard: 'of' } } } };
const UNHEARD_WARNING = expect.objectContaining({ message: expect.stringContaining('unheard') });
/** Members of a result besides the list: some that the protocol has, and one that it does not have. */
const OTHERS = { _meta: { of: 'the server' }, resultType: 'complete', ttlMs: 5, cacheScope: 'public' };

describe('the list of tasks', () => {
  it('omits those of others', async () => {
    const own = gate();
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ result: { tasks: [A, B, C, D] } }));
    expect(own.reports).toEqual([
      { method: 'tasks/list', era: 'legacy', concerns: {}, shown: 4, total: 4, warnings: [] },
    ]);
  });

  it('omits those of hidden tools, and is described', async () => {
    const own = gate();
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(
      answered({ result: { tasks: [A, C, D], ...about({ concerns: LEVEL_HIGH, shown: 3, total: 4 }) } }),
    );
    expect(own.reports).toEqual([
      expect.objectContaining({ shown: 3, total: 4, hidden: { concerns: { level: 1 } }, warnings: [] }),
    ]);
  });

  it('does not say under enforce how many are hidden', async () => {
    expect(await gate(enforced).ask('tasks/list', HIGH, ALICE)).toEqual(
      answered({ result: { tasks: [A, C, D], ...about({ concerns: LEVEL_HIGH, shown: 3 }) } }),
    );
  });

  it('hides nothing under shadow, and says nothing of it', async () => {
    expect(await gate(shadow).ask('tasks/list', HIGH, ALICE)).toEqual(
      answered({ result: { tasks: [A, B, C, D] } }),
    );
  });

  it("is filtered and ordered by the client's own filter", async () => {
    const own = gate();
    const filter = { status: ['failed'], methods: ['tools/call'], order: 'desc' };
    expect(await own.ask('tasks/list', { ...filter, ...HIGH }, ALICE)).toEqual(
      answered({ result: { tasks: [D, C], ...about({ concerns: LEVEL_HIGH, shown: 2, total: 4 }) } }),
    );
    expect(own.reports).toEqual([
      expect.objectContaining({ shown: 2, total: 4, hidden: { concerns: { level: 1 }, filter: 1 } }),
    ]);
    expect(own.received('tasks/list')).toEqual([{}]);
  });

  it('has no tasks of a method that creates none on a server', async () => {
    const params = { methods: ['sampling/createMessage'] };
    expect(await gate().ask('tasks/list', params, ALICE)).toEqual(answered({ result: { tasks: [] } }));
  });

  it('has a filter that must be valid', async () => {
    const own = gate();
    const error = { code: -32602, message: 'params.order must be "asc" or "desc".' };
    expect(await own.ask('tasks/list', { order: 'up' }, ALICE)).toEqual(answered({ error }));
    expect(own.toServer).toEqual([]);
    expect(own.reports).toEqual([{ method: 'tasks/list', era: 'legacy', error: -32602 }]);
  });

  it('needs no params', async () => {
    expect(await gate().ask('tasks/list', undefined, ALICE)).toEqual(
      answered({ result: { tasks: [A, B, C, D] } }),
    );
  });

  it("has the client's own order also where nothing else changes the list", async () => {
    const own = gate(advisory, { result: { tasks: TASKS } }, PRIVATE);
    expect(await own.ask('tasks/list', { order: 'desc' })).toEqual(
      answered({ result: { tasks: [STRANGE, D, C, B, A] } }),
    );
  });

  it('has the warnings of the configuration', async () => {
    const own = gate();
    expect(await own.ask('tasks/list', UNHEARD, ALICE)).toEqual(
      answered({ result: { tasks: [A, B, C, D], ...about({ warnings: [UNHEARD_WARNING] }) } }),
    );
    expect(own.reports).toMatchObject([{ warnings: [UNHEARD_WARNING] }]);
  });

  it('has the warnings of the operator in the log only', async () => {
    const own = gate(advisory, { result: { tasks: TASKS } }, { principal: { place: 'none' } });
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ result: { tasks: [A, B, C, D] } }));
    expect(own.reports).toMatchObject([{ warnings: [{ code: 'no-principal' }] }]);
  });

  it('keeps the other members of the result, of its first page', async () => {
    const pages = ({ cursor }: Record<string, unknown>): Reply =>
      cursor === undefined
        ? { result: { ...OTHERS, note: 1, tasks: [A], nextCursor: 'two' } }
        : { result: { note: 2, tasks: [B] } };
    expect(await gate(advisory, pages).ask('tasks/list', {}, ALICE)).toEqual(
      answered({ result: { ...OTHERS, note: 1, tasks: [A, B] } }),
    );
    expect(await gate(advisory, pages).ask('tasks/list', HIGH, ALICE)).toEqual(
      answered({
        result: {
          ...OTHERS,
          note: 1,
          tasks: [A],
          ...about({ concerns: LEVEL_HIGH, shown: 1, total: 2 }, OTHERS._meta),
        },
      }),
    );
  });

  it('keeps only members that the protocol has, under enforce', async () => {
    const own = gate(enforced, { result: { ...OTHERS, note: 1, tasks: [A] } });
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ result: { ...OTHERS, tasks: [A] } }));
  });

  it('must not be kept by a client of 2026-07-28', async () => {
    const own = gate(advisory, { result: { ...OTHERS, tasks: [A] } });
    expect(await own.ask('tasks/list', { _meta: MODERN }, ALICE)).toEqual(
      answered({ result: { ...OTHERS, tasks: [A], ttlMs: 0, cacheScope: 'private' } }),
    );
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['of another type', { 0: A, length: 1 }],
    ['empty', []],
  ])('is empty if the list of the server is %s', async (_what, tasks) => {
    const own = gate(advisory, { result: { tasks } });
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ result: { tasks: [] } }));
  });

  it.each([null, undefined, 7, 'none'])(
    'is empty if the result of the server is none: %j',
    async (result) => {
      for (const policy of [advisory, enforced]) {
        const own = gate(policy, { result } as unknown as Reply);
        expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ result: { tasks: [] } }));
      }
    },
  );

  it('ends where the server begins again', async () => {
    const own = gate(advisory, { result: { tasks: [A], nextCursor: 'again' } });
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ result: { tasks: [A] } }));
  });

  it('is not sent if the owners cannot be read', async () => {
    const tasks = { get: () => Promise.reject(new TypeError('secret host')), set: () => undefined };
    const own = gate(advisory, { result: { tasks: TASKS } }, { tasks });
    const error = { code: -32603, message: 'The owners of tasks could not be read. Try again.' };
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ error }));
  });
});

describe('the pages of the list', () => {
  const policy = levels('{ page-size: 2 }');

  it('are as long as the policy says, and follow each other', async () => {
    const own = gate(policy);
    const [first] = await own.ask('tasks/list', {}, ALICE);
    const nextCursor = read(first, 'result', 'nextCursor');
    expect(read(first, 'result')).toEqual({ tasks: [A, B], nextCursor: expect.any(String) });
    const [second] = await own.ask('tasks/list', { cursor: nextCursor }, ALICE);
    expect(read(second, 'result')).toEqual({ tasks: [C, D] });
  });

  it('can be had from every process', async () => {
    const own = gate(policy);
    const configuration = own.exchange('tasks/list').configuration.key;
    const target = { catalog: 'tasks', policy: policy.digest, configuration, filter: '' };
    const cursor = sealCursor(target, JSON.stringify(['b', null]));
    expect(await own.ask('tasks/list', { cursor }, ALICE)).toEqual(answered({ result: { tasks: [C, D] } }));
  });

  it.each<[string, unknown, object, string]>([
    ['the cursor is none', 7, {}, CURSOR_MESSAGES.malformed],
    ['the filter is another', undefined, { order: 'asc' }, CURSOR_MESSAGES['filter-changed']],
    ['the configuration is another', undefined, HIGH, CURSOR_MESSAGES.changed],
  ])('cannot be had if %s', async (_what, cursor, params, message) => {
    const own = gate(policy);
    const [first] = await own.ask('tasks/list', {}, ALICE);
    const given = { cursor: cursor ?? read(first, 'result', 'nextCursor'), ...params };
    own.reports.length = 0;
    expect(await own.ask('tasks/list', given, ALICE)).toEqual([
      { jsonrpc: '2.0', id: 'request-2', error: { code: -32602, message } },
    ]);
    // The list was not sent, so nothing is reported as shown.
    expect(own.reports).toEqual([{ method: 'tasks/list', era: 'legacy', error: -32602 }]);
  });
});

describe('a server that does not list its tasks', () => {
  const error = { code: 7, message: 'not while secret runs', data: { of: 'secret' } };

  it.each<[string, Policy, object]>([
    ['as it is', advisory, error],
    [
      'without hidden names under enforce',
      enforced,
      { code: 7, message: 'not while [hidden] runs', data: { of: '[hidden]' } },
    ],
  ])('is quoted %s', async (_how, policy, expected) => {
    const own = gate(policy, { error });
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(answered({ error: expected }));
  });

  it('is quoted without hidden names under enforce if the lists are known', async () => {
    const own = gate(enforced, { error });
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      await own.ask(method, HIGH, ALICE);
    }
    const redacted = { code: 7, message: 'not while [hidden] runs', data: { of: '[hidden]' } };
    const [message] = await own.ask('tasks/list', HIGH, ALICE);
    expect(read(message, 'error')).toEqual(redacted);
  });

  it('is quoted as it is under enforce if nothing is hidden', async () => {
    const own = gate(enforced, { error });
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ error }));
  });
});

describe('a client that cancels', () => {
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'request-1' } };

  it.each<[string, object]>([
    ['is complete', { result: { tasks: TASKS } }],
    ['fails', { error: { code: 7, message: 'Later' } }],
  ])('gets no answer when the list %s', async (_how, reply) => {
    const own = gate();
    delete own.replies['tasks/list'];
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual([]);
    own.client(cancelled);
    const [asked] = own.toServer;
    void own.server({ jsonrpc: '2.0', id: read(asked, 'id'), ...reply });
    await own.ask('ping');
    expect(own.answersTo('request-1')).toEqual([]);
  });

  it.each(['are read', 'cannot be read'])('gets no answer when the owners %s', async (how) => {
    let finish = () => {};
    const get = () =>
      new Promise<undefined>((resolve, reject) => {
        finish = () => (how === 'are read' ? resolve(undefined) : reject(new Error()));
      });
    const tasks = { get, set: () => undefined };
    const own = gate(advisory, { result: { tasks: [A] } }, { tasks });
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual([]);
    own.client(cancelled);
    finish();
    await own.ask('ping');
    expect(own.answersTo('request-1')).toEqual([]);
  });
});

describe('a list that needs no change', () => {
  it.each<[string, object]>([
    ['as it is', { tasks: TASKS, nextCursor: 'two', note: 1 }],
    ['also if it is none', { note: 1 }],
  ])("is the server's %s", async (_how, result) => {
    const own = gate(advisory, { result }, PRIVATE);
    expect(await own.ask('tasks/list', { cursor: 'one', more: 1 })).toEqual(answered({ result }));
    expect(own.received('tasks/list')).toEqual([{ cursor: 'one', more: 1 }]);
    expect(own.reports).toEqual([{ method: 'tasks/list', era: 'legacy', concerns: {}, warnings: [] }]);
  });

  it('has warnings, in the log those of the operator too', async () => {
    const own = gate(advisory, { result: { tasks: [A] } }, { ...PRIVATE, principal: { place: 'none' } });
    expect(await own.ask('tasks/list', UNHEARD)).toEqual(
      answered({ result: { tasks: [A], ...about({ warnings: [UNHEARD_WARNING] }) } }),
    );
    expect(own.reports).toMatchObject([{ warnings: [{ code: 'no-principal' }, UNHEARD_WARNING] }]);
  });

  it('must not be kept by a client of 2026-07-28', async () => {
    const own = gate(advisory, { result: { tasks: [A] } }, PRIVATE);
    expect(await own.ask('tasks/list', { _meta: MODERN })).toEqual(
      answered({ result: { tasks: [A], ttlMs: 0, cacheScope: 'private' } }),
    );
  });

  it.each([
    ['advisory', advisory],
    ['enforce', enforced],
  ])('can be an error: %s', async (_mode, policy) => {
    const error = { code: 7, message: 'not while secret runs' };
    expect(await gate(policy, { error }, PRIVATE).ask('tasks/list')).toEqual(answered({ error }));
  });
});
