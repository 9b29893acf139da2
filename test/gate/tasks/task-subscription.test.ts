import { describe, expect, it } from 'vitest';
import type { ConnectionOptions } from '../../../src/gate/edge/connection.js';
import { judge } from '../../../src/gate/edge/gather.js';
import { createMemoryStore } from '../../../src/session/memory.js';
import type { TaskLister } from '../../../src/wire/task-lister.js';
import { levels, MODERN, TaskGate } from './task-gate.js';

const enforced = levels('{ enforcement: enforce }');
const LISTER: TaskLister = { tools: ['work'], list: async () => ({ ok: true, tasks: [] }) };
const NOT_FOUND = { code: -32601, message: 'Method not found' };

const gate = (options: Partial<ConnectionOptions> = {}) =>
  new TaskGate(enforced, {}, { lister: LISTER, ...options });
const params = (notifications: unknown, _meta: object = MODERN) => ({ notifications, _meta });
const ALL = {
  taskIds: ['one'],
  toolsListChanged: true,
  promptsListChanged: true,
  resourceSubscriptions: ['r://a/secret'],
};

describe('a subscription to tasks under enforce', () => {
  it('reaches the server with nothing but the tasks', async () => {
    const own = gate();
    await own.ask('subscriptions/listen', { ...params(ALL), other: 1 });
    expect(own.received('subscriptions/listen')).toEqual([{ ...params({ taskIds: ['one'] }), other: 1 }]);
    expect(own.toClient).toEqual([]);
    expect(own.reports).toEqual([{ method: 'subscriptions/listen', era: 'modern' }]);
  });

  it('does so also if a store must be read for the caller', async () => {
    const store = createMemoryStore();
    const own = gate({ preferences: { place: 'none' }, principal: { place: 'store', store, id: 'p' } });
    await own.ask('subscriptions/listen', params(ALL));
    expect(own.received('subscriptions/listen')).toEqual([params({ taskIds: ['one'] })]);
  });

  it.each<[string, Partial<ConnectionOptions>, object]>([
    ['of a server that does not know the owners of tasks', { lister: undefined }, params(ALL)],
    ['of an earlier protocol version', {}, params(ALL, {})],
    ['to something else', {}, params({ toolsListChanged: true })],
    ['to nothing', {}, params(undefined)],
  ])('is refused %s', async (_what, options, given) => {
    const own = gate(options);
    const answers = await own.ask('subscriptions/listen', given);
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 'request-1', error: NOT_FOUND }]);
    expect(own.toServer).toEqual([]);
  });
});

it('a subscription reaches the server as it is, if nothing is enforced', () => {
  const own = new TaskGate(levels(), {}, { lister: LISTER });
  judge(own.exchange('subscriptions/listen', params(ALL)));
  expect(own.received('subscriptions/listen')).toEqual([params(ALL)]);
  expect(own.reports).toEqual([{ method: 'subscriptions/listen', era: 'modern' }]);
});
