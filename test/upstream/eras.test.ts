import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { bridge } from '../../src/proxy/isolation.js';
import type { UpstreamOptions } from '../../src/proxy/options.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { policyOf } from '../gate/gate-harness.js';
import { ask, child, envelope } from './modern-client.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function serve(make: () => Transport, options: UpstreamOptions = {}) {
  const bridged = bridge(make, 'shared', options);
  open.push(() => bridged.close());
  return bridged;
}

/** Asks a question in each call, and answers with what it was told. */
const ASKING = `
  if (m.method === 'initialize') return send({ id: m.id, result: info });
  if (m.method === 'tools/call') { call = m.id; return send({ id: 'q', method: 'elicitation/create', params: { message: 'Sure?' } }); }
  if (m.id === 'q') return send({ id: call, result: { content: [{ type: 'text', text: m.result.content.word }] } });
  if (m.id !== undefined) send({ id: m.id, error: { code: -32601, message: 'Method not found' } });`;
const asking = () => child(`globalThis.call ??= undefined; ${ASKING}`);

describe('a question of a legacy server for a modern host', () => {
  const begin = async (bridged: ReturnType<typeof bridge>, sub: string) => {
    const { result } = await ask(bridged, sub, 'tools/call', { name: 'delete' });
    expect(result).toMatchObject({ resultType: 'input_required' });
    const { requestState, inputRequests } = result as { requestState: string; inputRequests: object };
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { word: 'yes' } } };
    return { name: 'delete', requestState, inputResponses };
  };

  it('is answered by the same caller with the same request, once', async () => {
    const bridged = serve(asking, { isLongLived: true, isOfOnePerson: true });
    const resumed = await begin(bridged, 'ada');
    const answers = await Promise.all([
      ask(bridged, 'ada', 'tools/call', resumed),
      ask(bridged, 'ada', 'tools/call', resumed),
    ]);
    expect(answers.map(({ error }) => error?.code).toSorted()).toEqual([-32602, undefined]);
    const won = answers.find(({ result }) => result !== undefined);
    expect(won?.result).toMatchObject({ resultType: 'complete', content: [{ text: 'yes' }] });
  });

  it('is not answered by another caller, for another request, or with a state that nobody gave', async () => {
    const bridged = serve(asking, { isLongLived: true, isOfOnePerson: true });
    const resumed = await begin(bridged, 'ada');
    for (const [sub, params] of [
      ['bob', resumed],
      ['ada', { ...resumed, name: 'create' }],
      ['ada', { ...resumed, requestState: crypto.randomUUID() }],
      ['ada', { ...resumed, requestState: 7 }],
    ] as const) {
      expect((await ask(bridged, sub, 'tools/call', params)).error?.code).toBe(-32602);
    }
    expect(await ask(bridged, 'ada', 'tools/call', resumed)).toHaveProperty('result');
  });

  it('is refused where no process lives long enough', async () => {
    const refused = `
      if (m.method === 'initialize') { caps = m.params.capabilities; return send({ id: m.id, result: info }); }
      if (m.id !== undefined) send({ id: m.id, result: { content: [{ type: 'text', text: JSON.stringify(caps) }] } });`;
    const bridged = serve(() =>
      child(
        `if (m.method === 'server/discover') return send({ id: m.id, error: { code: -32601, message: 'no' } }); ${refused}`,
      ),
    );
    const { result } = await ask(bridged, 'ada', 'tools/call', { name: 'delete' });
    expect(result).toMatchObject({ content: [{ text: '{}' }] });
  });
});

describe('the era of a server', () => {
  it('that is silent before initialize is not known until it is initialized, and its process is kept', async () => {
    let starts = 0;
    const bridged = serve(() => {
      starts++;
      return child(`
        if (m.method === 'initialize') { started = true; return send({ id: m.id, result: info }); }
        if (started && m.id !== undefined) send({ id: m.id, result: { tools: [] } });`);
    });
    expect(await bridged.era()).toBeUndefined();
    expect((await ask(bridged, undefined, 'tools/list')).result).toMatchObject({ tools: [], ttlMs: 0 });
    expect(await bridged.decided).toBe('legacy');
    expect(starts).toBe(1);
  });

  const MODERN = `
    const cached = { resultType: 'complete', ttlMs: 5, cacheScope: 'private' };
    if (m.method === 'initialize') return send({ id: m.id, error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } });
    if (m.method === 'server/discover') return send({ id: m.id, result: { ...cached, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } });
    if (m.id !== undefined) send({ id: m.id, result: { ...cached, tools: [{ name: 'own', inputSchema: { type: 'object' } }] } });`;

  /** The first request of a host of 2025-11-25 over a connection that lasts, as over stdio. */
  async function initializeFirst(bridged: ReturnType<typeof bridge>): Promise<unknown> {
    const server = bridged.connection();
    return new Promise((resolve) => {
      const transport: Transport = {
        start: async () => undefined,
        close: async () => undefined,
        send: async (message) => resolve(message),
      };
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'host', version: '1' },
      };
      void server
        .connect(transport)
        .then(() => transport.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    });
  }

  it.each(['shared', 'per-session'] as const)(
    'that refuses to be initialized is asked in the same process, which can take long to start (%s)',
    async (isolation) => {
      let starts = 0;
      const make = () => {
        starts++;
        return child(MODERN);
      };
      const bridged = bridge(make, isolation, {});
      open.push(() => bridged.close());
      expect(await initializeFirst(bridged)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
      expect((await ask(bridged, undefined, 'tools/list')).result).toMatchObject({
        tools: [{ name: 'own' }],
      });
      expect(starts).toBe(1);
    },
  );

  it('is not asked for where the operator demands the legacy one', async () => {
    const bridged = serve(() => child(MODERN), { protocol: '2025-11-25' });
    expect(await initializeFirst(bridged)).toMatchObject({ error: { code: -32603 } });
  });

  it('that exits at an unknown first message is legacy, and it is started again without that message', async () => {
    const bridged = serve(() =>
      child(`
        if (!started && m.method !== 'initialize') process.exit(1);
        started = true;
        if (m.id !== undefined) send({ id: m.id, result: m.method === 'initialize' ? info : { tools: [] } });`),
    );
    expect((await ask(bridged, undefined, 'tools/list')).result).toMatchObject({ tools: [] });
  });

  it('that speaks only versions of the future is named', async () => {
    const bridged = serve(() =>
      child(
        `send({ id: m.id, error: { code: -32022, message: 'no', data: { supported: ['2027-01-01'] } } });`,
      ),
    );
    await expect(bridged.era()).rejects.toThrow('it speaks only 2027-01-01');
  });

  it('is not spoken to a server that cannot, if the operator demands it', async () => {
    const bridged = serve(asking, { protocol: '2026-07-28' });
    await expect(bridged.era()).rejects.toThrow('does not speak 2026-07-28');
  });

  it('is asked again after a failure, which tells nothing', async () => {
    let isFailing = true;
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (isFailing) return void response.writeHead(503).end();
      const { id, method } = JSON.parse(body);
      const result =
        method === 'server/discover'
          ? { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
          : { resultType: 'complete', tools: [], ttlMs: 5, cacheScope: 'private' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const bridged = serve(() =>
      remoteTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(async () => void server.close());
    await expect(bridged.era()).rejects.toThrow('HTTP 503');
    isFailing = false;
    expect((await ask(bridged, undefined, 'tools/list')).result).toMatchObject({ tools: [], ttlMs: 5 });
  });
});

it('a server that demands a login tells the host so, over the endpoint', async () => {
  const challenge = 'Bearer resource_metadata="https://server.example/meta"';
  const server = createServer((_request, response) =>
    response.writeHead(401, { 'www-authenticate': challenge }).end('log in'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => void server.close());
  const bridged = serve(() =>
    remoteTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
  );
  const handle = createHandler({
    server: (context) => bridged.make(context),
    policy: policyOf('concerns: {}'),
  });
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  };
  const request = new Request('http://host/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
  const response = await handle(request);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe(challenge);
});

it('keeps 200 calls at once with one id and one progress token apart', async () => {
  const echo = () =>
    child(`
      if (m.method === 'initialize') return send({ id: m.id, result: info });
      if (m.method !== 'tools/call') return m.id === undefined || send({ id: m.id, error: { code: -32601, message: 'no' } });
      setTimeout(() => send({ id: m.id, result: { content: [{ type: 'text', text: m.params.arguments.n }] } }), Math.random() * 50);`);
  const bridged = serve(echo, { isLongLived: true, isOfOnePerson: true });
  const numbers = Array.from({ length: 200 }, (_, n) => String(n));
  const answers = await Promise.all(
    numbers.map((n) => ask(bridged, 'ada', 'tools/call', { name: 'echo', arguments: { n } })),
  );
  const texts = answers.map(({ result }) => (result?.content as { text: string }[] | undefined)?.[0]?.text);
  expect(texts).toEqual(numbers);
});

it('a modern server gets the state that it gave, and the answers to its questions', async () => {
  const bridged = serve(
    () =>
      child(`
        const answer = (result) => send({ id: m.id, result: { resultType: 'complete', ...result } });
        if (m.method === 'server/discover') return answer({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
        const { requestState, inputResponses } = m.params;
        if (requestState === 'own state')
          return answer({ content: [{ type: 'text', text: inputResponses.sure.content.word }] });
        const inputRequests = { sure: { method: 'elicitation/create', params: { message: 'Sure?' } } };
        answer({ resultType: 'input_required', requestState: 'own state', inputRequests });`),
    { isLongLived: true, isOfOnePerson: true },
  );
  const { result } = await ask(bridged, 'ada', 'tools/call', { name: 'delete' });
  expect(result).toMatchObject({ resultType: 'input_required', requestState: 'own state' });
  const inputResponses = { sure: { action: 'accept', content: { word: 'yes' } } };
  const resumed = { name: 'delete', requestState: 'own state', inputResponses };
  expect((await ask(bridged, 'ada', 'tools/call', resumed)).result).toMatchObject({
    content: [{ text: 'yes' }],
  });
});
