import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunction } from '../../../src/deploy/bundle.js';
import { readEndpoint } from '../../../src/deploy/read-endpoint.js';
import { httpEvent, rpc } from '../events.js';

const PACKAGE = '@modelcontextprotocol/server-everything';
const TARGET = 'build/lambda-several';
const folder = mkdtempSync(join(tmpdir(), 'several-'));
const policy = join(folder, 'policy.yaml');

/** A remote server that answers only with its key. */
const remote = createServer(async (request, response) => {
  if (request.headers['x-key'] !== 'of-docs') return void response.writeHead(401).end();
  const server = new McpServer({ name: 'docs', version: '1' });
  server.registerTool('search', {}, () => ({ content: [{ type: 'text', text: 'found' }] }));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as never);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length === 0 ? null : Buffer.concat(chunks);
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const method = request.method ?? 'POST';
  const answer = await transport.handleRequest(
    new Request('http://127.0.0.1/mcp', { method, headers, body }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});

beforeAll(async () => {
  await new Promise<void>((listening) => remote.listen(0, '127.0.0.1', listening));
  const { port } = remote.address() as AddressInfo;
  writeFileSync(
    policy,
    'version: 1\nconcerns: { effect: { values: [read-only, changes], match: at-most } }\n',
  );
  const servers = {
    one: { package: PACKAGE, arguments: ['stdio'] },
    two: { package: PACKAGE, arguments: ['stdio'], isolation: 'per-session' as const },
    docs: { url: `http://127.0.0.1:${port}/mcp`, headers: { 'X-Key': 'DOCS_KEY' } },
  };
  await bundleFunction({ policy, servers }, { target: TARGET });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await new Promise((closed) => remote.close(closed));
});

/** Runs the packaged function in a new process, with one event after the other. */
async function call(...bodies: object[]): Promise<{ result: Record<string, unknown> }[]> {
  const events = bodies.map((body) => httpEvent('POST', body));
  const program = `
    const { handler } = await import(${JSON.stringify(resolve(TARGET, 'index.mjs'))});
    const bodies = [];
    for (const event of ${JSON.stringify(events)}) bodies.push((await handler(event, { awsRequestId: 'one' })).body);
    process.stdout.write('\\n' + JSON.stringify(bodies) + '\\n', () => process.exit(0));`;
  const env = { PATH: process.env.PATH ?? '', DOCS_KEY: 'of-docs', MCP_CONCERNS_SESSIONS: 'none' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env,
  });
  const texts: string[] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  return texts.map((text) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text));
}

describe('a function in front of two packages and a remote server', () => {
  it('lists all of them, and calls each', async () => {
    const called = (name: string, given: object = {}) => rpc('tools/call', { name, arguments: given });
    const [listed, echoed, found] = await call(
      rpc('tools/list'),
      called('two__echo', { message: 'here' }),
      called('docs__search'),
    );
    const names = JSON.stringify(listed?.result.tools);
    for (const name of ['one__echo', 'two__echo', 'docs__search']) expect(names).toContain(`"${name}"`);
    expect(JSON.stringify(echoed?.result)).toContain('here');
    expect(JSON.stringify(found?.result)).toContain('found');
  });
});

describe('endpoint.yml with several servers', () => {
  const child = { package: PACKAGE };
  it.each([
    [{ servers: {} }, '"servers" is empty'],
    [{}, '"server" is missing'],
    [{ server: child, servers: { one: child } }, 'it has "server" and "servers"'],
    [{ servers: { 'My Server': child } }, 'the keys of "servers" must be at most 24 lower-case letters'],
    [{ servers: { one: child }, catalog: 'snapshot' }, '"catalog: snapshot" takes one server'],
    [
      { servers: { one: child, two: { ...child, isolation: 'per-request' } } },
      '"isolation: per-request" takes one package',
    ],
  ])('is refused as %j', (given, message) => {
    expect(() => readEndpoint({ policy: 'p.yaml', ...given }, 'endpoint.yml')).toThrow(message);
  });
});
