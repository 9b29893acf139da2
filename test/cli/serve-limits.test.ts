import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, describe, expect, it } from 'vitest';
import { connectOverHttp, toolNames } from '../clients.js';
import { fixture, MAIN } from './run.js';

const CHILD = fileURLToPath(new URL('../upstream/fixtures/faulty-child.mjs', import.meta.url));
const POLICY = `
version: 1
concerns: { access: { values: [none, all], match: at-most, default: all } }
primitives: { tools: { echo: { access: all }, pid: { access: all } } }
`;
/**
 * A call is waited for five times as long as --silence 1 says, and 30 times while the server works. On a busy machine, a server that
 * hangs can look for a moment as if it worked.
 */
const SILENT = /it sent nothing for ([5-9]|[12]\d) s, and did not answer a ping/;

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Given {
  readonly options?: readonly string[];
  /** How the server fails; see the fixture. */
  readonly fault?: string;
  readonly after?: string;
  readonly preload?: string;
}

/** Starts the command as an operator does. */
async function serve({ options = [], fault = 'none', after = '1', preload }: Given) {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'));
  const [policy, counter] = [join(folder, 'policy.yaml'), join(folder, 'starts')];
  writeFileSync(policy, POLICY);
  const command = [process.execPath, CHILD, fault, counter, after];
  const own = preload === undefined ? [] : ['--import', preload];
  const args = [...own, MAIN, 'serve', '--policy', policy, '--port', '0', ...options, '--', ...command];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  open.push(async () => {
    child.kill('SIGINT');
    await exited;
  });
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await expect.poll(() => out).toContain('to stop');
  const url = /http:\S+/.exec(out)?.[0] ?? '';
  return {
    url,
    stderr: () => err,
    starts: () => (existsSync(counter) ? statSync(counter).size : 0),
    async connect() {
      const client = await connectOverHttp(url);
      open.push(() => client.close());
      return client;
    },
  };
}

async function pidOf(client: Client): Promise<number> {
  const { content } = await client.callTool({ name: 'pid', arguments: {} });
  return Number((content as { text: string }[])[0]?.text);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the limits of serve', () => {
  it.each([
    ['shared', 1],
    ['per-session', 2],
    // Each of two clients initializes and lists its tools.
    ['per-request', 4],
  ])('--isolation %s starts %i servers for two clients', async (isolation, count) => {
    const { connect, starts } = await serve({ options: ['--isolation', isolation] });
    for (const client of [await connect(), await connect()])
      expect(await toolNames(client)).toContain('echo');
    expect(starts()).toBe(count);
  });

  it('--sessions 1 ends the first process when a second client connects, and the first client gets 404', async () => {
    const { connect } = await serve({ options: ['--sessions', '1'] });
    const first = await connect();
    const before = await pidOf(first);
    const second = await connect();
    expect(await pidOf(second)).not.toBe(before);
    await expect.poll(() => isAlive(before)).toBe(false);
    await expect(pidOf(first)).rejects.toThrow('The session is unknown or was ended.');
  });

  it('--idle 1 ends a process after a minute without use', async () => {
    const { connect } = await serve({ options: ['--idle', '1'], preload: fixture('fast-clock.mjs') });
    const client = await connect();
    const pid = await pidOf(client);
    // A client that listens to a stream uses its session.
    await client.transport?.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('--silence 1 replaces a process that hangs in a call', async () => {
    const { connect, starts } = await serve({ options: ['--silence', '1'], fault: 'hang-later' });
    const client = await connect();
    await expect(client.callTool({ name: 'echo', arguments: { n: 1 } })).rejects.toThrow(SILENT);
    expect(await toolNames(client)).toContain('echo');
    expect(starts()).toBe(2);
  });

  it.skipIf(process.platform !== 'linux')(
    '--silence 1 keeps a process that works for longer without a word (only Linux tells what uses the processor)',
    async () => {
      const { connect, starts } = await serve({ options: ['--silence', '1'], fault: 'works' });
      const client = await connect();
      expect(await client.callTool({ name: 'echo', arguments: { n: 7 } })).toMatchObject({
        content: [{ text: '7' }],
      });
      expect(starts()).toBe(1);
    },
  );
});

describe('serve --stdio', () => {
  it('replaces a server that hangs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'));
    const [policy, counter] = [join(folder, 'policy.yaml'), join(folder, 'starts')];
    writeFileSync(policy, POLICY);
    const command = [process.execPath, CHILD, 'hang-later', counter, '1'];
    const args = [MAIN, 'serve', '--stdio', '--policy', policy, '--silence', '1', '--', ...command];
    const client = new Client({ name: 'host', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    open.push(() => client.close());
    const before = await client.callTool({ name: 'echo', arguments: { n: 1 } }).catch(String);
    expect(before).toMatch(SILENT);
    expect(await toolNames(client)).toContain('echo');
    expect(statSync(counter).size).toBe(2);
  });
});

describe('what a server writes to stderr before it ends', () => {
  it('reaches the operator, and no client', async () => {
    const { connect, stderr } = await serve({ fault: 'exit-mid-call' });
    const client = await connect();
    const call = client.callTool({ name: 'echo', arguments: { token: 'MARKER' } });
    const message = await call.catch((cause: Error) => cause.message);
    expect(message).toMatch(/it ended with exit code 3\. tools\/call may have run/);
    expect(message).not.toMatch(/MARKER|Segmentation/);
    await expect.poll(stderr).toMatch(/^server stderr: Segmentation fault .+MARKER/m);
    expect(stderr()).toMatch(/^server failed: it ended with exit code 3$/m);
  });
});

it('says once for each session that ends to make room for another', async () => {
  const { url, stderr } = await serve({ options: ['--sessions', '1'] });
  // Without a stream, a session between two requests is not busy.
  const post = (method: string, session: string | undefined) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method },
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'raw', version: '1' },
        },
      }),
    });
  const first = await post('initialize', undefined);
  await first.text();
  expect(stderr()).not.toContain('make room');
  await (await post('initialize', undefined)).text();
  await expect.poll(() => stderr().match(/^A session ended to make room for another/gm)).toHaveLength(1);
  expect((await post('tools/list', first.headers.get('mcp-session-id') ?? '')).status).toBe(404);
  await (await post('initialize', undefined)).text();
  await expect.poll(() => stderr().match(/^A session ended to make room for another/gm)).toHaveLength(2);
});
