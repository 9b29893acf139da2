import { createRequire } from 'node:module';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type Running, start } from '../../cli/run.js';

const EVERYTHING = createRequire(import.meta.url)
  .resolve('@modelcontextprotocol/server-everything/package.json')
  .replace('package.json', 'dist/index.js');
const SERVE = ['serve', '--policy', 'policies/everything.yaml'];

const open: (() => Promise<unknown>)[] = [];
const running: Running[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGINT');
    await ended;
  }
});

/** A host with forms, whose person answers each of them with these values. */
async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  content: Record<string, string>,
) {
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { elicitation: {} } });
  const lists: string[][] = [];
  const list = async (): Promise<void> => {
    lists.push((await client.listTools()).tools.map(({ name }) => name));
  };
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, list);
  await client.connect(transport);
  open.push(() => client.close());
  await list();
  return { client, lists };
}

const stdio = (...args: string[]) =>
  new StdioClientTransport({
    command: process.execPath,
    args: ['dist/cli/main.js', ...SERVE, '--stdio', '--quiet', ...args, '--', process.execPath, EVERYTHING],
    env: { ...(process.env as Record<string, string>) },
  });

async function http(): Promise<StreamableHTTPClientTransport> {
  const served = start(...SERVE, '--port', '0', '--', process.execPath, EVERYTHING);
  running.push(served);
  const welcome = await served.until('stdout', /to stop\.\n/);
  return new StreamableHTTPClientTransport(new URL(/on (http:\S+)/.exec(welcome)?.[1] ?? ''));
}

describe('a server of somebody else behind serve', () => {
  it.each([
    ['stdio', async () => stdio()],
    ['HTTP', http],
  ])('is switched in a form, and the host lists again: %s', async (_name, transport) => {
    const { client, lists } = await connect(await transport(), { effect: 'read-only' });
    expect(lists[0]?.at(-1)).toBe('concerns');
    const { content } = await client.callTool({ name: 'concerns', arguments: {} });
    const text = JSON.stringify(content);
    expect(text).toContain('The person changed what is shown.');
    const [, shown, total] = /(\d+) of (\d+) tools are shown/.exec(text) ?? [];
    expect(Number(shown)).toBeLessThan(Number(total));
    // The server announces changes of its own after it starts, so the number of lists is not known.
    await expect.poll(() => lists.at(-1)?.length).toBe(Number(shown) + 1);
    expect(lists.at(-1)?.at(-1)).toBe('concerns');
  });

  it('gets nothing added under --panel off', async () => {
    const { client, lists } = await connect(stdio('--panel', 'off'), {});
    expect(lists[0]).not.toContain('concerns');
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.toContain('concerns');
  });
});
