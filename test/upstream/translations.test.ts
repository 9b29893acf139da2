import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, describe, expect, it } from 'vitest';
import { bridge } from '../../src/proxy/isolation.js';
import type { Isolation } from '../../src/proxy/options.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { ask, child } from './modern-client.js';
import { RawConnection } from './raw-connection.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A legacy server that answers what `lines` does not. */
const legacy = (lines: string) => () =>
  child(`
    if (m.method === 'initialize') return send({ id: m.id, result: info });
    ${lines}
    if (m.id !== undefined && m.method !== undefined) send({ id: m.id, error: { code: -32601, message: 'no' } });`);

function serve(make: () => Transport, isolation: Isolation = 'per-session') {
  const bridged = bridge(make, isolation, { isLongLived: true, isOfOnePerson: true });
  open.push(() => bridged.close());
  return bridged;
}

describe('a modern host in front of a legacy server', () => {
  const DEMANDING = legacy(`
    if (m.method === 'tools/call' && !globalThis.isOpened) {
      globalThis.isOpened = true;
      const elicitations = [{ mode: 'url', elicitationId: 'one', url: 'https://login.example/', message: 'Log in' }];
      return send({ id: m.id, error: { code: -32042, message: 'Log in first', data: { elicitations } } });
    }
    if (m.method === 'tools/call') return send({ id: m.id, result: { content: [], sent: Object.keys(m.params) } });`);

  it('is asked to open the URL that the server demands, and calls again', async () => {
    const bridged = serve(DEMANDING);
    const can = { elicitation: { url: {} } };
    const { result } = await ask(bridged, 'ada', 'tools/call', { name: 'read' }, can);
    const params = { mode: 'url', url: 'https://login.example/', message: 'Log in' };
    const inputRequests = { 'url-1': { method: 'elicitation/create', params } };
    expect(result).toEqual({ resultType: 'input_required', inputRequests });
    const again = { name: 'read', inputResponses: { 'url-1': { action: 'accept' } } };
    const { result: called } = await ask(bridged, 'ada', 'tools/call', again, can);
    expect(called).toMatchObject({ resultType: 'complete', sent: ['name'] });
  });

  it('that cannot open URLs gets the error', async () => {
    const { error } = await ask(serve(DEMANDING), 'ada', 'tools/call', { name: 'read' }, { elicitation: {} });
    expect(error).toMatchObject({
      code: -32042,
      data: { elicitations: [{ url: 'https://login.example/' }] },
    });
  });

  it('is asked for roots and then for a sample, in one call that stays open', async () => {
    const bridged = serve(
      legacy(`
        if (m.method === 'tools/call') { globalThis.call = m.id; return send({ id: 'roots', method: 'roots/list' }); }
        if (m.id === 'roots') {
          globalThis.uri = m.result.roots[0].uri;
          return send({ id: 'sample', method: 'sampling/createMessage', params: { messages: [], maxTokens: 9 } });
        }
        if (m.id === 'sample')
          return send({ id: call, result: { content: [{ type: 'text', text: uri + ' ' + m.result.content.text }] } });`),
    );
    const can = { roots: {}, sampling: {} };
    const answers: Record<string, object> = {
      'roots/list': { roots: [{ uri: 'file:///here' }] },
      'sampling/createMessage': {
        role: 'assistant',
        model: 'm',
        content: { type: 'text', text: 'a sample' },
      },
    };
    let params: object = { name: 'both' };
    const asked: string[] = [];
    for (let round = 0; round < 2; round++) {
      const { result } = await ask(bridged, 'ada', 'tools/call', params, can);
      const { requestState, inputRequests } = result as {
        requestState: string;
        inputRequests: Record<string, { method: string }>;
      };
      const [[key, { method }]] = Object.entries(inputRequests) as [[string, { method: string }]];
      asked.push(method);
      params = { name: 'both', requestState, inputResponses: { [key]: answers[method] } };
    }
    expect(asked).toEqual(['roots/list', 'sampling/createMessage']);
    const { result } = await ask(bridged, 'ada', 'tools/call', params, can);
    expect(result).toMatchObject({ content: [{ text: 'file:///here a sample' }] });
  });

  it('gets the messages of a log that it asks for, and no others', async () => {
    const bridged = serve(
      legacy(`
        if (m.method === 'logging/setLevel') return send({ id: m.id, result: {} });
        if (m.method === 'tools/call') {
          for (const level of ['debug', 'error']) send({ method: 'notifications/message', params: { level, data: level } });
          return send({ id: m.id, result: { content: [] } });
        }`),
    );
    for (const [level, expected] of [
      [undefined, []],
      ['error', ['error']],
      ['debug', ['debug', 'error']],
      ['nothing', []],
    ] as const) {
      const logs: unknown[] = [];
      const _meta = level === undefined ? {} : { 'io.modelcontextprotocol/logLevel': level };
      const told = ({ params }: { params?: Record<string, unknown> | undefined }) => logs.push(params?.data);
      await ask(bridged, 'ada', 'tools/call', { name: 'log', _meta }, {}, told);
      expect(logs).toEqual(expected);
    }
  });

  it('gets the code of 2026-07-28 for a resource that does not exist', async () => {
    const bridged = serve(
      legacy(`
        if (m.method === 'resources/read')
          return send({ id: m.id, error: { code: -32002, message: 'Resource not found', data: { uri: m.params.uri } } });`),
    );
    const { error } = await ask(bridged, 'ada', 'resources/read', { uri: 'test://absent' });
    expect(error).toEqual({ code: -32602, message: 'Resource not found', data: { uri: 'test://absent' } });
  });
});

it('200 calls of two callers at once, with one id and one progress token, are not mixed', async () => {
  const bridged = serve(
    legacy(`
      if (m.method === 'tools/call') {
        const { _meta, name, arguments: given } = m.params;
        send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: given.n } });
        const content = [{ type: 'text', text: given.who + ' ' + given.n + ' ' + process.pid }];
        return setTimeout(() => send({ id: m.id, result: { content } }), Math.random() * 50);
      }`),
  );
  const callers = Array.from({ length: 200 }, (_, n) => ({ who: n % 2 === 0 ? 'ada' : 'bob', n }));
  const answers = await Promise.all(
    callers.map(async ({ who, n }) => {
      const progress: number[] = [];
      const given = { name: 'echo', arguments: { who, n }, _meta: { progressToken: 'token' } };
      const told = ({ params }: { params?: Record<string, unknown> | undefined }) => {
        progress.push(Number(params?.progress));
        expect(params?.progressToken).toBe('token');
      };
      const { result } = await ask(bridged, who, 'tools/call', given, {}, told);
      const [first] = (result?.content ?? []) as { text: string }[];
      return { text: first?.text ?? '', progress };
    }),
  );
  const processes = new Map<string, Set<string>>();
  for (const [index, { text, progress }] of answers.entries()) {
    const [who = '', n, pid = ''] = text.split(' ');
    expect({ who, n: Number(n) }).toEqual(callers[index]);
    expect(progress).toEqual([Number(n)]);
    processes.set(who, (processes.get(who) ?? new Set()).add(pid));
  }
  const [ada, bob] = [[...(processes.get('ada') ?? [])], [...(processes.get('bob') ?? [])]];
  expect([ada.length, bob.length]).toEqual([1, 1]);
  expect(ada).not.toEqual(bob);
});

it('arguments of a legacy host are repeated as headers at any depth, encoded if they must be', async () => {
  const inputSchema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      filter: {
        type: 'object',
        properties: {
          owner: { type: 'object', properties: { name: { type: 'string', 'x-mcp-header': 'Owner' } } },
        },
      },
      text: { type: 'string', 'x-mcp-header': 'Text' },
      plain: { type: 'string' },
    },
  };
  let called: IncomingHttpHeaders = {};
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    if (method === 'tools/call') called = request.headers;
    const results: Record<string, object> = {
      'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
      'tools/list': { tools: [{ name: 'find', inputSchema }] },
      'tools/call': { content: [] },
    };
    const result = results[method];
    response.writeHead(200, { 'content-type': 'application/json' });
    const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const client = new RawConnection(() => remoteTransport(url), {});
  open.push(
    async () => void http.close(),
    () => client.close(),
  );
  const clientInfo = { name: 'h', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  await client.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const given = { region: 'eu', filter: { owner: { name: 'Zoë' } }, text: '=?base64?eA==?=', plain: 'x' };
  const call = { name: 'find', arguments: given };
  await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  await expect.poll(() => called['mcp-param-region']).toBe('eu');
  const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
  expect(called['mcp-param-owner']).toBe(encoded('Zoë'));
  expect(called['mcp-param-text']).toBe(encoded('=?base64?eA==?='));
  expect(Object.keys(called).filter((name) => name.startsWith('mcp-param-'))).toHaveLength(3);
});

describe('a log message of a modern server in a process, while several calls wait,', () => {
  // It answers "wait" only after "log", so both calls are open when it writes to its log.
  const LOGGING = () =>
    child(`
      if (m.method === 'server/discover')
        return send({ id: m.id, result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, logging: {} } } });
      if (m.method !== 'tools/call')
        return send({ id: m.id, error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } });
      if (m.params.name === 'wait') { globalThis.waiting = m.id; return; }
      send({ method: 'notifications/message', params: { level: 'info', data: 'a line' } });
      for (const id of [m.id, waiting]) send({ id, result: { content: [] } });`);

  /** A legacy host, and the names of what it gets. */
  async function connect(bridged: ReturnType<typeof bridge>) {
    const got: unknown[] = [];
    const transport: Transport = {
      start: async () => undefined,
      close: async () => undefined,
      send: async (message) => void got.push('method' in message ? message.params?.data : message.id),
    };
    await bridged.connection().connect(transport);
    const send = async (id: number, method: string, params: Record<string, unknown>): Promise<void> => {
      transport.onmessage?.({ jsonrpc: '2.0', id, method, params });
      if (method !== 'tools/call') await expect.poll(() => got).toContain(id);
    };
    const clientInfo = { name: 'h', version: '1' };
    await send(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    await send(2, 'logging/setLevel', { level: 'info' });
    return { got, send };
  }

  it('reaches the client that sent all of them', async () => {
    const { got, send } = await connect(serve(LOGGING, 'per-session'));
    await send(3, 'tools/call', { name: 'wait' });
    await send(4, 'tools/call', { name: 'log' });
    await expect.poll(() => got).toEqual([1, 2, 'a line', 4, 3]);
  });

  it('reaches nobody if they are of two clients', async () => {
    const bridged = serve(LOGGING, 'per-session');
    const [ada, bob] = [await connect(bridged), await connect(bridged)];
    await ada.send(3, 'tools/call', { name: 'wait' });
    await bob.send(4, 'tools/call', { name: 'log' });
    await expect
      .poll(() => [ada.got, bob.got])
      .toEqual([
        [1, 2, 3],
        [1, 2, 4],
      ]);
  });
});
