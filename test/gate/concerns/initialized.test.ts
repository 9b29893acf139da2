import { describe, expect, it } from 'vitest';
import { keepInitialized } from '../../../src/gate/concerns/initialize.js';
import { createMemoryStore } from '../../../src/session/memory.js';
import type { SessionStore } from '../../../src/session/store.js';
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
  const initialized = (params?: Record<string, unknown>) =>
    ({
      jsonrpc: '2.0',
      method: 'notifications/initialized',
      ...(params === undefined ? {} : { params }),
    }) as const;

  it.each([undefined, {}])('changes nothing without preferences: %j', (params) => {
    const talk = new Talk(OPEN);
    expect(keepInitialized(talk.connection.state, initialized(params))).toBeUndefined();
    expect(talk.record).toEqual({});
    expect(talk.reports).toEqual([]);
  });

  it('keeps preferences at once in the connection, beside the rest', () => {
    const record = { concerns: { security: 'low' }, listChanged: ['tools'], acted: true };
    const talk = new Talk(OPEN, { preferences: { place: 'connection', record } });
    expect(keepInitialized(talk.connection.state, initialized(HIGH))).toBeUndefined();
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
    void keepInitialized(talk.connection.state, initialized({ concerns: { weather: 1 } }));
    expect(talk.record).toEqual({ warnings: [UNDECLARED] });
    expect(talk.reports).toMatchObject([{ warnings: [UNDECLARED] }]);
  });

  it('is weaker from then on than what a caller chose', () => {
    const principal = { place: 'store', store: createMemoryStore(), id: 'caller' } as const;
    const talk = new Talk(OPEN, {
      principal,
      preferences: { place: 'connection', record: { acted: true } },
    });
    void keepInitialized(talk.connection.state, initialized(HIGH));
    expect(talk.record).toEqual({ concerns: { security: 'high' }, acted: false });
    const unverified = new Talk(OPEN, { principal: { place: 'none' } });
    void keepInitialized(unverified.connection.state, initialized(HIGH));
    expect(unverified.record).toEqual({ concerns: { security: 'high' } });
  });

  it('waits for the store, and reports if it fails', async () => {
    const store = createMemoryStore();
    const talk = new Talk(OPEN, { preferences: inStore(store) });
    const stored = keepInitialized(talk.connection.state, initialized(HIGH));
    expect(stored).toBeInstanceOf(Promise);
    await stored;
    expect(await store.read('s')).toEqual({ state: 'live', record: HIGH });
    expect(talk.reports).toMatchObject([{ warnings: [] }]);
    const broken = new Talk(OPEN, { preferences: inStore(failing(store, 'update')) });
    await keepInitialized(broken.connection.state, initialized(HIGH));
    expect(broken.reports).toMatchObject([{ warnings: [{ code: 'store-unavailable' }] }]);
  });

  it('writes nothing for preferences that change nothing', async () => {
    const store = createMemoryStore();
    const talk = new Talk(OPEN, { preferences: inStore(store) });
    expect(keepInitialized(talk.connection.state, initialized({ concerns: {} }))).toBeUndefined();
    expect(await store.read('s')).toEqual({ state: 'unknown' });
    expect(talk.reports).toMatchObject([{ concerns: {}, warnings: [] }]);
  });

  it.each([
    [HIGH, ['no-session']],
    [{ concerns: { weather: 1 } }, ['undeclared-concern']],
    [{ concerns: {} }, []],
  ])('is reported where nothing is kept: %j', (params, codes) => {
    const talk = new Talk(OPEN, { preferences: { place: 'none' } });
    expect(keepInitialized(talk.connection.state, initialized(params))).toBeUndefined();
    expect(talk.reports.map(({ warnings }) => warnings?.map(({ code }) => code))).toEqual([codes]);
  });
});
