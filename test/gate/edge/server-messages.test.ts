import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { acceptsNotification } from '../../../src/core/gate/edge/server-messages.js';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { type Message, read } from '../../../src/core/wire/messages.js';
import type { TaskLister } from '../../../src/core/wire/task-lister.js';
import { type GivenOptions, HIGH, LISTS, levels, type Reply, TaskGate, turn } from '../tasks/task-gate.js';

const advisory = levels();
const shadow = levels('{ enforcement: shadow }');
const enforced = levels('{ enforcement: enforce }');
const LISTER: TaskLister = { tools: [], list: async () => ({ ok: true, tasks: [] }) };
const UNKNOWN = 'notifications/vendor';
const note = (method: string, params?: object) => ({ jsonrpc: '2.0', method, ...(params && { params }) });

/** A connection whose client wants a high level, in its session. */
async function high(policy: Policy, replies: TaskGate['replies'] = LISTS): Promise<TaskGate> {
  const store = createMemoryStore();
  await store.update('s', { listChanged: ['tools'], concerns: { level: 'high' } });
  return new TaskGate(policy, { ...replies }, { preferences: { place: 'store', store, id: 's' } });
}
const TOOLS = (...names: string[]): Reply => ({ result: { tools: names.map((name) => ({ name })) } });

describe('a notification', () => {
  const refused = (method: string, logged = method) => [{ method, era: 'legacy', refused: logged }];

  it.each<[string, Policy, GivenOptions, 'client' | 'server', string, boolean, object[]]>([
    ['known', enforced, {}, 'server', 'notifications/message', true, []],
    ['known of the client', enforced, {}, 'client', 'notifications/roots/list_changed', true, []],
    [
      'of the other side',
      enforced,
      {},
      'client',
      'notifications/message',
      false,
      refused('notifications/message'),
    ],
    ['unknown', enforced, {}, 'server', UNKNOWN, false, refused(UNKNOWN)],
    ['unknown under shadow', shadow, {}, 'server', UNKNOWN, true, refused(UNKNOWN)],
    ['known under shadow', shadow, {}, 'server', 'notifications/message', true, []],
    ['unknown if nothing is enforced', advisory, {}, 'server', UNKNOWN, true, []],
    ['of any text', enforced, {}, 'client', 'my password', false, refused('other')],
    ['about tasks', enforced, {}, 'server', 'notifications/tasks', false, refused('notifications/tasks')],
    ['about owned tasks', enforced, { lister: LISTER }, 'server', 'notifications/tasks', true, []],
    [
      'about owned tasks of the client',
      enforced,
      { lister: LISTER },
      'client',
      'notifications/tasks',
      false,
      refused('notifications/tasks'),
    ],
    ['unknown besides owned tasks', enforced, { lister: LISTER }, 'server', UNKNOWN, false, refused(UNKNOWN)],
  ])('%s passes, or not', (_what, policy, options, sender, method, passes, reports) => {
    const own = new TaskGate(policy, {}, options);
    expect(acceptsNotification(own.gate.state, sender, method)).toBe(passes);
    expect(own.reports).toEqual(reports);
  });

  it.each<[string, Policy, boolean]>([
    ['does not reach the client under enforce', enforced, false],
    ['reaches the client if nothing is enforced', advisory, true],
  ])('of the server that is unknown %s', async (_what, policy, passes) => {
    const own = new TaskGate(policy);
    await own.server(note(UNKNOWN));
    expect(own.toClient).toEqual(passes ? [note(UNKNOWN)] : []);
  });
});

describe('a request of the server', () => {
  const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 5, method, params });

  it.each<[string, Policy, string]>([
    ['known', enforced, 'roots/list'],
    ['unknown if nothing is enforced', advisory, 'vendor/secret'],
    ['unknown under shadow', shadow, 'vendor/secret'],
  ])('%s passes', async (_what, policy, method) => {
    const own = new TaskGate(policy);
    await own.ask('ping');
    own.reports.length = 0;
    await own.server(request(method));
    expect(own.toClient).toEqual([request(method)]);
    expect(own.reports).toEqual([]);
  });

  it('other than sampling stays, whatever its params are called', async () => {
    const own = await high(enforced);
    await own.ask('ping');
    const elicitation = request('elicitation/create', { message: 'Which?', tools: [{ name: 'secret' }] });
    await own.server(elicitation);
    expect(own.toClient).toEqual([elicitation]);
  });

  it('unknown is refused under enforce, and the server gets the answer', async () => {
    const own = new TaskGate(enforced);
    await own.ask('ping', {}, { extra: 'of the request' });
    own.reports.length = 0;
    await own.server(request('vendor/secret thing'));
    expect(own.toClient).toEqual([]);
    const error = { code: -32601, message: 'Method not found' };
    expect(own.toServer.slice(1)).toEqual([{ jsonrpc: '2.0', id: 5, error }]);
    expect(own.reports).toEqual([{ method: 'other', era: 'legacy', error: -32601, refused: 'other' }]);
  });

  it('unknown has no answer before the client has sent anything', async () => {
    const own = new TaskGate(enforced);
    await own.server(request('vendor/secret'));
    expect([...own.toClient, ...own.toServer]).toEqual([]);
    expect(own.reports).toHaveLength(1);
  });

  it.each<[string, Policy, string[]]>([
    ['does not offer hidden tools under enforce', enforced, ['work']],
    ['offers all tools if nothing is enforced', advisory, ['work', 'secret']],
  ])('for sampling %s', async (_what, policy, names) => {
    const own = await high(policy);
    await own.ask('ping');
    const tools = [{ name: 'work' }, { name: 'secret' }];
    await own.server(request('sampling/createMessage', { messages: [], tools }));
    expect(own.toClient).toEqual([
      request('sampling/createMessage', { messages: [], tools: names.map((name) => ({ name })) }),
    ]);
  });

  it('for sampling that belongs to a request is seen as by that request', async () => {
    const own = new TaskGate(enforced, { 'tools/list': TOOLS('work', 'secret') });
    await own.ask('tools/call', { name: 'work', ...HIGH });
    await own.ask('tools/call', { name: 'work' });
    const calls = own.toServer.filter((message) => read(message, 'method') === 'tools/call');
    const tools = [{ name: 'secret' }];
    for (const call of calls) {
      await own.server(request('sampling/createMessage', { tools }), String(read(call, 'id')));
    }
    expect(own.toClient.map((message) => read(message, 'params'))).toEqual([{ tools: [] }, { tools }]);
  });
});

describe('a text in a notification of the server', () => {
  const log = (data: string) => note('notifications/message', { level: 'info', data });

  it.each<[string, Policy, string]>([
    ['has no hidden names under enforce', enforced, 'ask [hidden]'],
    ['stays if nothing is enforced', advisory, 'ask secret'],
  ])('%s', async (_what, policy, text) => {
    const own = await high(policy);
    await own.ask('ping');
    await own.server(log('ask secret'));
    expect(own.toClient).toEqual([log(text)]);
  });

  it('is seen as by the request that it belongs to', async () => {
    const own = new TaskGate(enforced, { 'tools/list': TOOLS('work', 'secret') });
    await own.ask('tools/call', { name: 'work', ...HIGH });
    await own.ask('tools/call', { name: 'work' });
    const calls = own.toServer.filter((message) => read(message, 'method') === 'tools/call');
    for (const call of calls) await own.server(log('ask secret'), String(read(call, 'id')));
    await own.server(log('ask secret'));
    expect(own.toClient).toEqual([log('ask [hidden]'), log('ask secret'), log('ask [hidden]')]);
  });

  it('in another notification stays', async () => {
    const own = await high(enforced);
    await own.ask('ping');
    const message = note('notifications/elicitation/complete', { elicitationId: 'secret' });
    await own.server(message);
    expect(own.toClient).toEqual([message]);
  });
});

describe('an updated resource', () => {
  const hides = levels('{ enforcement: enforce, unmapped: hide }');
  const updated = (uri: unknown) => note('notifications/resources/updated', { uri });
  const replies = { ...LISTS, 'resources/list': { result: { resources: [{ uri: 'r://a', name: 'a' }] } } };

  it.each<[string, Policy, unknown, boolean]>([
    ['that is shown', enforced, 'r://a', true],
    ['that is hidden', hides, 'r://a', false],
    ['without a URI', enforced, undefined, false],
    ['that is hidden, if nothing is enforced', levels('{ unmapped: hide }'), 'r://a', true],
  ])('%s is announced, or not', async (_what, policy, uri, passes) => {
    const own = new TaskGate(policy, replies);
    await own.ask('ping');
    await own.server(updated(uri));
    await turn();
    expect(own.toClient).toEqual(passes ? [updated(uri)] : []);
  });

  it('names nothing hidden in what is told besides', async () => {
    const own = await high(enforced, replies);
    await own.ask('ping');
    await own.server(note('notifications/resources/updated', { uri: 'r://a', note: 'by secret' }));
    await turn();
    expect(own.toClient).toEqual([
      note('notifications/resources/updated', { uri: 'r://a', note: 'by [hidden]' }),
    ]);
  });

  it('is not announced before the client has sent anything', async () => {
    const own = new TaskGate(enforced, replies);
    await own.server(updated('r://a'));
    expect(own.toClient).toEqual([]);
  });
});

describe('a changed list', () => {
  const changed = note('notifications/tools/list_changed');
  const announced = ({ toClient }: TaskGate): readonly Message[] =>
    toClient.filter((message) => read(message, 'method') === changed.method);

  it('is announced before the client has sent anything', async () => {
    for (const policy of [enforced, levels('{ enforcement: enforce, unmapped: hide }')]) {
      const own = new TaskGate(policy, LISTS);
      await own.server(changed);
      expect(own.toClient).toEqual([changed]);
      expect(own.toServer).toEqual([]);
    }
  });

  it.each<[string, string[], boolean]>([
    ['by a tool that is shown', ['work', 'secret', 'new'], true],
    ['by a tool that is hidden', ['work'], false],
  ])('is announced, or not: %s', async (_what, names, passes) => {
    const own = await high(advisory, { 'tools/list': TOOLS('work', 'secret') });
    await own.ask('tools/list');
    own.replies['tools/list'] = TOOLS(...names);
    await own.server(changed);
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(announced(own)).toEqual(passes ? [changed] : []);
  });

  it('is announced at once if nothing can be hidden, and is read again later', async () => {
    const own = new TaskGate(advisory, { 'tools/list': TOOLS('work', 'secret') });
    await own.ask('tools/list', HIGH);
    await own.ask('tools/list');
    own.toServer.length = 0;
    void own.server(changed);
    expect(announced(own)).toEqual([changed]);
    expect(own.toServer).toEqual([]);
    own.replies['tools/list'] = TOOLS('new');
    const [again] = await own.ask('tools/list', HIGH);
    expect(read(again, 'result', 'tools')).toEqual([{ name: 'new' }]);
  });

  it('is compared if the client has seen it under another policy', async () => {
    const live = new LivePolicy(advisory);
    const own = new TaskGate(live, { 'tools/list': TOOLS('work', 'secret') });
    await own.ask('tools/list', HIGH);
    await own.ask('tools/list');
    live.replace(levels('{ page-size: 7 }'));
    await turn();
    await own.server(changed);
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(announced(own)).toEqual([]);
  });

  it('of prompts does not concern the tools', async () => {
    const own = await high(advisory, { 'tools/list': TOOLS('work', 'secret') });
    await own.ask('tools/list');
    own.toServer.length = 0;
    const prompts = note('notifications/prompts/list_changed');
    await own.server(prompts);
    for (let turns = 0; turns < 3; turns++) await turn();
    await own.ask('tools/list');
    expect(own.received('tools/list')).toEqual([]);
  });
});

describe('the configuration of lists that belong to no request', () => {
  it('is that of a client that says nothing, before the client has listed', () => {
    const { gate } = new TaskGate(advisory);
    expect(gate.state.listed).toMatchObject({ policy: advisory, active: false });
  });

  it('is that of the latest list', async () => {
    const own = new TaskGate(advisory, LISTS);
    await own.ask('tools/list', HIGH);
    expect(own.gate.state.listed).toMatchObject({ policy: advisory, active: true });
  });
});
