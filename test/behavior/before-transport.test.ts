import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import {
  createMcpHandler,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  Server,
} from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import type { GateReport } from '../../src/core/gate/request/report.js';
import { checkAccessEarly } from '../../src/core/http/early-access-check.js';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { policyOf } from '../gate/gate-harness.js';
import { growth, LINEAR } from '../growth.js';

/** SDK v2 answers some requests before a transport sees them. A gate on the transport is too late for these. */
const policy = policyOf(`
concerns: { level: { values: [low, high] } }
primitives:
  tools: { repeated: { level: low }, scoped: { level: low }, "schlüssel": { level: low }, "2.0": { level: low }, "tools/call": { level: low } }
  prompts: { scoped-prompt: { level: low } }
  resources: { "r://hidden": { level: low } }
settings: { enforcement: enforce }
`);

function createServer(): McpServer {
  const server = new McpServer(
    { name: 'early', version: '1.0.0' },
    { capabilities: { resources: { subscribe: true } } },
  );
  // Names that also occur elsewhere in messages, and one that a header cannot contain.
  for (const name of ['repeated', 'schlüssel', '2.0', 'tools/call']) {
    server.registerTool(
      name,
      { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
      async () => ({ content: [] }),
    );
  }
  const scopeChallenge = () => ({ scopes: ['write'] as const });
  server.registerTool('scoped', { inputSchema: z.object({}), scopeChallenge }, async () => ({ content: [] }));
  server.registerTool('refusing', { inputSchema: z.object({}) }, async () => {
    throw new ProtocolError(ProtocolErrorCode.UrlElicitationRequired, 'of its own');
  });
  server.registerPrompt('scoped-prompt', { scopeChallenge }, async () => ({ messages: [] }));
  server.registerPrompt('refusing', {}, async () => {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'of its own');
  });
  server.registerResource('h', 'r://hidden', { scopeChallenge }, async () => ({ contents: [] }));
  return server;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** A configuration that hides nothing. The gate has to check all the same. */
const UNUSED = { [EXTENSION_ID]: { concerns: { level: 'low' } } };
const HIDING = { ...META, [EXTENSION_ID]: { concerns: { level: 'high' } } };

function request(
  method: string,
  params: Record<string, unknown>,
  meta: object = META,
  header: unknown = inHeader(params.name ?? params.uri),
): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof header === 'string' ? { 'mcp-name': header } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
}

/** The encoding of names that a header cannot contain (SEP-2243). */
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const inHeader = (value: unknown) =>
  typeof value !== 'string' || /^[!-~]+$/.test(value) ? value : base64(value);

const gated = createHandler({ server: createServer, policy });
const bare = createMcpHandler(createServer, { maxSubscriptions: 0 });
const readAnswer = async (response: Response) => ({ status: response.status, body: await response.text() });

describe('under enforce, a hidden name is answered like one that does not exist', () => {
  it.each(['repeated', 'scoped', 'schlüssel', '2.0', 'tools/call'])('the tool "%s"', async (name) => {
    const call = { name, arguments: { region: 'eu' } };
    const early = await readAnswer(await bare.fetch(request('tools/call', call)));
    const unknown = await readAnswer(await bare.fetch(request('tools/call', { ...call, name: 'nothing' })));
    // Without the gate the two differ, which would reveal the name.
    expect(early.status).not.toBe(unknown.status);

    const hidden = await readAnswer(await gated(request('tools/call', call, HIDING)));
    expect(hidden).toEqual({ ...unknown, body: unknown.body.replaceAll('nothing', name) });
    const shown = await readAnswer(await gated(request('tools/call', call)));
    expect(shown).toEqual(early);
  });

  it.each([
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'y', value: '' } }],
    ['resources/subscribe', { uri: 'r://hidden' }],
  ])('a method that the server does not have: %s', async (method, params) => {
    const expected = await readAnswer(await bare.fetch(request(method, params)));
    expect(expected.status).toBe(404);
    expect(await readAnswer(await gated(request(method, params)))).toEqual(expected);
  });

  it('in any variant of the name', async () => {
    const named = (name: string, written: string) => {
      const plain = request('tools/call', { name, arguments: { region: 'eu' } }, HIDING);
      return plain.text().then((text) => {
        const body = text.replace(JSON.stringify(name), written);
        return new Request(plain.url, { method: 'POST', headers: plain.headers, body });
      });
    };
    const unknown = await readAnswer(await gated(await named('nothing', '"n\\u006fthing"')));
    const hidden = await readAnswer(await gated(await named('repeated', '"r\\u0065peated"')));
    expect(hidden.status).toBe(unknown.status);
    expect(hidden.body).toBe(unknown.body.replaceAll('nothing', 'repeated'));
  });

  it('and no request passes if the lists cannot be read', async () => {
    const passed: unknown[] = [];
    const serve = async (_request: Request, body: unknown) => {
      if (read(body, 'method') === 'probe')
        return Response.json({ jsonrpc: '2.0', id: 'probe', error: { code: -32603 } });
      passed.push(body);
      return Response.json({});
    };
    const guarded = checkAccessEarly(serve, 'probe', () => Response.json({}, { status: 403 }));
    const call = request('tools/call', { name: 'repeated' }, HIDING);
    const answer = await readAnswer(await guarded(call, await call.clone().json()));
    expect(passed).toEqual([]);
    expect(JSON.parse(answer.body)).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  it('a subscription to a hidden resource', async () => {
    const listen = { notifications: { resourceSubscriptions: ['r://hidden'] } };
    const hidden = await readAnswer(await gated(request('subscriptions/listen', listen, HIDING)));
    const none = { notifications: { resourceSubscriptions: ['r://nothing'] } };
    const unknown = await readAnswer(await gated(request('subscriptions/listen', none, HIDING)));
    expect(hidden.status).toBe(unknown.status);
    expect(hidden.body).toBe(unknown.body.replaceAll('r://nothing', 'r://hidden'));
  });

  it('a subscription to many hidden resources, in linear time', async () => {
    const subscribe = (uri: string, count: number) => {
      const uris = Array.from({ length: count }, () => uri);
      const params = { notifications: { resourceSubscriptions: uris } };
      return gated(request('subscriptions/listen', params, HIDING)).then(readAnswer);
    };
    const both = (count: number) => async () =>
      expect(await subscribe('r://hidden', count)).toEqual(await subscribe('r://nothing', count));
    expect(await growth(both, 10_000)).toBeLessThan(LINEAR);
  });

  const send = (name: string, header?: string, meta: object = HIDING) =>
    gated(request('tools/call', { name, arguments: { region: 'eu' } }, meta, header)).then(readAnswer);

  it.each([
    ['written in Base64', base64],
    ['that differs', () => 'other'],
    ['that is not valid Base64', () => '=?base64?%?='],
    ['with another Base64 of the same name', (name: string) => base64(name).replace('?=', '=?=')],
    ['with spaces around it', (name: string) => ` ${name}\t`],
    ['that is empty', () => ''],
  ])('with a name in the header %s', async (_what, header) => {
    const unknown = await send('nothings', header('nothings'));
    const hidden = await send('repeated', header('repeated'));
    const named = unknown.body
      .replaceAll('nothings', 'repeated')
      .replaceAll(header('nothings').trim() || 'nothings', header('repeated').trim() || 'repeated');
    expect(hidden).toEqual({ ...unknown, body: named });
  });

  it.each(['R://hidden', ' r://hidden', 'r://hid\nden', 'r://hidden'])(
    'a resource, in any variant of its URI: %j',
    async (uri) => {
      const read = (each: string) => gated(request('resources/read', { uri: each }, HIDING)).then(readAnswer);
      const unknown = await read(uri.replace('den', 'ing'));
      expect(unknown.status).toBe(200);
      const body = unknown.body.replaceAll(
        JSON.stringify(uri.replace('den', 'ing')).slice(1, -1),
        JSON.stringify(uri).slice(1, -1),
      );
      expect(await read(uri)).toEqual({ ...unknown, body });
    },
  );

  it('a prompt', async () => {
    const get = (name: string) => gated(request('prompts/get', { name }, HIDING)).then(readAnswer);
    const unknown = await get('nothing');
    expect(await get('scoped-prompt')).toEqual({
      ...unknown,
      body: unknown.body.replaceAll('nothing', 'scoped-prompt'),
    });
  });

  it('in a request of the maximum size', async () => {
    const call = (name: string, bytes: number) => {
      const empty = { name, arguments: { text: '' } };
      const { length } = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { ...empty, _meta: HIDING },
      });
      return request('tools/call', { name, arguments: { text: 'x'.repeat(bytes - length) } }, HIDING);
    };
    const hidden = await readAnswer(await gated(call('scoped', 4 * 1024 * 1024)));
    const unknown = await readAnswer(await gated(call('nothing', 4 * 1024 * 1024)));
    expect(hidden).toEqual({ ...unknown, body: unknown.body.replaceAll('nothing', 'scoped') });
    expect((await gated(call('scoped', 4 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it('with equal headers and length, as HTTP servers write them', async () => {
    const server = createHttpServer(getRequestListener((each) => gated(each)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const headersOf = async (name: string) => {
      const { headers, body } = request('tools/call', { name, arguments: {} }, HIDING);
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
      } as RequestInit);
      await response.text();
      return [...response.headers].filter(([each]) => each !== 'date');
    };
    const unknown = await headersOf('unknow');
    expect(unknown.map(([name]) => name)).toContain('content-length');
    expect(await headersOf('scoped')).toEqual(unknown);
    server.close();
    server.closeAllConnections();
  });

  it('by a visible template that matches everything', async () => {
    const handle = createHandler({
      policy,
      server: () => {
        const server = createServer();
        const template = new ResourceTemplate('r://{+any}', { list: undefined });
        server.registerResource('any', template, {}, async ({ href }) => ({
          contents: [{ uri: href, text: href }],
        }));
        return server;
      },
    });
    const read = (uri: string) => handle(request('resources/read', { uri }, HIDING)).then(readAnswer);
    const unknown = await read('r://nothing');
    expect(unknown.body).toContain('"text":"r://nothing"');
    expect(await read('r://hidden')).toEqual({
      ...unknown,
      body: unknown.body.replaceAll('nothing', 'hidden'),
    });
  });
});

describe('a request for a visible primitive is answered as without the gate', () => {
  it.each([
    ['an error of the server with the code of an unknown method', 'prompts/get', { name: 'refusing' }],
    ['another error of the server', 'tools/call', { name: 'refusing', arguments: {} }],
    [
      'an unknown method',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'refusing' }, argument: { name: 'y', value: '' } },
    ],
    ['a prompt', 'prompts/get', { name: 'scoped-prompt' }],
    ['a method that does not exist', 'nothing/at-all', {}],
  ])('%s', async (_what, method, params) => {
    const alone = await readAnswer(await bare.fetch(request(method, params)));
    // MCP 2026-07-28, streamable HTTP: -32601 has the status 404. The SDK gives 200 to an error of a handler.
    const expected = alone.body.includes('"code":-32601') ? { ...alone, status: 404 } : alone;
    expect(await readAnswer(await gated(request(method, params)))).toEqual(expected);
    expect(await readAnswer(await gated(request(method, params, { ...META, ...UNUSED })))).toEqual(expected);
  });

  it.each([
    ['no name', {}],
    ['a name that is not a string', { name: ['repeated'] }],
  ])('or refused by the gate with the same status and code: %s', async (_what, params) => {
    const expected = await readAnswer(await bare.fetch(request('tools/call', params)));
    const code = '"error":{"code":-32602,';
    expect(expected.body).toContain(code);
    for (const meta of [META, { ...META, ...UNUSED }]) {
      const { body, ...rest } = await readAnswer(await gated(request('tools/call', params, meta)));
      expect({ ...rest, body: expected.body }).toEqual(expected);
      expect(body).toContain(`${code}"message":"params.name must be a string."`);
    }
  });

  it.each<[string, (plain: Request) => Request]>([
    ['another content type', (plain) => changed(plain, { 'content-type': 'text/plain' })],
    ['no method in the headers', (plain) => changed(plain, { 'mcp-method': undefined })],
    ['another method in the headers', (plain) => changed(plain, { 'mcp-method': 'prompts/get' })],
    ['no version in the headers', (plain) => changed(plain, { 'mcp-protocol-version': undefined })],
    ['another version in the headers', (plain) => changed(plain, { 'mcp-protocol-version': '2099-01-01' })],
    ['no name in the headers', (plain) => changed(plain, { 'mcp-name': undefined })],
  ])('a malformed request: %s', async (_what, change) => {
    for (const name of ['scoped', 'nothing']) {
      const expected = await readAnswer(
        await bare.fetch(change(request('tools/call', { name, arguments: {} }, HIDING))),
      );
      expect(expected.status).toBeGreaterThanOrEqual(400);
      const answer = await readAnswer(
        await gated(change(request('tools/call', { name, arguments: {} }, HIDING))),
      );
      expect(answer).toEqual(expected);
    }
  });

  it('a request without the modern _meta', async () => {
    for (const name of ['scoped', 'nothing']) {
      const sent = () => request('tools/call', { name, arguments: {} }, {});
      expect(await readAnswer(await gated(sent()))).toEqual(await readAnswer(await bare.fetch(sent())));
    }
  });

  it('a batch, a notification, and a value that is not a message', async () => {
    const plain = request('tools/call', { name: 'scoped', arguments: {} }, HIDING);
    const { headers, url } = plain;
    const message = JSON.parse(await plain.text());
    for (const body of [[message, message], { ...message, id: undefined }, { ...message, id: null }, 7, {}]) {
      const sent = () => new Request(url, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(await readAnswer(await gated(sent()))).toEqual(await readAnswer(await bare.fetch(sent())));
    }
  });

  it('an aborted request', async () => {
    const given = new AbortController();
    const handle = createHandler({
      policy,
      server: () => {
        given.abort();
        return createServer();
      },
    });
    const plain = request('tools/call', { name: 'scoped', arguments: {} }, HIDING);
    expect(await readAnswer(await handle(new Request(plain, { signal: given.signal })))).toEqual({
      status: 499,
      body: '',
    });
  });
});

describe('a request', () => {
  it('is handled under one policy, also if it is replaced meanwhile', async () => {
    const open = policyOf('concerns: { level: { values: [low, high] } }\nsettings: { enforcement: enforce }');
    const live = new LivePolicy(policy);
    const handle = createHandler({
      policy: live,
      server: () => {
        live.replace(live.current === policy ? open : policy);
        return createServer();
      },
    });
    const call = (name: string) =>
      handle(request('tools/call', { name, arguments: {} }, HIDING)).then(readAnswer);
    const unknown = await call('nothing');
    expect(await call('scoped')).toEqual({ ...unknown, body: unknown.body.replaceAll('nothing', 'scoped') });
  });

  it('does not use the preferences of a concurrent request', async () => {
    const call = (meta: object) =>
      gated(request('tools/call', { name: 'scoped', arguments: {} }, meta)).then(readAnswer);
    const requests = Array.from({ length: 40 }, (_, index) => call(index % 2 === 0 ? META : HIDING));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, index) => (index % 2 === 0 ? 403 : 200)));
  });

  it('is reported only to its own observer', async () => {
    const lists = Array.from({ length: 20 }, async (_, index) => {
      const reports: GateReport[] = [];
      const method = index % 2 === 0 ? 'tools/list' : 'resources/list';
      const report = (each: GateReport) => void reports.push(each);
      await readAnswer(await gated(request(method, {}, HIDING), { report }));
      return [method, ...reports.map((each) => each.method)];
    });
    for (const [method, ...reported] of await Promise.all(lists)) expect(reported).toEqual([method]);
  });

  it('lists once for the check before the transport and for the gate', async () => {
    let lists = 0;
    const handle = createHandler({
      policy,
      server: () => {
        const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
        server.setRequestHandler('tools/list', async () => {
          lists++;
          return { tools: [{ name: 'scoped', inputSchema: { type: 'object' as const } }] };
        });
        server.setRequestHandler('tools/call', async () => ({ content: [] }));
        return server;
      },
    });
    const call = request('tools/call', { name: 'other', arguments: {} }, HIDING);
    expect((await readAnswer(await handle(call))).body).toContain('"content":[]');
    expect(lists).toBe(1);
  });

  it('is read once, up to the size limit', async () => {
    const CHUNK = new Uint8Array(64 * 1024).fill(0x20);
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += CHUNK.length;
        if (read > 64 * 1024 * 1024) controller.close();
        else controller.enqueue(CHUNK);
      },
    });
    const { url, headers } = request('tools/call', { name: 'scoped', arguments: {} }, HIDING);
    const endless = new Request(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    expect((await gated(endless)).status).toBe(413);
    expect(read).toBeLessThanOrEqual(4 * 1024 * 1024 + 4 * CHUNK.length);
  });

  it('may exceed the default size limit if the operator raises it, in both eras', async () => {
    const handle = createHandler({ policy, server: createServer, maxBodyBytes: 6 * 1024 * 1024 });
    const args = { region: 'x'.repeat(5 * 1024 * 1024) };
    const modern = await readAnswer(
      await handle(request('tools/call', { name: 'nothing', arguments: args }, HIDING)),
    );
    expect(modern.status).toBe(200);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'nothing', arguments: args },
    });
    const legacy = await readAnswer(
      await handle(new Request('http://localhost/mcp', { method: 'POST', headers, body })),
    );
    expect(legacy.status).toBe(200);
    expect(legacy.body).toContain('nothing not found');
  });
});

/** Returns the same request with other headers. */
function changed(plain: Request, headers: Record<string, string | undefined>): Request {
  const merged = new Headers(plain.headers);
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return new Request(plain, { headers: merged });
}

describe('a subscription to tasks', () => {
  const listen = { notifications: { taskIds: ['t'] } };
  const TASKS = 'io.modelcontextprotocol/tasks';

  it('is refused if the client does not declare the Tasks extension', async () => {
    for (const handle of [
      gated,
      createHandler({ server: createServer, policy: policyOf('concerns: {}\n') }),
    ]) {
      const { status, body } = await readAnswer(await handle(request('subscriptions/listen', listen)));
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({
        id: 1,
        error: { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
      });
    }
  });

  it('is an unknown method if the client declares the Tasks extension', async () => {
    const capabilities = { extensions: { [TASKS]: {} } };
    const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': capabilities };
    const { status, body } = await readAnswer(await gated(request('subscriptions/listen', listen, meta)));
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ id: 1, error: { code: -32601 } });
  });
});
