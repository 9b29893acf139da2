import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRegistry, register, registryFolder } from '../../src/cli/control/registry.js';
import { type Running, run, runAtTerminal, start, startAtTerminal } from './run.js';

const VAULT = ['--server', 'build/vault/server.js', '--policy', 'policies/vault.yaml'];
const running: Running[] = [];
const clients: Client[] = [];
let runtime = '';

// Each test has a registry of its own, so that it does not see other processes of this user.
beforeEach(() => {
  runtime = mkdtempSync(join(tmpdir(), 'switch-'));
  process.env.XDG_RUNTIME_DIR = runtime;
});
const before = process.env.XDG_RUNTIME_DIR;
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(runtime, { recursive: true });
  if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
  else process.env.XDG_RUNTIME_DIR = before;
});

/** A host that lists again when it is told that its list changed. */
interface Host {
  readonly client: Client;
  /** The number of tools after each time that it listed. */
  readonly lists: number[];
}

async function connect(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Host> {
  const client = new Client({ name: 'some-host', version: '7' });
  clients.push(client);
  const lists: number[] = [];
  // Without the tool that the gate adds.
  const list = async () => void lists.push((await client.listTools()).tools.length - 1);
  client.setNotificationHandler(ToolListChangedNotificationSchema, list);
  await client.connect(transport);
  await list();
  return { client, lists };
}

async function serveHttp(...args: string[]): Promise<{ url: string; served: Running; welcome: string }> {
  const served = start('serve', '--port', '0', ...args, ...VAULT);
  running.push(served);
  const welcome = await served.until('stdout', /to stop\.\n/);
  return { url: /on (http:\S+)/.exec(welcome)?.[1] ?? '', served, welcome };
}

const connectHttp = (url: string): Promise<Host> => connect(new StreamableHTTPClientTransport(new URL(url)));

/** How the CLI is started, as `run` does it. */
const stdioServe = (...args: string[]): StdioClientTransport =>
  new StdioClientTransport({
    command: process.execPath,
    args: ['dist/cli/main.js', 'serve', '--stdio', '--quiet', ...args],
    env: { ...(process.env as Record<string, string>), XDG_RUNTIME_DIR: runtime },
  });

/** A process over stdio can be switched shortly after its first list. */
const isSwitchable = (processes = 1) =>
  expect.poll(() => readRegistry(registryFolder(process.env))).toHaveLength(processes);

describe('switch', () => {
  it('changes the next list of a host over HTTP, and says whether the host listed again', async () => {
    const { url } = await serveHttp();
    const { lists } = await connectHttp(`${url}?concerns=cheap`);
    expect((await run('switch')).stdout).toContain('some-host  12 of 24 tools');
    const { stdout } = await runAtTerminal('switch', 'safe');
    expect(stdout).toMatch(
      /10 of 24 tools {2}.*safe \(security=high access=read\) {2}(has not listed again yet|listed again)/,
    );
    await expect.poll(() => lists).toEqual([12, 10]);
    expect((await run('switch')).stdout).toContain('listed again');
    // The rest is kept, and the URL does not come back.
    await runAtTerminal('switch', 'security=any');
    await expect.poll(() => lists).toEqual([12, 10, 14]);
    await runAtTerminal('switch', 'everything');
    await expect.poll(() => lists).toEqual([12, 10, 14, 24]);
  });

  it('changes the next list of a host over stdio', async () => {
    const { lists } = await connect(stdioServe(...VAULT));
    await isSwitchable();
    await run('switch', '--yes', 'security=low', 'cost=any');
    await expect.poll(() => lists).toEqual([24, 4]);
  });

  it('switches several processes, or only one of them', async () => {
    const { url } = await serveHttp();
    const http = await connectHttp(url);
    const stdio = await connect(
      stdioServe('--server', 'build/vault/server.js', '--policy', 'policies/everything.yaml'),
    );
    await isSwitchable(2);
    await run('switch', '--yes', '--server', 'policies/vault.yaml', 'safe');
    await expect.poll(() => http.lists).toEqual([24, 10]);
    expect(stdio.lists).toHaveLength(1);
    const { stdout } = await run('switch');
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  it.each([
    [['security=hihg'], 1, 'Did you mean "high"?'],
    [['saef'], 1, 'is not a valid value for preset'],
    [['safe', 'cheap'], 2, 'Pass one of them'],
    [['--server', 'other', 'safe'], 2, 'No running server matches'],
  ])('refuses %j and changes nothing', async (args, code, message) => {
    const { url } = await serveHttp();
    const { lists } = await connectHttp(url);
    await connectHttp(url);
    const answer = await run('switch', '--yes', ...args);
    expect(answer).toMatchObject({ code });
    expect(answer.stderr.split('\n').filter((line) => line.includes(message))).toHaveLength(1);
    expect((await run('switch')).stdout).toContain('24 of 24 tools');
    expect(lists).toEqual([24]);
  });

  it('shows less without a terminal, but more only at one: not with --yes', async () => {
    const { url } = await serveHttp();
    const { lists } = await connectHttp(url);
    expect((await run('switch', 'safe')).code).toBe(0);
    await expect.poll(() => lists).toEqual([24, 10]);
    for (const args of [['everything'], ['--yes', 'everything'], ['--yes', 'security=any'], ['cheap']]) {
      const { code, stdout, stderr } = await run('switch', ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('This would show more, so nothing changed.');
      expect(stderr).toContain('A person can allow it on the page: mcp-concerns switch --open');
    }
    expect((await run('switch')).stdout).toContain('10 of 24 tools');
    expect((await runAtTerminal('switch', 'everything')).code).toBe(0);
    await expect.poll(() => lists).toEqual([24, 10, 24]);
  });

  it('prints the address of the page to a terminal, and how to open it to a log file', async () => {
    const { welcome, served } = await serveHttp();
    const [logged] = readRegistry(registryFolder(process.env));
    expect(logged?.token).toMatch(/^[\w-]{43}$/);
    expect(welcome).toMatch(/^Switch: +mcp-concerns switch --open$/m);
    expect(welcome).not.toContain(logged?.token);
    served.child.kill('SIGKILL');
    await served.ended;

    const watched = startAtTerminal('stdout', ['serve', '--color', 'never', '--port', '0', ...VAULT]);
    running.push(watched);
    const read = await watched.until('stdout', /to stop\.\n/);
    const [entry] = readRegistry(registryFolder(process.env));
    expect(read).toContain(`${entry?.url}/panel#token=${entry?.token}\n`);
  });

  it('writes the key of the page neither to stderr under a host nor, without a terminal, anywhere', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['dist/cli/main.js', 'serve', '--stdio', ...VAULT],
      env: { ...(process.env as Record<string, string>) },
      stderr: 'pipe',
    });
    let log = '';
    transport.stderr?.on('data', (chunk) => {
      log += chunk;
    });
    await connect(transport);
    await expect.poll(() => log).toContain('mcp-concerns switch --open');
    const [entry] = readRegistry(registryFolder(process.env));
    expect(entry?.token).toMatch(/^[\w-]{43}$/);
    expect(log).not.toContain(entry?.token);
    expect(log).not.toContain('token=');
    const path = process.env.PATH;
    process.env.PATH = runtime;
    try {
      const hidden = await run('switch', '--open');
      expect(hidden).toMatchObject({ code: 2, stdout: '' });
      expect(hidden.stderr).not.toContain(entry?.token);
      const person = await runAtTerminal('switch', '--open');
      expect(person).toMatchObject({ code: 0, stdout: `${entry?.url}/panel#token=${entry?.token}\n` });
    } finally {
      process.env.PATH = path;
    }
  });

  it('switches the servers that have the preset, and names those that do not', async () => {
    const { url } = await serveHttp();
    const other = start(
      ...['serve', '--port', '0', '--server', 'build/vault/server.js'],
      ...['--policy', 'policies/everything.yaml'],
    );
    running.push(other);
    const welcome = await other.until('stdout', /to stop\.\n/);
    await connectHttp(/on (http:\S+)/.exec(welcome)?.[1] ?? '');
    const { lists } = await connectHttp(url);
    const { code, stdout, stderr } = await run('switch', 'safe');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stdout).toContain('10 of 24 tools');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('is not a valid value for preset');
    await expect.poll(() => lists).toEqual([24, 10]);
    expect((await run('switch', 'nowhere')).code).toBe(1);
  });

  it('says that a process did not answer, and keeps it registered', async () => {
    const sockets: Socket[] = [];
    const [hangs, breaks] = [
      createServer((socket) => sockets.push(socket)),
      createServer((socket) => socket.destroy()),
    ];
    const folder = registryFolder(process.env);
    const pids = [process.pid, process.ppid];
    for (const [index, server] of [hangs, breaks].entries()) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      register(folder, {
        ...{
          format: 1,
          pid: pids[index] ?? 0,
          url: `http://127.0.0.1:${port}`,
          token: 'abc',
          name: `slow-${index}`,
        },
        ...{ policy: [], cwd: '/', started: '2026-01-01T00:00:00Z' },
      });
    }
    const { code, stderr } = await run('switch', 'safe');
    expect(code).toBe(2);
    expect(stderr).toContain('slow-0: It did not answer.');
    expect(stderr).toContain('slow-1: It did not answer.');
    expect(readRegistry(folder)).toHaveLength(2);
    for (const server of [hangs, breaks]) server.close();
    for (const socket of sockets) socket.destroy();
    // Now the ports refuse the connection.
    expect((await run('switch')).stderr).toContain('is not running');
    expect(readRegistry(folder)).toEqual([]);
  });

  it('says what to do if nothing runs, also after a process was killed', async () => {
    const { served } = await serveHttp();
    served.child.kill('SIGKILL');
    await served.ended;
    const { code, stderr } = await run('switch');
    expect(code).toBe(2);
    expect(stderr).toContain('"mcp-concerns serve" is not running');
  });

  it('shows, but changes nothing under --panel read-only: page, command, prompt and tool', async () => {
    const { url } = await serveHttp('--panel', 'read-only');
    const { client, lists } = await connect(new StreamableHTTPClientTransport(new URL(url)));
    const { code, stderr } = await run('switch', '--yes', 'safe');
    expect(code).toBe(1);
    expect(stderr).toContain('The panel is read-only, so nothing can be changed here.');
    expect(stderr).toContain('run "mcp-concerns serve" with "--panel on"');
    expect((await run('switch')).stdout).toContain('some-host');
    const [entry] = readRegistry(registryFolder(process.env));
    const headers = { authorization: `Bearer ${entry?.token}` };
    const { sessions } = (await (await fetch(new URL('/panel/sessions', url), { headers })).json()) as {
      sessions: { readOnly?: string; session: string }[];
    };
    expect(sessions[0]?.readOnly).toContain('The panel is read-only');
    const path = `/panel/sessions/${sessions[0]?.session}/concerns`;
    const change = { method: 'PUT', headers, body: '{"concerns":{"preset":"safe"}}' };
    expect((await fetch(new URL(path, url), change)).status).toBe(422);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.toContain('concerns-safe');
    const { messages } = await client.getPrompt({ name: 'concerns-safe' });
    expect(JSON.stringify(messages)).toContain('Nothing changed. The panel is read-only');
    const called = await client.callTool({ name: 'concerns', arguments: { security: 'high' } });
    expect(JSON.stringify(called)).toContain('The panel is read-only');
    expect((await client.listTools()).tools).toHaveLength((lists[0] ?? 0) + 1);
  });

  it('opens no channel under --panel off', async () => {
    const served = start('serve', '--port', '0', '--panel', 'off', ...VAULT);
    running.push(served);
    const welcome = await served.until('stdout', /to stop\.\n/);
    expect(welcome).not.toContain('Switch:');
    const url = /on (http:\S+)/.exec(welcome)?.[1] ?? '';
    expect((await fetch(new URL('/panel', url))).status).toBe(404);
    expect((await run('switch')).code).toBe(2);
  });
});
