import { describe, expect, it } from 'vitest';
import {
  type Decided,
  nothingRead,
  type PrincipalPreferences,
  readPrincipal,
  readStored,
  recordOf,
  type SessionPreferences,
  type StoredPreferences,
  strongestPlace,
  withoutModel,
} from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { HostConcerns, SessionRecord, SessionStore } from '../../../src/core/session/store.js';
import { policyOf } from '../gate-harness.js';

const UNKNOWN = { state: 'unknown' } as const;
const live = (record: SessionRecord) => ({ state: 'live', record }) as const;

const store = createMemoryStore();
await store.update('s', { acted: true });
await store.update('p', { concerns: { a: 'b' } });
await store.end('ended');

const failing: SessionStore = { ...store, read: () => Promise.reject(new Error('down')) };
const NONE: PrincipalPreferences = { place: 'none' };
const principalAt = (id: string, at = store): PrincipalPreferences => ({ place: 'store', store: at, id });
const inStore = (id: string, at = store): SessionPreferences => ({ place: 'store', store: at, id });
const inConnection: SessionPreferences = { place: 'connection', record: { acted: true } };

const sent = (
  preferences: SessionPreferences,
  principal?: PrincipalPreferences,
  era: 'legacy' | 'modern' = 'legacy',
) => ({ era, connection: { preferences, principal } });

describe('before anything was read', () => {
  it.each<[PrincipalPreferences | undefined, StoredPreferences]>([
    [undefined, { session: UNKNOWN, principal: undefined }],
    [NONE, { session: UNKNOWN, principal: undefined }],
    [principalAt('p'), { session: UNKNOWN, principal: UNKNOWN }],
  ])('with the caller in %j', (principal, kept) => {
    expect(nothingRead(sent(inConnection, principal))).toStrictEqual(kept);
  });
});

describe('what is kept for a sender', () => {
  it.each<[string, ReturnType<typeof sent>, StoredPreferences]>([
    ['a connection', sent(inConnection), { session: live({ acted: true }), principal: undefined }],
    [
      'a caller that is not verified',
      sent(inConnection, NONE),
      { session: live({ acted: true }), principal: undefined },
    ],
    ['a modern request', sent(inConnection, undefined, 'modern'), { session: UNKNOWN, principal: undefined }],
    [
      'a modern request of a session',
      sent(inStore('s'), NONE, 'modern'),
      { session: UNKNOWN, principal: undefined },
    ],
  ])('is at hand for %s', (_what, given, kept) => {
    expect(readStored(given)).toStrictEqual(kept);
  });

  it.each<[string, ReturnType<typeof sent>, StoredPreferences]>([
    ['a session', sent(inStore('s')), { session: live({ acted: true }), principal: undefined }],
    ['a session that is not known', sent(inStore('x')), { session: UNKNOWN, principal: undefined }],
    [
      'a caller, beside its session',
      sent(inStore('s'), principalAt('p')),
      { session: live({ acted: true }), principal: live({ concerns: { a: 'b' } }) },
    ],
    [
      'a caller, beside its connection',
      sent(inConnection, principalAt('p')),
      { session: live({ acted: true }), principal: live({ concerns: { a: 'b' } }) },
    ],
    [
      'a caller of a modern request',
      sent(inStore('s'), principalAt('p'), 'modern'),
      { session: UNKNOWN, principal: live({ concerns: { a: 'b' } }) },
    ],
  ])('is read from the store for %s', async (_what, given, kept) => {
    const reading = readStored(given);
    expect(reading).toBeInstanceOf(Promise);
    expect(await reading).toStrictEqual(kept);
  });

  it('cannot be read if the store cannot', async () => {
    await expect(readStored(sent(inStore('s', failing)))).rejects.toThrow('down');
    await expect(readStored(sent(inConnection, principalAt('p', failing)))).rejects.toThrow('down');
  });
});

describe('what is kept for a caller', () => {
  it('is nothing if there is no place for it', () => {
    expect(readPrincipal(undefined)).toBeUndefined();
    expect(readPrincipal(NONE)).toBeUndefined();
  });

  it('is an empty record if it never chose anything, or its record ended', async () => {
    expect(await readPrincipal(principalAt('p'))).toEqual(live({ concerns: { a: 'b' } }));
    expect(await readPrincipal(principalAt('new'))).toEqual(live({}));
    expect(await readPrincipal(principalAt('ended'))).toEqual(live({}));
  });
});

describe('a record', () => {
  it('is empty if nothing is kept', () => {
    expect(recordOf(live({ acted: true }))).toEqual({ acted: true });
    expect(recordOf(UNKNOWN)).toEqual({});
    expect(recordOf({ state: 'ended' })).toEqual({});
    expect(recordOf(undefined)).toEqual({});
  });
});

describe('the strongest place', () => {
  it.each<[StoredPreferences, keyof StoredPreferences]>([
    [{ session: live({}), principal: undefined }, 'session'],
    [{ session: live({ acted: true }), principal: undefined }, 'session'],
    [{ session: live({}), principal: live({}) }, 'principal'],
    [{ session: live({ acted: false }), principal: live({}) }, 'principal'],
    [{ session: live({ acted: true }), principal: live({}) }, 'session'],
    [{ session: UNKNOWN, principal: UNKNOWN }, 'principal'],
  ])('of %j is %s', (kept, place) => {
    expect(strongestPlace(kept)).toBe(place);
  });
});

describe('what a session keeps without the values of a model', () => {
  const policy = policyOf(`
concerns:
  topic: { values: [news], model: free }
  cost: { values: { min: 0, max: 9 }, model: narrow }
`);
  const added = { topic: 'news', '+tools': ['get_quote'] };

  it.each<[string, HostConcerns | undefined, Decided, object]>([
    ['no values', undefined, 'all', {}],
    ['no values for a concern', undefined, ['topic'], {}],
    ['empty values', {}, 'all', {}],
    ['all values', { topic: 'news', cost: 1 }, 'all', { model: {} }],
    ['values of one concern', { topic: 'news', cost: 1 }, ['topic'], { model: { cost: 1 } }],
    ['values of both concerns', { topic: 'news', cost: 1 }, ['cost', 'topic'], { model: {} }],
    ['values of other concerns', { topic: 'news' }, ['cost'], {}],
    ['values of no concern', { topic: 'news' }, [], {}],
    ['added tools, with a concern that is open to models', added, ['topic'], { model: {} }],
    ['all but added tools, with another concern', { ...added, cost: 1 }, ['cost'], { model: added }],
  ])('is %s', (_what, model, decided, kept) => {
    const record: SessionRecord = { acted: true, ...(model === undefined ? {} : { model }) };
    expect(withoutModel(policy, record, decided)).toEqual(kept);
  });
});
