import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { withLists } from '../../../src/core/gate/edge/server-lists.js';
import * as redaction from '../../../src/core/gate/enforce/redaction.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { gathered } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';
import { ListServer } from './list-server.js';

const redactFailure = gathered(redaction.redactFailure);

const policyIn = (enforcement: string): Policy =>
  policyOf(`
concerns: { security: { values: [low, high] } }
primitives: { tools: { secret: { security: low } } }
settings: { enforcement: ${enforcement} }
`);
const enforce = policyIn('enforce');
const LISTS = { 'tools/list': [{ name: 'listed', _meta: { concerns: { security: 'low' } } }] };
const serving = (policy = enforce, preferences?: SessionPreferences): ListServer =>
  new ListServer(policy, preferences).listing(LISTS);

const FAILURE = {
  jsonrpc: '2.0',
  id: 'client',
  error: { code: -32603, message: 'secret and listed', data: { secret: ['listed'] } },
} as const;
const HIGH = { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } };
const REDACTED = {
  ...FAILURE,
  error: { code: -32603, message: '[hidden] and listed', data: { '[hidden]': ['listed'] } },
};

/** A request whose own preferences are known, or not yet. */
const requested = (server: ListServer, isConfigured: boolean) => {
  const exchange = server.exchange('ping', HIGH);
  if (isConfigured) expect(exchange.configuration.active).toBe(true);
  return exchange;
};

describe('the error that answers a request which names no primitive', () => {
  it('names nothing that is hidden for the request', () => {
    const server = serving();
    expect(redactFailure(requested(server, true), FAILURE)).toEqual(REDACTED);
    expect(server.asked).toEqual([]);
  });

  it('names nothing hidden that a list contains, if the list is held', () => {
    const server = serving();
    withLists(server.exchange('tools/call'), { kinds: ['tools'] }, () => undefined);
    expect(redactFailure(requested(server, true), FAILURE)).toEqual({
      ...FAILURE,
      error: { code: -32603, message: '[hidden] and [hidden]', data: { '[hidden]': ['[hidden]'] } },
    });
  });

  it('names nothing that is hidden for the session, if the request has no configuration', async () => {
    const record = { listChanged: [], concerns: { security: 'high' } };
    expect(
      redactFailure(requested(serving(enforce, { place: 'connection', record }), false), FAILURE),
    ).toEqual(REDACTED);
    const store = createMemoryStore();
    await store.update('s', record);
    const later = redactFailure(
      requested(serving(enforce, { place: 'store', store, id: 's' }), false),
      FAILURE,
    );
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual(REDACTED);
  });

  it('stays the same object if the session has no preferences', () => {
    expect(redactFailure(requested(serving(), false), FAILURE)).toBe(FAILURE);
  });

  it.each(['advisory', 'shadow'])('stays the same object under %s', (mode) => {
    const exchange = requested(serving(policyIn(mode)), true);
    expect(redactFailure(exchange, FAILURE)).toBe(FAILURE);
    // The session is not even read.
    const stored = serving(policyIn(mode), { place: 'store', store: createMemoryStore(), id: 's' });
    expect(redactFailure(requested(stored, false), FAILURE)).toBe(FAILURE);
  });

  it('repeats what the client wrote into its request', () => {
    const exchange = serving().exchange('tasks/get', { ...HIGH, taskId: 'secret' });
    expect(exchange.configuration.active).toBe(true);
    expect(redactFailure(exchange, FAILURE)).toEqual(FAILURE);
  });
});
