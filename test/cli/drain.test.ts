import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { messagesIn } from '../../src/core/http/streams/messages-in.js';
import { type Running, start } from './run.js';

const CHILD = fileURLToPath(new URL('../upstream/fixtures/faulty-child.mjs', import.meta.url));
const running: Running[] = [];
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

const ASKING = fileURLToPath(new URL('fixtures/asking-server.mjs', import.meta.url));

/** With the file in which the server behind counts its starts. */
type Served = Running & { readonly starts: string };

function serve(...options: string[]): Served {
  return serveCommand([CHILD, 'none'], options);
}

function serveCommand(args: readonly string[], options: readonly string[]): Served {
  const folder = mkdtempSync(join(tmpdir(), 'drain-'));
  writeFileSync(join(folder, 'policy.yaml'), 'version: 1\nconcerns: { access: { values: [none, all] } }\n');
  const policy = ['--policy', join(folder, 'policy.yaml')];
  const command = [process.execPath, ...args, join(folder, 'starts')];
  const started = start('serve', ...options, ...policy, '--', ...command);
  running.push(started);
  return { ...started, starts: join(folder, 'starts') };
}

const message = (id: number | undefined, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params });
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};
/** A call that the server answers after some milliseconds. */
const wait = (id: number, ms: number) => message(id, 'tools/call', { name: 'wait', arguments: { n: ms } });
const [SHORT, ENDLESS] = [1000, 600_000];
/** Waits until so many calls have arrived at the server. */
const arrived = (starts: string, count: number) =>
  expect.poll(() => readFileSync(`${starts}.waiting`, { encoding: 'utf8', flag: 'a+' })).toHaveLength(count);

/** Messages of an event stream, or of JSON. */
const messagesOf = (text: string) => (text.startsWith('{') ? [JSON.parse(text)] : messagesIn(text));

const LEFT = { code: -32603, message: expect.stringContaining('ended before tools/call was answered') };

describe.each(['SIGTERM', 'SIGINT'] as const)('%s in the middle of calls', (signal) => {
  it('over HTTP lets short calls finish, answers the others with an error, and takes no more', async () => {
    const { child, ended, until, starts } = serve('--port', '0');
    const url = /on (http:\S+)/.exec(await until('stdout', /to stop\.\n/))?.[1] ?? '';
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    };
    const post = (body: string, session: object = {}) =>
      fetch(url, { method: 'POST', headers: { ...headers, ...session }, body });
    const begun = await post(message(1, 'initialize', INITIALIZE));
    await begun.text();
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    await (await post(message(undefined, 'notifications/initialized'), session)).text();
    const [short, endless] = [await post(wait(2, SHORT), session), await post(wait(3, ENDLESS), session)];
    await arrived(starts, 2);
    child.kill(signal);
    const [first, second] = [messagesIn(await short.text()), messagesIn(await endless.text())];
    expect(first).toMatchObject([{ id: 2, result: { content: [{ text: String(SHORT) }] } }]);
    expect(second).toMatchObject([{ id: 3, error: LEFT }]);
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr.match(/^tools\/call {2}.*$/gm)).toHaveLength(2);
    await expect(post(message(4, 'ping'), session)).rejects.toThrow('fetch failed');
  });

  it('over HTTP does the same for hosts of 2026-07-28', async () => {
    const { child, ended, until, starts } = serve('--port', '0');
    const url = /on (http:\S+)/.exec(await until('stdout', /to stop\.\n/))?.[1] ?? '';
    const call = (id: number, ms: number): Promise<Response> => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      return fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'wait',
        },
        body: message(id, 'tools/call', { name: 'wait', arguments: { n: ms }, _meta: meta }),
      });
    };
    await (await call(1, 0)).text();
    const [short, endless] = [call(2, SHORT), call(3, ENDLESS)];
    await arrived(starts, 3);
    child.kill(signal);
    const texts = await Promise.all(
      [short, endless].map(async (each) => messagesOf(await (await each).text())),
    );
    expect(texts[0]).toMatchObject([{ id: 2, result: { content: [{ text: String(SHORT) }] } }]);
    expect(texts[1]).toMatchObject([{ id: 3, error: { code: -32603 } }]);
    expect((await ended).code).toBe(0);
  });

  it('over stdio lets short calls finish, and answers the others with an error', async () => {
    const { child, ended, starts } = serve('--stdio');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? '{}');
    child.stdin.write(`${message(1, 'initialize', INITIALIZE)}\n`);
    expect(await next()).toMatchObject({ id: 1 });
    child.stdin.write(`${message(undefined, 'notifications/initialized')}\n`);
    child.stdin.write(`${wait(2, SHORT)}\n${wait(3, ENDLESS)}\n${message(4, 'ping')}\n`);
    expect(await next()).toMatchObject({ id: 4 });
    await arrived(starts, 2);
    child.kill(signal);
    expect(await next()).toMatchObject({ id: 2, result: { content: [{ text: String(SHORT) }] } });
    expect(await next()).toMatchObject({ id: 3, error: LEFT });
    expect((await ended).code).toBe(0);
  });
});

it('takes the answers to questions of running calls, and no new requests', async () => {
  const { child, ended, until } = serveCommand([ASKING], ['--port', '0']);
  const url = new URL(/on (http:\S+)/.exec(await until('stdout', /to stop\.\n/))?.[1] ?? '');
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { elicitation: {} } });
  const transport = new StreamableHTTPClientTransport(url);
  let refused: unknown;
  client.setRequestHandler(ElicitRequestSchema, async () => {
    child.kill('SIGTERM');
    // The signal has arrived when the endpoint refuses requests.
    while (refused === undefined) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': transport.sessionId ?? '',
        },
        body: message(99, 'ping'),
      });
      await response.text();
      if (response.status !== 200) refused = [response.status, response.headers.get('retry-after')];
    }
    return { action: 'accept', content: {} };
  });
  await client.connect(transport as never);
  expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: 'accept' }] });
  expect(refused).toEqual([503, '5']);
  await client.close();
  expect((await ended).code).toBe(0);
});
