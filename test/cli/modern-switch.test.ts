import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mintHandle, urlOfHost } from '../../src/cli/control/host-handle.js';
import { readRegistry, registryFolder } from '../../src/cli/control/registry.js';
import { userKey } from '../../src/cli/control/user-keys.js';
import type { PanelSession } from '../../src/core/gate/panel/panel-document.js';
import { getOrMake } from '../../src/core/once.js';
import { read } from '../../src/core/wire/messages.js';
import { MAIN, run, runAtTerminal, start } from './run.js';

/** Hosts of 2026-07-28, which have no sessions, in front of `serve`. */
const SERVED = ['--no-project', '--server', 'build/vault/server.js', '--policy', 'policies/vault.yaml'];
const ALL = 23;
const SAFE = 10;

const before = process.env.XDG_RUNTIME_DIR;
const closing: (() => Promise<unknown>)[] = [];
// Each test has a registry of its own, so that it does not see other processes of this user.
beforeEach(() => {
  process.env.XDG_RUNTIME_DIR = mkdtempSync(join(tmpdir(), 'modern-switch-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
  else process.env.XDG_RUNTIME_DIR = before;
});

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  name = 'Some Host',
): Promise<{ readonly count: () => Promise<number>; readonly told: string[]; readonly client: Client }> {
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const told: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void told.push(method);
  await client.connect(transport);
  closing.push(() => client.close());
  const count = async (): Promise<number> => {
    const { tools } = await client.listTools();
    return tools.filter((each) => each.name !== 'concerns').length;
  };
  return { count, told, client };
}

const overStdio = (...args: string[]) =>
  connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'serve', '--stdio', '--quiet', ...SERVED, ...args],
      env: { ...(process.env as Record<string, string>) },
      stderr: 'ignore',
    }),
  );

async function serveHttp(): Promise<string> {
  const { child, ended, until } = start('serve', '--port', '0', ...SERVED);
  closing.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return / on (http\S+)/.exec(await until('stdout', /Press Ctrl-C/))?.[1] ?? '';
}

/** Each host has a URL of its own, as its configuration does. */
const handles = new Map<string, string>();
function overHttp(url: string, name: string) {
  const handle = getOrMake(handles, name, () => mintHandle(name, userKey('session-key', process.env)));
  return connect(new StreamableHTTPClientTransport(new URL(urlOfHost(url, handle))), name);
}

/** A process over stdio can be switched shortly after its first list. */
const isSwitchable = () => expect.poll(() => readRegistry(registryFolder(process.env))).toHaveLength(1);

describe('a host of 2026-07-28 over stdio', () => {
  it('follows a switch, and is told of it on its stream', async () => {
    const host = await overStdio();
    expect(await host.count()).toBe(ALL);
    await isSwitchable();
    expect((await run('switch')).stdout).toContain(`Some Host  ${ALL} of ${ALL} tools`);
    await host.client.listen({ toolsListChanged: true });
    expect((await run('switch', 'safe')).stdout).toContain(`${SAFE} of ${ALL} tools`);
    await expect.poll(() => host.told).toContain('notifications/tools/list_changed');
    expect(await host.count()).toBe(SAFE);
    expect((await run('switch')).stdout).toContain('listed again');
  });

  it('gets what a program asks for only after an answer at the page', async () => {
    const host = await overStdio();
    await host.count();
    await isSwitchable();
    await run('switch', 'safe');
    expect((await run('switch', 'everything')).code).toBe(1);
    expect(await host.count()).toBe(SAFE);
    const [entry] = readRegistry(registryFolder(process.env));
    const headers = { authorization: `Bearer ${entry?.token}` };
    const asked: unknown = await (await fetch(`${entry?.url}/panel/sessions`, { headers })).json();
    const { id, proposal } = read(asked, 'sessions', '0', 'sessions', '0') as Required<PanelSession>;
    expect(proposal.tools).toBe(ALL - SAFE);
    const answer = { method: 'PUT', headers, body: '{"allow":true}' };
    await fetch(`${entry?.url}/panel/sessions/${id}/proposals/${proposal.id}`, answer);
    expect(await host.count()).toBe(ALL);
  });

  it('starts with what the command line prefers', async () => {
    const host = await overStdio('--concern', 'security=high', '--concern', 'access=read');
    expect(await host.count()).toBe(SAFE);
  });

  it('follows a prompt that its person chose', async () => {
    const host = await overStdio();
    expect(await host.count()).toBe(ALL);
    await host.client.getPrompt({ name: 'concerns-safe' });
    expect(await host.count()).toBe(SAFE);
  });
});

const OPEN_TO_MODELS = `version: 1
concerns:
  topic: { description: What one works on, values: [keys, other], multiple: true, model: free }
patterns: { tools: { "*": { topic: other }, "*Key*": { topic: keys } } }
settings: { panel: on }
`;

describe('the model of a host of 2026-07-28', () => {
  it('sets values and adds tools, which last until the person chooses', async () => {
    const policy = join(process.env.XDG_RUNTIME_DIR ?? '', 'policy.yaml');
    writeFileSync(policy, OPEN_TO_MODELS);
    const args = [MAIN, 'serve', '--stdio', '--quiet', '--no-project', '--server', 'build/vault/server.js'];
    const host = await connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...args, '--policy', policy],
        env: { ...(process.env as Record<string, string>) },
        stderr: 'ignore',
      }),
    );
    const use = (given: Record<string, unknown>) =>
      host.client.callTool({ name: 'concerns', arguments: given });
    await use({ topic: ['keys'] });
    const few = await host.count();
    expect(few).toBeLessThan(ALL);
    const text = JSON.stringify(await use({ list: true }));
    const [, name = ''] = /topic other:\\n(\w+)/.exec(text) ?? [];
    await use({ show: [name] });
    expect(await host.count()).toBe(few + 1);
    expect((await runAtTerminal('switch', 'everything')).code).toBe(0);
    expect(await host.count()).toBe(ALL);
  });
});

describe('hosts of 2026-07-28 over HTTP', () => {
  it('are switched one by one, by their URLs', async () => {
    const url = await serveHttp();
    const [one, other] = [await overHttp(url, 'One'), await overHttp(url, 'Other')];
    expect([await one.count(), await other.count()]).toEqual([ALL, ALL]);
    await one.client.listen({ toolsListChanged: true });
    await other.client.listen({ toolsListChanged: true });
    const look = async () => (await run('switch')).stdout;
    await expect.poll(async () => (await look()).match(/^(One|Other) /gm)).toHaveLength(2);
    const [, session = ''] = /^One {2}.* (\S+)$/m.exec(await look()) ?? [];
    const { stdout, code } = await run('switch', '--session', session, 'safe');
    expect({ stdout, code }).toMatchObject({ code: 0 });
    await expect.poll(() => one.told).toEqual(['notifications/tools/list_changed']);
    expect([await one.count(), await other.count()]).toEqual([SAFE, ALL]);
    expect(other.told).toEqual([]);
  });

  it('of one name are told apart by the two URLs that serve prints', async () => {
    const { child, ended, until } = start('serve', '--port', '0', ...SERVED);
    closing.push(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    const welcome = await until('stdout', /Press Ctrl-C/);
    const urls = [/concerns '(http[^'&]+)/, /^For another host: +(http\S+)$/m].map(
      (pattern) => new URL(pattern.exec(welcome)?.[1] ?? ''),
    );
    const [one, other] = await Promise.all(
      urls.map((url) => connect(new StreamableHTTPClientTransport(url), 'mcp')),
    );
    if (one === undefined || other === undefined) throw new Error('there are two hosts');
    expect([await one.count(), await other.count()]).toEqual([ALL, ALL]);
    await one.client.listen({ toolsListChanged: true });
    await other.client.listen({ toolsListChanged: true });
    await one.client.getPrompt({ name: 'concerns-safe' });
    await expect.poll(() => one.told).toEqual(['notifications/tools/list_changed']);
    expect([await one.count(), await other.count()]).toEqual([SAFE, ALL]);
    expect(other.told).toEqual([]);
  });

  it('share nothing if their URLs have no handle, whatever they call themselves', async () => {
    const url = new URL(await serveHttp());
    const [one, other] = [
      await connect(new StreamableHTTPClientTransport(url), 'mcp'),
      await connect(new StreamableHTTPClientTransport(url), 'mcp'),
    ];
    const { z } = await import('zod');
    const params = { concerns: { security: 'high' } };
    const switched = one.client.request({ method: 'updateConcerns', params }, z.looseObject({}));
    // Over HTTP, an unknown method is a 404 with the error in its body.
    await expect(switched).rejects.toThrow('"code":-32601');
    expect([await one.count(), await other.count()]).toEqual([ALL, ALL]);
    expect((await run('switch')).stdout).not.toContain('mcp ');
  });

  it('keep what was chosen for the next conversation', async () => {
    const url = await serveHttp();
    const first = await overHttp(url, 'Some Host');
    await first.count();
    await expect.poll(async () => (await run('switch')).stdout).toContain('Some Host');
    await run('switch', 'safe');
    expect(await (await overHttp(url, 'Some Host')).count()).toBe(SAFE);
  });
});
