import { PassThrough } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createVaultServer } from '../../../examples/vault/server.js';
import type { HttpEvent } from '../../../src/core/lambda/event.js';
import { createFunction, type ServerFunctionOptions } from '../../../src/core/lambda/function.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { RequestLog } from '../../../src/core/telemetry/request-log.js';
import { policyOf, yaml } from '../../policy/author.js';
import { httpEvent, initialize, rpc } from '../events.js';

type Streaming = (event: HttpEvent, sink: PassThrough, context: object) => Promise<void>;

/** Behaves like the runtime of Lambda, which sends status and headers only with the first write. */
const runtime = {
  streamifyResponse: (handler: Streaming) => handler,
  HttpResponseStream: {
    from(sink: PassThrough, head: object): PassThrough {
      const write = sink.write.bind(sink);
      sink.write = ((...parts: Parameters<typeof write>) => {
        sink.write = write;
        write(JSON.stringify(head));
        write(new Uint8Array(8));
        return parts[0] === '' ? true : write(...parts);
      }) as typeof write;
      return sink;
    },
  },
};

interface Streamed {
  readonly head: { readonly statusCode: number; readonly headers: Record<string, string> };
  readonly body: string;
  /** The chunks of the body. */
  readonly pieces: readonly string[];
}

const logged: RequestLog[] = [];
const make = (options: Partial<ServerFunctionOptions> = {}): Streaming =>
  createFunction({
    response: 'stream',
    server: () => createVaultServer(),
    policy: loadPolicy('policies/vault.yaml'),
    store: createMemoryStore(),
    log: (entry) => logged.push(entry),
    warn: () => undefined,
    ...options,
  }) as unknown as Streaming;

async function invoke(handler: Streaming, event: HttpEvent, context: object = {}): Promise<Streamed> {
  const sink = new PassThrough({ highWaterMark: 1024 });
  const pieces: string[] = [];
  sink.on('data', (piece: Buffer) => pieces.push(piece.toString()));
  await handler(event, sink, context);
  const [head = '', , ...body] = pieces;
  return { head: JSON.parse(head), body: body.join(''), pieces: body };
}
const messagesOf = (body: string): { id?: unknown; method?: string; error?: object; result?: object }[] =>
  [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));

beforeAll(() => vi.stubGlobal('awslambda', runtime));
afterAll(() => vi.unstubAllGlobals());

describe('the streaming function', () => {
  it('serves lists, sessions and errors as the buffered function does', async () => {
    const handler = make();
    const opened = await invoke(handler, httpEvent('POST', initialize({ concerns: { security: 'high' } })));
    expect(opened.head).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    const headers = { 'mcp-session-id': opened.head.headers['mcp-session-id'] ?? '' };
    const listed = await invoke(handler, httpEvent('POST', rpc('tools/list'), { headers }));
    expect(JSON.parse(listed.body).result.tools).not.toHaveLength(24);
    expect((await invoke(handler, httpEvent('GET'))).head).toMatchObject({ statusCode: 405 });
    expect((await invoke(handler, httpEvent('POST', '{'))).head).toMatchObject({ statusCode: 400 });
    expect(logged.at(-1)).toMatchObject({ httpMethod: 'POST', status: 400 });
  });

  it.each([
    ['202', httpEvent('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }), 202],
    ['204', httpEvent('DELETE', undefined, { headers: { 'mcp-session-id': 'a'.repeat(32) } }), 204],
  ])('sends the status of a response without a body: %s', async (_what, event, statusCode) => {
    const { head, body } = await invoke(make(), event);
    expect([head.statusCode, body]).toEqual([statusCode, '']);
  });

  it('sends notifications while the server works', async () => {
    let finish: () => void = () => undefined;
    const server = (): McpServer => {
      const made = new McpServer({ name: 'slow', version: '1' }, { capabilities: { logging: {} } });
      made.registerTool('work', { description: 'Works.' }, async ({ sendNotification }) => {
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'begun' } });
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { content: [{ type: 'text', text: 'done' }] };
      });
      return made;
    };
    const sink = new PassThrough();
    let received = '';
    sink.on('data', (piece: Buffer) => {
      received += piece.toString();
    });
    const event = httpEvent('POST', rpc('tools/call', { name: 'work', arguments: {} }));
    const running = make({ server })(event, sink, {});
    await expect.poll(() => received).toContain('begun');
    expect(received).not.toContain('done');
    finish();
    await running;
    expect(messagesOf(received).at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
  });

  it('waits for a slow reader without losing data', async () => {
    const text = 'x'.repeat(200_000);
    const server = (): McpServer => {
      const made = new McpServer({ name: 'long', version: '1' });
      made.registerTool('long', { description: 'Long.' }, () => ({ content: [{ type: 'text', text }] }));
      return made;
    };
    const event = httpEvent('POST', rpc('tools/call', { name: 'long', arguments: {} }));
    const { body } = await invoke(make({ server }), event);
    expect(messagesOf(body)[0]?.result).toMatchObject({ content: [{ text }] });
  });

  it('ends with an error for each request that has no answer at the deadline', async () => {
    const server = (): McpServer => {
      const made = new McpServer({ name: 'slow', version: '1' });
      made.registerTool('wait', { description: 'Waits.' }, () => new Promise(() => undefined));
      return made;
    };
    const batch = [rpc('tools/call', { name: 'wait', arguments: {} }, 1), rpc('ping', {}, 2)];
    const { head, body } = await invoke(make({ server }), httpEvent('POST', batch), {
      getRemainingTimeInMillis: () => 600,
    });
    expect(head.statusCode).toBe(200);
    expect(messagesOf(body)).toEqual([
      { jsonrpc: '2.0', id: 2, result: {} },
      { jsonrpc: '2.0', id: 1, error: { code: -32001, message: expect.stringContaining('in time') } },
    ]);
    expect(logged.at(-1)).toMatchObject({ status: 200, failure: { name: 'LateError' } });
  });

  it.each([
    ['a single request gets its error though the server sent other messages', 1],
    ['of a batch, only an answer counts, and no request of the server with the same id', 2],
  ])('at the deadline: %s', async (_what, requests) => {
    const server = (): McpServer => {
      const made = new McpServer({ name: 'asks', version: '1' }, { capabilities: { logging: {} } });
      made.registerTool('ask', { description: 'Asks.' }, async ({ sendNotification, sendRequest }) => {
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'begun' } });
        await sendRequest({ method: 'ping' }, EmptyResultSchema);
        return { content: [] };
      });
      return made;
    };
    const calls = [0, 1]
      .map((id) => rpc('tools/call', { name: 'ask', arguments: {} }, id))
      .slice(0, requests);
    const event = httpEvent('POST', requests === 1 ? calls[0] : calls);
    const { body } = await invoke(make({ server }), event, { getRemainingTimeInMillis: () => 600 });
    const late = messagesOf(body).filter((message) => 'error' in message);
    expect(messagesOf(body).filter(({ method }) => method === 'ping')).toHaveLength(requests);
    expect(late.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
  });

  it('stops the server when the reader goes away', async () => {
    let stopped = false;
    const server = (): McpServer => {
      const made = new McpServer({ name: 'slow', version: '1' }, { capabilities: { logging: {} } });
      made.registerTool('wait', { description: 'Waits.' }, async ({ signal, sendNotification }) => {
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'begun' } });
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        stopped = true;
        return { content: [] };
      });
      return made;
    };
    const sink = new PassThrough();
    sink.on('data', (piece: Buffer) => {
      if (piece.toString().includes('begun')) sink.destroy(new Error('gone'));
    });
    await make({ server })(httpEvent('POST', rpc('tools/call', { name: 'wait', arguments: {} })), sink, {});
    expect(stopped).toBe(true);
    expect(logged.at(-1)).toMatchObject({ failure: new Error('gone') });
  });
});

describe('on a function URL, which has no authorizer', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      tier: { values: [free, pro], match: at-most, set-by: operator, claim: tier }
    primitives:
      tools:
        hashData: { tier: free }
        encryptData: { tier: pro }
  `);
  const verifier = {
    verifyAccessToken: async (token: string) => ({
      token,
      clientId: 'c',
      scopes: [],
      extra: { sub: 'ada', tier: token },
    }),
  };
  const tools = async (options: Partial<ServerFunctionOptions>, headers = {}): Promise<string[]> => {
    const { body } = await invoke(
      make({ policy, ...options }),
      httpEvent('POST', rpc('tools/list'), { headers }),
    );
    return (JSON.parse(body).result.tools as { name: string }[]).map(({ name }) => name);
  };

  it('operator concerns have no claims, and the log warns about it', async () => {
    const warned: string[] = [];
    const shown = await tools({ warn: (message) => warned.push(message) }, { authorization: 'Bearer pro' });
    expect(shown).not.toContain('hashData');
    expect(shown).not.toContain('encryptData');
    expect(warned).toEqual([
      expect.stringContaining('so operator concerns have no claims. Pass authorization.verifier'),
    ]);
  });

  it('a verifier provides claims, and callers without a token learn where to log in', async () => {
    const warn = vi.fn();
    const authorization = { servers: ['https://login.example/'], verifier };
    expect(await tools({ authorization, warn }, { authorization: 'Bearer pro' })).toContain('encryptData');
    expect(await tools({ authorization, warn }, { authorization: 'Bearer free' })).not.toContain(
      'encryptData',
    );
    const refused = await invoke(make({ policy, authorization, warn }), httpEvent('POST', rpc('tools/list')));
    expect(refused.head).toMatchObject({
      statusCode: 401,
      headers: { 'www-authenticate': expect.stringContaining('resource_metadata=') },
    });
    expect(warn).not.toHaveBeenCalled();
  });

  it('the function does not start if tokens are required but nothing verifies them', () => {
    expect(() => make({ authorization: { servers: ['https://login.example/'] } })).toThrow(
      'Nothing verifies tokens before this streaming function runs.',
    );
    const env = { MCP_CONCERNS_AUTHORIZER: 'gateway' };
    expect(() => make({ authorization: { servers: ['https://login.example/'] }, env })).not.toThrow();
  });

  it('a policy without operator concerns causes no warning', () => {
    const warn = vi.fn();
    make({ warn });
    expect(warn).not.toHaveBeenCalled();
  });
});

describe('outside the runtime of Lambda', () => {
  it('returns buffered responses', async () => {
    vi.stubGlobal('awslambda', undefined);
    const handler = make() as unknown as (event: HttpEvent) => Promise<unknown>;
    expect(await handler(httpEvent('POST', rpc('ping')))).toMatchObject({ statusCode: 200 });
    vi.stubGlobal('awslambda', runtime);
  });
});
