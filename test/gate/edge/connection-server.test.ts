import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { Ledger } from '../../../src/core/gate/edge/ledger.js';
import { showsTool } from '../../../src/core/gate/edge/shows-tool.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID, type Message, type RequestId, read } from '../../../src/core/wire/messages.js';
import { BROKEN_STORE, HIGH, LISTS, levels, TaskGate, turn } from '../tasks/task-gate.js';
import { FakeTransport, GatedPair } from '../transport-harness.js';

const advisory = levels();
const enforced = levels('{ enforcement: enforce }');
const message = (body: object) => ({ jsonrpc: '2.0', ...body });
const idOf = (given: unknown) => read(given, 'id') as RequestId;

describe('an answer of the server', () => {
  it('reaches the client under its own id', async () => {
    const own = new TaskGate(enforced);
    own.client(message({ id: 7, method: 'ping' }));
    await own.server(message({ id: idOf(own.toServer[0]), result: { a: 1 } }));
    expect(own.toClient).toEqual([message({ id: 7, result: { a: 1 } })]);
  });

  it('belongs to one request, once', async () => {
    const own = new TaskGate(advisory);
    own.client(message({ id: 7, method: 'tools/list' }));
    const id = idOf(own.toServer[0]);
    for (let times = 0; times < 2; times++) await own.server(message({ id, result: { tools: [] } }));
    expect(own.toClient).toEqual([message({ id: 7, result: { tools: [] } })]);
  });

  it('to a request that passed by reaches the client as it is', async () => {
    const own = new TaskGate(advisory);
    own.client(message({ id: 7, method: 'ping' }));
    const answer = message({ id: 7, result: { a: 1 } });
    await own.server(answer);
    expect(own.toClient).toEqual([answer]);
  });

  it.each<[string, Policy, object, object | undefined]>([
    ['under enforce', enforced, { result: { a: 1 } }, undefined],
    ['under enforce, of an error', enforced, { error: { code: 1, message: 'secret' } }, undefined],
    ['if nothing is enforced', advisory, { result: { a: 1 } }, { result: { a: 1 } }],
    ['of an error', advisory, { error: { code: 1, message: '' } }, { error: { code: 1, message: '' } }],
    [
      'of a list, which is filtered',
      advisory,
      { result: { tools: [{ name: 'work' }, { name: 'secret' }] } },
      { result: { tools: [{ name: 'work' }], _meta: expect.anything() } },
    ],
  ])('that nobody waits for reaches the client, or not: %s', async (_what, policy, body, expected) => {
    const own = new TaskGate(policy, LISTS);
    await own.ask('tools/list', HIGH);
    own.toClient.length = 0;
    await own.server(message({ id: 'nobody', ...body }));
    expect(own.toClient).toEqual(expected === undefined ? [] : [message({ id: 'nobody', ...expected })]);
  });

  it('to a request that passed by, before nothing passed by any more, reaches the client', async () => {
    const ledger = new Ledger<Exchange>();
    ledger.passBy(7);
    const own = new TaskGate(enforced, {}, {}, {}, ledger);
    for (let times = 0; times < 2; times++) await own.server(message({ id: 7, result: { times } }));
    expect(own.toClient).toEqual([message({ id: 7, result: { times: 0 } })]);
  });

  it.each<[string, unknown]>([
    ['a batch', [message({ id: 1, result: {} })]],
    ['null', null],
    ['a message without a method', message({ id: 1 })],
  ])('must be a message under enforce: %s', async (_what, value) => {
    const [strict, free] = [new TaskGate(enforced), new TaskGate(advisory)];
    for (const own of [strict, free]) await own.server(value);
    expect(strict.toClient).toEqual([]);
    expect(free.toClient).toEqual([value]);
  });
});

describe('what a transport sends', () => {
  const ping = message({ method: 'notifications/progress', params: { progress: 1 } }) as Message;

  it('is waited for with its own promise, if nothing else must be waited for', async () => {
    const own = new TaskGate(advisory);
    let sent: Promise<void> = Promise.resolve();
    const send = () => {
      sent = new Promise((resolve) => setImmediate(resolve));
      return sent;
    };
    const returned = own.gate.fromServer(ping, send);
    expect(returned).toBe(sent);
    await returned;
  });

  it('fails if the transport fails, or throws', async () => {
    const own = new TaskGate(advisory);
    const lost = new Error('lost');
    await expect(own.gate.fromServer(ping, () => Promise.reject(lost))).rejects.toBe(lost);
    const thrown = own.gate.fromServer(ping, () => {
      throw lost;
    });
    await expect(thrown).rejects.toBe(lost);
  });

  it('is in order, also if an earlier message waits', async () => {
    const store = createMemoryStore();
    await store.update('s', { listChanged: [], concerns: { level: 'high' } });
    const own = new TaskGate(enforced, LISTS, { preferences: { place: 'store', store, id: 's' } });
    await own.ask('tools/list', HIGH);
    own.toClient.length = 0;
    const log = (data: string) => message({ method: 'notifications/message', params: { data } });
    const progress = message({ method: 'notifications/elicitation/complete', params: {} });
    const [first, second] = [own.server(log('for secret')), own.server(progress)];
    expect(own.toClient).toEqual([]);
    let isSettled = false;
    void own.gate.settled().then(() => {
      isSettled = true;
    });
    await Promise.all([first, second]);
    expect(own.toClient).toEqual([log('for [hidden]'), progress]);
    await turn();
    expect(isSettled).toBe(true);
  });

  it.each<[string, 'before' | 'after']>([
    ['that the client sent after it', 'after'],
    ['of a request that was answered before it', 'before'],
  ])('repeats no name %s', async (_what, when) => {
    const preferences = { place: 'connection', record: { concerns: { level: 'high' } } } as const;
    const own = new TaskGate(enforced, {}, { preferences });
    const newest = (method: string) => idOf(own.toServer.findLast((sent) => read(sent, 'method') === method));
    const answerLists = () => own.server(message({ id: newest('tools/list'), ...LISTS['tools/list'] }));
    const log = (data: string) =>
      message({ method: 'notifications/message', params: { level: 'info', data } });
    const params = { name: 'work', arguments: { of: 'secret' } };
    const call = () => own.client(message({ id: 2, method: 'tools/call', params }));
    own.client(message({ id: 1, method: 'tools/list' }));
    await answerLists();
    if (when === 'before') call();
    own.toClient.length = 0;
    // Until the list is compared, later messages of the server wait.
    void own.server(message({ method: 'notifications/tools/list_changed' }));
    if (when === 'before') void own.server(message({ id: newest('tools/call'), result: { content: [] } }));
    const told = own.server(log('for secret'));
    if (when === 'after') call();
    await turn();
    await answerLists();
    await told;
    expect(own.toClient).toContainEqual(log('for [hidden]'));
  });

  it('after an earlier message that waits is waited for until it is sent', async () => {
    const store = createMemoryStore();
    const own = new TaskGate(enforced, LISTS, { preferences: { place: 'store', store, id: 's' } });
    await own.ask('ping');
    const waits = own.server(message({ method: 'notifications/message', params: { data: 'x' } }));
    let deliver = () => {};
    let isSent = false;
    const sending = () =>
      new Promise<void>((resolve) => {
        deliver = resolve;
      });
    const plain = message({ method: 'notifications/elicitation/complete' }) as Message;
    const sent = own.gate.fromServer(plain, sending).then(() => {
      isSent = true;
    });
    await waits;
    await turn();
    expect(isSent).toBe(false);
    deliver();
    await sent;
    expect(isSent).toBe(true);
  });

  it('can be nothing', async () => {
    const own = new TaskGate(enforced);
    const sent: Message[] = [];
    const unknown = message({ method: 'notifications/vendor' }) as Message;
    await own.gate.fromServer(unknown, async (each) => void sent.push(each));
    expect(sent).toEqual([]);
  });

  it('can be nothing after something was waited for', async () => {
    const replies = { ...LISTS, 'resources/list': { error: { code: 7, message: 'Later' } } };
    const own = new TaskGate(enforced, replies);
    await own.ask('ping');
    await own.server(message({ method: 'notifications/resources/updated', params: { uri: 'r://a' } }));
    expect(own.toClient).toEqual([]);
  });

  it('can fail without harm when the gate itself answers', async () => {
    const toClient = () => Promise.reject(new Error('closed'));
    const own = new TaskGate(enforced, {}, {}, { toClient });
    own.client(message({ id: 1, method: 'vendor/x' }));
    await turn();
  });
});

describe('the id of a request', () => {
  it('that the server knows is told as the id that the client gave', () => {
    const own = new TaskGate(enforced);
    own.client(message({ id: 7, method: 'ping' }));
    expect(own.gate.ledger.clientIdOf(idOf(own.toServer[0]))).toBe(7);
    expect(own.gate.ledger.clientIdOf('another')).toBe('another');
  });

  it('leads to the requests that have no answer yet', async () => {
    const own = new TaskGate(enforced);
    own.client(message({ id: 7, method: 'ping' }));
    own.client(message({ id: 8, method: 'ping' }));
    const clientIds = () => [...own.gate.ledger.all()].map(({ clientId }) => clientId);
    expect(clientIds()).toEqual([7, 8]);
    await own.server(message({ id: idOf(own.toServer[0]), result: {} }));
    expect(clientIds()).toEqual([8]);
  });
});

describe('a server that runs tasks', () => {
  const call = (params?: object) =>
    message({ id: 'about a task', method: 'tasks/get', ...(params && { params }) }) as Message & {
      id: RequestId;
      result: object;
    };
  const SENDER = { extra: undefined };

  it.each<[string, Policy, object | undefined, string, boolean]>([
    ['a shown tool', enforced, HIGH, 'work', true],
    ['a hidden tool', enforced, HIGH, 'secret', false],
    ['a tool that is hidden from others', enforced, {}, 'secret', true],
    ['a tool, without params', enforced, undefined, 'secret', true],
    ['a hidden tool, if nothing is enforced', advisory, HIGH, 'secret', true],
  ])('learns whether the sender of a message is shown %s', async (_what, policy, params, name, shown) => {
    const own = new TaskGate(policy, LISTS);
    expect(await showsTool(own.gate, name, call(params), SENDER)).toBe(shown);
  });

  it('learns it of a client that answers a question, from its session', async () => {
    const answer = { jsonrpc: '2.0', id: 1, result: {} } as const;
    for (const [level, shown] of [
      ['high', false],
      ['low', true],
    ] as const) {
      const record = { concerns: { level } };
      const own = new TaskGate(enforced, LISTS, { preferences: { place: 'connection', record } });
      expect(await showsTool(own.gate, 'secret', answer, SENDER)).toBe(shown);
    }
  });

  it('cannot learn it if the preferences of the sender cannot be read', async () => {
    const own = new TaskGate(enforced, LISTS, {
      principal: { place: 'store', store: BROKEN_STORE, id: 'p' },
    });
    await expect(showsTool(own.gate, 'secret', call(HIGH), SENDER)).rejects.toThrow('secret host');
  });

  it('learns it of a request that it has, by what the request said', async () => {
    const own = new TaskGate(enforced, LISTS);
    own.client(message({ id: 7, method: 'tasks/get', params: HIGH }));
    const id = idOf(own.toServer.find((each) => read(each, 'method') === 'tasks/get'));
    const given = message({ id, method: 'tasks/get', params: {} }) as ReturnType<typeof call>;
    expect(await showsTool(own.gate, 'secret', given, SENDER)).toBe(false);
    expect(await showsTool(own.gate, 'work', given, SENDER)).toBe(true);
  });

  it('does not see the request with which the gate asks', async () => {
    const own = new TaskGate(enforced, LISTS);
    await showsTool(own.gate, 'secret', call(HIGH), SENDER);
    expect(own.toServer.map((each) => read(each, 'method'))).toEqual(['tools/list']);
    expect([...own.gate.ledger.all()]).toEqual([]);
  });
});

describe('the questions that a client can answer', () => {
  const questionsOf = (store: SessionStore, sessionId?: string): Promise<unknown> => {
    const inner = new FakeTransport();
    if (sessionId !== undefined) inner.sessionId = sessionId;
    const pair = new GatedPair({ policy: advisory, store }, inner);
    const extra = { request: new Request('http://localhost/mcp') };
    pair.client({ id: 1, method: 'tools/list' }, extra);
    return pair.gated.questions();
  };

  it('are those of its session', async () => {
    const questions = { elicitation: {} };
    const store = createMemoryStore();
    await store.update('s', { questions });
    expect(await questionsOf(store, 's')).toEqual(questions);
  });

  it('are unknown without a session', async () => {
    expect(await questionsOf(createMemoryStore(), 's')).toBeUndefined();
    expect(await questionsOf(createMemoryStore())).toBeUndefined();
    await expect(questionsOf(BROKEN_STORE, 's')).rejects.toThrow('secret host');
  });
});

it('a list in an answer that nobody waits for is filtered as the latest list of the client', async () => {
  const own = new TaskGate(advisory, LISTS);
  await own.server(message({ id: 'nobody', result: { tools: [{ name: 'secret' }] } }));
  expect(own.toClient).toEqual([message({ id: 'nobody', result: { tools: [{ name: 'secret' }] } })]);
  await own.ask('tools/list', { _meta: { [EXTENSION_ID]: { concerns: { level: 'low' } } } });
  own.toClient.length = 0;
  await own.server(message({ id: 'nobody', result: { tools: [{ name: 'secret' }, { name: 'work' }] } }));
  expect(read(own.toClient[0], 'result', 'tools')).toEqual([{ name: 'secret' }]);
});
