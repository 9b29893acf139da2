import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyExample, installedPackages, isAvailable } from './pages.js';

const example = copyExample('http');
let url = '';
let stop = async (): Promise<void> => undefined;

beforeAll(async () => {
  await example.run(/^npx esbuild/);
  const command = `exec ${example.command(/^node server/)}`;
  const server = spawn('sh', ['-c', command], {
    cwd: example.folder,
    // Any free port.
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(server, 'close');
  stop = async () => {
    server.kill();
    await closed;
  };
  const [line] = await once(server.stdout.setEncoding('utf8'), 'data');
  url = /Listening on (\S+)/.exec(String(line))?.[1] ?? '';
});
afterAll(() => stop());

it('installs only packages that exist', () => {
  expect(installedPackages(example).filter((name) => !isAvailable(name))).toEqual([]);
});

it('returns a filtered list to the curl command of the README', async () => {
  const command = example.command(/^curl/).replace('http://127.0.0.1:3000/mcp', url);
  expect(command).toContain(`${url}?concerns=access:read`);
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  const { result } = JSON.parse(stdout);
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['list_notes', 'read_note']);
});

it.each([
  ['', ['list_notes', 'read_note', 'write_note']],
  ['?concerns=access:read', ['list_notes', 'read_note']],
])('returns a filtered list to an SDK client, %j', async (query, names) => {
  const client = new Client({ name: 'host', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url + query)));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(names);
  await client.callTool({ name: 'write_note', arguments: { name: 'a', content: 'b' } });
  const { content } = await client.callTool({ name: 'read_note', arguments: { name: 'a' } });
  expect(content).toEqual([{ type: 'text', text: 'b' }]);
  await client.close();
});
