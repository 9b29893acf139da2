import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { GateOptions } from '../../../src/core/gate/edge/concerns-options.js';
import { read } from '../../../src/core/wire/messages.js';
import { HIGH, LISTS, levels, turn } from '../tasks/task-gate.js';
import { FakeTransport, GatedPair, messageOf } from '../transport-harness.js';

const COLLECTIONS = 20;
const OVER_HTTP = { requestInfo: { headers: {} } };
const enforced = levels('{ enforcement: enforce }');
const CALL = { id: 1, method: 'tools/call', params: { name: 'work', ...HIGH } };

/** A transport with a gate, over a server that answers at once but calls of `work`, and that keeps no message. */
function open(options: Partial<GateOptions> = {}) {
  const inner = new FakeTransport();
  const pair = new GatedPair({ policy: enforced, ...options }, inner);
  const called: unknown[] = [];
  pair.gated.onmessage = (message) => {
    const reply = LISTS[String(read(message, 'method'))];
    if (reply !== undefined && 'id' in message) void pair.server({ id: message.id, ...reply });
    else if ('id' in message) called.push(message.id);
  };
  const settle = async () => {
    for (let turns = 0; turns < 3; turns++) await turn();
  };
  /** Sends a call, and answers it. */
  const call = async (body: object = CALL): Promise<void> => {
    pair.client(body, OVER_HTTP);
    await settle();
    await pair.server({ id: called.pop(), result: { content: [] } });
  };
  return { pair, inner, gated: pair.gated, called, call, settle };
}

const SECRET_LOG = {
  method: 'notifications/message',
  params: { level: 'info', data: 'secret is slow' },
};

describe('a transport that has closed', () => {
  it('keeps nothing of the requests of HTTP', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const own = open();
    // In a function of its own, whose variables are gone when it returns.
    const called = async (): Promise<WeakRef<object>> => {
      const sent = { ...CALL, params: { ...CALL.params, arguments: { text: 'x'.repeat(1000) } } };
      await own.call(sent);
      return new WeakRef(sent.params.arguments);
    };
    const kept = await called();
    own.inner.onclose?.();
    await own.settle();
    expect(own.inner.sent).toHaveLength(1);
    // One collection is not always enough: the engine itself may hold an object until later turns.
    for (let round = 0; round < COLLECTIONS && kept.deref() !== undefined; round++) {
      await turn();
      collect();
    }
    expect(kept.deref()).toBeUndefined();
  });

  it('sends nothing and receives nothing', async () => {
    const own = open();
    await own.call();
    own.inner.onclose?.();
    const before = own.inner.sent.length;
    await own.pair.server(SECRET_LOG);
    await own.pair.server({ id: 7, ...LISTS['tools/list'] });
    await own.call({ ...CALL, id: 8 });
    expect(own.inner.sent.slice(before)).toEqual([]);
    expect(own.called).toEqual([]);
  });

  it('filters an answer that is late', async () => {
    const own = open();
    own.pair.client(CALL, OVER_HTTP);
    await own.settle();
    own.inner.onclose?.();
    const content = [{ type: 'text', text: 'secret is slow, work is not' }];
    await own.pair.server({ id: own.called.pop(), result: { content, isError: true } });
    expect(JSON.stringify(own.inner.sent)).toContain('work is not');
    expect(JSON.stringify(own.inner.sent)).not.toContain('secret');
  });

  it.each([
    ['advisory', true],
    ['enforce', false],
  ])('shows tools to nobody: %s', async (enforcement, isShown) => {
    const own = open({ policy: levels(`{ enforcement: ${enforcement} }`) });
    await own.call();
    const shown = () => own.gated.showsTool('work', messageOf(CALL), OVER_HTTP);
    expect(await shown()).toBe(true);
    own.inner.onclose?.();
    expect(await shown()).toBe(isShown);
  });

  it('goes on as long as work without an answer does', async () => {
    const own = open();
    await own.call();
    let finish = () => {};
    own.gated.waitFor(
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    );
    own.inner.onclose?.();
    expect(await own.gated.showsTool('work', messageOf(CALL), OVER_HTTP)).toBe(true);
    finish();
    await own.gated.settled();
  });

  it('keeps the preferences of a connection without HTTP', async () => {
    const own = open();
    own.pair.client({ id: 2, method: 'updateConcerns', params: { concerns: { level: 'high' } } });
    await own.settle();
    own.inner.onclose?.();
    own.pair.client({ id: 3, method: 'tools/list' });
    await own.settle();
    const last = own.inner.sent.at(-1);
    expect((read(last, 'result', 'tools') as object[]).map((tool) => read(tool, 'name'))).toEqual([
      'work',
      'open',
    ]);
  });
});
