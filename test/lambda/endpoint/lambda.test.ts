import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createVaultServer } from '../../../examples/vault/server.js';
import type { BufferedHandler } from '../../../src/core/lambda/buffered.js';
import type { HttpEvent } from '../../../src/core/lambda/event.js';
import { createFunction, type ServerFunctionOptions } from '../../../src/core/lambda/function.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { RequestLog } from '../../../src/core/telemetry/request-log.js';
import { errorOf, httpEvent, initialize, rpc, toolsOf } from '../events.js';

const logged: RequestLog[] = [];
const make = (options: Partial<ServerFunctionOptions> = {}): BufferedHandler =>
  createFunction({
    server: () => createVaultServer(),
    policy: loadPolicy('policies/vault.yaml'),
    store: createMemoryStore(),
    log: (entry) => logged.push(entry),
    ...options,
    response: 'buffered',
  });
let handler: BufferedHandler;
beforeAll(() => {
  handler = make();
});

const list = rpc('tools/list');
const open = async (more: object = {}): Promise<{ 'mcp-session-id': string }> => {
  const { headers } = await handler(httpEvent('POST', initialize(more)));
  return { 'mcp-session-id': headers['mcp-session-id'] ?? '' };
};
/** The messages of an event stream. */
const messagesOf = (body: string): { id?: unknown; method?: string; result?: object; error?: object }[] =>
  [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));

describe('the buffered function', () => {
  it('serves a session from initialize to DELETE', async () => {
    const headers = await open({ concerns: { security: 'high', cost: 'minimal' } });
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await handler(httpEvent('POST', initialized, { headers }))).toMatchObject({
      statusCode: 202,
      body: '',
    });
    expect(toolsOf(await handler(httpEvent('POST', list, { headers })))).toHaveLength(9);
    expect(await handler(httpEvent('DELETE', undefined, { headers }))).toMatchObject({ statusCode: 204 });
    expect(await handler(httpEvent('POST', list, { headers }))).toMatchObject({ statusCode: 404 });
  });

  it('accepts base64 bodies, and reads the query of the URL', async () => {
    const body = Buffer.from(JSON.stringify(list)).toString('base64');
    const event = httpEvent('POST', undefined, {
      body,
      isBase64Encoded: true,
      rawQueryString: 'concerns=safe',
    });
    expect(toolsOf(await handler(event))).toHaveLength(10);
  });

  it('reads a header that was sent several times as one list', async () => {
    const headers = { 'mcp-concerns': 'security=high,cost=minimal' };
    expect(toolsOf(await handler(httpEvent('POST', list, { headers })))).toHaveLength(9);
  });

  it.each(['GET', 'PUT', 'OPTIONS'])('does not support %s', async (method) => {
    expect(await handler(httpEvent(method))).toMatchObject({
      statusCode: 405,
      headers: { allow: 'POST, DELETE' },
    });
  });

  it('has no sessions without a store', async () => {
    const bare = make({ store: undefined, env: { MCP_CONCERNS_SESSIONS: 'none' } });
    const opened = await bare(httpEvent('POST', initialize()));
    expect(opened).toMatchObject({ statusCode: 200 });
    expect(opened.headers).not.toHaveProperty('mcp-session-id');
    expect(await bare(httpEvent('DELETE'))).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
    const event = httpEvent('POST', list, { rawQueryString: 'concerns=security:high,cost:minimal' });
    expect(toolsOf(await bare(event))).toHaveLength(9);
  });

  it('serves only pages of listed origins', async () => {
    const listed = make({ origins: ['https://host.example'] });
    const page = (origin: string) => httpEvent('POST', list, { headers: { origin } });
    const served = await listed(page('https://host.example'));
    expect(served).toMatchObject({
      statusCode: 200,
      headers: { 'access-control-allow-origin': 'https://host.example' },
    });
    expect(await listed(page('https://evil.example'))).toMatchObject({ statusCode: 403 });
    expect(await handler(page('https://host.example'))).toMatchObject({ statusCode: 403 });
    const headers = { origin: 'https://host.example', 'access-control-request-method': 'POST' };
    expect(await listed(httpEvent('OPTIONS', undefined, { headers }))).toMatchObject({
      statusCode: 204,
      body: '',
    });
  });

  it('can serve any handler of HTTP requests', async () => {
    const hello = createFunction({
      policy: loadPolicy('policies/vault.yaml'),
      handler: () => async (request) => new Response(`hello ${new URL(request.url).pathname}`),
      store: createMemoryStore(),
      log: () => undefined,
      response: 'buffered',
    });
    expect(await hello(httpEvent('GET'))).toMatchObject({ statusCode: 200, body: 'hello /mcp' });
  });

  it('rejects events that are not HTTP requests', async () => {
    await expect(handler({ key1: 'value1' } as unknown as HttpEvent)).rejects.toMatchObject({
      name: 'EventError',
      code: 'EVENT_INVALID',
    });
  });
});

describe('the calls to the store', () => {
  /** @returns the calls to the store that one request makes */
  const costOf = async (event: HttpEvent): Promise<string[]> => {
    await handler(event);
    return (logged.at(-1)?.storeCalls ?? []).map(({ operation }) => operation);
  };
  const update = rpc('updateConcerns', { concerns: { security: 'high' } });
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const configuring = { ...initialized, params: { concerns: { security: 'low' } } };

  it.each<[string, string, unknown, string[]]>([
    ['notifications/initialized', 'POST', initialized, ['read']],
    ['the same with concerns', 'POST', configuring, ['read', 'update']],
    ['a list', 'POST', list, ['read']],
    ['a call', 'POST', rpc('tools/call', { name: 'hashData', arguments: { data: 'x' } }), ['read']],
    ['an update', 'POST', update, ['read', 'update']],
    ['an end', 'DELETE', undefined, ['end']],
  ])('of a request in a session: %s', async (_what, method, body, cost) => {
    const headers = await open();
    expect(await costOf(httpEvent(method, body, { headers }))).toEqual(cost);
  });

  it('are one write to open a session, and none without a session', async () => {
    expect(await costOf(httpEvent('POST', initialize()))).toEqual(['update']);
    expect(await costOf(httpEvent('POST', list, { rawQueryString: 'concerns=safe' }))).toEqual([]);
  });
});

describe('a request that is not valid', () => {
  it.each<[string, HttpEvent, number, number]>([
    ['a body that is not JSON', httpEvent('POST', '{'), 400, -32700],
    ['no body', httpEvent('POST'), 400, -32700],
    [
      'a body that is not text',
      httpEvent('POST', undefined, { body: '/w==', isBase64Encoded: true }),
      400,
      -32700,
    ],
    ['JSON that is not a message', httpEvent('POST', { hello: 1 }), 400, -32700],
    ['a body that is too long', httpEvent('POST', `"${'x'.repeat(4 * 1024 * 1024)}"`), 413, -32000],
    ['an empty batch', httpEvent('POST', []), 400, -32600],
    [
      'a batch that is too long',
      httpEvent(
        'POST',
        Array.from({ length: 101 }, () => list),
      ),
      400,
      -32600,
    ],
    ['two initialize requests in a batch', httpEvent('POST', [initialize(), initialize()]), 400, -32600],
    [
      'another content type',
      httpEvent('POST', list, { headers: { 'content-type': 'text/plain' } }),
      415,
      -32000,
    ],
    ['no content type', httpEvent('POST', list, { headers: { 'content-type': undefined } }), 415, -32000],
    ['no Accept', httpEvent('POST', list, { headers: { accept: undefined } }), 406, -32000],
    [
      'an Accept without event streams',
      httpEvent('POST', list, { headers: { accept: 'application/json' } }),
      406,
      -32000,
    ],
    [
      'a protocol of the future',
      httpEvent('POST', list, { headers: { 'mcp-protocol-version': '2999-01-01' } }),
      400,
      -32000,
    ],
    ['a DELETE without a session', httpEvent('DELETE'), 400, -32000],
  ])('is rejected: %s', async (_what, event, status, code) => {
    const result = await handler(event);
    expect(result).toMatchObject({ statusCode: status, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(result.body)).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null });
  });

  it('is rejected if it is longer than maxBodyBytes', async () => {
    const short = make({ maxBodyBytes: 100 });
    expect(await short(httpEvent('POST', rpc('ping')))).toMatchObject({ statusCode: 200 });
    const long = await short(httpEvent('POST', rpc('ping', { _meta: { filler: 'ü'.repeat(50) } })));
    expect([long.statusCode, errorOf(long).message]).toEqual([
      413,
      'The body is longer than 100 bytes. Send less at once.',
    ]);
  });
});

describe('a batch', () => {
  it('gets a batch of answers', async () => {
    const { body } = await handler(httpEvent('POST', [rpc('tools/list', {}, 1), rpc('ping', {}, 2)]));
    expect(JSON.parse(body)).toMatchObject([
      { id: 1, result: { tools: expect.any(Array) } },
      { id: 2, result: {} },
    ]);
  });

  it('lists primitives by an update that precedes the list in the same batch', async () => {
    const headers = await open();
    const update = rpc('updateConcerns', { concerns: { security: 'high', cost: 'minimal' } }, 1);
    const { body } = await handler(httpEvent('POST', [update, rpc('tools/list', {}, 2)], { headers }));
    const listed = messagesOf(body).find(({ id }) => id === 2);
    expect(listed?.result).toMatchObject({ tools: { length: 9 } });
  });
});

describe('when the function fails', () => {
  it('answers with a JSON-RPC error without the reason, and logs the reason', async () => {
    const broken = make({
      server: () => {
        throw new Error('no key');
      },
    });
    const result = await broken(httpEvent('POST', list));
    expect(result.statusCode).toBe(500);
    expect(JSON.parse(result.body)).toMatchObject({ jsonrpc: '2.0', error: { code: -32603 }, id: 1 });
    expect(result.body).not.toContain('no key');
    expect(logged.at(-1)).toMatchObject({ failure: new Error('no key'), status: 500 });
  });

  it('lets pages of listed origins read the error', async () => {
    const broken = make({ origins: ['*'], server: () => Promise.reject(new Error('no key')) });
    const event = httpEvent('POST', list, { headers: { origin: 'https://host.example' } });
    expect(await broken(event)).toMatchObject({
      statusCode: 500,
      headers: { 'access-control-allow-origin': 'https://host.example' },
    });
  });
});

describe('an answer that is longer than Lambda allows', () => {
  const tell = (text: string) => (): McpServer => {
    const server = new McpServer({ name: 'long', version: '1' });
    server.registerTool('tell', { description: 'Tells.' }, () => ({ content: [{ type: 'text', text }] }));
    return server;
  };
  const told = (text: string) =>
    make({ server: tell(text) })(httpEvent('POST', rpc('tools/call', { name: 'tell', arguments: {} }, 'a')));

  it('becomes an error that tells the limit', async () => {
    const result = await told('x'.repeat(6 * 1024 * 1024));
    expect(JSON.parse(result.body)).toMatchObject({
      id: 'a',
      error: { code: -32603, message: expect.stringContaining('longer than the 6 MB that Lambda allows') },
    });
    expect(logged.at(-1)).toMatchObject({ failure: { code: 'ANSWER_TOO_LONG' } });
  });

  it('is measured as a string within JSON, as it is sent', async () => {
    expect((await told('x'.repeat(4_000_000))).body).toContain('"result"');
    expect((await told('"'.repeat(2_000_000))).body).toContain('"error"');
  });
});

describe('shortly before Lambda ends the invocation', () => {
  let closed = 0;
  let aborted = 0;
  /** A server whose tool sends one notification and then does not answer until it is aborted. */
  const slowServer = (): McpServer => {
    const server = new McpServer({ name: 'slow', version: '1' }, { capabilities: { logging: {} } });
    server.registerTool('wait', { description: 'Waits.' }, async ({ signal, sendNotification }) => {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'begun' } });
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      aborted += 1;
      return { content: [] };
    });
    const close = server.close.bind(server);
    server.close = async () => {
      closed += 1;
      await close();
    };
    return server;
  };
  const context = { awsRequestId: 'late', getRemainingTimeInMillis: () => 600 };
  const late = { code: -32001, message: expect.stringContaining('did not answer in time') };

  it('a request without an answer gets an error, and the server is stopped', async () => {
    const slow = make({ server: slowServer });
    const result = await slow(
      httpEvent('POST', rpc('tools/call', { name: 'wait', arguments: {} }, 'a')),
      context,
    );
    expect(result).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(result.body)).toEqual({ jsonrpc: '2.0', id: 'a', error: late });
    expect([closed, aborted]).toEqual([1, 1]);
    expect(logged.at(-1)).toMatchObject({ requestId: 'late', failure: { name: 'LateError' } });
  });

  it('each request of a batch gets an error', async () => {
    const slow = make({ server: slowServer });
    const batch = [rpc('tools/call', { name: 'wait', arguments: {} }, 1), rpc('ping', {}, 2)];
    const result = await slow(httpEvent('POST', batch), context);
    expect(JSON.parse(result.body)).toEqual([
      { jsonrpc: '2.0', id: 1, error: late },
      { jsonrpc: '2.0', id: 2, error: late },
    ]);
  });

  it('a notification that was not stored is not acknowledged', async () => {
    const store = createMemoryStore();
    await store.update('a'.repeat(32), {});
    const never = make({ store: { ...store, update: () => new Promise(() => undefined) } });
    const headers = { 'mcp-session-id': 'a'.repeat(32) };
    const params = { concerns: { security: 'high' } };
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized', params };
    expect(await never(httpEvent('POST', initialized, { headers }), context)).toMatchObject({
      statusCode: 504,
    });
  });

  it('a call that has not begun does not begin later', async () => {
    closed = 0;
    const server = slowServer();
    const connect = vi.spyOn(server, 'connect');
    let release: (made: McpServer) => void = () => undefined;
    const tardy = make({
      server: () =>
        new Promise<McpServer>((resolve) => {
          release = resolve;
        }),
    });
    expect(errorOf(await tardy(httpEvent('POST', rpc('ping')), context)).code).toBe(-32001);
    release(server);
    await expect.poll(() => closed).toBe(1);
    expect(connect).not.toHaveBeenCalled();
  });
});
