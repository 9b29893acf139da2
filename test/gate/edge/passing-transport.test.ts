import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { gatedTransport } from '../../../src/core/gate/edge/gated-transport.js';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import { ROUTES } from '../../../src/core/gate/table/routes.js';
import { passesBy } from '../../../src/core/gate/table/routing.js';
import { PROTOCOL_VERSION_META } from '../../../src/core/wire/messages.js';
import { Harness, policyOf, SECURITY } from '../gate-harness.js';

const policyIn = (enforcement: string) => policyOf(`${SECURITY}settings: { enforcement: ${enforcement} }\n`);
const [advisory, shadow, enforce] = ['advisory', 'shadow', 'enforce'].map(policyIn);
if (advisory === undefined || shadow === undefined || enforce === undefined) throw new Error('unreachable');

const HANDLED = [
  ...[
    'initialize',
    'server/discover',
    'subscriptions/listen',
    'listConcerns',
    'updateConcerns',
    'tasks/list',
  ],
  ...['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update'],
  ...['groups/list', 'groups/get'],
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
];
const request = (method: string, params: object = {}) => ({
  jsonrpc: '2.0' as const,
  id: 1,
  method,
  params: { ...params },
});

describe('a request that is not enforced', () => {
  it.each([...ROUTES.keys(), 'x/y'])('passes by unless the gate reads or gives its answer: %s', (method) => {
    expect(passesBy(advisory, request(method))).toBe(!HANDLED.includes(method));
    const isChecked = ROUTES.get(method)?.to === 'access';
    const named = request(method, { name: 'a', uri: 'r://a', ref: { type: 'ref/prompt', name: 'a' } });
    expect(passesBy(shadow, named)).toBe(!HANDLED.includes(method) && !isChecked);
    // Malformed, which is known without a check.
    expect(passesBy(shadow, request(method))).toBe(!HANDLED.includes(method));
    expect(passesBy(enforce, request(method))).toBe(false);
  });

  it('does not pass by if it creates a task', () => {
    const call = { name: 'a', task: {} };
    expect(passesBy(advisory, request('tools/call', call))).toBe(false);
  });

  it('keeps its id and is the same object, and so is the answer', async () => {
    const harness = new Harness(advisory);
    const call = request('tools/call', { name: 'b' });
    const answer = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a' }] } };
    harness.client(call);
    await harness.server(answer);
    expect(harness.toServer[0]).toBe(call);
    expect(harness.toClient[0]).toBe(answer);
    expect(harness.gate.latest).toBeUndefined();
  });

  it('is answered although the policy enforces by then, and once', async () => {
    const harness = new Harness(advisory);
    harness.client(request('ping'));
    harness.live.replace(enforce);
    await harness.server({ jsonrpc: '2.0', id: 1, result: {} });
    await harness.server({ jsonrpc: '2.0', id: 1, result: {} });
    expect(harness.toClient).toHaveLength(1);
  });

  it('gets its own answer, and not one that repeats the answer to another request', async () => {
    const harness = new Harness(advisory);
    harness.request(1, 'tools/list');
    harness.request(2, 'ping');
    const [list] = harness.toServer;
    const answer = { jsonrpc: '2.0', id: list && 'id' in list ? list.id : 0, result: { tools: [] } };
    await harness.server(answer);
    await harness.server(answer);
    await harness.server({ jsonrpc: '2.0', id: 2, result: {} });
    expect(harness.toClient.map((message) => 'id' in message && message.id)).toEqual([1, 2]);
  });

  it('can be cancelled although the policy enforces by then', () => {
    const harness = new Harness(advisory);
    harness.client(request('ping'));
    harness.live.replace(enforce);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    harness.client(cancelled);
    expect(harness.toServer.at(-1)).toEqual(cancelled);
  });
});

/** A transport whose messages the test delivers. */
function wire(sessionId?: string) {
  const sent: unknown[] = [];
  const transport: Transport = {
    ...(sessionId === undefined ? {} : { sessionId }),
    start: async () => undefined,
    close: async () => undefined,
    send: async (message) => void sent.push(message),
  };
  return { transport, sent };
}

async function gated(policy: LivePolicy, sessionId?: string) {
  const { transport, sent } = wire(sessionId);
  const reports: GateReport[] = [];
  const gate = gatedTransport(transport, { policy, report: (report) => reports.push(report) });
  const received: JSONRPCMessage[] = [];
  gate.onmessage = (message) => void received.push(message);
  await gate.start();
  const client = (message: object): void => transport.onmessage?.(message as JSONRPCMessage);
  const end = (): void => transport.onclose?.();
  return { gate, sent, received, reports, client, end };
}

describe('a transport with a gate', () => {
  it('passes the first requests on, and their answers, under any later policy', async () => {
    const live = new LivePolicy(advisory);
    const { gate, sent, received, client, reports, end } = await gated(live);
    client(request('ping'));
    client({ ...request('tools/call', { name: 'a' }), id: 2 });
    expect(received).toMatchObject([{ id: 1 }, { id: 2 }]);
    await gate.send({ jsonrpc: '2.0', id: 1, result: {} });
    live.replace(enforce);
    client({ ...request('ping'), id: 3 });
    await gate.send({ jsonrpc: '2.0', id: 2, result: { content: [] } });
    await gate.send({ jsonrpc: '2.0', id: 2, result: { content: ['again'] } });
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: { content: [] } },
    ]);
    expect(reports.map(({ method }) => method)).toEqual(['ping', 'tools/call']);
    end();
    expect(reports.at(-1)).toMatchObject({ method: 'ping', unanswered: 'closed' });
  });

  it('reports under shadow what enforce would refuse', async () => {
    const { client, reports, received, end } = await gated(new LivePolicy(shadow));
    client(request('skills/search'));
    client(request('tools/call', { name: ['a'] }));
    expect(received).toHaveLength(2);
    end();
    expect(reports).toMatchObject([
      { method: 'skills/search', era: 'legacy', refused: 'skills/search' },
      { method: 'tools/call', era: 'legacy', refused: 'tools/call' },
    ]);
  });

  it.each([
    ['a session', 'abc', 'legacy'],
    ['no session', undefined, 'modern'],
  ])('reads the marker of modern requests on a connection with %s as %s', async (_what, session, era) => {
    const { client, reports, received, end } = await gated(new LivePolicy(advisory), session);
    client(request('ping', { _meta: { [PROTOCOL_VERSION_META]: '2026-07-28', own: 1 } }));
    end();
    expect(reports).toMatchObject([{ method: 'ping', era }]);
    expect(JSON.stringify(received).includes('2026-07-28')).toBe(era === 'modern');
  });
});
