import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';

const VARIABLE = 'MCP_CONCERNS_WHOLE_LIST_KEY';
const META = 'io.github.mcp-concerns/whole-list-key';
const SERVER = fileURLToPath(new URL('keyed-server.mjs', import.meta.url));
const newKey = () => randomBytes(32).toString('base64url');

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

/** Starts the server with a key, or without one. */
function started(mode: string, key: string | undefined) {
  const env = { ...process.env, [VARIABLE]: key };
  const server = spawn(process.execPath, [SERVER, mode], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child = server;
  return server;
}

/** Sends one message after the other over streams. Answers are those of JSON-RPC. */
function conversation(output: Readable, input: Writable) {
  const answers = createInterface(output)[Symbol.asyncIterator]();
  let id = 0;
  return async (method: string, params: object): Promise<unknown> => {
    id++;
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const answer: unknown = JSON.parse(String((await answers.next()).value));
      if (read(answer, 'id') === id) return answer;
    }
  };
}
type Ask = ReturnType<typeof conversation>;
const toStdio = ({ stdout, stdin }: { stdout: Readable; stdin: Writable }) => conversation(stdout, stdin);

const meta = (key: unknown) => (key === undefined ? {} : { _meta: { [META]: key } });
const initialize = (ask: Ask, key: unknown) =>
  ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'host', version: '1' },
    ...meta(key),
  });
const isDeclared = (answer: unknown): boolean =>
  read(answer, 'result', 'capabilities', 'extensions', EXTENSION_ID) !== undefined;
async function tools(ask: Ask, key?: unknown): Promise<unknown> {
  const listed = read(await ask('tools/list', meta(key)), 'result', 'tools');
  return Array.isArray(listed) ? listed.map(({ name }) => name) : listed;
}

/** What a client that sends a key in `initialize`, and perhaps one in its lists, sees. */
async function seen(ask: Ask, key: unknown, later?: unknown): Promise<unknown> {
  const isFiltered = isDeclared(await initialize(ask, key));
  return { isFiltered, tools: await tools(ask, later) };
}
const WHOLE = { isFiltered: false, tools: ['hidden', 'grandchild'] };
const FILTERED = { isFiltered: true, tools: ['grandchild'] };

it.each(['v1', 'v2'])(
  'a server of SDK %s lists everything to a client that has its key, and gives the key to no process that it starts',
  async (mode) => {
    const key = newKey();
    const ask = toStdio(started(mode, key));
    expect(await seen(ask, key)).toEqual(WHOLE);
    const called = await ask('tools/call', { name: 'grandchild', arguments: {} });
    expect(called).toMatchObject({ result: { content: [{ text: 'undefined' }] } });
  },
);

it.each<[string, string, unknown]>([
  ['v1', 'another key', newKey()],
  ['v2', 'another key', newKey()],
  ['v1', 'no key', undefined],
  ['v1', 'an empty key', ''],
  ['v1', 'a key that is not a text', [1]],
])(
  'a server of SDK %s with a key filters its list for a client that sends %s first, and the right one later',
  async (mode, _which, first) => {
    const key = newKey();
    expect(await seen(toStdio(started(mode, key)), first, key)).toEqual(FILTERED);
  },
);

it.each<[string, string | undefined, string]>([
  ['no variable', undefined, newKey()],
  ['no variable, for an empty key', undefined, ''],
  ['an empty variable', '', ''],
  ['a variable that can be guessed', 'secret', 'secret'],
])('a server that was started with %s filters its list', async (_which, variable, sent) => {
  expect(await seen(toStdio(started('v1', variable)), sent)).toEqual(FILTERED);
});

it('a key works for one connection of a process', async () => {
  const key = newKey();
  const ask = toStdio(started('v2', key));
  // serveStdio makes another server for a client that discovers and then initializes.
  const discovered = await ask('server/discover', {
    _meta: {
      [META]: key,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  });
  expect(read(discovered, 'result', 'capabilities', 'tools')).toBeDefined();
  expect(isDeclared(discovered)).toBe(false);
  expect(await seen(ask, key)).toEqual(FILTERED);
});

describe('a key in the environment', () => {
  const portOf = async ({ stdout }: { stdout: Readable }) => Number(String((await once(stdout, 'data'))[0]));

  it('opens nothing over HTTP', async () => {
    const key = newKey();
    const port = await portOf(started('HTTP', key));
    const ask: Ask = async (method, params) => {
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(method === 'initialize' ? {} : { 'mcp-session-id': 'own' }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return response.json();
    };
    expect(await seen(ask, key)).toEqual(FILTERED);
  });

  it('does not reach a server that is started for a host', async () => {
    process.env[VARIABLE] = newKey();
    const line = `JSON.stringify({ jsonrpc: '2.0', method: String(process.env.${VARIABLE}) })`;
    const transport = new ChildTransport(process.execPath, ['-e', `console.log(${line})`]);
    try {
      const printed = new Promise((resolve) => {
        transport.onmessage = (message) => resolve(read(message, 'method'));
      });
      await transport.start();
      expect(await printed).toBe('undefined');
    } finally {
      delete process.env[VARIABLE];
      await transport.close();
    }
  });
});
