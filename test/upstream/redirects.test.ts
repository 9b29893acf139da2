import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { bridge } from '../../src/proxy/isolation.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { policyOf } from '../gate/gate-harness.js';
import { type GuardedRemote, hostOf, startGuardedRemote } from './guarded-remote.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that redirects each POST to where `to` says, and answers what is not redirected as a guarded remote does. */
async function redirecting(
  remote: GuardedRemote,
  to: (path: string, body: string) => string | undefined,
  status = 308,
) {
  const arrived: Arrived[] = [];
  const server: Server = createServer(async (request, response) => {
    const path = request.url ?? '';
    let body = '';
    for await (const chunk of request) body += chunk;
    arrived.push({ path, headers: request.headers, body });
    const location = request.method === 'POST' ? to(path, body) : undefined;
    if (location !== undefined) return void response.writeHead(status, { location }).end('moved');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const answer = await fetch(remote.url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const session = answer.headers.get('mcp-session-id');
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      ...(session === null ? {} : { 'mcp-session-id': session }),
    });
    response.end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `${origin}/mcp`, arrived };
}

const SECRET = { 'x-api-key': 'the-key', authorization: 'Bearer the-token' };

/** Calls a tool through an endpoint in front of a URL. */
async function called(host: 'legacy' | 'modern', url: string): Promise<string> {
  const bridged = bridge(() => remoteTransport(url, SECRET), 'shared', { isLongLived: true });
  open.push(() => bridged.close());
  const policy = policyOf('concerns: {}');
  const post = await hostOf(
    host,
    createHandler({ server: (context) => bridged.make(context), policy, store: createMemoryStore() }),
  );
  return (await post('tools/call', { name: 'delete', arguments: { path: 'private' } })).text();
}

async function remoteOf(era: 'legacy' | 'modern'): Promise<GuardedRemote> {
  const remote = await startGuardedRemote(era);
  open.push(() => remote.close());
  return remote;
}

const CASES = (['legacy', 'modern'] as const).flatMap((host) =>
  (['legacy', 'modern'] as const).map((era) => ({ host, era })),
);

describe.each(CASES)('a $era server behind a $host host', ({ host, era }) => {
  it.each([307, 308])(
    'that redirects within its origin with %i is followed, with its headers',
    async (status) => {
      const remote = await remoteOf(era);
      const server = await redirecting(remote, (path) => (path === '/mcp' ? '/v2/mcp' : undefined), status);
      expect(await called(host, server.url)).toContain('deleted');
      const answered = server.arrived.filter(({ path }) => path === '/v2/mcp');
      expect(answered.some(({ body }) => body.includes('private'))).toBe(true);
      for (const { headers } of answered) expect(headers).toMatchObject(SECRET);
    },
  );

  it.each([301, 302, 303, 307, 308])(
    'that redirects elsewhere with %i is not followed, and its origin is named',
    async (status) => {
      const remote = await remoteOf(era);
      const elsewhere = await redirecting(remote, () => undefined);
      const server = await redirecting(remote, () => `${elsewhere.url}?token=t`, status);
      const text = await called(host, server.url);
      expect(text).toContain(`it redirects to ${new URL(elsewhere.url).origin}, which is not followed`);
      expect(text).not.toContain('token=t');
      // Neither the key nor the arguments arrive there, nor anything else.
      expect(elsewhere.arrived).toEqual([]);
    },
  );

  it('that redirects a call elsewhere only after it was opened is not followed', async () => {
    const remote = await remoteOf(era);
    const elsewhere = await redirecting(remote, () => undefined);
    const server = await redirecting(remote, (_path, body) =>
      body.includes('private') ? elsewhere.url : undefined,
    );
    expect(await called(host, server.url)).toContain('which is not followed');
    expect(server.arrived.filter(({ body }) => body.includes('private'))).toHaveLength(1);
    expect(elsewhere.arrived).toEqual([]);
  });

  it('that redirects without an end within its origin is followed five times', async () => {
    const remote = await remoteOf(era);
    const server = await redirecting(remote, (path) => `${path}x`);
    const text = await called(host, server.url);
    expect(text).toContain('it redirects more than 5 times');
    const longest = Math.max(...server.arrived.map(({ path }) => path.length));
    expect(longest).toBe('/mcp'.length + 5);
  });
});
