import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { connectOverHttp, toolNames, updateConcerns } from '../clients.js';

const CLI = join(process.cwd(), 'dist/cli/main.js');
const EVERYTHING = createRequire(import.meta.url)
  .resolve('@modelcontextprotocol/server-everything/package.json')
  .replace('package.json', 'dist/index.js');

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A copy of a policy, which a test may overwrite. */
function copyOf(policy: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'serve-')), 'policy.yaml');
  writeFileSync(file, readFileSync(policy));
  return file;
}

interface Serving {
  readonly url: string;
  readonly welcome: string;
  readonly child: ChildProcess;
  /** Resolves when stderr contains the text. */
  printed(text: string): Promise<void>;
}

async function serve(...args: string[]): Promise<Serving> {
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  open.push(async () => {
    child.kill('SIGINT');
    expect(await exited).not.toBeNull();
  });
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      const found = /on (http\S+)/.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(err)));
  });
  return {
    url,
    welcome: out,
    child,
    printed: (text) => expect.poll(() => err).toContain(text),
  };
}

describe('serve with any server', () => {
  it('filters over HTTP, with one process for each session', async () => {
    const { url } = await serve(
      '--policy',
      'policies/everything.yaml',
      '--',
      process.execPath,
      EVERYTHING,
      'stdio',
    );
    const [first, second] = [
      await connectOverHttp(url),
      await connectOverHttp(`${url}?concerns=sensitivity:public`),
    ];
    open.push(
      () => first.close(),
      () => second.close(),
    );
    expect(await toolNames(first)).toContain('get-env');
    expect(await toolNames(second)).not.toContain('get-env');
    await updateConcerns(first, { sensitivity: 'public' });
    expect(await toolNames(first)).not.toContain('get-env');
    const { content } = await first.callTool({ name: 'echo', arguments: { message: 'hello' } });
    expect(content).toMatchObject([{ text: expect.stringContaining('hello') }]);
  });

  it('reloads a policy when it is saved, and keeps the old one if the new one has errors', async () => {
    const policy = copyOf('policies/everything.yaml');
    const { url, printed } = await serve('--policy', policy, '--', process.execPath, EVERYTHING, 'stdio');
    const client = await connectOverHttp(url, { initialized: { sensitivity: 'public' } });
    open.push(() => client.close());
    const changes: string[] = [];
    client.setNotificationHandler(
      ToolListChangedNotificationSchema,
      ({ method }) => void changes.push(method),
    );
    expect(await toolNames(client)).not.toContain('get-env');

    const text = readFileSync(policy, 'utf8');
    writeFileSync(policy, text.replace('version: 1', 'version: 7'));
    await printed('The old policy stays in effect');
    expect(await toolNames(client)).not.toContain('get-env');

    writeFileSync(policy, text.replace(/get-env: \{ sensitivity: secret/, 'get-env: { sensitivity: public'));
    await printed('The saved policy is in effect');
    expect(await toolNames(client)).toContain('get-env');
    await expect.poll(() => changes.length).toBeGreaterThan(0);
  });

  it('filters over stdio, for hosts that start their servers', async () => {
    const args = [
      CLI,
      'serve',
      '--stdio',
      '--policy',
      'policies/everything.yaml',
      '--',
      process.execPath,
      EVERYTHING,
      'stdio',
    ];
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
    const client = new Client({ name: 'host', version: '1.0.0' });
    await client.connect(transport);
    expect(await toolNames(client)).toContain('get-env');
    await updateConcerns(client, { sensitivity: 'public' });
    expect(await toolNames(client)).not.toContain('get-env');
    await client.close();
  });

  it('adds --concern over stdio for a host that sends no preferences', async () => {
    const args = [CLI, 'serve', '--stdio', '--policy', 'policies/everything.yaml'];
    args.push('--concern', 'sensitivity=public', '--', process.execPath, EVERYTHING, 'stdio');
    const connect = async (extensions: Record<string, object>) => {
      const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities: { extensions } });
      open.push(() => client.close());
      await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
      return client;
    };
    const own = { [EXTENSION_ID]: { concerns: { sensitivity: 'secret' } } };
    const [silent, speaking] = [await connect({ 'com.example/other': {} }), await connect(own)];
    expect(await toolNames(silent)).not.toContain('get-env');
    expect(await toolNames(speaking)).toContain('get-env');
    await updateConcerns(silent, {});
    expect(await toolNames(silent)).toContain('get-env');
  });

  it('sends the headers of --header to a server over HTTP', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    const upstream = [
      '--url',
      `http://127.0.0.1:${port}/mcp?key=secret`,
      '--header',
      'Authorization: Bearer mine',
    ];
    const serving = await serve('--policy', 'policies/everything.yaml', ...upstream);
    expect(serving.welcome).toContain(`Serving http://127.0.0.1:${port}/mcp on`);
    connectOverHttp(serving.url).catch(() => undefined);
    await expect.poll(() => [...new Set(seen)]).toEqual(['Bearer mine']);
  });

  it('rejects two servers, and a server without a policy', async () => {
    for (const args of [
      ['--url', 'http://127.0.0.1:1/mcp', '--', 'node'],
      ['--', 'node'],
    ]) {
      await expect(serve(...args)).rejects.toThrow(/There are 2 inputs|There is no policy/);
    }
  });
});

describe('a server that cannot be reached', () => {
  it.each([
    [
      'does not exist',
      () => 'http://127.0.0.1:9/mcp',
      'cannot be reached',
      'Check its URL, and that it runs.',
    ],
    ['refuses the connection', () => answering(403), 'answered 403', 'Pass its credentials with --header.'],
    ['has failed', () => answering(503), 'answered 503', 'Start again when it works.'],
  ])('because it %s is not served, and one sentence says why', async (_, urlOf, reason, advice) => {
    const served = serve('--policy', 'policies/vault.yaml', '--url', await urlOf());
    await expect(served).rejects.toThrow(
      `The server ${reason}, so its protocol version is unknown. ${advice}`,
    );
  });
});

describe('a command that is not a server', () => {
  it.each([
    ['does not exist', ['no-such-command'], 'cannot be started (ENOENT)'],
    ['ends', [process.execPath, '-e', 'process.exit(3)'], 'ended with exit code 3'],
  ])('is not served because it %s, and one sentence says so', async (_, command, reason) => {
    await expect(serve('--policy', 'policies/vault.yaml', '--', ...command)).rejects.toThrow(
      `The server ${reason}, so its protocol version is unknown. Check that its command runs by itself.`,
    );
  });
});

async function answering(status: number): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end('log in'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
