import { describe, expect, it } from 'vitest';
import type { GateOptions } from '../../../src/core/gate/edge/concerns-options.js';
import { SharedCatalog } from '../../../src/core/gate/request/catalog-cache.js';
import { TaskMemory } from '../../../src/core/gate/tasks/task-records.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import type { TaskLister } from '../../../src/core/wire/task-lister.js';
import { policyOf } from '../gate-harness.js';
import { BROKEN_STORE, HIGH, LISTS, levels, turn } from '../tasks/task-gate.js';
import { FakeTransport, GatedPair, messageOf } from '../transport-harness.js';

const advisory = levels();
const enforced = levels('{ enforcement: enforce }');
const OVER_HTTP = { requestInfo: { headers: {} } };
const CREATED: Record<string, object> = { 'tools/call': { result: { task: { taskId: 'one' } } } };

/** A transport with a gate, over a server that answers at once. */
function open(options: Partial<GateOptions> = {}, sessionId?: string, more: typeof CREATED = CREATED) {
  const inner = new FakeTransport();
  if (sessionId !== undefined) inner.sessionId = sessionId;
  const pair = new GatedPair({ policy: advisory, ...options }, inner);
  const replies: Record<string, object> = { ...LISTS, ...more };
  pair.gated.onmessage = (message, extra) => {
    pair.got.push({ message, extra });
    const reply = replies[String(read(message, 'method'))] ?? { result: {} };
    if ('id' in message && 'method' in message) void pair.server({ id: message.id, ...reply });
  };
  let lastId = 0;
  const ask = async (method: string, params: object = {}, extra?: object): Promise<unknown> => {
    const id = ++lastId;
    pair.client({ id, method, params }, extra);
    for (let turns = 0; turns < 3; turns++) await turn();
    return pair.inner.sent.find((message) => read(message, 'id') === id);
  };
  return { pair, ask, gated: pair.gated };
}
type Opened = ReturnType<typeof open>;
const namesIn = (answer: unknown) =>
  (read(answer, 'result', 'tools') as object[]).map((tool) => read(tool, 'name'));

describe('the preferences of a client', () => {
  const update = ({ ask }: Opened, extra?: object) =>
    ask('updateConcerns', { concerns: { level: 'high' } }, extra);

  it('last as long as a connection without HTTP', async () => {
    const own = open();
    await update(own);
    expect(namesIn(await own.ask('tools/list'))).toEqual(['work', 'open']);
  });

  it('are not kept over HTTP without a session', async () => {
    const own = open();
    expect(await update(own, OVER_HTTP)).toMatchObject({ error: { code: -32601 } });
  });

  it('are kept in a store for a session', async () => {
    const store = createMemoryStore();
    await update(open({ store }, 's'), OVER_HTTP);
    const [same, other] = [open({ store }, 's'), open({ store }, 't')];
    expect(namesIn(await same.ask('tools/list', {}, OVER_HTTP))).toEqual(['work', 'open']);
    // What they could hide is hidden, because nobody knows the session.
    expect(namesIn(await other.ask('tools/list', {}, OVER_HTTP))).toEqual(['open']);
  });

  it('are kept for a verified caller', async () => {
    const store = createMemoryStore();
    await store.update('p', { concerns: { level: 'high' } });
    const own = open({ principal: { place: 'store', store, id: 'p' } });
    expect(namesIn(await own.ask('tools/list', {}, OVER_HTTP))).toEqual(['work', 'open']);
  });
});

describe('what a transport tells about a request', () => {
  const tier = policyOf(`
concerns:
  tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier }
  level: { values: [low, high] }
primitives: { tools: { work: { tier: pro, level: high }, secret: { level: low } } }
`);

  it.each<[string, object | undefined, string[]]>([
    ['nothing', undefined, ['secret', 'open']],
    ['a caller without claims', { authInfo: { clientId: 'c' } }, ['secret', 'open']],
    ['its claims', { authInfo: { extra: { tier: 'pro' } } }, ['work', 'secret', 'open']],
    ['its headers', { requestInfo: { headers: { 'mcp-concerns': 'level=high' } } }, ['open']],
    [
      'its URL',
      { requestInfo: { headers: {}, url: new URL('https://a.test/mcp?concerns=level:high') } },
      ['open'],
    ],
    [
      'the request itself, with headers',
      { request: new Request('https://a.test/mcp', { headers: { 'mcp-concerns': 'level=high' } }) },
      ['open'],
    ],
    [
      'the request itself, with a URL',
      { request: new Request('https://a.test/mcp?concerns=level:high') },
      ['open'],
    ],
  ])('decides what the client is shown: %s', async (_what, extra, names) => {
    expect(namesIn(await open({ policy: tier }).ask('tools/list', {}, extra))).toEqual(names);
  });
});

describe('tasks over HTTP', () => {
  const authInfo = (sub: string) => ({ ...OVER_HTTP, authInfo: { extra: { iss: 'i', sub } } });
  const CALL = { name: 'work', task: {} };
  /** Whether the server is asked for the task that Alice created at the first transport. */
  async function isFound(by: Opened, first: Opened, extra: object = authInfo('alice')): Promise<boolean> {
    await first.ask('tools/call', CALL, authInfo('alice'));
    await by.ask('tasks/get', { taskId: 'one' }, extra);
    return by.pair.messages.some((message) => read(message, 'params', 'taskId') === 'one');
  }

  it('are remembered by all transports under one policy', async () => {
    const policy = levels();
    expect(await isFound(open({ policy }), open({ policy }))).toBe(true);
    expect(await isFound(open({ policy }), open({ policy }), authInfo('bob'))).toBe(false);
    expect(await isFound(open({ policy: levels('{ page-size: 9 }') }), open({ policy }))).toBe(false);
  });

  it('are remembered by those that share a memory', async () => {
    const taskMemory = new TaskMemory();
    const policy = levels();
    expect(await isFound(open({ policy, taskMemory }), open({ policy, taskMemory }))).toBe(true);
    expect(await isFound(open({ policy }), open({ policy, taskMemory }))).toBe(false);
  });

  it('are remembered by those that share a store', async () => {
    const [store, policy] = [createMemoryStore(), levels()];
    const options = () => ({ policy, store, taskMemory: new TaskMemory() });
    expect(await isFound(open(options()), open(options()))).toBe(true);
  });

  it('are not told from those of other connections without HTTP', async () => {
    const policy = levels();
    const first = open({ policy });
    await first.ask('tools/call', CALL);
    // Over HTTP, nothing tells that the task was created on the first connection.
    expect(await isFound(open({ policy }), open({ policy: levels('{ page-size: 8 }') }))).toBe(false);
  });

  it('are listed by a server that knows their owners', async () => {
    const own = open();
    const lister: TaskLister = { tools: [], list: async () => ({ ok: true, tasks: [{ taskId: 'x' }] }) };
    own.gated.listTasksWith(lister);
    const answer = await own.ask('tasks/list', {}, authInfo('alice'));
    expect(read(answer, 'result', 'tasks')).toEqual([{ taskId: 'x' }]);
    expect(own.pair.got).toEqual([]);
  });
});

describe('a server that runs tasks', () => {
  const request = messageOf({ id: 'x', method: 'tasks/get', params: HIGH });

  it('learns which tools the sender of a message is shown', async () => {
    const own = open({ policy: enforced });
    await own.ask('ping');
    expect(await own.gated.showsTool('work', request)).toBe(true);
    expect(await own.gated.showsTool('secret', request)).toBe(false);
    expect(await own.gated.showsTool('secret', messageOf({ id: 'x', method: 'tasks/get' }))).toBe(true);
  });

  it('learns it by what the transport tells', async () => {
    const own = open({ policy: enforced });
    await own.ask('ping');
    const extra = { requestInfo: { headers: { 'mcp-concerns': 'level=high' } } };
    const message = messageOf({ id: 'x', method: 'tasks/get' });
    expect(await own.gated.showsTool('secret', message, extra)).toBe(false);
  });

  it('is told that no tool is shown before a client has sent anything, if the policy is enforced', async () => {
    expect(await open({ policy: enforced }).gated.showsTool('work', request)).toBe(false);
    expect(await open({ policy: advisory }).gated.showsTool('work', request)).toBe(true);
  });

  it('is told that tools are shown for a notification, which nobody answers', async () => {
    const own = open({ policy: enforced });
    await own.ask('ping');
    const note = messageOf({ method: 'notifications/progress', params: HIGH });
    expect(await own.gated.showsTool('secret', note)).toBe(true);
  });

  it('learns which questions the client can answer', async () => {
    const store = createMemoryStore();
    await store.update('s', { questions: { elicitation: {} } });
    const own = open({ store }, 's');
    expect(await own.gated.questions()).toBeUndefined();
    await own.ask('tools/list');
    expect(await own.gated.questions()).toEqual({ elicitation: {} });
    const broken = open({ store: BROKEN_STORE }, 's');
    await broken.ask('tools/list');
    await expect(broken.gated.questions()).rejects.toThrow('secret host');
  });
});

describe('an HTTP response', () => {
  const isSettled = async ({ gated }: Opened): Promise<boolean> => {
    let settled = false;
    void gated.settled().then(() => {
      settled = true;
    });
    for (let turns = 0; turns < 3; turns++) await turn();
    return settled;
  };

  it('waits for nothing, if nothing is to be done', async () => {
    const own = open();
    expect(await isSettled(own)).toBe(true);
    await own.ask('tools/list', HIGH);
    expect(await isSettled(own)).toBe(true);
  });

  it('waits for messages that wait for the store', async () => {
    const store = { ...createMemoryStore(), read: () => new Promise<never>(() => undefined) };
    const own = open({ store }, 's');
    await own.ask('tools/list');
    expect(await isSettled(own)).toBe(false);
  });

  it.each(['ends', 'fails'])('waits for other work, until it %s', async (how) => {
    const own = open();
    let end = () => {};
    const work = new Promise<void>((resolve, reject) => {
      end = how === 'ends' ? resolve : () => reject(new Error('failed'));
    });
    own.gated.waitFor(work);
    own.gated.waitFor(Promise.resolve());
    expect(await isSettled(own)).toBe(false);
    end();
    expect(await isSettled(own)).toBe(true);
  });
});

describe('what a transport shares', () => {
  it('are the lists of the server, if the operator says so', async () => {
    const shared = new SharedCatalog();
    const [first, second] = [open({ shared }), open({ shared })];
    for (const own of [first, second]) await own.ask('tools/list', HIGH);
    expect([first.pair.got.length, second.pair.got.length]).toEqual([1, 0]);
  });

  it('is what it observes', async () => {
    const told: string[] = [];
    const observe = () => ({
      changed: () => told.push('changed'),
      listed: () => told.push('listed'),
      closed: () => told.push('closed'),
    });
    const own = open({ observe });
    await own.ask('initialize', { clientInfo: { name: 'host', version: '1' } });
    await own.ask('tools/list');
    own.pair.inner.onclose?.();
    expect(told).toEqual(['listed', 'closed']);
  });

  it('answers the probes of its process', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'secret' } };
    const probe = { request, _meta: { [EXTENSION_ID]: { concerns: { level: 'high' } } } };
    const answer = await open({ policy: enforced, probe: 'probe/x' }).ask('probe/x', probe);
    expect(read(answer, 'result', 'substitute')).toMatchObject({ original: 'secret' });
    expect(await open({ policy: enforced }).ask('probe/x', probe)).toMatchObject({ error: { code: -32601 } });
  });
});
