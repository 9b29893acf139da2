import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, it } from 'vitest';
import { fixture, type Running, run, start } from './run.js';

const running: Running[] = [];
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

const VAULT = ['--server', 'build/vault/server.js', '--policy', 'policies/vault.yaml'];

async function serve(...args: string[]): Promise<Running & { url: string }> {
  const started = start('serve', '--port', '0', ...args);
  running.push(started);
  const welcome = await started.until('stdout', /to stop\.\n/);
  return { ...started, url: /http:\S+/.exec(welcome)?.[0] ?? '' };
}

async function toolsOf(url: string, options?: StreamableHTTPClientTransportOptions): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), options);
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  expect(tools.at(-1)?.name).toBe('concerns');
  return tools.slice(0, -1).map(({ name }) => name);
}

it('filters for hosts that send preferences in the URL or a header', async () => {
  const { url, child, ended, until } = await serve(...VAULT);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/[\w-]{24}$/);
  expect(await toolsOf(url)).toHaveLength(24);
  const safe = await toolsOf(`${url}?concerns=safe`);
  const headers = { 'Mcp-Concerns': 'security=high, access=read' };
  expect(await toolsOf(url, { requestInit: { headers } })).toEqual(safe);
  expect(safe).toContain('decryptData');
  expect(safe).not.toContain('deleteKey');

  const line = new RegExp(`^tools/list  ${safe.length} of 24  security=high access=read  legacy host$`, 'm');
  expect(await until('stderr', line)).toMatch(/^initialize {2}legacy host$/m);
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  const [, example = ''] = /'(http\S+)'/.exec(stdout) ?? [];
  expect(example).toMatch(/\?host=host\.[\w.-]+&concerns=safe$/);
  expect(example.startsWith(`${url}?`)).toBe(true);
  expect(stdout).toContain('Mcp-Concerns: security=high');
});

it.each(['own-server.mjs', 'own-server.cjs'])('serves the server that a module creates: %s', async (name) => {
  const { url, child, ended } = await serve('--server', fixture(name), '--policy', fixture('rules.yaml'));
  if (name === 'own-server.mjs') expect(await toolsOf(`${url}?concerns=topic:charts`)).toEqual(['beta']);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

it('reports a port that is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, stdout, stderr } = await run('serve', ...VAULT, '--port', String(port));
  taken.close();
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^mcp-concerns: Port ${port} on 127\\.0\\.0\\.1 cannot be used .+\n$`));
});

it('answers a host over stdio with the reason if the server behind it ends', async () => {
  const { child, ended, until } = start(
    'serve',
    '--stdio',
    '--policy',
    'policies/vault.yaml',
    '--',
    process.execPath,
    '-e',
    '',
  );
  const clientInfo = { name: 'host', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const answered = await until('stdout', /\n/);
  expect(JSON.parse(answered).error.message).toContain('cannot be reached: it ended with exit code 0');
  child.stdin.end();
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('server failed: it ended with exit code 0')]);
});

it('shows no preset as an example that hides all tools of the policy', async () => {
  const policy = join(mkdtempSync(join(tmpdir(), 'empty-preset-')), 'policy.yaml');
  const concerns = 'concerns: { topic: { values: [a, b] } }\nprimitives: { tools: { one: { topic: a } } }';
  writeFileSync(
    policy,
    `version: 1\n${concerns}\npresets: { nothing: { topic: b }, something: { topic: a } }\n`,
  );
  const { child, ended } = await serve('--policy', policy, '--server', 'test/cli/fixtures/own-server.mjs');
  child.kill('SIGINT');
  const { stdout } = await ended;
  expect(stdout).toContain('&concerns=something');
  expect(stdout).not.toContain('concerns=nothing');
});
