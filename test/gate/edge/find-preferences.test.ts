import { describe, expect, it } from 'vitest';
import type { ConcernWarning } from '../../../src/core/engine/configuration.js';
import { Connection } from '../../../src/core/gate/edge/connection.js';
import { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { type FactResult, providePreferences } from '../../../src/core/gate/edge/sources.js';
import { sessionConfiguration } from '../../../src/core/gate/request/configure.js';
import { refuseValue } from '../../../src/core/gate/request/decision.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { exchangeOf, modern, ping, readPreferences, SENDER } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns:
  security: { values: [low, high] }
  topic: { values: [maps, charts], multiple: true }
  budget: { values: { min: 0, max: 9 } }
`;
const plain = policyOf(POLICY);
const enforce = policyOf(`${POLICY}settings: { enforcement: enforce }\n`);
const strict = policyOf(`${POLICY}settings: { invalid: error }\n`);
const ignoring = policyOf(`${POLICY}settings: { invalid: ignore }\n`);

const store = createMemoryStore();
await store.update('s', { concerns: { security: 'high' } });
const failing = (cause: unknown): SessionStore => ({ ...store, read: () => Promise.reject(cause) });
const inStore = (id: string, at = store): SessionPreferences => ({ place: 'store', store: at, id });
const asked = (concerns: object) => ({ _meta: { [EXTENSION_ID]: { concerns } } });

/** Reads the preferences of a list request, and tells what came of it. */
async function configured(
  harness: Harness,
  params: Record<string, unknown> = {},
  invalid: 'refuse' | 'ignore' = 'refuse',
) {
  const exchange = exchangeOf(harness, 'tools/list', params);
  const found: FactResult[] = [];
  providePreferences(exchange, { need: 'preferences', invalid }, { receive: (each) => found.push(each) });
  const isImmediate = found.length > 0;
  await expect.poll(() => found).toHaveLength(1);
  const end = found.flatMap((each) => ('end' in each ? [each.end] : []))[0];
  return { exchange, isReady: end === undefined, isImmediate, end };
}
const codes = ({ logged }: Exchange): string[] => logged.map(({ code }: ConcernWarning) => code);
const refusal = (message: string, data: object) => ({
  to: 'client',
  error: { code: -32602, message, data },
  tell: expect.any(Function),
});

describe('a request', () => {
  it.each<[string, SessionPreferences]>([
    ['at hand', { place: 'connection', record: {} }],
    ['in a store', inStore('s')],
    ['in a store that cannot be read', inStore('s', failing(new Error('down')))],
  ])('is answered if its page throws while it lists, with a session %s', async (_where, preferences) => {
    const listed = () => {
      throw new Error('page');
    };
    const observe = () => ({ listed, changed: () => undefined, closed: () => undefined });
    const harness = new Harness(plain, preferences);
    harness.gate.state.observer = observe();
    harness.client({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await expect
      .poll(() => harness.toClient)
      .toContainEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: 'The concern filter failed on this request (page).' },
      });
  });

  it('is configured immediately if nothing must be read', async () => {
    const harness = new Harness(plain, { place: 'connection', record: { concerns: { security: 'low' } } });
    const { exchange, isImmediate } = await configured(harness);
    expect(isImmediate).toBe(true);
    expect(exchange.isConfigured).toBe(true);
    expect(exchange.kept).toEqual({
      session: { state: 'live', record: { concerns: { security: 'low' } } },
      principal: undefined,
    });
    expect(exchange.configuration.accepted).toEqual([0, undefined, undefined]);
    expect(exchange.logged).toEqual([]);
  });

  it('is configured when its session was read', async () => {
    const { exchange, isReady, isImmediate } = await configured(new Harness(plain, inStore('s')));
    expect([isReady, isImmediate]).toEqual([true, false]);
    expect(exchange.configuration.accepted).toEqual([1, undefined, undefined]);
    expect(exchange.logged).toEqual([]);
  });

  it('is told that its session is lost, and shown nothing that a preference could hide', async () => {
    const { exchange } = await configured(new Harness(plain, inStore('lost')));
    expect(exchange.configuration.warnings).toEqual([
      {
        code: 'unknown-session',
        message:
          'The session is unknown or expired, so its preferences are lost, and what they could hide is hidden. The host must send them again with updateConcerns, or initialize a new session.',
      },
    ]);
    expect(exchange.configuration.active).toBe(true);
  });

  it.each<[string, SessionPreferences, boolean]>([
    ['it is a modern one, without a session', inStore('lost'), true],
    ['its session is in the connection', { place: 'connection', record: {} }, false],
  ])('does not log that if %s', async (_what, preferences, isModern) => {
    const principal = { place: 'store', store, id: 'caller' } as const;
    const ports = { toServer: () => undefined, toClient: async () => undefined };
    const connection = new Connection({ gate: { policy: plain, principal }, preferences }, ports);
    const params = isModern ? { _meta: modern() } : {};
    const exchange = new Exchange(connection, { ...ping, method: 'tools/list', params }, SENDER, 1);
    expect(await readPreferences(exchange)).toEqual({ fact: exchange });
    expect(exchange.logged).toEqual([]);
  });

  it('logs that nothing can be kept for its caller', async () => {
    const none = { place: 'none' } as const;
    const message =
      'Preferences are kept per caller, but this caller has no verified claims iss and sub. Its preferences are kept only for its session.';
    const { exchange } = await configured(new Harness(plain, undefined, none));
    expect(exchange.logged).toEqual([{ code: 'no-principal', message }]);
    const read = await configured(new Harness(plain, inStore('s'), none));
    expect(codes(read.exchange)).toEqual(['no-principal']);
    const lost = await configured(new Harness(plain, inStore('lost'), none));
    expect(codes(lost.exchange)).toEqual(['no-principal']);
  });
});

describe('a store that cannot be read', () => {
  it('does not stop a request under advisory', async () => {
    const harness = new Harness(plain, inStore('s', failing(new TypeError('secret host'))));
    const { exchange, isReady } = await configured(harness, asked({ security: 'low' }));
    expect(isReady).toBe(true);
    expect(exchange.kept).toEqual({ session: { state: 'unknown' }, principal: undefined, areLost: true });
    expect(exchange.configuration.accepted).toEqual([0, undefined, undefined]);
    const message = 'The session store could not be read (TypeError).';
    expect(exchange.configuration.warnings).toEqual([{ code: 'store-unavailable', message }]);
    expect(harness.toClient).toEqual([]);
  });

  it('refuses a request under enforce', async () => {
    const harness = new Harness(enforce, inStore('s', failing('down')));
    const { end } = await configured(harness);
    const message = 'The preferences of this session could not be read. Try again.';
    expect(end).toMatchObject({ to: 'client', error: { code: -32603, message } });
    const warnings = [
      { code: 'store-unavailable', message: 'The session store could not be read (unknown).' },
    ];
    expect(end?.tell?.()).toEqual([{ warnings, error: -32603 }]);
    expect(harness.toClient).toEqual([]);
  });
});

describe('an invalid value', () => {
  it.each<[string, object, string, object]>([
    [
      'of a list, with a suggestion',
      { security: 'hgh' },
      '"hgh" is not a valid value for security (low, high). Did you mean "high"?',
      { concern: 'security', value: 'hgh', values: ['low', 'high'], suggestion: 'high' },
    ],
    [
      'of a list of several',
      { topic: ['zzzzzzzz'] },
      '"zzzzzzzz" is not a valid value for topic (one or more of maps, charts).',
      { concern: 'topic', value: 'zzzzzzzz', values: ['maps', 'charts'] },
    ],
    [
      'of a range',
      { budget: 10 },
      '10 is not a valid value for budget (a number from 0 to 9).',
      { concern: 'budget', value: 10, values: { min: 0, max: 9 } },
    ],
    [
      'that is long',
      { security: 'z'.repeat(100) },
      `"${'z'.repeat(80)}" is not a valid value for security (low, high).`,
      { concern: 'security', value: 'z'.repeat(100), values: ['low', 'high'] },
    ],
  ])('%s is refused under invalid: error', async (_what, concerns, message, data) => {
    const harness = new Harness(strict);
    const { end } = await configured(harness, asked(concerns));
    expect(end).toEqual(refusal(message, data));
    expect(end?.tell?.()).toEqual([{ error: -32602 }]);
  });

  it.each([
    [['high'], 'A list'],
    [{ is: 'high' }, 'An object'],
    [null, 'null'],
    [true, 'true'],
    [undefined, 'undefined'],
  ])('is not written out if it is %j', (value, text) => {
    const invalid = { concern: 'other', value, values: ['low'] };
    const message = `${text} is not a valid value for other (low).`;
    expect(refuseValue({ policy: strict }, invalid)).toEqual(refusal(message, invalid));
  });

  it('is ignored where that is asked for, and by other policies', async () => {
    const harness = new Harness(strict);
    const params = asked({ security: 'hgh' });
    expect((await configured(harness, params, 'ignore')).isReady).toBe(true);
    expect((await configured(new Harness(ignoring), params)).isReady).toBe(true);
    expect(harness.toClient).toEqual([]);
  });
});

describe('the configuration of a session', () => {
  it('does not have the preferences of a request', async () => {
    const record = { concerns: { security: 'low' } };
    const harness = new Harness(plain, { place: 'connection', record });
    const params = asked({ security: 'high' });
    const now = await sessionConfiguration(exchangeOf(harness, 'tools/list', params));
    expect(now.accepted).toEqual([0, undefined, undefined]);
    expect(sessionConfiguration(exchangeOf(harness, 'tools/list', params))).not.toBeInstanceOf(Promise);
  });

  it('is read from the store', async () => {
    const reading = sessionConfiguration(exchangeOf(new Harness(plain, inStore('s')), 'tools/list'));
    expect(reading).toBeInstanceOf(Promise);
    expect((await reading).accepted).toEqual([1, undefined, undefined]);
  });
});
