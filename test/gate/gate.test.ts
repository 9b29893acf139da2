import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { Harness, policyOf, SECURITY } from './gate-harness.js';

const tools = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
const policy = policyOf(SECURITY);
const high = { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } };
const names = (message: unknown): string[] =>
  (message as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

/** A store whose reads wait until the test releases them. */
function blockedStore() {
  const memory = createMemoryStore();
  const waiting: (() => void)[] = [];
  const store: SessionStore = {
    ...memory,
    read: (id) => new Promise((resolve) => waiting.push(() => resolve(memory.read(id)))),
  };
  const release = () => {
    for (const each of waiting.splice(0)) each();
  };
  return { store, release };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('never answers twice', () => {
  it('answers each of two requests that have the same id', async () => {
    const harness = new Harness(policy);
    harness.request(7, 'tools/list', high);
    harness.request(7, 'ping');
    const [ask, ping] = harness.toServer;
    await harness.server({ jsonrpc: '2.0', id: ping && 'id' in ping ? ping.id : 0, result: {} });
    await harness.server({ jsonrpc: '2.0', id: ask && 'id' in ask ? ask.id : 0, result: { tools } });
    expect(harness.answers(7)).toHaveLength(2);
    expect(harness.answers(7)[0]).toMatchObject({ result: {} });
    expect(names(harness.answers(7)[1])).toEqual(['b', 'c']);
  });

  it('accepts an id again after the response', async () => {
    const harness = new Harness(policy).serve({ 'tools/list': tools });
    harness.request(7, 'tools/list', high);
    harness.request(7, 'tools/list');
    await turn();
    expect(harness.answers(7).map(names)).toEqual([
      ['b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });

  it('distinguishes the number 1 from the string "1"', () => {
    const harness = new Harness(policy);
    harness.request(1, 'ping');
    harness.request('1', 'ping');
    expect(harness.toServer).toHaveLength(2);
  });
});

describe('never stays silent', () => {
  it('answers a list request with the error of a server that cannot list', async () => {
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      if ('id' in message)
        void harness.server({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } });
    };
    harness.request(1, 'tools/list', high);
    await turn();
    expect(harness.answers(1)).toMatchObject([{ error: { code: -32601, message: 'no' } }]);
  });

  it('answers with an internal error if it fails itself', async () => {
    const broken = {
      place: 'store',
      id: 'x',
      store: {
        ...createMemoryStore(),
        read: () => {
          throw new Error('bug');
        },
      },
    } as const;
    const harness = new Harness(policy, broken);
    harness.request(1, 'tools/list');
    await turn();
    expect(harness.answers(1)).toMatchObject([{ error: { code: -32603 } }]);
  });

  it('does not answer a request that was cancelled', async () => {
    const harness = new Harness(policy);
    harness.request(1, 'tools/list', high);
    harness.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    const [ask] = harness.toServer;
    await harness.server({ jsonrpc: '2.0', id: ask && 'id' in ask ? ask.id : 0, result: { tools } });
    expect(harness.answers(1)).toEqual([]);
  });

  it('filters a list in the response to an unknown request', async () => {
    const harness = new Harness(policy).serve({ 'tools/list': tools });
    harness.request(1, 'tools/list', high);
    await harness.server({ jsonrpc: '2.0', id: 99, result: { tools } });
    expect(names(harness.answers(99)[0])).toEqual(['b', 'c']);
  });
});

describe('never reorders', () => {
  it('passes messages that it does not handle immediately', async () => {
    const harness = new Harness(policy);
    harness.request(1, 'tools/call', { name: 'a' });
    expect(harness.toServer).toHaveLength(1);
    const answer = { jsonrpc: '2.0', id: 1, result: { content: [] } };
    void harness.server(answer);
    expect(harness.toClient).toEqual([answer]);
    expect(harness.toClient[0]).toBe(answer);
  });

  it('keeps later messages after one that waits for the store', async () => {
    const { store, release } = blockedStore();
    const harness = new Harness(policy, { place: 'store', store, id: 's' });
    harness.request(1, 'tools/list');
    harness.request(2, 'tools/call', { name: 'a' });
    harness.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    expect(harness.toServer).toEqual([]);
    release();
    await turn();
    expect(harness.toServer.map((message) => 'method' in message && message.method)).toEqual([
      'tools/list',
      'tools/call',
      'notifications/cancelled',
    ]);
  });

  it('passes a response of the client while it waits for the server itself', async () => {
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      // The server needs a response of the client before it lists.
      if ('id' in message && 'method' in message && message.method === 'tools/list') {
        void harness.server({ jsonrpc: '2.0', id: 'roots', method: 'roots/list' });
      }
      if ('result' in message && message.id === 'roots') {
        const ask = harness.toServer.findLast((sent) => 'method' in sent && sent.method === 'tools/list');
        void harness.server({ jsonrpc: '2.0', id: ask && 'id' in ask ? ask.id : 0, result: { tools } });
      } else if ('id' in message && 'method' in message && message.method !== 'tools/list') {
        void harness.server({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } });
      }
    };
    harness.request(1, 'updateConcerns', { concerns: { security: 'high' } });
    await turn();
    harness.client({ jsonrpc: '2.0', id: 'roots', result: { roots: [] } });
    await turn();
    expect(harness.answers(1)).toMatchObject([{ result: { visible: { tools: 2 } } }]);
  });
});

describe('never loses', () => {
  it('is settled only after the preferences are stored', async () => {
    const written: string[] = [];
    const store: SessionStore = {
      ...createMemoryStore(),
      update: async (id) => {
        await turn();
        written.push(id);
        return 'stored';
      },
    };
    const harness = new Harness(policy, { place: 'store', store, id: 's' });
    harness.client({
      jsonrpc: '2.0',
      method: 'notifications/initialized',
      params: { concerns: { security: 'high' } },
    });
    expect(written).toEqual([]);
    await harness.gate.settled();
    expect(written).toEqual(['s']);
  });
});

describe('a list_changed notification of the server', () => {
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
  const changes = (harness: Harness) => harness.toClient.filter((message) => 'method' in message).length;

  it('is passed on if nothing can be hidden', async () => {
    const harness = new Harness(policy).serve({ 'tools/list': tools });
    harness.request(1, 'tools/list');
    await harness.server(changed);
    expect(changes(harness)).toBe(1);
  });

  it('is passed on if the visible part of the list changed', async () => {
    const served = [...tools];
    const harness = new Harness(policy).serve({ 'tools/list': served });
    harness.request(1, 'updateConcerns', { concerns: { security: 'high' } });
    await turn();
    harness.request(2, 'tools/list');
    served.push({ name: 'd' });
    await harness.server(changed);
    expect(changes(harness)).toBe(1);
    harness.request(3, 'tools/list');
    expect(names(harness.answers(3)[0])).toEqual(['b', 'c', 'd']);
  });

  it('is not passed on if the visible part of the list did not change', async () => {
    const served: object[] = [...tools];
    const harness = new Harness(policy).serve({ 'tools/list': served });
    harness.request(1, 'updateConcerns', { concerns: { security: 'high' } });
    await turn();
    harness.request(2, 'tools/list');
    served[0] = { name: 'a', description: 'new' };
    await harness.server(changed);
    expect(changes(harness)).toBe(0);
  });
});

describe('a replaced policy', () => {
  it('applies immediately, and is announced for lists that look different', async () => {
    const harness = new Harness(policy).serve({ 'tools/list': tools });
    harness.request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    const initialize = harness.toServer.find(
      (message) => 'method' in message && message.method === 'initialize',
    );
    expect(initialize).toBeDefined();
    await turn();
    // The server declares in initialize that it announces changes of tools.
    const announcing = new Harness(policy);
    announcing.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const result =
        message.method === 'initialize' ? { capabilities: { tools: { listChanged: true } } } : { tools };
      void announcing.server({ jsonrpc: '2.0', id: message.id, result });
    };
    announcing.request(0, 'initialize', {});
    announcing.request(1, 'updateConcerns', { concerns: { security: 'high' } });
    await turn();
    announcing.request(2, 'tools/list');
    await turn();
    expect(names(announcing.answers(2)[0])).toEqual(['b', 'c']);

    const before = announcing.toClient.length;
    announcing.live.replace(policyOf(SECURITY.replace('c: {}', 'c: { security: low }')));
    await turn();
    expect(announcing.toClient.slice(before)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]);
    announcing.request(3, 'tools/list');
    await turn();
    expect(names(announcing.answers(3)[0])).toEqual(['b']);

    const after = announcing.toClient.length;
    announcing.live.replace(policyOf(SECURITY.replace('c: {}', 'c: { security: [low, medium] }')));
    await turn();
    expect(announcing.toClient.slice(after)).toEqual([]);
    announcing.gate.close();
  });
});
