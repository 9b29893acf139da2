import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Notification, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { fixture, MAIN, type Running, start } from './run.js';

const UPDATED = 'notifications/resources/updated';
const TOOLS = 'notifications/tools/list_changed';
const policy = (hidden: string, enforcement = 'enforce'): string => `version: 1
concerns: { effect: { values: [read, change], match: at-most } }
primitives: { tools: { look: { effect: read }, touch: { effect: read }, wipe: { effect: change }, add: { effect: read } } }
rules:
  - { id: closed, hide: [tools, resources], when: { in: [{ var: primitive.name }, [${hidden}]] }, reason: It is closed. }
settings: { enforcement: ${enforcement} }
`;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Serves a server, and connects hosts of 2026-07-28. */
async function serving(front: 'http' | 'stdio', server: 'legacy' | 'modern', text = policy('')) {
  const file = join(mkdtempSync(join(tmpdir(), 'listen-')), 'policy.yaml');
  writeFileSync(file, text);
  // A modern server that has not started after three seconds, as on a busy machine, would count as a legacy one.
  const protocol = server === 'modern' ? ['--protocol', '2026-07-28'] : [];
  const options = ['--no-project', '--panel', 'off', '--policy', file, ...protocol];
  const behind = ['--', process.execPath, fixture('listened-server.mjs'), server];
  let running: Running | undefined;
  let url = '';
  if (front === 'http') {
    running = start('serve', '--port', '0', '--isolation', 'shared', ...options, ...behind);
    const { child, ended } = running;
    closing.push(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    url = / on (http\S+)/.exec(await running.until('stdout', /Press Ctrl-C/))?.[1] ?? '';
  }
  const connect = async (query = '') => {
    const client = new Client(
      { name: 'host', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    const told: Notification[] = [];
    client.fallbackNotificationHandler = async (notification) => void told.push(notification);
    const args = [MAIN, 'serve', '--stdio', ...options, ...behind];
    await client.connect(
      url === ''
        ? new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' })
        : new StreamableHTTPClientTransport(new URL(url + query)),
    );
    closing.push(() => client.close());
    const call = (name: string, given: Record<string, unknown> = {}) =>
      client.callTool({ name, arguments: given });
    const methods = () => told.map(({ method }) => method);
    const uris = () => told.filter(({ method }) => method === UPDATED).map(({ params }) => params?.uri);
    return { client, told, call, methods, uris };
  };
  return { connect, running, replace: (next: string) => writeFileSync(file, next) };
}

/** Changes have arrived before this one, which is always told. */
const silence = () => new Promise((resolve) => setTimeout(resolve, 300));
const BOTH = { resourceSubscriptions: ['test://one', 'test://two'] };

describe.each([
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const)('a stream over %s from a %s server', (front, server) => {
  it('tells of a changed list and of updated resources, once', async () => {
    const { connect } = await serving(front, server);
    const host = await connect();
    const { honoredFilter } = await host.client.listen({ toolsListChanged: true, ...BOTH });
    expect(honoredFilter).toEqual({ toolsListChanged: true, ...BOTH });
    await host.call('add', { name: 'more' });
    await expect.poll(host.methods).toContain(TOOLS);
    await host.call('touch', { uri: 'test://one' });
    await expect.poll(host.uris).toEqual(['test://one']);
    await silence();
    expect(host.methods()).toEqual([TOOLS, UPDATED]);
  });

  it('leaves out a hidden resource like an unknown one', async () => {
    const { connect } = await serving(front, server, policy('one'));
    const host = await connect();
    const resourceSubscriptions = ['test://one', 'test://two', 'test://nothing'];
    const { honoredFilter } = await host.client.listen({ resourceSubscriptions });
    expect(honoredFilter).toEqual({ resourceSubscriptions: ['test://two'] });
    await host.call('touch', { uri: 'test://one' });
    await host.call('touch', { uri: 'test://two' });
    await expect.poll(host.uris).toEqual(['test://two']);
  });

  it('is silent about a resource that a later policy hides, and stays open', async () => {
    const { connect, replace } = await serving(front, server);
    const host = await connect();
    await host.client.listen({ toolsListChanged: true, ...BOTH });
    replace(policy('one, look'));
    await expect.poll(host.methods).toEqual([TOOLS]);
    expect((await host.client.listTools()).tools.map(({ name }) => name)).toEqual(['wipe', 'add', 'touch']);
    await host.call('touch', { uri: 'test://one' });
    await host.call('touch', { uri: 'test://two' });
    await expect.poll(host.uris).toEqual(['test://two']);
    // A shorter list would be looked at twice, in case the file is half written.
    replace(policy('other, none'));
    await expect.poll(host.methods).toEqual([TOOLS, UPDATED, TOOLS]);
    await host.call('touch', { uri: 'test://one' });
    await expect.poll(host.uris).toEqual(['test://two', 'test://one']);
  });
});

it('has the view of the URL that opened it', async () => {
  const { connect, replace } = await serving('http', 'legacy');
  const [all, reading] = [await connect(), await connect('?concerns=effect:read')];
  for (const { client } of [all, reading]) await client.listen({ toolsListChanged: true });
  replace(policy('wipe'));
  await expect.poll(all.methods).toEqual([TOOLS]);
  replace(policy('wipe, look'));
  await expect.poll(all.methods).toEqual([TOOLS, TOOLS]);
  await expect.poll(reading.methods).toEqual([TOOLS]);
});

it('ends with its answer when the endpoint ends', async () => {
  const { connect, running } = await serving('http', 'modern');
  const { closed } = await (await connect()).client.listen({ toolsListChanged: true });
  running?.child.kill('SIGTERM');
  expect(await closed).toBe('graceful');
});
