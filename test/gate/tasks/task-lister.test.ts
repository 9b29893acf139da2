import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { type CursorTarget, sealCursor } from '../../../src/core/gate/lists/cursor.js';
import { CURSOR_MESSAGES } from '../../../src/core/gate/request/messages.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import type { TaskLister, TaskListQuery } from '../../../src/core/wire/task-lister.js';
import { type GivenOptions, HIGH, LISTS, levels, MODERN, TaskGate, verified } from './task-gate.js';

const advisory = levels();
const enforced = levels('{ enforcement: enforce }');
const ALICE = { ...verified('alice'), extra: { authInfo: { clientId: 'c' } } };
type Page = Awaited<ReturnType<TaskLister['list']>>;

/** A server that lists tasks by their owner itself. */
class Listing extends TaskGate {
  readonly queries: TaskListQuery[] = [];
  readonly extras: unknown[] = [];
  page: () => Promise<Page> = async () => ({ ok: true, tasks: TASKS });

  constructor(policy: Policy = advisory, options: GivenOptions = {}) {
    const lister: TaskLister = {
      tools: ['work', 'secret'],
      list: (query, extra) => {
        this.queries.push(query);
        this.extras.push(extra);
        return this.page();
      },
    };
    super(policy, { ...LISTS }, { lister, preferences: { place: 'none' }, ...options });
  }
}

const TASKS = [{ taskId: 'a', status: 'working', statusMessage: 'for secret' }, { taskId: 'b' }];
const REDACTED = [{ taskId: 'a', status: 'working', statusMessage: 'for [hidden]' }, { taskId: 'b' }];
const FAILED = { code: -32603, message: 'The tasks could not be listed. Try again.' };
const answered = (body: object) => [{ jsonrpc: '2.0', id: 'request-1', ...body }];
const about = (own: object) => ({ _meta: { [EXTENSION_ID]: own } });
const LEVEL_HIGH = { level: 'high' };

describe('a server that lists tasks by their owner', () => {
  it('gets no tools of a client that sees all, and no filter', async () => {
    const own = new Listing();
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ result: { tasks: TASKS } }));
    expect(own.queries).toEqual([{ filter: undefined, after: undefined, pageSize: 50 }]);
    expect(own.extras).toEqual([ALICE.extra]);
    expect(own.toServer).toEqual([]);
    expect(own.reports).toEqual([
      { method: 'tasks/list', era: 'legacy', concerns: {}, shown: 2, warnings: [] },
    ]);
  });

  it('gets the tools that the client sees, and the list is described', async () => {
    const own = new Listing();
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(
      answered({ result: { tasks: TASKS, ...about({ concerns: LEVEL_HIGH, shown: 2 }) } }),
    );
    expect(own.queries).toEqual([{ filter: undefined, after: undefined, pageSize: 50, tools: ['work'] }]);
    expect(own.reports.at(-1)).toMatchObject({ concerns: LEVEL_HIGH, shown: 2 });
  });

  it('gets all tools under shadow, and the list is not described', async () => {
    const own = new Listing(levels('{ enforcement: shadow }'));
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(answered({ result: { tasks: TASKS } }));
    expect(own.queries).toEqual([{ filter: undefined, after: undefined, pageSize: 50 }]);
  });

  it('reveals no hidden names under enforce', async () => {
    const own = new Listing(enforced);
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(
      answered({ result: { tasks: REDACTED, ...about({ concerns: LEVEL_HIGH, shown: 2 }) } }),
    );
  });

  it("gets the client's own filter and the page size", async () => {
    const own = new Listing(levels('{ page-size: 7 }'));
    await own.ask('tasks/list', { order: 'asc', status: ['failed', 'completed'] }, ALICE);
    const filter = { status: ['completed', 'failed'], orderBy: 'lastUpdatedAt', order: 'asc' };
    expect(own.queries).toEqual([{ filter, after: undefined, pageSize: 7 }]);
  });

  it('is not asked on behalf of a caller that has no list of its own', async () => {
    const own = new Listing();
    expect(await own.ask('tasks/list', {}, { http: {} })).toEqual(answered({ result: { tasks: [] } }));
    expect(own.queries).toEqual([]);
    expect(own.reports.at(-1)).toMatchObject({ shown: 0 });
  });

  it('is told nothing of a request of 2026-07-28, which has another list', async () => {
    const own = new Listing();
    await own.ask('tasks/list', { _meta: MODERN }, ALICE);
    expect(own.queries).toEqual([]);
    expect(own.received('tasks/list')).toHaveLength(1);
  });

  it('needs no params of the request', async () => {
    const own = new Listing();
    expect(await own.ask('tasks/list', undefined, ALICE)).toEqual(answered({ result: { tasks: TASKS } }));
  });

  it('can refuse a page', async () => {
    const own = new Listing();
    own.page = async () => ({ ok: false, message: 'No such page.' });
    const error = { code: -32602, message: 'No such page.' };
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ error }));
    expect(own.reports).toEqual([{ method: 'tasks/list', era: 'legacy', error: -32602 }]);
  });

  it.each<[string, () => Promise<Page>]>([
    ['fail', () => Promise.reject(new Error('secret host'))],
    [
      'throw',
      () => {
        throw new Error('secret host');
      },
    ],
  ])('can %s, and the client learns nothing of the reason', async (_what, page) => {
    const own = new Listing();
    own.page = page;
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ error: FAILED }));
    expect(own.reports).toEqual([{ method: 'tasks/list', era: 'legacy', error: -32603 }]);
  });

  it('must list its tools under enforce', async () => {
    const own = new Listing(enforced);
    own.replies['tools/list'] = { error: { code: 7, message: 'Later' } };
    expect(await own.ask('tasks/list', HIGH, ALICE)).toEqual(answered({ error: FAILED }));
  });

  it.each(['after a page', 'after a failure'])('answers nobody who cancelled, %s', async (when) => {
    const own = new Listing();
    let finish = () => {};
    own.page = () =>
      new Promise((resolve, reject) => {
        finish = when === 'after a page' ? () => resolve({ ok: true, tasks: [] }) : () => reject(new Error());
      });
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual([]);
    own.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'request-1' } });
    finish();
    await own.ask('ping');
    expect(own.answersTo('request-1')).toEqual([]);
  });

  it('has the warnings of the configuration in its answer and in the log', async () => {
    const own = new Listing();
    const unheard = { _meta: { [EXTENSION_ID]: { concerns: { unheard: 'of' } } } };
    const [message] = await own.ask('tasks/list', unheard, ALICE);
    const warnings = [expect.objectContaining({ message: expect.stringContaining('unheard') })];
    expect(message).toEqual({
      jsonrpc: '2.0',
      id: 'request-1',
      result: { tasks: TASKS, ...about({ warnings }) },
    });
    expect(own.reports.at(-1)).toMatchObject({ warnings });
  });

  it('has the warnings of the operator in the log only', async () => {
    const own = new Listing(advisory, { principal: { place: 'none' } });
    expect(await own.ask('tasks/list', {}, ALICE)).toEqual(answered({ result: { tasks: TASKS } }));
    expect(own.reports.at(-1)?.warnings).toMatchObject([{ code: 'no-principal' }]);
  });
});

describe('the next page', () => {
  /** What the cursors of a client that says nothing are bound to. */
  const targetOf = (changed: Partial<CursorTarget> = {}): CursorTarget => ({
    catalog: 'tasks/lister',
    policy: advisory.digest,
    configuration: new Listing().exchange('tasks/list').configuration.key,
    filter: '',
    ...changed,
  });

  it('can be had from every process', async () => {
    const own = new Listing();
    await own.ask('tasks/list', { cursor: sealCursor(targetOf(), 'position') }, ALICE);
    expect(own.queries).toEqual([{ filter: undefined, after: 'position', pageSize: 50 }]);
  });

  it('begins at the position that the server told', async () => {
    const own = new Listing();
    own.page = async () => ({ ok: true, tasks: TASKS, next: 'position of b' });
    const [first] = await own.ask('tasks/list', {}, ALICE);
    const cursor = read(first, 'result', 'nextCursor');
    expect(first).toEqual({
      jsonrpc: '2.0',
      id: 'request-1',
      result: { tasks: TASKS, nextCursor: expect.not.stringContaining('position') },
    });
    await own.ask('tasks/list', { cursor }, ALICE);
    expect(own.queries[1]).toEqual({ filter: undefined, after: 'position of b', pageSize: 50 });
  });

  it.each<[string, (cursor: string) => object, string]>([
    ['another filter', (cursor) => ({ cursor, order: 'asc' }), CURSOR_MESSAGES['filter-changed']],
    ['another configuration', (cursor) => ({ cursor, ...HIGH }), CURSOR_MESSAGES.changed],
    ['a cursor of the server', () => ({ cursor: 'page-2' }), CURSOR_MESSAGES.malformed],
    ['a cursor of another type', () => ({ cursor: 7 }), CURSOR_MESSAGES.malformed],
    ['a cursor of null', () => ({ cursor: null }), CURSOR_MESSAGES.malformed],
    [
      'a cursor of another list',
      () => ({ cursor: sealCursor(targetOf({ catalog: 'tasks' }), 'x') }),
      CURSOR_MESSAGES.changed,
    ],
    [
      'a cursor of another policy',
      () => ({ cursor: sealCursor(targetOf({ policy: enforced.digest }), 'x') }),
      CURSOR_MESSAGES.changed,
    ],
  ])('cannot be had with %s', async (_what, paramsOf, message) => {
    const own = new Listing();
    own.page = async () => ({ ok: true, tasks: TASKS, next: 'position' });
    const [first] = await own.ask('tasks/list', {}, ALICE);
    const params = paramsOf(String(read(first, 'result', 'nextCursor')));
    expect(await own.ask('tasks/list', params, ALICE)).toEqual([
      { jsonrpc: '2.0', id: 'request-2', error: { code: -32602, message } },
    ]);
    expect(own.queries).toHaveLength(1);
    expect(own.reports.at(-1)).toEqual({ method: 'tasks/list', era: 'legacy', error: -32602 });
  });
});
