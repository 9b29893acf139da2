import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { openRequests, viewsOf } from '../../../src/core/gate/edge/views.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { exchangeOf } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const LEVELS = 'concerns: { security: { values: [low, high] } }\n';
const ENFORCE = 'settings: { enforcement: enforce }\n';
const policy = policyOf(LEVELS + ENFORCE);
const other = policyOf(`concerns: { security: { values: [low, high, top] } }\n${ENFORCE}`);
const store = createMemoryStore();
await store.update('s', { concerns: { security: 'high' } });

const asked = (security: string) => ({ _meta: { [EXTENSION_ID]: { concerns: { security } } } });
const substitute = (name: string) => ({ name, sent: name, original: 'secret' });

/** A request of the client that has its configuration. */
function configured(harness: Harness, security: string, name?: string): Exchange {
  const exchange = exchangeOf(harness, 'tools/list', asked(security));
  const { configuration } = exchange;
  exchange.configured(configuration, []);
  exchange.substitute = name === undefined ? undefined : substitute(name);
  return exchange;
}

/** The part of a connection that decides about views. */
const viewsIn = (exchanges: readonly Exchange[], latest?: Exchange) =>
  viewsOf({ state: { policy }, latest }, openRequests(exchanges));
const viewOf = ({ configuration, request, substitute }: Exchange) => ({ configuration, request, substitute });

describe('the views of a message', () => {
  const harness = new Harness(policy);
  const low = configured(harness, 'low');
  const high = configured(harness, 'high');

  it('are that of the request that it belongs to', () => {
    expect(viewsIn([high], low)).toEqual([viewOf(high)]);
  });

  it('are those of each request without an answer, if it belongs to none', () => {
    expect(viewsIn([low, high], low)).toEqual([viewOf(low), viewOf(high)]);
  });

  it('are not repeated for requests with one configuration', () => {
    const again = exchangeOf(harness, 'prompts/list', asked('low'));
    again.configured(low.configuration, []);
    expect(viewsIn([low, again, high])).toEqual([viewOf(low), viewOf(high)]);
  });

  it('are apart for requests under two policies', () => {
    const later = configured(new Harness(other), 'low');
    expect(later.configuration.key).toBe(low.configuration.key);
    expect(viewsIn([low, later])).toEqual([viewOf(low), viewOf(later)]);
  });

  it('are apart for requests that named something else', () => {
    const one = configured(harness, 'low', 'unknown-1');
    const two = configured(harness, 'low', 'unknown-2');
    const same = configured(harness, 'low', 'unknown-2');
    expect(viewsIn([low, one, two, same])).toEqual([viewOf(low), viewOf(one), viewOf(two)]);
  });

  it('are without a request that the server has not received', () => {
    const held = configured(harness, 'low');
    held.suspend();
    const own = { configuration: held.configuration, request: undefined, substitute: undefined };
    expect(viewsIn([held])).toEqual([own]);
    expect(viewsIn([held, low])).toEqual([viewOf(low)]);
    expect(viewsIn([low, held])).toEqual([viewOf(low)]);
  });

  it('are without a request that the server received after the message', () => {
    const waiting = exchangeOf(harness, 'tools/list', asked('low'));
    const open = openRequests([waiting]);
    waiting.configured(low.configuration, []);
    const { configuration } = low;
    const own = { configuration, request: undefined, substitute: undefined };
    expect(viewsOf({ state: { policy }, latest: undefined }, open)).toEqual([own]);
  });

  it('are without requests that began before anything was enforced', () => {
    const before = configured(new Harness(policyOf(LEVELS)), 'low');
    expect(viewsIn([before, high])).toEqual([viewOf(high)]);
    const configuration = resolveConfiguration(policy, []);
    expect(viewsIn([before])).toEqual([{ configuration }]);
  });

  it('are those of configured requests only', () => {
    const waiting = exchangeOf(harness, 'tools/list', asked('high'));
    expect(viewsIn([waiting, low])).toEqual([viewOf(low)]);
    expect(waiting.isConfigured).toBe(false);
  });
});

describe('the view of a message without a request', () => {
  it('is that of nobody, before the first request', () => {
    const configuration = resolveConfiguration(policy, []);
    expect(viewsIn([])).toEqual([{ configuration }]);
  });

  it('is that of the session, whatever its latest request prefers', () => {
    const preferences: SessionPreferences = {
      place: 'connection',
      record: { concerns: { security: 'low' } },
    };
    const latest = configured(new Harness(policy, preferences), 'high');
    const concerns = { security: 'low' };
    const { key } = resolveConfiguration(policy, [{ from: 'session', concerns }]);
    expect(viewsIn([], latest)).toMatchObject([{ configuration: { key } }]);
    const related = exchangeOf(new Harness(policy), 'tools/list');
    expect(viewsIn([related], latest)).toMatchObject([{ configuration: { key } }]);
  });

  it('is read from the store', async () => {
    const latest = configured(new Harness(policy, { place: 'store', store, id: 's' }), 'low');
    const reading = viewsIn([], latest);
    expect(reading).toBeInstanceOf(Promise);
    const { key } = resolveConfiguration(policy, [{ from: 'session', concerns: { security: 'high' } }]);
    expect(await reading).toMatchObject([{ configuration: { key } }]);
    expect((await reading)[0]?.request).toBeUndefined();
  });
});
