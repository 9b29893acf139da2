import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { describe, expect, it, vi } from 'vitest';
import { bindSessions, lastKnownIn, learnFirst, readAhead, sessionOf } from '../../src/core/http/sessions.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionStore } from '../../src/core/session/store.js';

const caller = (extra: Record<string, unknown>, clientId = ''): AuthInfo => ({
  token: '',
  clientId,
  scopes: [],
  extra,
});
const ada = caller({ iss: 'https://login.example/', sub: 'ada' });

describe('a session id', () => {
  it.each(['', 'a'.repeat(31), 'a'.repeat(33), 'A'.repeat(32), `${'a'.repeat(31)}g`, '../'.repeat(10)])(
    'of another form is ignored: %j',
    (id) => {
      expect(sessionOf(new Headers({ 'mcp-session-id': id }))).toBeUndefined();
    },
  );
});

describe('a session of a verified caller', () => {
  const id = '0123456789abcdef0123456789abcdef';
  const concerns = { security: 'high' };
  const opened = async (by: AuthInfo | undefined): Promise<SessionStore> => {
    const store = createMemoryStore();
    await bindSessions(store, by).update(id, { concerns });
    return store;
  };

  it('is available to the same caller again', async () => {
    const store = await opened(ada);
    const again = caller({ iss: 'https://login.example/', sub: 'ada', exp: 7 }, 'another client');
    expect(await bindSessions(store, again).read(id)).toEqual({ state: 'live', record: { concerns } });
  });

  it.each<[string, AuthInfo | undefined]>([
    ['another subject', caller({ iss: 'https://login.example/', sub: 'bob' })],
    ['the same subject of another issuer', caller({ iss: 'https://other.example/', sub: 'ada' })],
    ['a client of the same name', caller({ iss: 'https://login.example/' }, 'ada')],
    ['an unverified caller', undefined],
    ['a caller without a subject and a client', caller({})],
    ['a subject that is not a string', caller({ iss: 'https://login.example/', sub: ['ada'] })],
  ])('is unknown to %s, and cannot be changed or ended there', async (_who, other) => {
    const store = await opened(ada);
    const theirs = bindSessions(store, other);
    expect(await theirs.read(id)).toEqual({ state: 'unknown' });
    expect(await theirs.update(id, { concerns: {} })).toBe('stored');
    await theirs.end(id);
    expect(await bindSessions(store, ada).read(id)).toEqual({ state: 'live', record: { concerns } });
  });

  it('differs from the session of an unverified caller', async () => {
    const store = await opened(undefined);
    expect(await bindSessions(store, ada).read(id)).toEqual({ state: 'unknown' });
    expect(await bindSessions(store, undefined).read(id)).toMatchObject({ state: 'live' });
  });

  it('is stored under a key that reveals neither the id nor the caller', async () => {
    const store = createMemoryStore();
    const update = vi.spyOn(store, 'update');
    await bindSessions(store, ada).update(id, {});
    expect(update.mock.calls[0]?.[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is bound to the client if the token has no subject', async () => {
    const store = await opened(caller({ iss: 'https://login.example/' }, 'machine'));
    expect(
      await bindSessions(store, caller({ iss: 'https://login.example/' }, 'machine')).read(id),
    ).toMatchObject({
      state: 'live',
    });
    expect(await bindSessions(store, caller({ iss: 'https://login.example/' }, 'other')).read(id)).toEqual({
      state: 'unknown',
    });
  });
});

describe('readAhead', () => {
  const id = '0123456789abcdef0123456789abcdef';

  it('reads the store once, until the session changes', async () => {
    const store = createMemoryStore();
    await store.update(id, { concerns: { turn: 1 } });
    const read = vi.spyOn(store, 'read');
    const ahead = readAhead(store, lastKnownIn(store), { key: id });
    expect(await ahead.session).toMatchObject({ record: { concerns: { turn: 1 } } });
    await ahead.store.read(id);
    expect(read).toHaveBeenCalledTimes(1);
    await ahead.store.update(id, { concerns: { turn: 2 } });
    expect(await ahead.store.read(id)).toMatchObject({ record: { concerns: { turn: 2 } } });
    await ahead.store.end(id);
    expect(await ahead.store.read(id)).toEqual({ state: 'ended' });
  });

  it('shares the read of that session, but not of other ids', async () => {
    const store = createMemoryStore();
    await store.update(id, { concerns: { turn: 1 } });
    await store.update('task:1', { tool: 'work' });
    const ahead = readAhead(store, lastKnownIn(store), { key: id });
    expect(await ahead.store.read('task:1')).toEqual({ state: 'live', record: { tool: 'work' } });
    const read = vi.spyOn(store, 'read');
    await ahead.store.update('task:2', { tool: 'other' });
    expect(await ahead.store.read(id)).toMatchObject({ record: { concerns: { turn: 1 } } });
    expect(read).not.toHaveBeenCalled();
  });

  it('reads once if the read fails, and rejects when the store is read', async () => {
    const read = vi.fn(() => Promise.reject(new Error('away')));
    const ahead = readAhead({ ...createMemoryStore(), read }, lastKnownIn(createMemoryStore()), { key: id });
    expect(await ahead.session).toBeUndefined();
    await expect(ahead.store.read(id)).rejects.toThrow('away');
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('reads again after a change that failed, because it may have been stored', async () => {
    const store = createMemoryStore();
    const read = vi.spyOn(store, 'read');
    const ahead = readAhead(
      { ...store, read: store.read, update: () => Promise.reject(new Error('away')) },
      lastKnownIn(store),
      { key: id },
    );
    await expect(ahead.store.update(id, {})).rejects.toThrow('away');
    await ahead.store.read(id);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('knows of a session what this process learned about it in the same store, for the same caller', () => {
    const [store, other] = [createMemoryStore(), createMemoryStore()];
    learnFirst(lastKnownIn(store), { key: id, sealed: { concerns: { level: 'low' } } }, ['', 'sub', 'ada']);
    const knownIn = (asked: SessionStore, ...caller: string[]) =>
      readAhead(asked, lastKnownIn(asked), { key: id }, caller).known().known;
    expect(knownIn(store, '', 'sub', 'ada')).toEqual({ concerns: { level: 'low' } });
    expect(knownIn(store, '', 'sub', 'bob')).toBeUndefined();
    expect(knownIn(other, '', 'sub', 'ada')).toBeUndefined();
  });
});
