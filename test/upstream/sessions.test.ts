import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { afterEach, describe, expect, it } from 'vitest';
import { newSessionId } from '../../src/core/gate/request/session-id.js';
import { listenLocally } from '../../src/core/http/local.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { bridge } from '../../src/proxy/isolation.js';
import { SessionProxy } from '../../src/proxy/sessions/session-proxy.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { connectOverHttp, toolNames, updateConcerns } from '../clients.js';
import { policyOf } from '../gate/gate-harness.js';

const CHILD = fileURLToPath(new URL('fixtures/faulty-child.mjs', import.meta.url));
const policy = policyOf(`
concerns: { access: { values: [none, all], match: at-most, default: all } }
primitives: { tools: { echo: { access: all } } }
`);

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Longer than a test may take: nothing here may wait until a server that hangs is given up. */
const START_MS = 600_000;

/** Of the user: with it, another process can continue the sessions. */
const SECRET = 'secret of one user';

interface Limits {
  readonly maxSessions?: number;
  readonly idleMs?: number;
  readonly now?: () => number;
  /** Sessions that the store remembers. */
  readonly kept?: number;
  /** A store that other processes use too. */
  readonly shared?: SessionStore;
}

async function serve({ kept = 100, shared, ...limits }: Limits = {}, fault = 'none', sessionSecret?: string) {
  const starts = join(mkdtempSync(join(tmpdir(), 'sessions-')), 'starts');
  const children: ChildTransport[] = [];
  const events: string[] = [];
  const spawn = (): ChildTransport => {
    const child = new ChildTransport(process.execPath, [CHILD, fault, starts]);
    children.push(child);
    return child;
  };
  const report = ({ state, reason, stderr }: { state?: string; reason?: string; stderr?: string }): void =>
    void events.push(`${state} ${reason ?? ''} ${stderr ?? ''}`);
  const proxy = new SessionProxy({
    server: () => bridge(spawn, 'per-session', { report, startMs: START_MS }).connection(),
    policy,
    store: shared ?? createMemoryStore({ maxSessions: kept }),
    isShared: shared !== undefined,
    ...limits,
  });
  open.push(() => proxy.close());
  const endpoint = await listenLocally(
    (request, given) => proxy.fetch(request, { ...given, sessionSecret }),
    {},
  );
  open.push(() => endpoint.close());
  const alive = (): number => children.filter(({ pid }) => isAlive(pid)).length;
  return { url: endpoint.url, proxy, children, alive, events };
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
};

/** Initializes as hosts do that never end their sessions. */
async function begin(url: string, headers: Record<string, string> = {}): Promise<[string | null, number]> {
  const init = { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(initialize) };
  const response = await fetch(url, init);
  await response.text();
  return [response.headers.get('mcp-session-id'), response.status];
}

async function list(url: string, session: string, id = 1): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' });
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, 'mcp-session-id': session },
    body,
  });
  return `${response.status} ${await response.text()}`;
}

async function call(url: string, session: string, n: number): Promise<string> {
  const params = { name: 'wait', arguments: { n } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = { ...HEADERS, 'mcp-session-id': session };
  const response = await fetch(url, { method: 'POST', headers, body });
  return `${response.status} ${await response.text()}`;
}

describe('sessions without DELETE', () => {
  it('leave at most the limit of processes', async () => {
    const { url, proxy, alive, children } = await serve({ maxSessions: 3 });
    for (let n = 0; n < 10; n++) await begin(url);
    expect(children).toHaveLength(10);
    expect(proxy.size).toBe(3);
    await expect.poll(alive).toBe(3);
  });

  it('keep the limit if many begin at the same time', async () => {
    const { url, proxy, alive } = await serve({ maxSessions: 3 });
    await Promise.all(Array.from({ length: 10 }, () => begin(url)));
    await expect.poll(alive).toBeLessThanOrEqual(3);
    expect(proxy.size).toBeLessThanOrEqual(3);
  });

  it('end after the idle time, and all end with the proxy', async () => {
    let now = 0;
    const { url, proxy, alive } = await serve({ idleMs: 60_000, now: () => now });
    await begin(url);
    now = 60_000;
    proxy.endIdle();
    expect(proxy.size).toBe(1);
    // The time of a session counts from the end of its last response, which arrived before that.
    now = 60_001;
    await expect
      .poll(() => {
        proxy.endIdle();
        return alive();
      })
      .toBe(0);
    await begin(url);
    await proxy.close();
    expect(alive()).toBe(0);
  });

  it('leave no process if the transport refuses initialize', async () => {
    const { url, proxy, alive } = await serve();
    expect(await begin(url, { accept: 'application/json' })).toEqual([null, 406]);
    await expect.poll(alive).toBe(0);
    expect(proxy.size).toBe(0);
  });

  it('leave no session if the server cannot initialize', async () => {
    const { url, proxy, events } = await serve({}, 'exit-at-start');
    await begin(url);
    await expect.poll(() => proxy.size).toBe(0);
    expect(events.join()).toContain('FATAL: API_KEY is not set');
  });
});

describe('while more hosts than sessions are busy', () => {
  it('ends eight sessions at once to make room, and then one every ten seconds', async () => {
    let now = 1000;
    const { url } = await serve({ maxSessions: 1, now: () => now });
    for (let n = 0; n < 9; n++) expect((await begin(url))[1]).toBe(200);
    expect((await begin(url))[1]).toBe(503);
    now = 11_000;
    expect((await begin(url))[1]).toBe(200);
    expect((await begin(url))[1]).toBe(503);
  });

  it('ends a session at once that nobody used for ten seconds', async () => {
    let now = 0;
    const { url } = await serve({ maxSessions: 1, now: () => now });
    for (let n = 0; n < 12; n++) {
      now = 20_000 * n;
      expect((await begin(url))[1]).toBe(200);
    }
  });
});

describe('while all sessions answer', () => {
  it('a new one gets 503, and none of them ends', async () => {
    const { url, children } = await serve({ maxSessions: 2 }, 'slow');
    const [[first], [second]] = await Promise.all([begin(url), begin(url)]);
    const slow = [call(url, first ?? '', 700), call(url, second ?? '', 700)];
    await expect.poll(() => slow.length).toBe(2);
    const refused = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(initialize) });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { message: expect.stringContaining('busy') },
    });
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^200 .*"700"/s);
    expect(children).toHaveLength(2);
    expect((await begin(url))[1]).toBe(200);
  });
});

describe('a session that the process does not know', () => {
  it('is served under the same id, by one process', async () => {
    const { url, children } = await serve({}, 'none', SECRET);
    const id = newSessionId({ policy, secret: SECRET }, {});
    const answers = await Promise.all([list(url, id, 1), list(url, id, 2), list(url, id, 3)]);
    for (const answer of answers) expect(answer).toMatch(/^200 .*"echo"/s);
    expect(children).toHaveLength(1);
  });

  it('gets the reason if its server does not start, without its stderr', async () => {
    const { url, proxy } = await serve({}, 'exit-at-start', SECRET);
    const answer = await list(url, newSessionId({ policy, secret: SECRET }, {}));
    expect(answer).toMatch(/^502 .*it ended with exit code 1/);
    expect(answer).not.toContain('API_KEY');
    expect(proxy.size).toBe(0);
  });

  it('is told to try again if the endpoint ends while its server starts', async () => {
    const { url, proxy, children } = await serve({}, 'hang-at-initialize', SECRET);
    const answer = list(url, newSessionId({ policy, secret: SECRET }, {}));
    await expect.poll(() => children.length).toBe(1);
    await proxy.close();
    expect(await answer).toMatch(/^503 .*is ending/);
    expect(children.map(({ pid }) => isAlive(pid))).toEqual([false]);
  });

  it('says that the endpoint ends to each request that waits for the same session', async () => {
    const { url, proxy, children } = await serve({}, 'hang-at-initialize', SECRET);
    const id = newSessionId({ policy, secret: SECRET }, {});
    const answers = [list(url, id, 1), list(url, id, 2)];
    await expect.poll(() => children.length).toBe(1);
    await proxy.close();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^503 .*is ending/);
    expect(children.map(({ pid }) => isAlive(pid))).toEqual([false]);
    expect(proxy.size).toBe(0);
  });

  it('is not left behind if its server ends before its first request', async () => {
    const server = (): Server => {
      const made = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
      made.oninitialized = () => void made.close();
      return made;
    };
    const proxy = new SessionProxy({ server, policy, store: createMemoryStore() });
    open.push(() => proxy.close());
    const endpoint = await listenLocally(
      (request, given) => proxy.fetch(request, { ...given, sessionSecret: SECRET }),
      {},
    );
    open.push(() => endpoint.close());
    const id = newSessionId({ policy, secret: SECRET }, {});
    const answers = await Promise.all([list(endpoint.url, id, 1), list(endpoint.url, id, 2)]);
    for (const answer of answers) expect(answer).toMatch(/^503 .*ended before this request/);
    expect(proxy.size).toBe(0);
  });

  it('cannot be ended, and must have a valid id', async () => {
    const { url, children } = await serve();
    const response = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': 'unknown' } });
    expect(response.status).toBe(404);
    for (const id of ['x'.repeat(129), '0b0c7c1e-5d0a-4a53-9d8c-6a2f3a5e9a11', '0'.repeat(32)])
      expect(await list(url, id)).toMatch(/^404 .*"jsonrpc"/);
    expect(children).toHaveLength(0);
  });

  it('answers 404 to an id that its host has ended', async () => {
    const { url } = await serve();
    const [id] = await begin(url);
    if (id === null) throw new Error('There is no session.');
    expect(await list(url, id)).toMatch(/^200/);
    const ended = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': id } });
    expect(ended.ok).toBe(true);
    expect(await list(url, id)).toMatch(/^404 .*"jsonrpc"/);
  });

  it('keeps the preferences of initialize after a restart, and none that were forged', async () => {
    const before = await serve({}, 'none', SECRET);
    const capabilities = { extensions: { [EXTENSION_ID]: { concerns: { access: 'none' } } } };
    const params = { ...initialize.params, capabilities };
    const body = JSON.stringify({ ...initialize, params });
    const opened = await fetch(before.url, { method: 'POST', headers: HEADERS, body });
    await opened.text();
    const id = opened.headers.get('mcp-session-id') ?? '';
    expect(await list(before.url, id)).toMatch(/^200 .*"tools":\[\]/s);
    const { url } = await serve({}, 'none', SECRET);
    expect(await list(url, id)).toMatch(/^200 .*"tools":\[\]/s);
    const [random = '', sealed = ''] = id.split('.');
    expect(await list(url, `${random.replace(/./g, '0')}.${sealed}`)).toMatch(/^404/);
  });

  it('is unknown after it ended for lack of room', async () => {
    const { url, children } = await serve({ maxSessions: 1 });
    const host = await connectOverHttp(url);
    open.push(() => host.close());
    await begin(url);
    await expect(host.listTools()).rejects.toThrow('The session is unknown or was ended.');
    expect(children).toHaveLength(2);
  });

  it('keeps what was switched after it ended for lack of room: a new one would show more', async () => {
    const { url, children } = await serve({ maxSessions: 1 });
    const host = await connectOverHttp(url);
    open.push(() => host.close());
    await updateConcerns(host, { access: 'none' });
    for (let times = 2; times <= 4; times += 2) {
      await begin(url);
      expect(await toolNames(host)).toEqual([]);
      expect(children).toHaveLength(times + 1);
    }
  });

  it('is unknown after its own process forgot it: somebody may have switched it to show less', async () => {
    const { url } = await serve({ maxSessions: 1, kept: 1 });
    const host = await connectOverHttp(url);
    open.push(() => host.close());
    await updateConcerns(host, { access: 'none' });
    expect(await toolNames(host)).toEqual([]);
    await begin(url);
    await expect(host.listTools()).rejects.toThrow('The session is unknown or was ended.');
  });

  it('is not lost if it ends to make room while the store is read for its request', async () => {
    const store = createMemoryStore({ maxSessions: 10 });
    const release: (() => void)[] = [];
    let isHeld = false;
    const shared: SessionStore = {
      ...store,
      read: async (id) => {
        if (isHeld) await new Promise<void>((resolve) => release.push(resolve));
        return store.read(id);
      },
    };
    const { url } = await serve({ shared, maxSessions: 1 }, 'none', SECRET);
    const [evicted] = await begin(url);
    const [running] = await begin(url);
    isHeld = true;
    const adopting = list(url, String(evicted));
    await expect.poll(() => release.length).toBe(1);
    const listing = list(url, String(running));
    await expect.poll(() => release.length).toBe(2);
    isHeld = false;
    for (const each of release) each();
    expect(await adopting).toMatch(/^200 /);
    expect(await listing).toMatch(/^503 .*All 1 sessions are busy/);
    await expect.poll(() => list(url, String(running))).toMatch(/^200 /);
  });

  it('is told to try again while a shared store cannot be read, and what was switched is not lost', async () => {
    const store = createMemoryStore();
    let isDown = false;
    const shared: SessionStore = {
      ...store,
      read: async (id) => (isDown ? Promise.reject(new Error('down')) : store.read(id)),
    };
    const first = await serve({ shared }, 'none', SECRET);
    const host = await connectOverHttp(first.url);
    open.push(() => host.close());
    await updateConcerns(host, { access: 'none' });
    const id = (host.transport as StreamableHTTPClientTransport).sessionId ?? '';
    const { url } = await serve({ shared }, 'none', SECRET);
    isDown = true;
    expect(await list(url, id)).toMatch(/^503 .*store does not answer/);
    isDown = false;
    expect(await list(url, id)).toMatch(/^200 .*"tools":\[\]/s);
  });
});
