import { describe, expect, it } from 'vitest';
import type { GateOptions } from '../../../src/core/gate/edge/concerns-options.js';
import { gatedTransport } from '../../../src/core/gate/edge/gated-transport.js';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import { type RequestId, read } from '../../../src/core/wire/messages.js';
import { LISTS, levels, MODERN, turn } from '../tasks/task-gate.js';
import { FakeTransport, GatedPair, messageOf } from '../transport-harness.js';

const advisory = levels();
const enforced = levels('{ enforcement: enforce }');
const open = (options: Partial<GateOptions> = {}, inner = new FakeTransport()) =>
  new GatedPair({ policy: advisory, ...options }, inner);
const strict = (options: Partial<GateOptions> = {}) => open({ policy: enforced, ...options });
const PING = { id: 7, method: 'ping' };
const idOf = (message: unknown) => read(message, 'id') as RequestId;

describe('a transport with a gate', () => {
  it('starts, closes and has the session of the transport in it', async () => {
    const { gated, inner } = open();
    expect(gated.sessionId).toBeUndefined();
    inner.sessionId = 's';
    expect(gated.sessionId).toBe('s');
    await gated.close();
    expect(inner.called).toEqual(['start', 'close']);
  });

  it('waits for the start of the transport in it', async () => {
    const inner = new FakeTransport();
    inner.start = () => Promise.reject(new Error('in use'));
    await expect(gatedTransport(inner, { policy: advisory }).start()).rejects.toThrow('in use');
  });

  it('tells the transport the protocol versions, if it wants to know', () => {
    const told: unknown[] = [];
    const inner = Object.assign(new FakeTransport(), {
      setProtocolVersion: (version: string) => told.push(version),
      setSupportedProtocolVersions: (versions: string[]) => told.push(versions),
      hasPerRequestStream: true,
    });
    const wants = gatedTransport(inner, { policy: advisory });
    wants.setProtocolVersion?.('2025-11-25');
    Reflect.get(wants, 'setSupportedProtocolVersions').call(wants, ['a', 'b']);
    expect(told).toEqual(['2025-11-25', ['a', 'b']]);
    expect(Reflect.get(wants, 'hasPerRequestStream')).toBe(true);
    const other = gatedTransport(new FakeTransport(), { policy: advisory });
    other.setProtocolVersion?.('2025-11-25');
    Reflect.get(other, 'setSupportedProtocolVersions').call(other, ['a']);
    expect(Reflect.get(other, 'hasPerRequestStream')).toBeUndefined();
  });

  it('calls the handlers that the transport had, and then its own', () => {
    const told: unknown[] = [];
    const inner = new FakeTransport();
    inner.onclose = () => told.push('closed');
    inner.onerror = (error) => told.push(error);
    inner.onmessage = (message, extra) => told.push(message, extra);
    const { gated, client } = bound(new GatedPair({ policy: advisory }, inner));
    gated.onclose = () => told.push('closed itself');
    gated.onerror = (error) => told.push(error.message);
    gated.onmessage = (message) => told.push(idOf(message));
    client(PING, { sessionId: 'x' });
    const lost = new Error('lost');
    inner.onerror?.(lost);
    inner.onclose?.();
    expect(told).toEqual([messageOf(PING), { sessionId: 'x' }, 7, lost, 'lost', 'closed', 'closed itself']);
  });

  it('needs no handlers', () => {
    const inner = new FakeTransport();
    const gated = gatedTransport(inner, { policy: advisory });
    void gated.start();
    inner.onmessage?.(messageOf(PING));
    inner.onmessage?.(messageOf({ id: 8, method: 'tools/list' }));
    inner.onerror?.(new Error('lost'));
    inner.onclose?.();
    expect(inner.sent).toEqual([]);
  });
});

/** The members of a pair as functions of their own. */
function bound(pair: GatedPair) {
  return { gated: pair.gated, client: pair.client.bind(pair) };
}

describe('a message of the client', () => {
  it('that passes by reaches the server as it is', () => {
    const pair = open();
    const extra = { sessionId: 'x' };
    pair.client({ ...PING, params: { a: 1 } }, extra);
    expect(pair.got).toEqual([{ message: messageOf({ ...PING, params: { a: 1 } }), extra }]);
    expect(pair.got[0]?.extra).toBe(extra);
  });

  it('reaches the server with what the transport told, also through the gate', () => {
    const pair = strict();
    const extra = { sessionId: 'x' };
    pair.client(PING, extra);
    expect(pair.got).toEqual([{ message: messageOf({ ...PING, id: expect.any(String) }), extra }]);
    expect(pair.got[0]?.extra).toBe(extra);
  });

  it('of 2026-07-28 becomes one of the session, if there is one', () => {
    const params = { _meta: MODERN };
    const without = open();
    without.client({ ...PING, params });
    const pair = open();
    pair.inner.sessionId = 's';
    pair.client({ ...PING, params });
    pair.client({ ...PING, params: {} });
    expect([...without.messages, ...pair.messages].map((message) => read(message, 'params'))).toEqual([
      { _meta: MODERN },
      { _meta: {} },
      {},
    ]);
  });

  it('of 2026-07-28 stays so under enforce, without a session', () => {
    const [without, pair] = [strict(), strict()];
    pair.inner.sessionId = 's';
    for (const each of [without, pair]) each.client({ ...PING, params: { _meta: MODERN } });
    expect(read(without.messages[0], 'params')).toEqual({ _meta: MODERN });
    expect(read(pair.messages[0], 'params')).toEqual({ _meta: {} });
  });

  it('that the gate refuses does not reach the server', async () => {
    const pair = strict();
    pair.client({ id: 7, method: 'vendor/x' });
    expect(pair.got).toEqual([]);
    const error = { code: -32601, message: 'Method not found' };
    expect(pair.inner.sent).toEqual([messageOf({ id: 7, error })]);
    expect(pair.inner.sentWith).toEqual([undefined]);
  });
});

describe('a message of the server', () => {
  it('before any of the client reaches the client if nothing is enforced', async () => {
    const pair = open();
    const options = { relatedRequestId: 5 };
    await pair.server({ method: 'notifications/vendor' }, options);
    expect(pair.inner.sent).toEqual([messageOf({ method: 'notifications/vendor' })]);
    expect(pair.inner.sentWith[0]).toBe(options);
  });

  it('before any of the client is filtered under enforce', async () => {
    const pair = strict();
    await pair.server({ method: 'notifications/vendor' });
    await pair.server({ id: 'nobody', result: {} });
    await pair.server({ method: 'notifications/message', params: { data: 'x' } });
    expect(pair.inner.sent.map((message) => read(message, 'method'))).toEqual(['notifications/message']);
  });

  it('belongs to the request with the id that the client gave', async () => {
    const pair = strict();
    pair.client(PING);
    const relatedRequestId = idOf(pair.messages[0]);
    const options = { relatedRequestId, resumptionToken: 'r' };
    const progress = { method: 'notifications/progress', params: { progress: 1 } };
    await pair.server(progress, options);
    await pair.server(progress, { resumptionToken: 'r' });
    await pair.server(progress);
    expect(pair.inner.sentWith).toEqual([
      { relatedRequestId: 7, resumptionToken: 'r' },
      { resumptionToken: 'r' },
      undefined,
    ]);
    expect(pair.gated.clientIdOf(relatedRequestId)).toBe(7);
    expect(pair.gated.clientIdOf('x')).toBe('x');
    expect(open().gated.clientIdOf('x')).toBe('x');
  });

  it('answers a request that passed by, once', async () => {
    const pair = open();
    pair.client(PING);
    pair.client({ id: 8, method: 'ping' });
    await pair.server({ id: 7, result: {} });
    // From the next message on there is a connection, which knows what is still open.
    pair.client({ id: 9, method: 'tools/list' });
    await pair.server({ id: 8, result: {} });
    expect(pair.inner.sent).toEqual([messageOf({ id: 7, result: {} }), messageOf({ id: 8, result: {} })]);
  });

  it('answers a request that passed by before nothing passed by any more, once', async () => {
    const live = new LivePolicy(advisory);
    const pair = open({ policy: live });
    pair.client(PING);
    pair.client({ id: 8, method: 'ping' });
    await pair.server({ id: 7, result: {} });
    // A request of the server can have the same id, and answers nothing.
    await pair.server({ id: 8, method: 'roots/list' });
    await pair.server({ method: 'notifications/message', params: {} });
    pair.inner.sent.length = 0;
    live.replace(enforced);
    for (const id of [7, 8, 8]) await pair.server({ id, result: {} });
    expect(pair.inner.sent).toEqual([messageOf({ id: 8, result: {} })]);
  });

  it('is as good as lost if the transport fails', async () => {
    const pair = open();
    pair.inner.send = () => Promise.reject(new Error('lost'));
    await expect(pair.server({ id: 7, result: {} })).rejects.toThrow('lost');
  });

  it('can be one of the gate, which is related to the request that caused it', async () => {
    const pair = open();
    const capabilities = { tools: { listChanged: true } };
    const replies: Record<string, object> = { ...LISTS, initialize: { result: { capabilities } } };
    pair.gated.onmessage = (message) => {
      const reply = replies[String(read(message, 'method'))];
      if (reply !== undefined) void pair.server({ id: idOf(message), ...reply });
    };
    pair.client({ id: 5, method: 'initialize', params: {} });
    pair.client({ id: 6, method: 'tools/list' });
    pair.client({ id: 7, method: 'updateConcerns', params: { concerns: { level: 'high' } } });
    await turn();
    const [, , changed, updated] = pair.inner.sent;
    expect(changed).toEqual(messageOf({ method: 'notifications/tools/list_changed' }));
    expect(updated).toMatchObject({ id: 7, result: { concerns: { level: 'high' } } });
    expect(pair.inner.sentWith.slice(2)).toEqual([{ relatedRequestId: 7 }, undefined]);
  });
});

it('a list of the server is filtered for the client', async () => {
  const pair = open();
  const meta = { 'io.github.mcp-concerns/concerns': { concerns: { level: 'high' } } };
  pair.client({ id: 7, method: 'tools/list', params: { _meta: meta } });
  await pair.server({ id: idOf(pair.messages[0]), ...LISTS['tools/list'] });
  expect(read(pair.inner.sent[0], 'result', 'tools')).toEqual([{ name: 'work' }, { name: 'open' }]);
});
