import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import {
  createLambdaHandler,
  type HttpEvent,
  handleEvents,
  type LambdaHandler,
  type LambdaHandlerOptions,
} from '../../src/lambda/lambda.js';
import type { RequestLog } from '../../src/lambda/log.js';
import { loadPolicy } from '../../src/policy/compile/load.js';
import { createMemoryStore } from '../../src/session/memory.js';
import { errorOf, httpEvent, initialize, rpc, toolsOf } from '../lambda/events.js';

const logged: RequestLog[] = [];
const make = (options: Partial<LambdaHandlerOptions> = {}): LambdaHandler =>
  createLambdaHandler({
    server: () => createVaultServer(),
    policy: loadPolicy('policies/vault.yaml'),
    store: createMemoryStore(),
    log: (entry) => logged.push(entry),
    ...options,
  });
let handler: LambdaHandler;
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

describe('the Lambda handler', () => {
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

  it('takes base64 bodies, and the query of the URL', async () => {
    const body = Buffer.from(JSON.stringify(list)).toString('base64');
    const event = httpEvent('POST', undefined, {
      body,
      isBase64Encoded: true,
      rawQueryString: 'concerns=safe',
    });
    expect(toolsOf(await handler(event))).toHaveLength(10);
  });

  it('takes a header that came several times as one list', async () => {
    const headers = { 'mcp-concerns': 'security=high,cost=minimal' };
    expect(toolsOf(await handler(httpEvent('POST', list, { headers })))).toHaveLength(9);
  });

  it.each(['GET', 'PUT', 'OPTIONS'])('does not offer %s', async (method) => {
    expect(await handler(httpEvent(method))).toMatchObject({
      statusCode: 405,
      headers: { allow: 'POST, DELETE' },
    });
  });

  it('offers no sessions without a store', async () => {
    const bare = make({ store: undefined });
    const opened = await bare(httpEvent('POST', initialize()));
    expect(opened).toMatchObject({ statusCode: 200 });
    expect(opened.headers).not.toHaveProperty('mcp-session-id');
    expect(await bare(httpEvent('DELETE'))).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
    const event = httpEvent('POST', list, { rawQueryString: 'concerns=security:high,cost:minimal' });
    expect(toolsOf(await bare(event))).toHaveLength(9);
  });

  it('serves pages of listed origins, and of no others', async () => {
    const open = make({ origins: ['https://host.example'] });
    const page = (origin: string) => httpEvent('POST', list, { headers: { origin } });
    const served = await open(page('https://host.example'));
    expect(served).toMatchObject({
      statusCode: 200,
      headers: { 'access-control-allow-origin': 'https://host.example' },
    });
    expect(await open(page('https://evil.example'))).toMatchObject({ statusCode: 403 });
    expect(await handler(page('https://host.example'))).toMatchObject({ statusCode: 403 });
    const headers = { origin: 'https://host.example', 'access-control-request-method': 'POST' };
    expect(await open(httpEvent('OPTIONS', undefined, { headers }))).toMatchObject({
      statusCode: 204,
      body: '',
    });
  });

  it('can be made of anything that answers HTTP requests', async () => {
    const hello = handleEvents(async (request) => new Response(`hello ${new URL(request.url).pathname}`), {
      log: () => undefined,
    });
    expect(await hello(httpEvent('GET'))).toMatchObject({ statusCode: 200, body: 'hello /mcp' });
  });

  it('refuses events that are no HTTP requests with a sentence', async () => {
    await expect(handler({ key1: 'value1' } as unknown as HttpEvent)).rejects.toMatchObject({
      name: 'EventError',
      code: 'EVENT_INVALID',
    });
  });
});

describe('what a call costs', () => {
  /** The calls to the store that one request makes; `docs/guides/deploy.md` has them in a table. */
  const costOf = async (event: HttpEvent): Promise<string[]> => {
    await handler(event);
    return (logged.at(-1)?.storeCalls ?? []).map(({ operation }) => operation);
  };
  const update = rpc('updateConcerns', { concerns: { security: 'high' } });
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const wishing = { ...initialized, params: { concerns: { security: 'low' } } };

  it.each<[string, string, unknown, string[]]>([
    ['notifications/initialized', 'POST', initialized, ['read']],
    ['the same with concerns', 'POST', wishing, ['read', 'update']],
    ['a list', 'POST', list, ['read']],
    ['a call', 'POST', rpc('tools/call', { name: 'hashData', arguments: { data: 'x' } }), ['read']],
    ['an update', 'POST', update, ['read', 'update']],
    ['an end', 'DELETE', undefined, ['end']],
  ])('in a session: %s', async (_what, method, body, cost) => {
    const headers = await open();
    expect(await costOf(httpEvent(method, body, { headers }))).toEqual(cost);
  });

  it('to open a session: one write; without one: nothing', async () => {
    expect(await costOf(httpEvent('POST', initialize()))).toEqual(['update']);
    expect(await costOf(httpEvent('POST', list, { rawQueryString: 'concerns=safe' }))).toEqual([]);
  });
});

describe('a request that is not as it should be', () => {
  it.each<[string, HttpEvent, number, number]>([
    ['a body that is no JSON', httpEvent('POST', '{'), 400, -32700],
    ['no body', httpEvent('POST'), 400, -32700],
    [
      'a body that is no text',
      httpEvent('POST', undefined, { body: '/w==', isBase64Encoded: true }),
      400,
      -32700,
    ],
    ['JSON that is no message', httpEvent('POST', { hello: 1 }), 400, -32700],
    ['a body too long', httpEvent('POST', `"${'x'.repeat(4 * 1024 * 1024)}"`), 413, -32000],
    ['an empty batch', httpEvent('POST', []), 400, -32600],
    [
      'a batch too long',
      httpEvent(
        'POST',
        Array.from({ length: 101 }, () => list),
      ),
      400,
      -32600,
    ],
    ['two initializes at once', httpEvent('POST', [initialize(), initialize()]), 400, -32600],
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
    ['a DELETE of nothing', httpEvent('DELETE'), 400, -32000],
  ])('is refused: %s', async (_what, event, status, code) => {
    const result = await handler(event);
    expect(result).toMatchObject({ statusCode: status, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(result.body)).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null });
  });

  it('may be as long as the operator says', async () => {
    const short = make({ maxBodyBytes: 100 });
    expect(await short(httpEvent('POST', rpc('ping')))).toMatchObject({ statusCode: 200 });
    const long = await short(httpEvent('POST', rpc('ping', { _meta: { filler: 'ü'.repeat(50) } })));
    expect([long.statusCode, errorOf(long).message]).toEqual([
      413,
      'The body is longer than 100 bytes; send less at once.',
    ]);
  });
});

describe('a batch', () => {
  it('of lists is answered as a batch', async () => {
    const { body } = await handler(httpEvent('POST', [rpc('tools/list', {}, 1), rpc('ping', {}, 2)]));
    expect(JSON.parse(body)).toMatchObject([
      { id: 1, result: { tools: expect.any(Array) } },
      { id: 2, result: {} },
    ]);
  });

  it('lists what an update before it in the same batch asked for', async () => {
    const headers = await open();
    const update = rpc('updateConcerns', { concerns: { security: 'high', cost: 'minimal' } }, 1);
    const { body } = await handler(httpEvent('POST', [update, rpc('tools/list', {}, 2)], { headers }));
    const listed = messagesOf(body).find(({ id }) => id === 2);
    expect(listed?.result).toMatchObject({ tools: { length: 9 } });
  });
});

describe('when the function fails', () => {
  it('answers with a JSON-RPC error that does not say why, and logs why', async () => {
    const broken = make({
      server: () => {
        throw new Error('no key');
      },
    });
    const result = await broken(httpEvent('POST', list));
    expect(result.statusCode).toBe(500);
    expect(JSON.parse(result.body)).toMatchObject({ jsonrpc: '2.0', error: { code: -32603 }, id: null });
    expect(result.body).not.toContain('no key');
    expect(logged.at(-1)).toMatchObject({ failure: new Error('no key'), status: 500 });
  });

  it('lets pages of listed origins read that it failed', async () => {
    const broken = make({ origins: ['*'], server: () => Promise.reject(new Error('no key')) });
    const event = httpEvent('POST', list, { headers: { origin: 'https://host.example' } });
    expect(await broken(event)).toMatchObject({
      statusCode: 500,
      headers: { 'access-control-allow-origin': 'https://host.example' },
    });
  });
});

describe('an answer that is longer than Lambda takes', () => {
  const tell = (text: string) => (): McpServer => {
    const server = new McpServer({ name: 'long', version: '1' });
    server.registerTool('tell', { description: 'Tells.' }, () => ({ content: [{ type: 'text', text }] }));
    return server;
  };
  const told = (text: string) =>
    make({ server: tell(text) })(httpEvent('POST', rpc('tools/call', { name: 'tell', arguments: {} }, 'a')));

  it('is an error that says so', async () => {
    const result = await told('x'.repeat(6 * 1024 * 1024));
    expect(JSON.parse(result.body)).toMatchObject({
      id: 'a',
      error: { code: -32603, message: expect.stringContaining('longer than the 6 MB that Lambda takes') },
    });
    expect(logged.at(-1)).toMatchObject({ failure: { code: 'ANSWER_TOO_LONG' } });
  });

  it('is measured as it is sent: as a text within JSON', async () => {
    expect((await told('x'.repeat(4_000_000))).body).toContain('"result"');
    expect((await told('"'.repeat(2_000_000))).body).toContain('"error"');
  });
});

describe('shortly before the platform cuts the function off', () => {
  let closed = 0;
  let aborted = 0;
  /** A server whose tool notifies once and then never answers, unless it is told to stop. */
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

  it('each request that has no answer gets an error, and the server is stopped', async () => {
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

  it('each request of a batch does', async () => {
    const slow = make({ server: slowServer });
    const batch = [rpc('tools/call', { name: 'wait', arguments: {} }, 1), rpc('ping', {}, 2)];
    const result = await slow(httpEvent('POST', batch), context);
    expect(JSON.parse(result.body)).toEqual([
      { jsonrpc: '2.0', id: 1, error: late },
      { jsonrpc: '2.0', id: 2, error: late },
    ]);
  });

  it('a notification that was not taken in is not acknowledged', async () => {
    const never = make({ store: { ...createMemoryStore(), update: () => new Promise(() => undefined) } });
    const headers = { 'mcp-session-id': 'a'.repeat(32) };
    const params = { concerns: { security: 'high' } };
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized', params };
    expect(await never(httpEvent('POST', initialized, { headers }), context)).toMatchObject({
      statusCode: 504,
    });
  });

  it('a call that did not begin does not begin any more', async () => {
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
    await vi.waitFor(() => expect(closed).toBe(1));
    expect(connect).not.toHaveBeenCalled();
  });
});
