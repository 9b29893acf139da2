import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/core/gate/edge/ledger.js';
import { EXTENSION_ID, type Message, type RequestId } from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns:
  tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier }
  level: { values: [low, high] }
primitives: { tools: { secret: { tier: pro }, open: { level: low } }, resources: { "r://secret": { tier: pro } } }
settings: { enforcement: enforce }
`;
const enforce = policyOf(POLICY);
const advisory = policyOf(POLICY.replace('enforcement: enforce', 'enforcement: advisory'));
const LISTS: Record<string, object> = {
  'tools/list': { tools: [{ name: 'secret' }, { name: 'open' }, { name: 'plain' }] },
  'prompts/list': { prompts: [] },
  'resources/list': { resources: [{ uri: 'r://secret', name: 's' }] },
  'resources/templates/list': { resourceTemplates: [] },
};
const LINKS = {
  content: [
    { type: 'resource_link', uri: 'r://secret', name: 'SECRET' },
    { type: 'text', text: 'ran' },
  ],
};

/** A gate in front of a server that answers lists immediately, and other requests when the test says so. */
function start(policy = enforce, lists = LISTS) {
  const harness = new Harness(policy);
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const result = lists[message.method];
    if (result !== undefined) void harness.server({ jsonrpc: '2.0', id: message.id, result });
  };
  const sent = (method: string): { id: RequestId; params?: Record<string, unknown> }[] =>
    harness.toServer.filter(
      (message): message is Extract<Message, { params?: unknown; id: RequestId }> =>
        'method' in message && 'id' in message && message.method === method,
    );
  const answer = (id: unknown, result: object) => harness.server({ jsonrpc: '2.0', id, result });
  const cancel = (requestId: unknown) =>
    harness.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'x' } });
  return { harness, sent, answer, cancel };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('under enforce, a request', () => {
  it.each([0, 7, -1.5, '', '7', 'x', null, true, { a: [1] }, ['x']])(
    'reaches the server with another id, and is answered with the id %j',
    async (id) => {
      const { harness, sent, answer } = start();
      harness.client({ jsonrpc: '2.0', id, method: 'ping' });
      const [ping] = sent('ping');
      expect(ping?.id).toMatch(/^[0-9a-f-]{36}\/1$/);
      await answer(ping?.id, {});
      expect(harness.toClient).toEqual([{ jsonrpc: '2.0', id, result: {} }]);
    },
  );

  it('gets its own answer if another one has the same id', async () => {
    const { harness, sent, answer } = start();
    harness.request(7, 'tools/call', { name: 'plain' });
    harness.request(7, 'ping');
    const [call] = sent('tools/call');
    const [ping] = sent('ping');
    expect(call?.id).not.toBe(ping?.id);
    await answer(ping?.id, {});
    await answer(call?.id, LINKS);
    await turn();
    expect(harness.toClient).toEqual([
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'ran' }] } },
    ]);
  });

  it('is answered once, although the server answers twice', async () => {
    const { harness, sent, answer } = start();
    harness.request(7, 'ping');
    const [ping] = sent('ping');
    await answer(ping?.id, {});
    await answer(ping?.id, { tools: [{ name: 'secret' }] });
    expect(harness.toClient).toHaveLength(1);
  });

  it.each([7, 'x', null, undefined])('does not take an answer with the id %j', async (id) => {
    const { harness, answer } = start();
    harness.request(7, 'ping');
    await answer(id, { tools: [{ name: 'secret' }] });
    await harness.server({ jsonrpc: '2.0', id, error: { code: 1, message: 'secret' } });
    expect(harness.toClient).toEqual([]);
  });
});

describe('a request that was cancelled under enforce', () => {
  it('is cancelled at the server under the id that the server knows', () => {
    const { harness, sent, cancel } = start();
    harness.request(7, 'tools/call', { name: 'plain' });
    cancel(7);
    expect(harness.toServer.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: sent('tools/call')[0]?.id, reason: 'x' },
    });
  });

  it('is answered late like any other', async () => {
    const { harness, sent, answer, cancel } = start();
    harness.request(7, 'tools/call', { name: 'plain' });
    cancel(7);
    await answer(sent('tools/call')[0]?.id, LINKS);
    await turn();
    expect(harness.answers(7)).toEqual([
      { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'ran' }] } },
    ]);
  });

  it('is answered late like any other after its id was used again', async () => {
    const { harness, sent, answer, cancel } = start();
    harness.request(7, 'tools/call', { name: 'plain' });
    cancel(7);
    harness.request(7, 'ping');
    await answer(sent('tools/call')[0]?.id, LINKS);
    await turn();
    expect(JSON.stringify(harness.toClient)).not.toContain('SECRET');
    await answer(sent('ping')[0]?.id, {});
    expect(harness.answers(7)).toHaveLength(2);
  });

  it('gets a filtered page of a list that is too long to be cached', async () => {
    const pages = { ...LISTS };
    delete pages['tools/list'];
    const { harness, sent, answer, cancel } = start(enforce, pages);
    harness.request(1, 'tools/list');
    for (let page = 0; page < 100; page++) {
      const result = { tools: [{ name: `t${page}` }], nextCursor: String(page) };
      await answer(sent('tools/list').at(-1)?.id, result);
    }
    // The list has no end, so the request of the client is passed to the server.
    expect(sent('tools/list')).toHaveLength(101);
    cancel(1);
    const page = { tools: [{ name: 'secret' }, { name: 'plain' }], nextCursor: 'n' };
    await answer(sent('tools/list').at(-1)?.id, page);
    expect(harness.answers(1)).toMatchObject([{ result: { tools: [{ name: 'plain' }] } }]);
  });

  it('is not answered by the gate itself, and the server is not told', async () => {
    const { harness, sent, answer, cancel } = start(enforce, {});
    harness.request(1, 'tools/list', { _meta: { [EXTENSION_ID]: { concerns: { level: 'high' } } } });
    const count = harness.toServer.length;
    cancel(1);
    await answer(sent('tools/list')[0]?.id, LISTS['tools/list'] ?? {});
    expect(harness.answers(1)).toEqual([]);
    expect(harness.toServer).toHaveLength(count);
  });

  it('is not sent to the server if it was still checked', async () => {
    const { harness, sent, answer, cancel } = start(enforce, {});
    harness.request(1, 'tools/call', { name: 'plain' });
    cancel(1);
    await answer(sent('tools/list')[0]?.id, LISTS['tools/list'] ?? {});
    expect(sent('tools/call')).toEqual([]);
  });

  it('does not stop the server from receiving other cancellations only of its own ids', () => {
    const { harness, sent, cancel } = start();
    harness.request(7, 'ping');
    for (const id of [8, '7', null, undefined, sent('ping')[0]?.id]) cancel(id);
    expect(harness.toServer).toHaveLength(1);
  });
});

it('passes a cancellation unchanged under advisory', () => {
  const { harness, cancel } = start(advisory);
  harness.request(7, 'ping');
  cancel(7);
  cancel(8);
  expect(harness.toServer.slice(1)).toMatchObject([
    { params: { requestId: 7 } },
    { params: { requestId: 8 } },
  ]);
});

it('answers a request whose answer arrives after the policy changed', async () => {
  const { harness, sent, answer } = start(enforce);
  harness.request(1, 'tools/call', { name: 'plain' });
  harness.live.replace(advisory);
  await answer(sent('tools/call')[0]?.id, {});
  harness.request(2, 'ping');
  harness.live.replace(enforce);
  await answer(2, {});
  await turn();
  expect(harness.toClient).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, result: {} },
  ]);
});

describe('Ledger', () => {
  it('keeps at most 1,000 cancelled requests, the latest ones', () => {
    const ledger = new Ledger<{ clientId: RequestId }>();
    const ids = Array.from({ length: 1500 }, (_, index) => {
      const id = ledger.enter({ clientId: index });
      ledger.cancel(index);
      return id;
    });
    expect(ids.filter((id) => ledger.find(id) !== undefined)).toEqual(ids.slice(500));
    expect(ledger.take(ids[1499])).toEqual({ clientId: 1499 });
  });

  it('cancels only by an id of the client', () => {
    const ledger = new Ledger<{ clientId: RequestId }>();
    const id = ledger.enter({ clientId: 1 });
    expect(ledger.cancel(id)).toBeUndefined();
    expect(ledger.cancel(1)).toEqual({ id, entry: { clientId: 1 } });
    expect(ledger.cancel(1)).toBeUndefined();
    expect(ledger.find(id)).toEqual({ clientId: 1 });
  });

  it('knows its own ids, also after they were taken', () => {
    const ledger = new Ledger<{ clientId: RequestId }>();
    expect(ledger.owns('')).toBe(false);
    const id = ledger.enter({ clientId: 1 });
    ledger.take(id);
    expect([id, 1, '1', 'x', null].map((each) => ledger.owns(each))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
