import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture, MAIN, start } from './run.js';

const POLICY = `version: 1
concerns: { effect: { values: [read, change], match: at-most } }
patterns: { tools: { "*": { effect: read } } }
`;
let folder = '';
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'at-once-'));
  writeFileSync(at('policy.yaml'), POLICY);
});
afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true });
});
async function closeAll() {
  for (const close of closing.splice(0).reverse()) await close();
}

const at = (name: string): string => join(folder, name);
/** Writes what a server says. It starts at once, or when it is let. */
const server = (name: string, starts: 'at once' | 'later', description: string) => {
  rmSync(at(`${name}.up`), { force: true });
  writeFileSync(at(name), description);
  if (starts === 'later') writeFileSync(at(`${name}.wait`), '');
};
const letStart = (name: string): void => rmSync(at(`${name}.wait`));
const isUp = (name: string): boolean => existsSync(at(`${name}.up`));
const kept = (): number => {
  const catalogs = at('mcp-concerns/catalogs');
  return existsSync(catalogs) ? readdirSync(catalogs).filter((each) => each.endsWith('.json')).length : 0;
};

interface Setting {
  readonly front: 'stdio' | 'http';
  readonly era: 'legacy' | 'modern';
  readonly isolation: 'shared' | 'per-session';
  readonly isSeveral: boolean;
}

/** Serves, and connects a host. */
async function serve({ front, era, isolation, isSeveral }: Setting, ...options: string[]) {
  const [command, args] = [process.execPath, (name: string) => [fixture('slow-server.mjs'), at(name)]];
  const mcpServers = { one: { command, args: args('one') }, two: { command, args: args('two') } };
  writeFileSync(at('servers.json'), JSON.stringify({ mcpServers }));
  const behind = isSeveral ? ['--servers', at('servers.json')] : ['--', command, ...args('one')];
  const given = [
    'serve',
    '--no-project',
    '--policy',
    at('policy.yaml'),
    '--isolation',
    isolation,
    ...options,
  ];
  const client = new ModernClient(
    { name: 'host', version: '1' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  const told: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void told.push(method);
  let log = () => '';
  if (front === 'stdio') {
    const transport = new StdioClientTransport({
      command,
      args: [MAIN, ...given, '--stdio', ...behind],
      env: { PATH: process.env.PATH ?? '', XDG_STATE_HOME: folder },
      stderr: 'pipe',
    });
    let text = '';
    transport.stderr?.on('data', (chunk) => {
      text += chunk;
    });
    log = () => text;
    await client.connect(transport);
  } else {
    const before = process.env.XDG_STATE_HOME;
    process.env.XDG_STATE_HOME = folder;
    const running = start(...given, '--port', '0', ...behind);
    process.env.XDG_STATE_HOME = before;
    let text = '';
    running.child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    log = () => text;
    closing.push(async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    });
    const url = / on (http\S+)/.exec(await running.until('stdout', /Press Ctrl-C/))?.[1] ?? '';
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  }
  closing.push(() => client.close());
  const tools = async () => (await client.listTools()).tools.filter(({ name }) => name !== 'concerns');
  return { client, told, tools, log };
}

const TOLD = 'notifications/tools/list_changed';
const SETTINGS: readonly Setting[] = [
  { front: 'stdio', era: 'legacy', isolation: 'per-session', isSeveral: false },
  { front: 'stdio', era: 'modern', isolation: 'shared', isSeveral: true },
  { front: 'http', era: 'legacy', isolation: 'shared', isSeveral: false },
  { front: 'http', era: 'legacy', isolation: 'per-session', isSeveral: true },
  { front: 'http', era: 'modern', isolation: 'per-session', isSeveral: false },
];

describe.each(SETTINGS)('a slow server of %o', (setting) => {
  const { isSeveral, era } = setting;
  const prefix = isSeveral ? 'one__' : '';

  it('is listed as at its last start before it is up; calls wait, and a changed definition is announced', async () => {
    server('one', 'at once', 'first');
    server('two', 'at once', 'second');
    const first = await serve(setting);
    const before = await first.tools();
    expect(before).toHaveLength(isSeveral ? 6 : 3);
    await expect.poll(kept).toBe(isSeveral ? 2 : 1);
    await closeAll();

    server('one', 'later', 'changed');
    server('two', 'later', 'second');
    const { client, told, tools, log } = await serve(setting);
    expect(await tools()).toEqual(before);
    if (era === 'modern') void client.listen({ toolsListChanged: true }).catch(() => undefined);
    expect(isUp('one')).toBe(false);
    const changed = client.callTool({ name: `${prefix}who` }).catch(({ message }) => message);
    const same = client.callTool({ name: `${prefix}same` });
    for (const name of ['one', 'two']) letStart(name);
    expect((await same).content).toEqual([{ type: 'text', text: 'as before' }]);
    expect(isUp('one')).toBe(true);
    expect(await changed).toContain('changed while its server started');
    await expect.poll(() => told).toContain(TOLD);
    expect((await tools()).find(({ name }) => name === `${prefix}who`)?.description).toBe('changed');
    await expect.poll(log).toMatch(/tools\/list.*before the server is up/);
  });
});
