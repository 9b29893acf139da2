import { describe, expect, it } from 'vitest';
import { isRequest, isResponse, shapeOf } from '../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate/gate-harness.js';

const POLICY = `
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { tools: { secret: { tier: pro } } }
settings: { enforcement: ENFORCEMENT }
`;
const policyWith = (enforcement: string) => policyOf(POLICY.replace('ENFORCEMENT', enforcement));
const enforce = policyWith('enforce');
const LISTS = { 'tools/list': [{ name: 'secret' }, { name: 'open' }] };

/** The names that reached the server. */
const called = ({ toServer }: Harness): unknown[] =>
  toServer.flatMap((message) =>
    'method' in message && message.method === 'tools/call' ? [message.params?.name] : [],
  );

describe('shapeOf', () => {
  it.each<[unknown, ReturnType<typeof shapeOf>]>([
    [{ id: 1, method: 'ping' }, 'request'],
    [{ id: null, method: 'ping' }, 'request'],
    [{ id: 1, method: 'ping', result: {} }, 'request'],
    [{ id: 1, method: 'ping', error: {} }, 'request'],
    [{ method: 'ping' }, 'notification'],
    [{ id: undefined, method: 'ping' }, 'notification'],
    [{ method: 'ping', result: {} }, 'notification'],
    [{ id: 1, result: {} }, 'response'],
    [{ id: 1, error: {} }, 'response'],
    [{ id: 1, method: 5, result: {} }, undefined],
    [{ id: 1 }, undefined],
    [[], undefined],
    [[{ id: 1, method: 'ping' }], undefined],
    ['ping', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j is %s', (message, shape) => {
    expect(shapeOf(message)).toBe(shape);
    expect(isRequest(message as never)).toBe(shape === 'request');
    expect(isResponse(message as never)).toBe(shape === 'response');
  });
});

describe('enforce', () => {
  it.each([
    [[{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'secret' } }]],
    [{ jsonrpc: '2.0', id: 1, method: ['tools/call'], params: { name: 'secret' } }],
    [{ jsonrpc: '2.0', id: 1 }],
    ['tools/call'],
    [null],
    [undefined],
    [7],
  ])('refuses a value that is not a message: %j', (message) => {
    const harness = new Harness(enforce);
    harness.client(message);
    expect(harness.toServer).toEqual([]);
    expect(harness.toClient).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } },
    ]);
    expect(harness.reports).toMatchObject([{ error: -32600 }]);
  });

  it.each(['result', 'error'])('checks a request that also has %s', (member) => {
    const harness = new Harness(enforce).serve(LISTS);
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'secret' }, [member]: {} };
    harness.client(message);
    expect(called(harness)[0]).toMatch(/^unknown-/);
  });

  it('checks such a request also while it waits for the server', async () => {
    const harness = new Harness(enforce);
    harness.request(1, 'updateConcerns', { concerns: {} });
    await new Promise((resolve) => setImmediate(resolve));
    harness.client({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'secret' }, result: {} });
    expect(called(harness)).toEqual([]);
  });

  it.each([
    'tools/call',
    'prompts/get',
    'resources/read',
    'resources/subscribe',
    'updateConcerns',
    'subscriptions/listen',
    'ping',
  ])('drops %s without an id, even if settings.methods allows everything', (method) => {
    const harness = new Harness(policyOf(POLICY.replace('ENFORCEMENT', 'enforce, methods: ["*"]')));
    for (const message of [{ method }, { method, id: undefined }]) {
      harness.client({ jsonrpc: '2.0', ...message, params: { name: 'secret', uri: 'r://secret' } });
    }
    expect(harness.toServer).toEqual([]);
    expect(harness.toClient).toEqual([]);
    expect(harness.reports).toMatchObject([{ refused: method }, { refused: method }]);
  });

  it.each([
    ['tools/call', { name: ['secret'] }, 'params.name must be a string.'],
    ['tools/call', { name: { toString: 'secret' } }, 'params.name must be a string.'],
    ['tools/call', {}, 'params.name must be a string.'],
    ['tools/call', undefined, 'params.name must be a string.'],
    ['tools/call', ['secret'], 'params.name must be a string.'],
    ['prompts/get', { name: null }, 'params.name must be a string.'],
    ['resources/read', { uri: ['r://secret'] }, 'params.uri must be a string.'],
    ['resources/subscribe', { uri: 5 }, 'params.uri must be a string.'],
    ['resources/unsubscribe', {}, 'params.uri must be a string.'],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: ['secret'] } },
      'params.ref.name must be a string.',
    ],
    ['completion/complete', { ref: { type: 'ref/resource' } }, 'params.ref.uri must be a string.'],
    [
      'completion/complete',
      { ref: { type: ['ref/prompt'], name: 'secret' } },
      'params.ref.type must be "ref/prompt" or "ref/resource".',
    ],
    ['completion/complete', {}, 'params.ref.type must be "ref/prompt" or "ref/resource".'],
  ])('refuses %s with params %j', (method, params, message) => {
    const harness = new Harness(enforce);
    harness.client({ jsonrpc: '2.0', id: 1, method, params });
    expect(harness.toServer).toEqual([]);
    expect(harness.toClient).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32602, message } }]);
    expect(harness.reports).toMatchObject([{ method, error: -32602, refused: method }]);
  });

  it.each(['resources/subscribe', 'resources/unsubscribe'])(
    'refuses a modern %s without a URI as unknown',
    (method) => {
      const harness = new Harness(enforce);
      harness.request(1, method, { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } });
      expect(harness.answers(1)).toMatchObject([{ error: { code: -32601, message: 'Method not found' } }]);
    },
  );

  it('does not pass a batch of the server to the client', async () => {
    const harness = new Harness(enforce);
    harness.request(1, 'ping');
    await harness.server([{ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'secret' }] } }]);
    expect(harness.toClient).toEqual([]);
  });
});

describe.each(['advisory', 'shadow'])('%s', (enforcement) => {
  it.each([
    [[{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'secret' } }]],
    ['tools/call'],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: ['secret'] } }],
    [{ jsonrpc: '2.0', method: 'tools/call', params: { name: 'secret' } }],
    [{ jsonrpc: '2.0', id: 1, method: 'nothing/at-all' }],
  ])('passes %j unchanged', (message) => {
    const harness = new Harness(policyWith(enforcement));
    harness.client(message);
    expect(harness.toServer).toHaveLength(1);
    expect(harness.toServer[0]).toBe(message);
  });
});
