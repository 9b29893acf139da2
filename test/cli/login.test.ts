import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LoginServer, startLoginServer } from './login-server.js';
import { MAIN, type Running, run, start } from './run.js';

/** Follows redirects as a browser does, and keeps no page open. */
const BROWSER = `#!${process.execPath}\nfetch(process.argv[2]).catch(() => undefined);\n`;

const before = { ...process.env };
const open: (() => unknown)[] = [];
let folder: string;
let remote: LoginServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'login-'));
  for (const each of ['bin', 'none']) mkdirSync(join(folder, each));
  for (const opener of ['xdg-open', 'open'])
    writeFileSync(join(folder, 'bin', opener), BROWSER, { mode: 0o755 });
  Object.assign(process.env, { XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder, PATH: join(folder, 'bin') });
  remote = await startLoginServer();
  open.push(remote.close);
});

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  process.env.PATH = before.PATH;
  for (const name of ['XDG_STATE_HOME', 'XDG_RUNTIME_DIR']) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  rmSync(folder, { recursive: true, force: true });
});

const SERVE = ['serve', '--no-project', '--policy', 'policies/vault.yaml', '--port', '0', '--open'];
const withLogin = () => [...SERVE, '--url', remote.url, '--login'];

function serve(...args: string[]): Running {
  const running = start(...args);
  open.push(async () => {
    running.child.kill('SIGINT');
    await running.ended;
  });
  return running;
}

async function host({ until }: Running): Promise<Client> {
  const [, url = ''] = /"url":"(http[^"]+?)"/.exec(await until('stdout', /Press Ctrl-C/)) ?? [];
  const client = new Client({ name: 'host', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url.replace(/concerns=[^&]*/, ''))));
  open.push(() => client.close());
  return client;
}

const call = async (client: Client): Promise<unknown> => client.callTool({ name: 'read', arguments: {} });
const CALLED = { content: [{ type: 'text', text: 'called' }] };
const logins = () => join(folder, 'mcp-concerns', 'logins');
const kept = () => readdirSync(logins()).map((name) => join(logins(), name));

/** Everything that was written to files and streams has no token, but for the file of the login. */
async function hasNoToken(running: Running): Promise<void> {
  running.child.kill('SIGINT');
  const { stdout, stderr } = await running.ended;
  expect(stdout + stderr).not.toContain('secret-');
}

it('signs in with the browser, and keeps the login for this user alone', async () => {
  const first = serve(...withLogin());
  expect(await call(await host(first))).toMatchObject(CALLED);
  expect(remote.opened.map((each) => each.searchParams.get('resource'))).toEqual([remote.url]);
  expect(remote.grants).toEqual([{ type: 'authorization_code', resource: remote.url }]);
  expect(kept().map((file) => statSync(file).mode & 0o777)).toEqual([0o600]);
  await hasNoToken(first);
  // The next start needs no browser.
  expect(await call(await host(serve(...withLogin())))).toMatchObject(CALLED);
  expect(remote.opened).toHaveLength(1);
});

it('renews a token that was revoked once, for all requests that it concerns', async () => {
  const running = serve(...withLogin());
  const client = await host(running);
  remote.accepted.clear();
  const answers = await Promise.all(Array.from({ length: 8 }, () => call(client)));
  expect(answers).toEqual(Array.from({ length: 8 }, () => expect.objectContaining(CALLED)));
  expect(remote.grants.map(({ type }) => type)).toEqual(['authorization_code', 'refresh_token']);
  expect(remote.opened).toHaveLength(1);
  await hasNoToken(running);
});

it('opens the browser again if the token and its refresh are refused', async () => {
  const other = await startLoginServer(false);
  open.push(other.close);
  const client = await host(serve(...SERVE, '--url', other.url, '--login'));
  expect(await call(client)).toMatchObject(CALLED);
  other.accepted.clear();
  expect(await call(client)).toMatchObject(CALLED);
  expect(other.opened).toHaveLength(2);
});

it('opens one browser for two processes that start at the same time', async () => {
  remote.person = 'waits';
  const opened = remote.next();
  const running = [serve(...withLogin()), serve(...withLogin())];
  await opened;
  await new Promise((resolve) => setTimeout(resolve, 300));
  remote.go();
  for (const each of running) expect(await call(await host(each))).toMatchObject(CALLED);
  expect(remote.opened).toHaveLength(1);
  // And one refresh for both, although an issuer accepts a refresh token once.
  remote.accepted.clear();
  const clients = await Promise.all(running.map(host));
  for (const each of await Promise.all(clients.map(call))) expect(each).toMatchObject(CALLED);
  expect(remote.grants.map(({ type }) => type)).toEqual(['authorization_code', 'refresh_token']);
});

it('says the address where no browser can be started', async () => {
  process.env.PATH = join(folder, 'none');
  const running = serve(...withLogin());
  const said = await running.until('stderr', /sign in to \S+: (http\S+)/);
  const [, address = ''] = /sign in to \S+: (http\S+)/.exec(said) ?? [];
  expect(said).toContain('No browser could be started.');
  await fetch(address);
  expect(await call(await host(running))).toMatchObject(CALLED);
});

it('ends with exit code 2 if the person refuses', async () => {
  remote.person = 'refuses';
  const { code, stderr } = await run(...withLogin());
  expect(code).toBe(2);
  expect(stderr).toContain('The server demands a login, and the login was refused. Start again to sign in.');
});

it('answers a request if the person refuses later, and does not open the browser for each request', async () => {
  const other = await startLoginServer(false);
  open.push(other.close);
  const client = await host(serve(...SERVE, '--url', other.url, '--login'));
  other.accepted.clear();
  other.person = 'refuses';
  for (let times = 0; times < 3; times++)
    await expect(call(client)).rejects.toThrow(/demands a login, and the login was refused/);
  expect(other.opened).toHaveLength(2);
});

it('registers again if the port of the last login is taken', async () => {
  const other = await startLoginServer(false);
  open.push(other.close);
  const args = [...SERVE, '--url', other.url, '--login'];
  const first = serve(...args);
  await call(await host(first));
  first.child.kill('SIGINT');
  await first.ended;
  other.accepted.clear();
  const taken = createServer().listen(Number(new URL(other.redirects[0] ?? '').port), '127.0.0.1');
  open.push(() => taken.close());
  expect(await call(await host(serve(...args)))).toMatchObject(CALLED);
  expect(new Set(other.redirects).size).toBe(2);
  expect(other.opened.map((each) => each.searchParams.get('redirect_uri'))).toEqual(other.redirects);
});

it('does not accept a code from a page that does not know the state', async () => {
  remote.person = 'waits';
  const opened = remote.next();
  const running = serve(...withLogin());
  await opened;
  const [redirect = ''] = remote.redirects;
  for (const query of ['', '?code=evil', '?code=evil&state=guess', '?error=access_denied&state=guess'])
    expect((await fetch(`${redirect}${query}`)).status).toBe(404);
  remote.go();
  expect(await call(await host(running))).toMatchObject(CALLED);
});

it('does not use a login that others can read', async () => {
  const first = serve(...withLogin());
  await call(await host(first));
  first.child.kill('SIGINT');
  await first.ended;
  const [file = ''] = kept();
  chmodSync(file, 0o644);
  const { code, stderr } = await run(...withLogin());
  expect(code).toBe(2);
  expect(stderr).toContain(`the file with its login is open to other users. Remove ${file}`);
  rmSync(file);
  const elsewhere = join(folder, 'elsewhere.json');
  writeFileSync(elsewhere, '{}', { mode: 0o600 });
  symlinkSync(elsewhere, file);
  expect((await run(...withLogin())).stderr).toContain('is not a regular file');
});

it('signs in again if the file is damaged', async () => {
  const first = serve(...withLogin());
  await call(await host(first));
  first.child.kill('SIGINT');
  await first.ended;
  const [file = ''] = kept();
  const text = readFileSync(file, 'utf8');
  for (const damaged of ['', '[]', text.slice(0, 40), '{"tokens":{"access_token":7},"client":{}}']) {
    writeFileSync(file, damaged);
    expect(
      (await run('list', '--no-project', '--policy', 'policies/vault.yaml', '--url', remote.url, '--login'))
        .code,
    ).toBe(0);
  }
  expect(remote.opened).toHaveLength(5);
});

it('waits for no process that ended while it signed in', async () => {
  remote.person = 'waits';
  const opened = remote.next();
  const first = serve(...withLogin());
  await opened;
  first.child.kill('SIGKILL');
  await first.ended;
  remote.person = 'signs in';
  expect(await call(await host(serve(...withLogin())))).toMatchObject(CALLED);
});

it('signs in for a host over stdio, whose request waits for the person', async () => {
  const client = new Client({ name: 'host', version: '1' });
  const args = [
    MAIN,
    'serve',
    '--no-project',
    '--policy',
    'policies/vault.yaml',
    '--stdio',
    '--url',
    remote.url,
    '--login',
  ];
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  open.push(() => client.close());
  expect(await call(client)).toMatchObject(CALLED);
});

it('signs in to the servers of a file that say so, and sends no token to the others', async () => {
  const other = await startLoginServer();
  open.push(other.close);
  const file = join(folder, 'servers.json');
  const mcpServers = { one: { url: remote.url, login: true }, two: { url: other.url } };
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, 'version: 1\nconcerns:\n  effect: { values: [read, write], match: at-most }\n');
  const running = serve(
    'serve',
    '--no-project',
    '--policy',
    policy,
    '--port',
    '0',
    '--open',
    '--servers',
    file,
  );
  const client = await host(running);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('one__read');
  expect(await client.callTool({ name: 'one__read', arguments: {} })).toMatchObject(CALLED);
  expect(other.sent.length).toBeGreaterThan(0);
  expect(other.sent.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  expect(other.opened).toEqual([]);
  await hasNoToken(running);
});

it('is for one person', async () => {
  const { code, stderr } = await run(...withLogin(), '--host', '0.0.0.0');
  expect(code).toBe(2);
  expect(stderr).toContain('--login signs one person in, and this endpoint is for many. Pass --header');
});

it('says how to sign in if the server demands it', async () => {
  const { code, stderr } = await run(...SERVE, '--url', remote.url);
  expect(code).toBe(2);
  expect(stderr).toContain('The server answered 401. Pass --login to sign in, or --header with a token.');
});
