import { readFileSync } from 'node:fs';
import { Logger } from '@aws-lambda-powertools/logger';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createVaultServer } from '../../../examples/vault/server.js';
import type { BufferedHandler } from '../../../src/core/lambda/buffered.js';
import { createFunction, type ServerFunctionOptions } from '../../../src/core/lambda/function.js';
import { createLog, createLogger } from '../../../src/core/lambda/log.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { httpEvent, initialize, rpc, withClaims } from '../events.js';

const lines: Record<string, unknown>[] = [];
beforeEach(() => {
  lines.length = 0;
  // Powertools writes to its own console unless this variable is set.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
/** Makes a new logger each time, because a logger reads its environment variables when it is created. */
const make = (options: Partial<ServerFunctionOptions> = {}): BufferedHandler =>
  createFunction({
    server: () => createVaultServer(),
    policy: loadPolicy('policies/vault.yaml'),
    store: createMemoryStore(),
    log: createLog(new Logger({ serviceName: 'test' })),
    ...options,
    env: {},
    response: 'buffered',
  });
const list = rpc('tools/list');
/** Words of the query language of CloudWatch Logs Insights. */
const QUERY_WORDS = new Set([
  'fields',
  'filter',
  'stats',
  'sort',
  'by',
  'as',
  'asc',
  'desc',
  'timestamp',
  'h',
  'd',
]);
const context = (awsRequestId: string) => ({ awsRequestId, functionName: 'mcp', memoryLimitInMB: '512' });

describe('a log line', () => {
  it('tells how many primitives were shown under which concerns', async () => {
    const headers = { 'mcp-concerns': 'security=high, cost=minimal' };
    await make()(httpEvent('POST', list, { headers }), context('request-7'));
    expect(lines).toEqual([
      {
        level: 'INFO',
        message: 'request',
        timestamp: expect.any(String),
        service: 'test',
        cold_start: false,
        function_name: 'mcp',
        function_memory_size: '512',
        function_request_id: 'request-7',
        sampling_rate: 0,
        requestId: 'request-7',
        correlation_id: 'gw-1',
        httpMethod: 'POST',
        status: 200,
        durationMs: expect.any(Number),
        serverMs: expect.any(Number),
        era: 'legacy',
        'mcp.method.name': 'tools/list',
        policy: expect.stringMatching(/^[0-9a-f]{32}$/),
        decision: expect.stringMatching(/^[0-9a-f]{16}$/),
        concerns: { security: 'high', cost: 'minimal' },
        sources: { security: 'header', cost: 'header' },
        shown: 9,
        total: 24,
        hidden: { concerns: { security: 5, cost: 10 } },
      },
    ]);
  });

  it('is as docs/reference/settings.md shows it, and the page explains each of its fields', async () => {
    const page = readFileSync('docs/reference/settings.md', 'utf8');
    const [, block = '', queries = ''] =
      /```json\n([^`]*)```([\s\S]*?)\n## /.exec(page.slice(page.indexOf('## Logs'))) ?? [];
    const example: Record<string, unknown> = JSON.parse(block);
    const store = createMemoryStore();
    await store.update('a'.repeat(32), {});
    const handler = make({ store, logSalt: 'mcp-concerns-dev', log: createLog(createLogger()) });
    const headers = { 'mcp-session-id': 'a'.repeat(32) };
    const update = rpc('updateConcerns', { concerns: { security: 'high' } });
    await handler(httpEvent('POST', update, { headers }), context('request-6'));
    const filtered = rpc('tools/list', { filter: { namePatterns: ['*Data'] } });
    const event = httpEvent('POST', filtered, { headers, rawQueryString: 'concerns=cheap' });
    await handler(event, context('request-7'));
    // The policy of the demo changes from time to time, and its digest with it.
    const volatile = {
      policy: expect.stringMatching(/^[0-9a-f]{32}$/),
      decision: expect.stringMatching(/^[0-9a-f]{16}$/),
      timestamp: expect.any(String),
      durationMs: expect.any(Number),
      storeMs: expect.any(Number),
      serverMs: expect.any(Number),
    };
    expect(lines[1]).toEqual({ ...example, ...volatile });
    expect(Object.keys(example)).toEqual(Object.keys(lines[1] ?? {}));

    for (const name of Object.keys(example)) expect(page).toContain(`\`${name}\``);
    const withoutStrings = queries.replaceAll(/"[^"]*"/g, '').matchAll(/^ {4}(.*)$/gm);
    const fields = [...withoutStrings].flatMap(
      ([, query = '']) => query.match(/\b[a-zA-Z_]+(\.\w+)*\b(?!\()/g) ?? [],
    );
    expect(fields).toContain('hidden.concerns.security');
    // Fields of lines about failures, which the example is not.
    const explained = new Set([...page.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name));
    for (const field of fields) {
      if (QUERY_WORDS.has(field) || explained.has(field)) continue;
      expect(field in example ? example[field] : read(example, ...field.split('.')), field).toBeDefined();
    }
  });

  it.each([
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ])('counts each kind separately: %s', async (method, kind) => {
    const { body } = await make()(httpEvent('POST', rpc(method), { rawQueryString: 'concerns=safe' }));
    const shown = JSON.parse(body).result[kind].length;
    expect(lines[0]).toMatchObject({ 'mcp.method.name': method, shown, total: expect.any(Number) });
  });

  it('is written for each request of a batch', async () => {
    await make()(httpEvent('POST', [rpc('tools/list', {}, 1), rpc('ping', {}, 2)]));
    expect(lines.map((line) => line['mcp.method.name']).sort()).toEqual(['ping', 'tools/list']);
  });

  it('contains the codes of warnings', async () => {
    const stated = { _meta: { [EXTENSION_ID]: { concerns: { secruity: 'high' } } } };
    await make()(httpEvent('POST', rpc('tools/list', stated)));
    expect(lines[0]).toMatchObject({ level: 'WARN', warnings: ['undeclared-concern'] });
  });

  it('tells a cold start once', async () => {
    vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand');
    const handler = make();
    await handler(httpEvent('POST', list), context('1'));
    await handler(httpEvent('POST', list), context('2'));
    expect(lines.map(({ cold_start: cold }) => cold)).toEqual([true, false]);
  });

  it('names a session by a hash that differs between deployments', async () => {
    const store = createMemoryStore();
    const [one, other] = [make({ store, logSalt: 'one' }), make({ store, logSalt: 'other' })];
    const id = (await one(httpEvent('POST', initialize()))).headers['mcp-session-id'] ?? '';
    const event = httpEvent('POST', list, { headers: { 'mcp-session-id': id } });
    await one(event);
    await other(event);
    const hashes = lines.map(({ session }) => session);
    expect(hashes[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
    expect(JSON.stringify(lines)).not.toContain(id);
  });

  it('tells the time spent on the store, and why the store failed', async () => {
    const memory = createMemoryStore();
    const cause = Object.assign(new Error('Rate exceeded for arn:aws:dynamodb:x'), {
      name: 'ThrottlingException',
    });
    await memory.update('5'.repeat(32), {});
    const failing = { ...memory, update: () => Promise.reject(new Error('no table', { cause })) };
    const headers = { 'mcp-session-id': '5'.repeat(32) };
    await make()(httpEvent('POST', list, { headers }));
    expect(lines[0]).toMatchObject({ storeMs: expect.any(Number) });
    lines.length = 0;
    const update = rpc('updateConcerns', { concerns: { security: 'high' } });
    await make({ store: failing })(httpEvent('POST', update, { headers }));
    expect(lines[0]).toMatchObject({
      level: 'WARN',
      warnings: ['store-unavailable'],
      storeFailures: ['ThrottlingException'],
    });
    expect(JSON.stringify(lines)).not.toContain('arn:aws');
  });

  it('is written for requests that never reach the server', async () => {
    await make({ authorization: { servers: ['https://login.example/'] } })(httpEvent('POST', list));
    await make()(httpEvent('GET'));
    expect(lines).toMatchObject([
      { level: 'INFO', httpMethod: 'POST', status: 401 },
      { level: 'INFO', httpMethod: 'GET', status: 405 },
    ]);
  });

  it('of a failure contains the error without its other members', async () => {
    const cause = Object.assign(new Error('refused'), { headers: { authorization: 'S3CR3T' } });
    const failure = Object.assign(new TypeError('fetch failed', { cause }), { code: 'E1', input: 'S3CR3T' });
    await make({ server: () => Promise.reject(failure) })(httpEvent('POST', list));
    expect(lines).toMatchObject([
      {
        level: 'ERROR',
        message: 'request failed',
        status: 500,
        error: {
          name: 'TypeError',
          message: 'fetch failed',
          code: 'E1',
          cause: { name: 'Error', message: 'refused' },
          stack: expect.stringContaining('lambda-log.test'),
        },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('S3CR3T');
  });

  it('has details for the requests that Powertools samples', async () => {
    vi.stubEnv('POWERTOOLS_LOGGER_SAMPLE_RATE', '1');
    const handler = make();
    const headers = { 'mcp-session-id': 'a'.repeat(32) };
    for (let turn = 0; turn < 2; turn++) await handler(httpEvent('POST', list, { headers }));
    const detail = lines.find(({ message }) => message === 'session store');
    expect(detail).toMatchObject({
      level: 'DEBUG',
      sampling_rate: 1,
      storeCalls: [{ operation: 'read', ms: expect.any(Number) }],
    });
  });
});

describe('no log line contains', () => {
  const inMeta = (concerns: object) => ({ _meta: { [EXTENSION_ID]: { concerns } } });
  const secret = 'S3CR3T-7f3a';
  const vaultOf = (): McpServer => {
    const server = createVaultServer();
    server.registerTool(
      'leak',
      { description: 'Fails aloud.', inputSchema: { text: z.string() } },
      ({ text }) => {
        throw new Error(`cannot work with ${text}`);
      },
    );
    server.registerTool('tell', { description: 'Tells.' }, () => ({
      content: [{ type: 'text', text: secret }],
    }));
    return server;
  };
  const headers = {
    authorization: `Bearer ${secret}`,
    cookie: `session=${secret}`,
    'mcp-concerns': `security=${secret}, x="${secret}"`,
    'mcp-protocol-version': '2025-11-25',
    'x-api-key': secret,
    'user-agent': secret,
    traceparent: secret,
  };
  const bodies: [string, unknown][] = [
    ['an argument', rpc('tools/call', { name: 'hashData', arguments: { data: secret } })],
    ['an error that contains the argument', rpc('tools/call', { name: 'leak', arguments: { text: secret } })],
    ['a result', rpc('tools/call', { name: 'tell', arguments: {} })],
    ['an unknown name', rpc('tools/call', { name: secret, arguments: {} })],
    ['an unknown method', rpc(secret, {})],
    ['an id', rpc('ping', {}, secret)],
    ['a cursor', rpc('tools/list', { cursor: secret })],
    ['a pattern', rpc('tools/list', { filter: { namePatterns: [secret] } })],
    ['a prompt argument', rpc('prompts/get', { name: 'explainEncryption', arguments: { audience: secret } })],
    ['a concern and its value', rpc('updateConcerns', { concerns: { security: secret, [secret]: 'high' } })],
    ['a concern and a preset in _meta', rpc('tools/list', inMeta({ preset: secret, [secret]: secret }))],
    ['a preset in initialize', initialize({ concerns: { preset: secret } })],
    ['a concern in initialize', initialize({ concerns: { [secret]: secret } })],
    ['the name of a client', initialize({ clientInfo: { name: secret, version: secret } })],
    ['a URI', rpc('resources/read', { uri: `vault://keys/${secret}` })],
    ['an answer', { jsonrpc: '2.0', id: 1, result: { secret } }],
    ['a body that is not JSON', `{"${secret}`],
    ['a batch', [rpc('tools/list', { cursor: secret }, 1), rpc(secret, {}, 2)]],
  ];
  const stores: [string, ServerFunctionOptions['store']][] = [
    ['', createMemoryStore()],
    [
      ', with a store that fails',
      {
        read: () => Promise.reject(new Error(`no ${secret}`)),
        update: () => Promise.reject(new Error(`no ${secret}`)),
        end: () => Promise.reject(new Error(`no ${secret}`)),
      },
    ],
  ];
  const events = [
    ...bodies.flatMap(([what, body]) =>
      stores.map(([how, store]) => [`${what}${how}`, 'POST', body, store] as const),
    ),
    ['a URL', 'GET', undefined, undefined] as const,
    ['a session', 'DELETE', undefined, stores[1]?.[1]] as const,
    ['a method of HTTP', secret, undefined, undefined] as const,
  ];

  it.each(events)('%s, even at level DEBUG with event logging on', async (_what, method, body, store) => {
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'DEBUG');
    vi.stubEnv('POWERTOOLS_LOGGER_LOG_EVENT', 'true');
    const handler = make({ server: vaultOf, store });
    const event = httpEvent(method, body, {
      headers: { ...headers, 'mcp-session-id': 'b'.repeat(32) },
      cookies: [`token=${secret}`],
      rawPath: `/mcp/${secret}`,
      rawQueryString: `concerns=${secret}&token=${secret}`,
    });
    const claims = { sub: secret, email: `${secret}@example.org`, 'custom:tier': secret };
    for (const each of [event, withClaims(event, claims)]) await handler(each, context('1'));
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain('b'.repeat(32));
  });
});
