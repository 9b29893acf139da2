import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, describe, expect, it } from 'vitest';
import { GUARDS, hostOf, startGuardedRemote } from '../upstream/guarded-remote.js';
import { MAIN, run, start } from './run.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const serving = ['serve', '--no-project', '--policy', 'policies/vault.yaml'];
const ERAS = ['legacy', 'modern'] as const;
const [login] = GUARDS;
const told = { code: -32603, data: { status: 401, wwwAuthenticate: login.challenge } };

it('serve says that the server demands credentials, if it cannot be opened without them', async () => {
  const remote = await startGuardedRemote('modern');
  open.push(remote.close);
  for (const method of ['initialize', 'server/discover']) remote.guarded.set(method, login);
  const { stderr, code } = await run(...serving, '--port', '0', '--url', remote.url);
  expect(code).toBe(2);
  expect(stderr).toContain('The server answered 401. Pass --login to sign in, or --header with a token.');
});

describe.each(ERAS)('serve in front of a remote %s server', (era) => {
  it('passes on over HTTP that the server demands a login', async () => {
    const remote = await startGuardedRemote(era);
    const { child, ended, until } = start(...serving, '--port', '0', '--url', remote.url);
    open.push(remote.close, async () => {
      child.kill('SIGINT');
      await ended;
    });
    const [, url] = /on (http\S+)/.exec(await until('stdout', /on http\S+/)) ?? [];
    for (const host of ERAS) {
      const post = await hostOf(host, fetch, url);
      remote.guarded.set('tools/call', login);
      const response = await post('tools/call', { name: 'delete' });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(login.challenge);
      expect(await response.json()).toMatchObject({ error: told });
      remote.guarded.clear();
      expect(await (await post('tools/call', { name: 'delete' })).text()).toContain('deleted');
    }
  });

  it.each(ERAS)('tells a %s host over stdio that the server demands a login', async (host) => {
    const remote = await startGuardedRemote(era);
    open.push(remote.close);
    const args = [MAIN, ...serving, '--stdio', '--url', remote.url];
    const spawned = { command: process.execPath, args, stderr: 'ignore' } as const;
    const client =
      host === 'legacy'
        ? new ClientV1({ name: 'host', version: '1' })
        : new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    open.push(() => client.close());
    if (client instanceof ClientV1) await client.connect(new StdioV1(spawned));
    else await client.connect(new StdioClientTransport(spawned));
    remote.guarded.set('tools/call', login);
    const refused = client.callTool({ name: 'delete', arguments: {} });
    await expect(refused).rejects.toMatchObject(told);
    await expect(refused).rejects.toThrow('it answered HTTP 401. Sign in to that server');
  });
});
