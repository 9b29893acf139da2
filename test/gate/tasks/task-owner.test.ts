import { describe, expect, it } from 'vitest';
import { ownerOf as callerOf } from '../../../src/core/gate/edge/task-owners.js';
import type { Sender } from '../../../src/core/gate/request/configure.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { isListedFor, isPrivate, mayUse, principalOf } from '../../../src/core/gate/tasks/task-owner.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionRecord } from '../../../src/core/session/store.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import { BROKEN_STORE, type GivenOptions, levels, MODERN, TaskGate, verified } from './task-gate.js';

const policy = levels();
const OVER_HTTP: Partial<Sender> = { http: {} };
const OPENED: SessionRecord = { listChanged: [] };

function gate(preferences?: SessionPreferences): TaskGate {
  const options: GivenOptions = preferences === undefined ? {} : { preferences };
  return new TaskGate(policy, {}, options);
}
const storing = (store = createMemoryStore()) => gate({ place: 'store', store, id: 's' });

describe('a verified caller', () => {
  const claims = (given: object) => ({ claims: new Map(Object.entries(given)) });
  const client = (clientId: unknown) => ({ extra: { authInfo: { clientId } } });

  it.each<[string, Partial<Sender>, object | undefined]>([
    ['issuer and subject', claims({ iss: 'i', sub: 's' }), { issuer: 'i', subject: 'sub s' }],
    ['a subject alone', claims({ sub: 's' }), { issuer: '', subject: 'sub s' }],
    ['an issuer of another type', claims({ iss: 7, sub: 's' }), { issuer: '', subject: 'sub s' }],
    ['a client alone', client('c'), { issuer: '', subject: 'client c' }],
    [
      'an issuer and a client',
      { ...claims({ iss: 'i' }), ...client('c') },
      { issuer: 'i', subject: 'client c' },
    ],
    ['both', { ...claims({ iss: 'i', sub: 's' }), ...client('c') }, { issuer: 'i', subject: 'sub s' }],
    [
      'an empty subject',
      { ...claims({ iss: 'i', sub: '' }), ...client('c') },
      { issuer: 'i', subject: 'client c' },
    ],
    [
      'a subject of another type',
      { ...claims({ iss: 'i', sub: ['s'] }), ...client('c') },
      { issuer: 'i', subject: 'client c' },
    ],
    ['an issuer alone', claims({ iss: 'i' }), undefined],
    ['an empty client', client(''), undefined],
    ['a client of another type', client(['c']), undefined],
    ['nothing', {}, undefined],
  ])('is told by %s', (_what, sender, principal) => {
    expect(principalOf(gate().exchange('tasks/list', {}, sender).sender)).toEqual(principal);
  });
});

describe('a connection', () => {
  it.each<[string, SessionPreferences, Partial<Sender>, boolean]>([
    ['a process of its own', { place: 'connection', record: {} }, {}, true],
    ['HTTP with a transport of its own', { place: 'connection', id: 's', record: {} }, OVER_HTTP, false],
    ['HTTP without a session', { place: 'none' }, OVER_HTTP, false],
    ['a store', { place: 'store', store: createMemoryStore(), id: 's' }, {}, false],
  ])('has one client by its nature, or not: %s', (_what, preferences, sender, expected) => {
    expect(isPrivate(gate(preferences).exchange('tasks/list', {}, sender))).toBe(expected);
  });
});

describe('the caller', () => {
  it('is the verified one, wherever preferences are kept', () => {
    const alice = { issuer: 'issuer', subject: 'sub alice' };
    for (const each of [gate(), gate({ place: 'none' }), storing(BROKEN_STORE)]) {
      expect(callerOf(each.exchange('tasks/list', {}, verified('alice')))).toEqual(alice);
    }
  });

  it.each([
    ['of this era', {}],
    ['of 2026-07-28', { _meta: MODERN }],
  ])('is the connection, if it has one client: with a request %s', (_era, params) => {
    const own = gate();
    expect(callerOf(own.exchange('tasks/list', params))).toEqual({ session: own.gate.state.name });
  });

  it('is unknown over HTTP without a session', () => {
    expect(callerOf(gate({ place: 'none' }).exchange('tasks/list', {}, OVER_HTTP))).toEqual({});
  });

  it('is unknown with a request of 2026-07-28 over HTTP, which has no session', async () => {
    const record = OPENED;
    const params = { _meta: MODERN };
    const kept = gate({ place: 'connection', id: 's', record });
    expect(callerOf(kept.exchange('tasks/list', params, OVER_HTTP))).toEqual({});
    const store = createMemoryStore();
    await store.update('s', OPENED);
    expect(callerOf(storing(store).exchange('tasks/list', params, OVER_HTTP))).toEqual({});
  });

  it.each<[string, SessionRecord, object]>([
    ['opened', OPENED, { session: 's' }],
    ['did not open', { concerns: {} }, {}],
  ])('is the session of a transport that this endpoint %s', (_what, record, caller) => {
    const own = gate({ place: 'connection', id: 's', record });
    expect(callerOf(own.exchange('tasks/list', {}, OVER_HTTP))).toEqual(caller);
  });

  it('is the connection over HTTP, if its transport has no session id', () => {
    const own = gate({ place: 'connection', record: OPENED });
    expect(callerOf(own.exchange('tasks/list', {}, OVER_HTTP))).toEqual({ session: own.gate.state.name });
  });

  it.each<[string, SessionRecord | undefined, object]>([
    ['opened', OPENED, { session: 's' }],
    ['was not opened', { concerns: {} }, {}],
    ['is unknown', undefined, {}],
  ])('is the session of a store, if it %s', async (_what, record, caller) => {
    const store = createMemoryStore();
    if (record !== undefined) await store.update('s', record);
    const found = callerOf(storing(store).exchange('tasks/list', {}, OVER_HTTP));
    expect(found).toBeInstanceOf(Promise);
    expect(await found).toEqual(caller);
  });

  it('is unknown if the session has ended, and cannot be told if the store cannot be read', async () => {
    const store = createMemoryStore();
    await store.update('s', OPENED);
    await store.end('s');
    expect(await callerOf(storing(store).exchange('tasks/list'))).toEqual({});
    await expect(callerOf(storing(BROKEN_STORE).exchange('tasks/list'))).rejects.toThrow('secret host');
  });
});

describe('a task', () => {
  const alice = { issuer: 'i', subject: 'sub alice' };
  const bob = { issuer: 'i', subject: 'sub bob' };
  const owned = (caller: object) => ({ tool: 'work', owner: ownerOf(caller, 'one') });

  it.each([
    ['its owner', alice, owned(alice), true, true],
    ['another one', bob, owned(alice), false, false],
    ['the session that created it', { session: 's' }, owned({ session: 's' }), true, true],
    ['another session', { session: 't' }, owned({ session: 's' }), false, false],
    ['someone unknown, if it has an owner', {}, owned(alice), false, false],
    ['someone unknown, if it has none', {}, owned({}), true, false],
    ['anyone, if it has no owner', alice, owned({}), true, false],
  ])('can be used by %s, or not, and listed, or not', (_who, caller, maker, used, listed) => {
    expect(mayUse(caller, 'one', maker)).toBe(used);
    expect(isListedFor(caller, 'one', maker)).toBe(listed);
  });

  it('without an owner belongs to those who have its own id', () => {
    expect(mayUse({}, 'two', owned({}))).toBe(false);
  });
});
