import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { Ledger } from '../../../src/core/gate/edge/ledger.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { type Message, read } from '../../../src/core/wire/messages.js';
import { HIGH, LISTS, levels, MODERN, TaskGate, turn } from '../tasks/task-gate.js';

const advisory = levels();
const shadow = levels('{ enforcement: shadow }');
const enforced = levels('{ enforcement: enforce }');
const message = (body: object) => ({ jsonrpc: '2.0', ...body });
const cancel = (requestId: unknown, more: object = {}) =>
  message({ method: 'notifications/cancelled', params: { requestId, ...more } });

/** A store whose reads wait until they are let go. */
function slowStore() {
  const memory = createMemoryStore();
  const waiting: (() => void)[] = [];
  const read: SessionStore['read'] = (id) =>
    new Promise((resolve) => waiting.push(() => resolve(memory.read(id))));
  const release = async () => {
    for (const each of waiting.splice(0)) each();
    await turn();
  };
  return { store: { ...memory, read }, release };
}

describe('a value that is no message', () => {
  const batch = [message({ id: 1, method: 'tools/list' })];

  it.each<[string, unknown]>([
    ['a batch', batch],
    ['null', null],
    ['a message without a method', { jsonrpc: '2.0', id: 1 }],
    ['a method of another type', { jsonrpc: '2.0', id: 1, method: 7 }],
  ])('is answered by the gate under enforce: %s', (_what, value) => {
    const own = new TaskGate(enforced);
    own.gate.fromClient(value as Message, { extra: undefined });
    const error = { code: -32600, message: 'Invalid Request' };
    expect(own.toClient).toEqual([{ jsonrpc: '2.0', id: null, error }]);
    expect(own.reports).toEqual([{ method: 'other', era: 'legacy', error: -32600 }]);
    expect(own.toServer).toEqual([]);
  });

  it('is for the server to refuse if nothing is enforced', () => {
    const own = new TaskGate(advisory);
    own.client(batch);
    expect(own.toServer).toEqual([batch]);
    expect([...own.toClient, ...own.reports]).toEqual([]);
  });
});

describe('a request that passes by', () => {
  const ping = (params?: object) => message({ id: 7, method: 'ping', ...(params && { params }) });

  it('keeps its id, and reaches the server with what the transport told', () => {
    const extras: unknown[] = [];
    const seen: Message[] = [];
    const toServer = (each: Message, extra: unknown) => {
      seen.push(each);
      extras.push(extra);
    };
    const own = new TaskGate(advisory, {}, {}, { toServer });
    own.client(ping({ a: 1 }), { extra: 'headers' });
    expect(seen).toEqual([ping({ a: 1 })]);
    expect(extras).toEqual(['headers']);
  });

  it('is reported with its id', () => {
    const told: unknown[] = [];
    const own = new TaskGate(shadow, {}, { report: (...each) => told.push(each) });
    own.client(ping());
    own.client(message({ id: 8, method: 'vendor/x' }));
    expect(told).toEqual([
      [{ method: 'ping', era: 'legacy' }, { id: 7 }],
      [{ method: 'vendor/x', era: 'legacy', refused: 'vendor/x' }, { id: 8 }],
    ]);
  });

  it('of 2026-07-28 stays so, unless the client has initialized the connection', () => {
    const own = new TaskGate(advisory);
    own.client(ping({ _meta: MODERN }));
    own.client(message({ id: 1, method: 'initialize', params: {} }));
    own.client(ping({ _meta: MODERN, a: 1 }));
    expect(own.received('ping')).toEqual([{ _meta: MODERN }, { _meta: {}, a: 1 }]);
  });

  it('has its marker removed on a connection of a session that exists', () => {
    const own = new TaskGate(advisory, {}, { resumed: true });
    own.client(ping({ _meta: MODERN }));
    expect(own.received('ping')).toEqual([{ _meta: {} }]);
  });
});

describe('a request that the gate handles', () => {
  it('has an id that the client cannot guess', () => {
    const own = new TaskGate(enforced);
    own.client(message({ id: 7, method: 'ping' }));
    own.client(message({ id: 7, method: 'ping' }));
    const [one, two] = own.toServer.map((each) => read(each, 'id'));
    expect([one, two]).toEqual([expect.any(String), expect.any(String)]);
    expect(one).not.toBe(two);
  });

  it('is the latest one, for messages that belong to no request', async () => {
    const own = new TaskGate(enforced, LISTS);
    await own.ask('tools/list', HIGH);
    expect(own.gate.latest?.request).toMatchObject({ method: 'tools/list', params: HIGH });
  });
});

describe('a notification of the client', () => {
  it.each<[string, Policy, boolean]>([
    ['that is unknown does not pass under enforce', enforced, false],
    ['that is unknown passes if nothing is enforced', advisory, true],
  ])('%s', (_what, policy, passes) => {
    const own = new TaskGate(policy);
    const unknown = message({ method: 'notifications/vendor' });
    own.client(unknown);
    expect(own.toServer).toEqual(passes ? [unknown] : []);
  });

  it('passes at once, with what the transport told', () => {
    const seen: unknown[] = [];
    const toServer = (...each: unknown[]) => void seen.push(each);
    const own = new TaskGate(enforced, {}, {}, { toServer });
    const progress = message({ method: 'notifications/progress', params: { progress: 1 } });
    own.client(progress, { extra: 'headers' });
    expect(seen).toEqual([[progress, 'headers']]);
  });

  it('that says that it is initialized keeps its preferences, before the server learns it', async () => {
    const store = createMemoryStore();
    const own = new TaskGate(advisory, {}, { preferences: { place: 'store', store, id: 's' } });
    const initialized = message({
      method: 'notifications/initialized',
      params: { concerns: { level: 'high' } },
    });
    own.client(initialized);
    expect(own.toServer).toEqual([]);
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(own.toServer).toEqual([initialized]);
    expect(await store.read('s')).toMatchObject({ record: { concerns: { level: 'high' } } });
  });

  it('that says so to a connection that keeps its preferences itself passes at once', () => {
    const own = new TaskGate(advisory);
    own.client(message({ method: 'notifications/initialized' }));
    expect(own.toServer).toEqual([message({ method: 'notifications/initialized' })]);
  });

  it('of another kind keeps no preferences', async () => {
    const store = createMemoryStore();
    const own = new TaskGate(advisory, {}, { preferences: { place: 'store', store, id: 's' } });
    own.client(message({ method: 'notifications/progress', params: { concerns: { level: 'high' } } }));
    await turn();
    expect(await store.read('s')).toEqual({ state: 'unknown' });
  });
});

describe('a cancellation', () => {
  it('reaches the server under the id that the server knows', () => {
    const own = new TaskGate(enforced);
    own.client(message({ id: 7, method: 'ping' }));
    own.client(cancel(7, { reason: 'enough' }));
    const id = read(own.toServer[0], 'id');
    expect(own.toServer[1]).toEqual(cancel(id, { reason: 'enough' }));
  });

  it('of a request that the gate answers itself does not reach the server', () => {
    const own = new TaskGate(advisory);
    own.client(message({ id: 7, method: 'tasks/list', params: { order: 'asc' } }));
    own.toServer.length = 0;
    own.client(cancel(7));
    expect(own.toServer).toEqual([]);
  });

  it.each<[string, Policy, unknown, boolean]>([
    ['a request that passed by', advisory, 7, true],
    ['no request, if nothing is enforced', advisory, 8, true],
    ['no request, under enforce', enforced, 8, false],
    ['nothing, under enforce', enforced, undefined, false],
  ])('of %s reaches the server as it is, or not', (_what, policy, requestId, passes) => {
    const own = new TaskGate(policy);
    own.client(message({ id: 7, method: 'ping' }));
    own.toServer.length = 0;
    own.client(cancel(requestId));
    expect(own.toServer).toEqual(passes ? [cancel(requestId)] : []);
  });

  it('has params, or belongs to no request', () => {
    const bare = message({ method: 'notifications/cancelled' });
    const [strict, free] = [new TaskGate(enforced), new TaskGate(advisory)];
    for (const own of [strict, free]) own.client(bare);
    expect(strict.toServer).toEqual([]);
    expect(free.toServer).toEqual([bare]);
  });

  it('of a request that passed by before its policy was replaced reaches the server', () => {
    const own = new TaskGate(enforced, {}, {}, {}, ledgerWith(7));
    own.client(cancel(7));
    own.client(cancel(8));
    expect(own.toServer).toEqual([cancel(7)]);
  });
});

function ledgerWith(id: unknown): Ledger<Exchange> {
  const ledger = new Ledger<Exchange>();
  ledger.passBy(id);
  return ledger;
}

describe('messages of the client', () => {
  it('are handled in order, also if the first one waits for the store', async () => {
    const { store, release } = slowStore();
    const own = new TaskGate(enforced, {}, { preferences: { place: 'store', store, id: 's' } });
    own.client(message({ id: 1, method: 'tasks/get', params: {} }));
    own.client(message({ id: 2, method: 'ping' }));
    own.client(message({ id: 'of the server', result: {} }));
    expect(own.toServer).toEqual([]);
    await release();
    expect(own.toServer.map((each) => read(each, 'method') ?? 'an answer')).toEqual([
      'tasks/get',
      'ping',
      'an answer',
    ]);
  });

  it('that answer the server do not wait while the server is asked', async () => {
    const { store, release } = slowStore();
    const own = new TaskGate(advisory, {}, { preferences: { place: 'store', store, id: 's' } });
    own.client(message({ id: 1, method: 'tools/list', params: HIGH }));
    await release();
    own.client(message({ id: 2, method: 'tools/list', params: HIGH }));
    own.client(message({ id: 3, method: 'ping' }));
    const answer = message({ id: 'of the server', result: {} });
    own.client(answer);
    expect(own.toServer.at(-1)).toEqual(answer);
    expect(own.received('ping')).toEqual([]);
  });

  it('are waited for by an HTTP response', async () => {
    const { store, release } = slowStore();
    const own = new TaskGate(enforced, {}, { preferences: { place: 'store', store, id: 's' } });
    await own.gate.settled();
    own.client(message({ id: 1, method: 'tasks/get', params: {} }));
    let isSettled = false;
    const settled = own.gate.settled().then(() => {
      isSettled = true;
    });
    await turn();
    expect(isSettled).toBe(false);
    await release();
    await settled;
    expect(own.toServer).toHaveLength(1);
  });
});

describe('a question of the gate to the client', () => {
  it('belongs to a request, and its answer does not reach the server', () => {
    const seen: unknown[] = [];
    const toClient = async (...each: unknown[]) => void seen.push(each);
    const own = new TaskGate(advisory, {}, {}, { toClient });
    const answers: unknown[] = [];
    const exchange = own.exchange('tools/call');
    exchange.askClient('elicitation/create', { message: 'Which?' }, (answer) => answers.push(answer));
    const asked = {
      jsonrpc: '2.0',
      id: expect.any(String),
      method: 'elicitation/create',
      params: { message: 'Which?' },
    };
    expect(seen).toEqual([[asked, 'own']]);
    const id = read(seen[0], '0', 'id');
    const other = message({ id: 'other', result: {} });
    own.client(other);
    own.client(message({ id, result: { action: 'accept' } }));
    own.client(message({ id, result: { action: 'accept' } }));
    expect(answers).toEqual([message({ id, result: { action: 'accept' } })]);
    // The second answer belongs to nobody, and tells what a person chose.
    expect(own.toServer).toHaveLength(1);
  });

  it('has an id of its own among all questions of the connection', () => {
    const own = new TaskGate(advisory);
    for (const each of [own.exchange('a'), own.exchange('b')]) each.askClient('x', {}, () => undefined);
    expect(new Set(own.toClient.map((each) => read(each, 'id'))).size).toBe(2);
  });
});

describe('a request of the gate to the server', () => {
  it('has an id of its own, and its answer does not reach the client', async () => {
    const own = new TaskGate(advisory);
    const answers: unknown[] = [];
    own.exchange('a').ask('tools/list', {}, (answer) => answers.push(answer));
    own.exchange('b').ask('tools/list', {}, (answer) => answers.push(answer));
    for (const asked of own.toServer) await own.server(message({ id: read(asked, 'id'), result: {} }));
    expect(answers).toHaveLength(2);
    expect(own.toClient).toEqual([]);
  });
});
