import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { requireLogin } from '../../src/core/http/callers/authorization.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { shareUpstream } from '../../src/proxy/isolation.js';
import { policyOf } from '../gate/gate-harness.js';
import { ask, type Caller, initialize, MARKER, openTo, principal, taskServers } from './task-server.js';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const MODES = ['advisory', 'shadow', 'enforce'] as const;
const policyIn = (mode: (typeof MODES)[number]) =>
  policyOf(`
concerns: { level: { values: [low, high] } }
primitives: { tools: { work: { level: high }, secret: { level: low } } }
settings: { enforcement: ${mode} }
`);

interface Endpoint {
  readonly handle: FetchHandler;
  /** Returns another endpoint for the same server, as after a restart or in another process. */
  restart(): FetchHandler;
}

const MOUNTS: Record<string, (mode: (typeof MODES)[number], store?: SessionStore) => Endpoint> = {
  'its own server': (mode, store) => {
    const servers = taskServers();
    open.push(servers.close);
    const create = () => createHandler({ server: servers.create, policy: policyIn(mode), store });
    return { handle: create(), restart: create };
  },
  'a shared upstream': (mode, store) => {
    const servers = taskServers();
    const upstream = shareUpstream(() => openTo(servers.create()));
    open.push(servers.close, () => upstream.close());
    const create = () => createHandler({ server: () => upstream.server(), policy: policyIn(mode), store });
    return { handle: create(), restart: create };
  },
};

const OWNERS: Record<string, (handle: FetchHandler) => Promise<Caller>> = {
  'a principal': async (handle) => (await initialize(handle, { authInfo: principal('alice') })).caller,
  'a principal without a session': async () => ({ authInfo: principal('alice') }),
  'a session': async (handle) => (await initialize(handle)).caller,
};

/** Everyone but the owner. */
async function strangersTo(handle: FetchHandler, owner: Caller): Promise<Record<string, Caller>> {
  const bob = { authInfo: principal('bob') };
  const { session = randomBytes(16).toString('hex') } = owner;
  return {
    'another principal': (await initialize(handle, bob)).caller,
    'another principal with the session id of the owner': { ...bob, session },
    'another subject of no issuer': {
      authInfo: { ...principal('alice'), extra: { sub: 'alice' } },
    },
    'another session': (await initialize(handle)).caller,
    'a session id that nobody opened': { session: randomBytes(16).toString('hex') },
    'no session': {},
    ...(owner.authInfo === undefined ? {} : { 'the session id of the owner only': { session } }),
  };
}

const startTask = async (handle: FetchHandler, caller: Caller, finish: boolean): Promise<string> => {
  const { result } = await ask(handle, caller, 'tools/call', {
    name: 'work',
    arguments: { finish },
    task: {},
  });
  return String(read(result, 'task', 'taskId'));
};
const idsOf = (result: unknown): unknown[] =>
  (read(result, 'tasks') as object[]).map((task) => read(task, 'taskId'));

const METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update'];

describe.each(Object.entries(MOUNTS))('the tasks of %s', (_mount, mount) => {
  describe.each(MODES)('under %s', (mode) => {
    it.each(Object.entries(OWNERS))('belong to %s', async (_owner, ownerAt) => {
      const { handle, restart } = mount(mode, createMemoryStore());
      const owner = await ownerAt(handle);
      const [running, finished] = [
        await startTask(handle, owner, false),
        await startTask(handle, owner, true),
      ];
      for (const at of [handle, restart()]) {
        for (const [name, stranger] of Object.entries(await strangersTo(at, owner))) {
          for (const params of [{}, { order: 'asc' }, { taskIds: [running] }]) {
            const { text, result } = await ask(at, stranger, 'tasks/list', params);
            expect.soft(text, `${name}: tasks/list`).not.toContain(MARKER);
            if (result !== undefined) expect.soft(idsOf(result), name).toEqual([]);
          }
          for (const method of METHODS) {
            for (const taskId of [running, finished]) {
              const { text, error } = await ask(at, stranger, method, { taskId });
              const unknown = await ask(at, stranger, method, { taskId: 'x'.repeat(taskId.length) });
              const message = unknown.error?.message.replace(/x{8,}/, taskId);
              expect.soft(text, `${name}: ${method}`).not.toContain(MARKER);
              expect.soft(error, `${name}: ${method}`).toEqual({ ...unknown.error, message });
            }
          }
        }
        const listed = await ask(at, owner, 'tasks/list');
        expect(new Set(idsOf(listed.result))).toEqual(new Set([running, finished]));
        const { result } = await ask(at, owner, 'tasks/get', { taskId: running });
        expect(result).toMatchObject({ status: 'working', statusMessage: expect.stringContaining(MARKER) });
        expect((await ask(at, owner, 'tasks/result', { taskId: finished })).text).toContain(MARKER);
      }
      const cancelled = await ask(restart(), owner, 'tasks/cancel', { taskId: running });
      expect(cancelled.result).toMatchObject({ status: 'cancelled' });
    });

    it('say nothing to their owner with an expired token', async () => {
      const { handle } = mount(mode, createMemoryStore());
      const verifier = {
        verifyAccessToken: async (token: string) => ({
          ...principal('alice'),
          expiresAt: Date.now() / 1000 + (token === 'old' ? -1 : 60),
        }),
      };
      const guarded = requireLogin(handle, { servers: ['https://issuer.test'], verifier });
      const withToken =
        (token: string): FetchHandler =>
        (request) => {
          request.headers.set('authorization', `Bearer ${token}`);
          return guarded(request);
        };
      const { caller } = await initialize(withToken('new'));
      const taskId = await startTask(withToken('new'), caller, true);
      expect((await ask(withToken('new'), caller, 'tasks/result', { taskId })).text).toContain(MARKER);
      for (const method of ['tasks/list', ...METHODS]) {
        for (const id of [taskId, 'x'.repeat(taskId.length)]) {
          const { text, error, result } = await ask(withToken('old'), caller, method, { taskId: id });
          expect(text).not.toContain(MARKER);
          expect(text).not.toContain(id);
          expect(result).toBeUndefined();
          expect(error?.message).toMatch(/token|login|authoriz/i);
        }
      }
    });

    it('belong to nobody if nothing tells who created them', async () => {
      const { handle, restart } = mount(mode);
      const owner = { authInfo: principal('alice') };
      const taskId = await startTask(handle, owner, false);
      expect((await ask(handle, owner, 'tasks/get', { taskId })).result).toMatchObject({ taskId });
      const later = restart();
      expect((await ask(later, owner, 'tasks/get', { taskId })).error).toEqual({
        code: -32602,
        message: expect.stringContaining('Failed to retrieve task: Task not found'),
      });
      expect((await ask(later, owner, 'tasks/list')).result).toMatchObject({ tasks: [] });
    });
  });
});

describe('a caller without a session and without a verified identity', () => {
  it('can use a task whose id it has, and cannot list any', async () => {
    const { handle } = MOUNTS['its own server']?.('advisory') ?? {};
    if (handle === undefined) throw new Error('There is no such mount.');
    const { result } = await initialize(handle);
    expect(read(result, 'capabilities', 'tasks')).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
    const taskId = await startTask(handle, {}, false);
    expect((await ask(handle, {}, 'tasks/get', { taskId })).result).toMatchObject({ taskId });
    expect((await ask(handle, {}, 'tasks/list')).result).toMatchObject({ tasks: [] });
    const stranger = { authInfo: principal('bob') };
    expect((await ask(handle, stranger, 'tasks/list')).result).toMatchObject({ tasks: [] });
  });

  it('is not offered tasks of a shared upstream', async () => {
    const { handle } = MOUNTS['a shared upstream']?.('advisory') ?? {};
    if (handle === undefined) throw new Error('There is no such mount.');
    const { result } = await initialize(handle);
    expect(read(result, 'capabilities', 'tools')).toBeDefined();
    expect(read(result, 'capabilities', 'tasks')).toBeUndefined();
    // MCP, "Tasks": the receiver ignores that a call asks for a task.
    const called = await ask(handle, {}, 'tools/call', { name: 'work', task: {} });
    expect(called.result).toEqual({ content: [] });
    for (const method of ['tasks/list', ...METHODS]) {
      expect((await ask(handle, {}, method, { taskId: 'x' })).error?.code).toBe(-32601);
    }
  });
});

describe('the texts of tasks under enforce', () => {
  it('do not name hidden primitives', async () => {
    const { handle } = MOUNTS['its own server']?.('enforce', createMemoryStore()) ?? {};
    if (handle === undefined) throw new Error('There is no such mount.');
    const { caller } = await initialize(handle);
    const [running, finished] = [
      await startTask(handle, caller, false),
      await startTask(handle, caller, true),
    ];
    const high = { _meta: { [EXTENSION_ID]: { concerns: { level: 'high' } } } };
    for (const [method, params] of [
      ['tasks/list', {}],
      ['tasks/get', { taskId: running }],
      ['tasks/cancel', { taskId: running }],
      ['tasks/result', { taskId: finished }],
    ] as const) {
      const { text } = await ask(handle, caller, method, { ...params, ...high });
      expect.soft(text, method).not.toMatch(/secret/);
      expect.soft(text, method).toMatch(method === 'tasks/cancel' ? /cancelled/ : MARKER);
    }
    const open = await ask(handle, caller, 'tasks/get', { taskId: finished });
    expect(read(open.result, 'status')).toBe('completed');
  });
});

describe('the list of tasks', () => {
  it('omits the tasks of hidden tools, and describes itself as the other lists do', async () => {
    const { handle } = MOUNTS['its own server']?.('advisory', createMemoryStore()) ?? {};
    if (handle === undefined) throw new Error('There is no such mount.');
    const { caller } = await initialize(handle);
    await startTask(handle, caller, false);
    await ask(handle, caller, 'tools/call', { name: 'secret', task: {} });
    await startTask(handle, (await initialize(handle)).caller, false);
    const concerns = { level: 'high', unheard: 'of' };
    const { result } = await ask(handle, caller, 'tasks/list', { _meta: { [EXTENSION_ID]: { concerns } } });
    expect(result).toMatchObject({
      tasks: [{ status: 'working' }],
      _meta: {
        [EXTENSION_ID]: {
          concerns: { level: 'high' },
          shown: 1,
          // Tasks of others do not count.
          total: 2,
          warnings: [{ message: expect.stringContaining('unheard') }],
        },
      },
    });
  });
});
