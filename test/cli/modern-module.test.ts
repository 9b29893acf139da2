import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { fixture, MAIN, start } from './run.js';

const OPTIONS = ['--no-project', '--panel', 'off', '--policy', fixture('rules.yaml')];
const SERVED = ['serve', ...OPTIONS, '--server', fixture('modern-module.mjs')];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serveHttp() {
  const { child, ended, until } = start(...SERVED, '--port', '0');
  closing.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const welcome = await until('stdout', /Press Ctrl-C/);
  return { welcome, url: new URL(/ on (http\S+)/.exec(welcome)?.[1] ?? '') };
}

async function connect(front: 'http' | 'stdio', era: 'legacy' | 'modern') {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const host = { changes: 0 };
  const client = new Client(
    { name: 'host', version: '1' },
    {
      versionNegotiation: { mode } as never,
      listChanged: { tools: { autoRefresh: false, onChanged: () => void host.changes++ } },
    },
  );
  await client.connect(
    front === 'http'
      ? new StreamableHTTPClientTransport((await serveHttp()).url)
      : new StdioClientTransport({
          command: process.execPath,
          args: [MAIN, ...SERVED, '--stdio'],
          stderr: 'ignore',
        }),
  );
  closing.push(() => client.close());
  const call = async (name: string) => {
    const { content } = await client.callTool({ name, arguments: {} });
    return content as { text: string }[];
  };
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { host, call, names };
}

describe.each(['http', 'stdio'] as const)('a module of SDK v2, over %s', (front) => {
  it.each(['legacy', 'modern'] as const)('serves a %s host itself, with its tasks', async (era) => {
    const { host, call, names } = await connect(front, era);
    expect(await call('era')).toMatchObject([{ text: era }]);
    expect(await names()).toContain('late');
    expect(await call('late')).toMatchObject([{ text: 'done' }]);
    await call('change');
    await expect.poll(() => host.changes).toBeGreaterThan(0);
    expect(await names()).toContain('extra-1');
  });
});

it('says that a module of SDK v2 speaks both versions', async () => {
  const { welcome } = await serveHttp();
  expect(welcome).toContain('Server:  2026-07-28 and 2025-11-25\n');
});
