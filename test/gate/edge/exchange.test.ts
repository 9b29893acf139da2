import { describe, expect, it } from 'vitest';
import { Connection } from '../../../src/core/gate/edge/connection.js';
import type { ConnectionOptions } from '../../../src/core/gate/edge/connection-state.js';
import { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { Message } from '../../../src/core/wire/messages.js';
import { answer, exchangeOf, failed, modern, ping, SENDER } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = 'concerns: { security: { values: [low, high] } }\n';
const plain = policyOf(POLICY);
const enforce = policyOf(`${POLICY}settings: { enforcement: enforce }\n`);
const panel = policyOf(`${POLICY}settings: { panel: on }\n`);

const idOf = (message: Message | undefined) =>
  message !== undefined && 'id' in message ? message.id : undefined;

describe('an exchange', () => {
  it('has the policy that was in force when it began', () => {
    const harness = new Harness(plain);
    const exchange = exchangeOf(harness, 'tools/list');
    harness.live.replace(enforce);
    expect(exchange.policy).toBe(plain);
    expect(exchange.isEnforced).toBe(false);
    const again = exchange.again();
    expect(again.policy).toBe(enforce);
    expect(again.isEnforced).toBe(true);
    expect([again.request, again.sender]).toEqual([exchange.request, exchange.sender]);
  });

  it('is not configured until its session was read', () => {
    const record = { concerns: { security: 'high' } };
    const exchange = exchangeOf(new Harness(plain, { place: 'connection', record }), 'tools/list');
    expect(exchange.isConfigured).toBe(false);
    expect(exchange.kept).toEqual({ session: { state: 'unknown' }, principal: undefined });
    expect(exchange.configuration.active).toBe(false);
    expect(exchange.isConfigured).toBe(true);
    expect(exchange.configuration).toBe(exchange.configuration);
    const other = { ...exchange.configuration, active: true };
    const logged = [{ code: 'w', message: 'A warning.' }];
    exchange.configured(other, logged);
    expect(exchange.configuration).toBe(other);
    expect(exchange.logged).toBe(logged);
  });

  it.each<[string, string, string | undefined, 'legacy' | 'modern']>([
    ['of its marker', '2026-07-28', undefined, 'modern'],
    ['of its marker, which the header repeats', '2026-07-28', '2026-07-28', 'modern'],
    ['of the header, if that is another one', '2026-07-28', '2025-11-25', 'legacy'],
  ])('belongs to the era %s', (_what, marker, version, era) => {
    const headers = version === undefined ? {} : { 'mcp-protocol-version': version };
    const _meta = { 'io.modelcontextprotocol/protocolVersion': marker, other: 1 };
    const exchange = exchangeOf(new Harness(plain), 'ping', { _meta }, { http: { headers } });
    expect(exchange.era).toBe(era);
    expect(exchange.request.params).toEqual({ _meta: era === 'modern' ? _meta : { other: 1 } });
  });

  it('belongs to the era of its connection, once the client has initialized that', () => {
    const harness = new Harness(plain);
    harness.gate.handshake({ state: 'asked', record: {} });
    const exchange = exchangeOf(harness, 'ping', { _meta: modern() });
    expect(exchange.era).toBe('legacy');
    expect(exchange.request.params?._meta).not.toHaveProperty('io.modelcontextprotocol/protocolVersion');
  });

  it('without a marker is a legacy one, whatever its headers', () => {
    const http = { headers: { 'mcp-protocol-version': '2026-07-28' } };
    expect(exchangeOf(new Harness(plain), 'ping', {}, { http }).era).toBe('legacy');
    expect(exchangeOf(new Harness(plain), 'ping', { _meta: modern() }, { http: {} }).era).toBe('modern');
  });
});

describe('the route of an exchange', () => {
  it('is that of its method, or of the primitive of the gate that it names', () => {
    const call = { name: 'concerns' };
    expect(exchangeOf(new Harness(plain), 'tools/call', call).route.to).toBe('access');
    expect(exchangeOf(new Harness(plain), 'vendor/x').route.to).toBe('unknown');
    const own = exchangeOf(new Harness(panel), 'tools/call', call);
    expect(own.route).toEqual({ to: 'panel', part: 'tool' });
  });

  it('is that of a probe for the method that only the handler knows', () => {
    const ports = { toServer: () => undefined, toClient: async () => undefined };
    const options: ConnectionOptions = {
      gate: { policy: plain, probe: 'secret' },
      preferences: { place: 'none' },
    };
    const gate = new Connection(options, ports);
    expect(new Exchange(gate, { ...ping, method: 'secret' }, SENDER, 1).route).toEqual({ to: 'probe' });
    expect(new Exchange(gate, ping, SENDER, 1).route).toEqual({ to: 'pass' });
  });
});

describe('a request for the server', () => {
  it('has an id of the gate, and only the params that it had', () => {
    const harness = new Harness(plain);
    exchangeOf(harness, 'ping').pass();
    exchangeOf(harness, 'ping', { a: 1 }).pass();
    exchangeOf(harness, 'ping', { a: 1 }).pass({ b: 2 });
    const id = expect.any(String);
    expect(harness.toServer).toStrictEqual([
      { jsonrpc: '2.0', id, method: 'ping' },
      { jsonrpc: '2.0', id, method: 'ping', params: { a: 1 } },
      { jsonrpc: '2.0', id, method: 'ping', params: { b: 2 } },
    ]);
    expect(new Set(harness.toServer.map(idOf)).size).toBe(3);
  });

  it('of the gate itself is asked on behalf of the client', () => {
    const harness = new Harness(plain);
    const answers: unknown[] = [];
    const exchange = exchangeOf(harness, 'ping');
    exchange.ask('tools/list', { a: 1 }, (message) => answers.push(message));
    expect(harness.toServer).toMatchObject([{ method: 'tools/list', params: { a: 1 } }]);
    void harness.server({ jsonrpc: '2.0', id: idOf(harness.toServer[0]), result: {} });
    expect(answers).toMatchObject([{ result: {} }]);
    exchange.askClient('elicitation/create', { b: 2 }, (message) => answers.push(message));
    expect(harness.toClient).toMatchObject([{ method: 'elicitation/create', params: { b: 2 } }]);
    harness.client({ jsonrpc: '2.0', id: idOf(harness.toClient[0]), result: { c: 3 } });
    expect(answers).toMatchObject([{ result: {} }, { result: { c: 3 } }]);
  });
});

describe('a request that the gate answers later', () => {
  it('is held until it is resumed', () => {
    const harness = new Harness(plain);
    const exchange = exchangeOf(harness, 'ping');
    expect(exchange.isSuspended).toBe(false);
    expect(exchange.resume()).toBe(false);
    exchange.suspend();
    expect(exchange.isSuspended).toBe(true);
    expect([...harness.gate.ledger.all()]).toEqual([exchange]);
    expect(exchange.resume()).toBe(true);
    expect(exchange.isSuspended).toBe(false);
    expect([...harness.gate.ledger.all()]).toEqual([]);
    expect(exchange.resume()).toBe(false);
  });

  it('is not resumed if the client cancelled it, and the server never learns of it', () => {
    const harness = new Harness(plain);
    const exchange = exchangeOf(harness, 'ping');
    exchange.suspend();
    harness.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(exchange.resume()).toBe(false);
    expect(harness.toServer).toEqual([]);
  });
});

describe('the answer of the gate', () => {
  it('is a result in the form of its era', () => {
    const harness = new Harness(plain);
    exchangeOf(harness, 'ping').reply({ a: 1 });
    exchangeOf(harness, 'ping', { _meta: modern() }).reply({ a: 1 });
    expect(harness.toClient).toEqual([answer({ a: 1 }), answer({ resultType: 'complete', a: 1 })]);
    expect(harness.reports).toEqual([]);
  });

  it('is an error, which is not reported', () => {
    const harness = new Harness(plain);
    exchangeOf(harness, 'ping').fail({ code: -1, message: 'no' });
    expect(harness.reports).toEqual([]);
    expect(harness.toClient).toStrictEqual([failed(-1, 'no')]);
  });
});

describe('a report', () => {
  it('has the method, the era and what else is known', () => {
    const harness = new Harness(plain);
    exchangeOf(harness, 'ping').report({});
    exchangeOf(harness, 'ping', { _meta: modern() }).report({ shown: 1 }, { listedName: 'a' });
    expect(harness.reports).toEqual([
      { method: 'ping', era: 'legacy' },
      { method: 'ping', era: 'modern', shown: 1 },
    ]);
    expect(harness.contexts).toEqual([
      { id: 1, policy: plain.digest },
      { id: 1, policy: plain.digest, listedName: 'a' },
    ]);
  });

  it('is not needed to answer', () => {
    const toClient: Message[] = [];
    const gate = new Connection(
      { gate: { policy: plain }, preferences: { place: 'store', store: createMemoryStore(), id: 's' } },
      { toServer: () => undefined, toClient: async (message) => void toClient.push(message) },
    );
    const exchange = new Exchange(gate, ping, SENDER, 1);
    exchange.report({ error: -1 });
    exchange.fail({ code: -1, message: 'no' });
    expect(toClient).toEqual([failed(-1, 'no')]);
  });
});
