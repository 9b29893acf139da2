import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import type { Sender } from '../../../src/core/gate/request/configure.js';
import { canHide, configure } from '../../../src/core/gate/request/configure.js';
import type { TaskRecords } from '../../../src/core/gate/tasks/task-records.js';
import * as visible from '../../../src/core/gate/tasks/visible-tasks.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import { gathered } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';
import { type GivenOptions, HIGH, LISTS, levels, recordsOf, TaskGate, turn, verified } from './task-gate.js';

const shownTools = gathered(visible.shownTools);
const visibleTasks = gathered(visible.visibleTasks);

const advisory = levels();
const shadow = levels('{ enforcement: shadow }');
const enforced = levels('{ enforcement: enforce }');
const caller = { issuer: 'issuer', subject: 'sub alice' };

interface Given extends GivenOptions {
  readonly policy?: Policy;
  readonly replies?: TaskGate['replies'];
  readonly params?: object;
  readonly sender?: Partial<Sender>;
}

/** A list request of Alice, over HTTP. By default she does not see `secret`. */
function request(given: Given = {}): { exchange: Exchange; own: TaskGate } {
  const { policy = advisory, replies = LISTS, params = HIGH, sender = verified('alice'), ...options } = given;
  const own = new TaskGate(policy, replies, { preferences: { place: 'none' }, tasks: RECORDS, ...options });
  const exchange = own.exchange('tasks/list', params, sender);
  const kept = { session: { state: 'live', record: {} }, principal: undefined } as const;
  exchange.configured(configure(exchange, kept, { meta: true }), []);
  return { exchange, own };
}

const made = (taskId: string, tool: string, by: object = caller) =>
  [taskId, { tool, owner: ownerOf(by, taskId) }] as const;
const RECORDS = recordsOf(
  Object.fromEntries([
    made('w', 'work'),
    made('s', 'secret'),
    made('s2', 'secret'),
    made('o', 'open'),
    made('g', 'gone'),
    made('bob', 'work', { issuer: 'issuer', subject: 'sub bob' }),
    made('bearer', 'work', {}),
  ]),
);
const tasksOf = (...ids: readonly unknown[]) => ids.map((taskId) => ({ taskId, status: 'working' }));
const ALL = tasksOf('w', 's', 'o', 'bob', 'bearer', 'unknown', 's2');

describe('the tasks of a caller', () => {
  it('are those of tools that are shown', async () => {
    expect(await visibleTasks(request().exchange, ALL)).toEqual({
      visible: tasksOf('w', 'o'),
      total: 4,
      hidden: { concerns: { level: 2 } },
    });
  });

  it.each<[string, Given]>([
    ['under shadow', { policy: shadow }],
    ['of a client that said nothing', { params: {} }],
  ])('are all shown %s', async (_what, given) => {
    const { exchange, own } = request(given);
    const visible = tasksOf('w', 's', 'o', 's2');
    expect(await visibleTasks(exchange, ALL)).toEqual({ visible, total: 4, hidden: {} });
    expect(own.toServer).toEqual([]);
  });

  it('are not asked for if there are none', async () => {
    const { exchange, own } = request({ policy: enforced });
    expect(await visibleTasks(exchange, [])).toEqual({ visible: [], total: 0, hidden: {} });
    expect(own.toServer).toEqual([]);
  });

  it('have an id that is a text', async () => {
    const tasks = [...tasksOf(1, ['w'], undefined, null, 'w'), null, 'w'];
    const connection = { preferences: { place: 'connection', record: {} }, sender: {} } as const;
    for (const given of [{}, connection]) {
      expect((await visibleTasks(request(given).exchange, tasks)).visible).toEqual(tasksOf('w'));
    }
  });

  it('are decided by the policy alone if the server does not list their tools any more', async () => {
    const { exchange } = request({ replies: { ...LISTS, 'tools/list': { result: { tools: [] } } } });
    expect(await visibleTasks(exchange, tasksOf('w', 's', 'g'))).toEqual({
      visible: tasksOf('w', 'g'),
      total: 3,
      hidden: { concerns: { level: 1 } },
    });
  });

  it('have no hidden names under enforce', async () => {
    const { exchange } = request({ policy: enforced });
    const [work, ...others] = tasksOf('w', 's');
    const tasks = [{ ...work, statusMessage: 'for secret' }, ...others];
    expect(await visibleTasks(exchange, tasks)).toEqual({
      visible: [{ ...work, statusMessage: 'for [hidden]' }],
      total: 2,
      hidden: { concerns: { level: 1 } },
    });
  });

  it('are read from a store in groups, and keep their order', async () => {
    const waiting: (() => void)[] = [];
    const get: TaskRecords['get'] = (taskId) =>
      new Promise((resolve) => waiting.push(() => resolve({ tool: 'work', owner: ownerOf(caller, taskId) })));
    const { exchange } = request({ tasks: { get, set: () => undefined }, params: {} });
    const tasks = tasksOf(...Array.from({ length: 33 }, (_, index) => `task-${index}`));
    const found = visibleTasks(exchange, tasks);
    const groups: number[] = [];
    for (await turn(); waiting.length > 0; await turn()) {
      groups.push(waiting.length);
      for (const answer of waiting.splice(0).reverse()) answer();
    }
    expect(groups).toEqual([16, 16, 1]);
    expect((await found).visible).toEqual(tasks);
  });

  it('cannot be told if the store cannot be read', async () => {
    const tasks = { get: () => Promise.reject(new Error('no store')), set: () => undefined };
    await expect(visibleTasks(request({ tasks }).exchange, ALL)).rejects.toThrow('no store');
  });
});

describe('a connection that has one client', () => {
  const preferences = { place: 'connection', record: {} } as const;
  const ids = tasksOf('w', 's', 'bob', 'unknown');

  it('has all tasks of the server', async () => {
    expect(await visibleTasks(request({ preferences, sender: {} }).exchange, ids)).toEqual({
      visible: tasksOf('w', 'bob', 'unknown'),
      total: 4,
      hidden: { concerns: { level: 1 } },
    });
  });

  it('has no tasks of unknown tools under enforce', async () => {
    const { exchange } = request({ preferences, sender: {}, policy: enforced });
    expect(await visibleTasks(exchange, ids)).toEqual({
      visible: tasksOf('w', 'bob'),
      total: 3,
      hidden: { concerns: { level: 1 } },
    });
  });
});

describe('tools that the server cannot list', () => {
  const replies = { ...LISTS, 'tools/list': { error: { code: 7, message: 'Later' } } };

  it('make the tasks unreadable under enforce', async () => {
    const { exchange } = request({ policy: enforced, replies });
    const error = new Error('The server did not list its tools.');
    await expect((async () => visibleTasks(exchange, ALL))()).rejects.toThrow(error);
    await expect((async () => shownTools(exchange, ['work']))()).rejects.toThrow(error);
  });

  it('are decided by the policy alone if nothing is enforced', async () => {
    const { visible } = await visibleTasks(request({ replies }).exchange, ALL);
    expect(visible).toEqual(tasksOf('w', 'o'));
  });
});

const DANGERS = policyOf(`
concerns: { level: { values: [low, high] } }
rules: [{ id: dangers, hide: [tools], when: { "===": [{ var: primitive.annotations.destructiveHint }, true] } }]
`);
/** More pages than a list may have to be kept. Only the list tells that one of its tools is dangerous. */
const LONG = 150;
const LONG_LIST: TaskGate['replies'] = {
  'tools/list': ({ cursor = '0' }) => {
    const page = Number(cursor);
    const tool =
      page === 120 ? { name: 'wipe', annotations: { destructiveHint: true } } : { name: `tool-${page}` };
    return { result: { tools: [tool], ...(page < LONG ? { nextCursor: String(page + 1) } : {}) } };
  },
};

describe('the tools that create tasks', () => {
  it.each<[string, Given, readonly string[], readonly string[]]>([
    ['if they are shown', {}, ['work', 'secret', 'open', 'gone'], ['work', 'open', 'gone']],
    ['if there are none', {}, [], []],
    ['to those who said nothing', { params: {} }, ['work', 'secret'], ['work', 'secret']],
  ])('are shown %s', async (_what, given, tools, shown) => {
    expect(await shownTools(request(given).exchange, tools)).toEqual(shown);
  });

  it('are found in a very long list, each by its name', async () => {
    const { exchange, own } = request({ policy: DANGERS, replies: LONG_LIST, params: {} });
    const tools = ['tool-3', 'wipe', 'wipe', 'gone'];
    expect(await shownTools(exchange, tools)).toEqual(['tool-3', 'gone']);
    expect(own.received('tools/list').length).toBeGreaterThan(LONG);
  });
});

describe('a task of a tool', () => {
  it('is hidden by what a very long list says about the tool', async () => {
    const tasks = recordsOf(Object.fromEntries([made('t', 'tool-3'), made('x', 'wipe')]));
    const { exchange } = request({ policy: DANGERS, replies: LONG_LIST, params: {}, tasks });
    expect(await visibleTasks(exchange, tasksOf('t', 'x'))).toEqual({
      visible: tasksOf('t'),
      total: 2,
      hidden: { rules: { dangers: 1 } },
    });
  });
});

describe('tasks of the caller', () => {
  it.each<[string, Given, boolean]>([
    ['can be hidden by what the client said', {}, true],
    ['can be hidden under enforce', { policy: enforced }, true],
    ['cannot be hidden without it', { params: {} }, false],
    ['cannot be hidden under shadow', { policy: shadow }, false],
  ])('%s', (_what, given, expected) => {
    expect(canHide(request(given).exchange.configuration)).toBe(expected);
  });
});
