import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { policyOf } from '../gate-harness.js';
import { failing, Talk } from './talk.js';

const OPEN = policyOf('concerns: { security: { values: [low, high] } }\n');
const HIGH = { concerns: { security: 'high' } };
const UNDECLARED = {
  code: 'undeclared-concern',
  message: '"weather" (session) is not a concern of this server. It was ignored.',
};
const inStore = (store: SessionStore) => ({ place: 'store', store, id: 's' }) as const;

describe('notifications/initialized', () => {
  /** Sends it, and returns whether the server got it at once. */
  const keep = ({ connection, toServer }: Talk, params?: Record<string, unknown>): boolean => {
    const message = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
    connection.fromClient(params === undefined ? message : { ...message, params }, { extra: undefined });
    return toServer.length > 0;
  };

  it.each([undefined, {}])('changes nothing without preferences: %j', (params) => {
    const talk = new Talk(OPEN);
    expect(keep(talk, params)).toBe(true);
    expect(talk.record).toEqual({});
    expect(talk.reports).toEqual([]);
  });

  it('keeps preferences at once in the connection, beside the rest', () => {
    const record = { concerns: { security: 'low' }, listChanged: ['tools'], acted: true };
    const talk = new Talk(OPEN, { preferences: { place: 'connection', record } });
    expect(keep(talk, HIGH)).toBe(true);
    expect(talk.record).toEqual({ ...record, concerns: { security: 'high' } });
    expect(talk.contexts).toEqual([undefined]);
    expect(talk.reports).toEqual([
      {
        method: 'notifications/initialized',
        era: 'legacy',
        concerns: { security: 'high' },
        sources: { security: 'session' },
        warnings: [],
      },
    ]);
  });

  it('keeps warnings, and no preferences that are not accepted', () => {
    const talk = new Talk(OPEN);
    keep(talk, { concerns: { weather: 1 } });
    expect(talk.record).toEqual({ warnings: [UNDECLARED] });
    expect(talk.reports).toMatchObject([{ warnings: [UNDECLARED] }]);
  });

  it('is weaker from then on than what a caller chose', () => {
    const principal = { place: 'store', store: createMemoryStore(), id: 'caller' } as const;
    const talk = new Talk(OPEN, {
      principal,
      preferences: { place: 'connection', record: { acted: true } },
    });
    keep(talk, HIGH);
    expect(talk.record).toEqual({ concerns: { security: 'high' }, acted: false });
    const unverified = new Talk(OPEN, { principal: { place: 'none' } });
    keep(unverified, HIGH);
    expect(unverified.record).toEqual({ concerns: { security: 'high' } });
  });

  it('waits for the store, and reports if it fails', async () => {
    const store = createMemoryStore();
    const talk = new Talk(OPEN, { preferences: inStore(store) });
    expect(keep(talk, HIGH)).toBe(false);
    await talk.connection.settled();
    expect(talk.toServer).toMatchObject([{ method: 'notifications/initialized', params: HIGH }]);
    expect(await store.read('s')).toEqual({ state: 'live', record: HIGH });
    expect(talk.reports).toMatchObject([{ warnings: [] }]);
    const broken = new Talk(OPEN, { preferences: inStore(failing(store, 'update')) });
    keep(broken, HIGH);
    await broken.connection.settled();
    expect(broken.reports).toMatchObject([{ warnings: [{ code: 'store-unavailable' }] }]);
  });

  it('writes nothing for preferences that change nothing', async () => {
    const store = createMemoryStore();
    const talk = new Talk(OPEN, { preferences: inStore(store) });
    expect(keep(talk, { concerns: {} })).toBe(true);
    expect(await store.read('s')).toEqual({ state: 'unknown' });
    expect(talk.reports).toMatchObject([{ concerns: {}, warnings: [] }]);
  });

  it.each([
    [HIGH, ['no-session']],
    [{ concerns: { weather: 1 } }, ['undeclared-concern']],
    [{ concerns: {} }, []],
  ])('is reported where nothing is kept: %j', (params, codes) => {
    const talk = new Talk(OPEN, { preferences: { place: 'none' } });
    expect(keep(talk, params)).toBe(true);
    expect(talk.reports.map(({ warnings }) => warnings?.map(({ code }) => code))).toEqual([codes]);
  });
});
