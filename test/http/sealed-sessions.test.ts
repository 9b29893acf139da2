import { createHash, createHmac } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { seal } from '../../src/core/wire/seal.js';
import { policyOf } from '../gate/gate-harness.js';

const policyIn = (mode: string) =>
  policyOf(`
concerns: { security: { values: [low, medium, high], match: at-least } }
primitives: { tools: { a: { security: low }, b: { security: high }, c: {} } }
settings: { enforcement: ${mode} }
`);

const server = () => {
  const made = new McpServer({ name: 'small', version: '1.0.0' });
  for (const name of ['a', 'b', 'c'])
    made.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `ran ${name}` }] }));
  return made;
};

/** A host that talks to an endpoint, whose store and process can be replaced. */
class Host {
  id = '';
  constructor(
    private handle: ReturnType<typeof createHandler>,
    private readonly authInfo?: AuthInfo,
  ) {}

  async post(method: string, params: object = {}): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.id === '' ? {} : { 'mcp-session-id': this.id }),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
    return this.handle(request, this.authInfo === undefined ? {} : { authInfo: this.authInfo });
  }

  async connect(security: string): Promise<this> {
    const capabilities = { extensions: { [EXTENSION_ID]: { concerns: { security } } } };
    const clientInfo = { name: 'host', version: '1' };
    const response = await this.post('initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo,
    });
    this.id = response.headers.get('mcp-session-id') ?? '';
    await response.text();
    return this;
  }

  async tools(): Promise<{ names: string[]; warnings: string[] } | { status: number; code: number }> {
    const response = await this.post('tools/list');
    const body: unknown = await response.json();
    const [result, error] = [read(body, 'result'), read(body, 'error', 'code')];
    if (typeof error === 'number') return { status: response.status, code: error };
    const texts = (items: unknown, member: string): string[] =>
      Array.isArray(items) ? items.map((each) => String(read(each, member))) : [];
    return {
      names: texts(read(result, 'tools'), 'name'),
      warnings: texts(read(result, '_meta', EXTENSION_ID, 'warnings'), 'code'),
    };
  }

  async runs(name: string): Promise<boolean> {
    return (await (await this.post('tools/call', { name, arguments: {} })).text()).includes(`ran ${name}`);
  }

  movedTo(handle: ReturnType<typeof createHandler>, authInfo?: AuthInfo): Host {
    const moved = new Host(handle, authInfo);
    moved.id = this.id;
    return moved;
  }
}

const down = () => Promise.reject(new Error('down'));
const endpoint = (mode: string, store: SessionStore = createMemoryStore()) =>
  createHandler({ server, policy: policyIn(mode), store });
const FILTERED = { names: ['b', 'c'], warnings: [] };
/** What a preference could hide is hidden. */
const HIDDEN = { names: ['c'], warnings: ['unknown-session'] };

afterEach(() => vi.useRealTimers());

describe.each(['advisory', 'enforce'])('under %s, the preferences of initialize', (mode) => {
  it('do not outrank a store that knows nothing of the session, until the host sends them again', async () => {
    const store = createMemoryStore();
    let isDown = true;
    const failing = {
      ...store,
      update: (id: string, change: object) => (isDown ? down() : store.update(id, change)),
    };
    const host = await new Host(endpoint(mode, failing)).connect('high');
    isDown = false;
    expect(await host.tools()).toEqual(HIDDEN);
    expect(await host.runs('a')).toBe(mode === 'advisory');
    await host.post('updateConcerns', { concerns: { security: 'high' } });
    expect(await host.tools()).toEqual(FILTERED);
  });

  it('do not come back after a restart that lost the store, and with it what was switched', async () => {
    const host = (await new Host(endpoint(mode)).connect('high')).movedTo(endpoint(mode));
    expect(await host.tools()).toEqual(HIDDEN);
    await host.post('updateConcerns', { concerns: { security: 'low' } });
    expect(await host.tools()).toEqual({ names: ['a', 'b', 'c'], warnings: [] });
  });

  it('do not hold for another caller, who gets 404', async () => {
    const caller = (sub: string): AuthInfo => ({
      token: 't',
      clientId: 'c',
      scopes: [],
      extra: { iss: 'i', sub },
    });
    const handle = endpoint(mode);
    const ada = await new Host(handle, caller('ada')).connect('high');
    expect(await ada.tools()).toEqual(FILTERED);
    expect(await ada.movedTo(handle, caller('bob')).tools()).toEqual({ status: 404, code: -32001 });
    expect(await ada.movedTo(handle).tools()).toEqual({ status: 404, code: -32001 });
  });

  it('do not come back after the session was ended', async () => {
    const handle = endpoint(mode);
    const host = await new Host(handle).connect('high');
    await handle(
      new Request('http://localhost/mcp', { method: 'DELETE', headers: { 'mcp-session-id': host.id } }),
    );
    expect(await host.tools()).toEqual({ status: 404, code: -32001 });
  });

  it('are forgotten after a day that no store remembers', async () => {
    const host = await new Host(endpoint(mode)).connect('high');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 60 * 60 * 1000 });
    expect(await host.movedTo(endpoint(mode)).tools()).toEqual({ status: 404, code: -32001 });
  });

  describe('in a store that keeps records for ten minutes', () => {
    const SECONDS = 600;
    const shortLived = () => createMemoryStore({ expiresAfterSeconds: SECONDS });
    const later = (seconds: number) =>
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
    const GONE = { status: 404, code: -32001 };

    it.each([
      [0.8, HIDDEN],
      [0.95, GONE],
      [1, GONE],
    ])('a session that the store does not know after %f of them', async (part, expected) => {
      const host = await new Host(endpoint(mode, shortLived())).connect('high');
      later(part * SECONDS);
      expect(await host.movedTo(endpoint(mode, shortLived())).tools()).toEqual(expected);
    });

    it('what a host chose since does not come back as less, also in the process that knew it', async () => {
      // The host hid more than at initialize, and the record has expired.
      const kept = shortLived();
      let isForgotten = false;
      const store: SessionStore = {
        ...kept,
        read: async (id) => (isForgotten ? { state: 'unknown' } : kept.read(id)),
      };
      const handle = endpoint(mode, store);
      const host = await new Host(handle).connect('low');
      await host.post('updateConcerns', { concerns: { security: 'high' } });
      expect(await host.tools()).toEqual(FILTERED);
      isForgotten = true;
      later(SECONDS + 1);
      expect(await host.tools()).toEqual(GONE);
      expect((await host.post('tools/call', { name: 'a', arguments: {} })).status).toBe(404);
    });

    it('a session that is older and in use keeps what it said at initialize', async () => {
      const store = shortLived();
      const host = await new Host(endpoint(mode, store)).connect('high');
      await store.update(host.id.slice(0, 32), { acted: false });
      later(SECONDS * 10);
      // The clock of the store stands still, as that of a session which is read all the time.
      expect(await host.movedTo(endpoint(mode, store)).tools()).toEqual(FILTERED);
    });

    it('a record that is there and has expired ends a session of any age', async () => {
      const store: SessionStore = { ...shortLived(), read: async () => ({ state: 'ended' }) };
      const host = await new Host(endpoint(mode, store)).connect('high');
      expect(await host.tools()).toEqual(GONE);
    });
  });

  it('cannot be changed in the session id', async () => {
    const handle = endpoint(mode);
    const host = await new Host(handle).connect('high');
    const [random, sealed = ''] = host.id.split('.');
    for (const id of [
      `${'0'.repeat(32)}.${sealed}`,
      `${random}.${sealed.slice(1)}`,
      `${random}.${sealed.slice(0, 20)}`,
      `${random}.${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`,
      '0'.repeat(32),
    ]) {
      host.id = id;
      expect([id, await host.movedTo(endpoint(mode)).tools()]).toEqual([id, { status: 404, code: -32001 }]);
    }
  });

  it('cannot be forged with what the policy says', async () => {
    const { digest } = policyIn(mode);
    const text = JSON.stringify(['session', digest]);
    const random = 'a'.repeat(32);
    for (const key of [
      createHash('sha256').update(text).digest(),
      ...['', digest, 'undefined'].map((secret) => createHmac('sha256', secret).update(text).digest()),
    ]) {
      const content = { at: Date.now(), record: { concerns: { security: 'low' } } };
      const forged = new Host(endpoint(mode));
      forged.id = `${random}.${seal(key, JSON.stringify([random]), JSON.stringify(content))}`;
      expect(await forged.tools()).toEqual({ status: 404, code: -32001 });
    }
  });

  it('tell another process that the session exists, if it has the secret of the first', async () => {
    const withSecret = (sessionSecret: string): ReturnType<typeof createHandler> => {
      const handle = endpoint(mode);
      return (request, given) => handle(request, { ...given, sessionSecret });
    };
    const host = await new Host(withSecret('one')).connect('high');
    expect(await host.movedTo(withSecret('one')).tools()).toEqual(HIDDEN);
    expect(await host.movedTo(withSecret('two')).tools()).toEqual({ status: 404, code: -32001 });
    expect(await host.movedTo(endpoint(mode)).tools()).toEqual({ status: 404, code: -32001 });
  });

  it('are only in the store if they are too long for an id', async () => {
    const clientInfo = { name: 'host', version: '1' };
    const concerns = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`unknown-${index}`, 'x'.repeat(60)]),
    );
    const capabilities = { extensions: { [EXTENSION_ID]: { concerns } } };
    const response = await new Host(endpoint(mode)).post('initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo,
    });
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('while the store cannot be read', () => {
  const broken = { ...createMemoryStore(), read: down };

  it('advisory filters by the preferences of initialize, and says so', async () => {
    // The process has seen initialize, and no read of this store.
    const host = await new Host(endpoint('advisory', broken)).connect('high');
    expect(await host.tools()).toEqual({ names: ['b', 'c'], warnings: ['store-unavailable'] });
  });

  it('advisory filters by what this process knew last of the session', async () => {
    const store = createMemoryStore();
    let isDown = false;
    const failing = { ...store, read: (id: string) => (isDown ? down() : store.read(id)) };
    const host = await new Host(endpoint('advisory', failing)).connect('low');
    await host.post('updateConcerns', { concerns: { security: 'high' } });
    isDown = true;
    expect(await host.tools()).toEqual({ names: ['b', 'c'], warnings: ['store-unavailable'] });
  });

  it.each([
    ['what this process knew last of a session of another process', true, ['b', 'c']],
    ['nothing that a preference could hide, if this process knows nothing of the session', false, ['c']],
  ])('advisory shows %s', async (_what, hasRead, names) => {
    const store = createMemoryStore();
    const host = await new Host(endpoint('advisory', store)).connect('low');
    await host.post('updateConcerns', { concerns: { security: 'high' } });
    let isDown = false;
    const failing = { ...store, read: (id: string) => (isDown ? down() : store.read(id)) };
    const moved = host.movedTo(endpoint('advisory', failing));
    // The seal is of another secret, as in another environment without a shared one.
    moved.id = `${hasRead ? host.id.slice(0, 40) : '0'.repeat(40)}${host.id.slice(41)}`.replace(
      /(?<=^.{32})./,
      '.',
    );
    if (hasRead) expect(await moved.tools()).toEqual({ names, warnings: [] });
    isDown = true;
    expect(await moved.tools()).toEqual({ names, warnings: ['store-unavailable'] });
  });

  it('what is known of the session of another caller does not count', async () => {
    const store = createMemoryStore();
    let isDown = false;
    const failing = { ...store, read: (id: string) => (isDown ? down() : store.read(id)) };
    const handle = endpoint('advisory', failing);
    const caller = (sub: string): AuthInfo => ({ token: 't', clientId: 'c', scopes: [], extra: { sub } });
    const ada = await new Host(handle, caller('ada')).connect('low');
    expect(await ada.tools()).toEqual({ names: ['a', 'b', 'c'], warnings: [] });
    isDown = true;
    expect(await ada.movedTo(handle, caller('bob')).tools()).toEqual({
      names: ['c'],
      warnings: ['store-unavailable'],
    });
  });

  it('enforce shows and runs nothing: a later choice may have hidden more', async () => {
    const host = (await new Host(endpoint('enforce')).connect('low')).movedTo(endpoint('enforce', broken));
    expect(await host.tools()).toMatchObject({ code: -32603 });
    expect(await host.runs('a')).toBe(false);
  });

  it('a call under advisory does not wait for it', async () => {
    const handle = endpoint('advisory');
    const host = await new Host(handle).connect('low');
    const hanging = { ...broken, read: () => new Promise<never>(() => undefined) };
    const before = performance.now();
    expect(await host.movedTo(endpoint('advisory', hanging)).runs('a')).toBe(true);
    expect(performance.now() - before).toBeLessThan(2000);
    await handle(
      new Request('http://localhost/mcp', { method: 'DELETE', headers: { 'mcp-session-id': host.id } }),
    );
    expect((await host.post('tools/call', { name: 'a', arguments: {} })).status).toBe(404);
  });

  it('a ping is answered without asking it', async () => {
    const reading = vi.fn(down);
    const host = (await new Host(endpoint('enforce')).connect('low')).movedTo(
      endpoint('enforce', { ...broken, read: reading }),
    );
    expect(await (await host.post('ping')).json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(reading).not.toHaveBeenCalled();
  });
});
