import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { connectOverHttp } from '../clients.js';
import { fixture, type Running, start } from './run.js';

let running: Running | undefined;
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  running?.child.kill('SIGTERM');
  await running?.ended;
});

/** Serves three servers, of which the second one starts again only when it may. */
async function serve(isolation: string) {
  const folder = mkdtempSync(join(tmpdir(), 'killed-'));
  const at = (name: string): string => join(folder, name);
  writeFileSync(
    at('policy.yaml'),
    'version: 1\nconcerns: { effect: { values: [read, change], match: at-most } }\n',
  );
  writeFileSync(at('server'), 'x');
  const server = { command: process.execPath, args: [fixture('slow-server.mjs'), at('server')] };
  writeFileSync(
    at('servers.json'),
    JSON.stringify({ mcpServers: { one: server, two: server, three: server } }),
  );
  running = start(
    ...['serve', '--no-project', '--wait', '--port', '0', '--isolation', isolation],
    ...['--policy', at('policy.yaml'), '--servers', at('servers.json')],
  );
  const url = / on (http\S+)/.exec(await running.until('stdout', /Press Ctrl-C/))?.[1] ?? '';
  return {
    url,
    holdStarts: () => writeFileSync(at('server.wait'), ''),
    letStart: () => rmSync(at('server.wait')),
  };
}

async function connect(url: string) {
  const client = await connectOverHttp(url);
  clients.push(client);
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
  const servers = async (): Promise<string[]> => {
    const names = (await client.listTools()).tools.flatMap(({ name }) => name.split('__who'));
    return ['one', 'two', 'three'].filter((slug) => names.includes(slug));
  };
  return { client, servers, changes: () => changes };
}

const ALL = ['one', 'two', 'three'];

describe('one of three servers whose process ends in a call', () => {
  it.each([
    ['shared', ['one', 'three'], 2],
    ['per-session', ALL, 0],
  ])(
    'with --isolation %s, leaves the lists of its own sessions until it is back',
    async (isolation, others, told) => {
      const { url, holdStarts, letStart } = await serve(isolation);
      const [mine, other] = [await connect(url), await connect(url)];
      expect([await mine.servers(), await other.servers()]).toEqual([ALL, ALL]);
      holdStarts();
      await expect(mine.client.callTool({ name: 'two__die' })).rejects.toThrow('two: ');
      expect([await mine.servers(), await other.servers()]).toEqual([['one', 'three'], others]);
      const { content } = await other.client.callTool({ name: 'three__same' });
      expect(content).toEqual([{ type: 'text', text: 'as before' }]);
      letStart();
      await expect.poll(mine.changes).toBe(2);
      expect([await mine.servers(), await other.servers(), other.changes()]).toEqual([ALL, ALL, told]);
      await mine.client.callTool({ name: 'two__same' });
    },
  );
});
