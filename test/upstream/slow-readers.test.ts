import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listenLocally } from '../../src/core/http/local.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createFunction } from '../../src/core/lambda/function.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { bridge, isolateUpstream } from '../../src/proxy/isolation.js';
import type { Isolation } from '../../src/proxy/options.js';
import { SessionProxy } from '../../src/proxy/sessions/session-proxy.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { policyOf } from '../gate/gate-harness.js';
import { httpEvent, rpc } from '../lambda/events.js';
import { PATIENCE } from '../patience.js';
import { begin, echo, readSlowly, stream } from './raw-client.js';

const CHILD = fileURLToPath(new URL('fixtures/streaming-child.mjs', import.meta.url));
const MEGABYTE = 1024 * 1024;
const STREAM = 50 * MEGABYTE;
/** What a pipe, two sockets and the endpoint itself hold of a stream that nobody reads. */
const HELD = 25 * MEGABYTE;
const policy = policyOf(`
concerns: { access: { values: [none, all], match: at-most, default: all } }
primitives: { tools: { echo: { access: all }, stream: { access: all } } }
`);

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A server whose child counts what it wrote. */
function streaming() {
  const file = join(mkdtempSync(join(tmpdir(), 'slow-')), 'parts');
  return {
    spawn: () => new ChildTransport(process.execPath, [CHILD, file]),
    written: () => (existsSync(file) ? statSync(file).size * 64 * 1024 : 0),
  };
}

async function serve(isolation: Isolation) {
  const { spawn, written } = streaming();
  const upstream = bridge(spawn, isolation);
  open.push(() => upstream.close());
  const server = () => upstream.connection();
  const proxy = new SessionProxy({ server, policy, store: createMemoryStore() });
  open.push(() => proxy.close());
  const endpoint = await listenLocally((request, given) => proxy.fetch(request, given), {});
  open.push(() => endpoint.close());
  return { url: endpoint.url, written };
}

async function library() {
  const { spawn, written } = streaming();
  const upstream = isolateUpstream(spawn, 'shared');
  open.push(() => upstream.close());
  const endpoint = await listenLocally(
    createHandler({ server: () => upstream.server(), policy, store: createMemoryStore() }),
    {},
  );
  open.push(() => endpoint.close());
  return { url: endpoint.url, written };
}

/** @returns what was written when nothing more is */
async function settled(written: () => number): Promise<number> {
  for (let before = -1; written() === 0 || written() > before; await sleep(600)) before = written();
  return written();
}

describe('a stream of 50 MB', () => {
  it('waits at the server while nobody reads it, and does not stop another request of its session', async () => {
    const endpoints = [
      await serve('per-session'),
      await serve('shared'),
      await serve('per-request'),
      await library(),
    ];
    await Promise.all(
      endpoints.map(async ({ url, written }) => {
        const session = await begin(url);
        const response = await stream(url, session, STREAM);
        response.on('error', () => undefined);
        expect(await settled(written)).toBeLessThan(HELD);
        expect(await echo(url, session, PATIENCE.wait)).toBeLessThan(PATIENCE.wait);
        response.destroy();
      }),
    );
  });

  it('arrives as a whole at a slow reader', async () => {
    const { url } = await serve('shared');
    const response = await stream(url, await begin(url), STREAM / 2);
    const { bytes, end } = await readSlowly(response, 2 * MEGABYTE, 50);
    expect(bytes).toBeGreaterThan(STREAM / 2);
    expect(end).toContain('complete');
  });

  it('waits at the server while Lambda does not read it', async () => {
    const sink = new Writable({ highWaterMark: 1, write: () => undefined });
    vi.stubGlobal('awslambda', {
      streamifyResponse: (handler: (event: object, sink: Writable, context: object) => Promise<void>) =>
        handler,
      HttpResponseStream: { from: () => sink },
    });
    const { spawn, written } = streaming();
    const upstream = isolateUpstream(spawn, 'shared');
    open.push(() => upstream.close());
    const handler = createFunction({
      policy,
      server: () => upstream.server(),
      response: 'stream',
      log: () => undefined,
      warn: () => undefined,
      env: { MCP_CONCERNS_SESSIONS: 'none' },
    }) as unknown as (event: object, sink: Writable, context: object) => Promise<void>;
    vi.unstubAllGlobals();
    const params = { name: 'stream', arguments: { bytes: STREAM }, _meta: { progressToken: 1 } };
    const running = handler(httpEvent('POST', rpc('tools/call', params)), sink, {
      getRemainingTimeInMillis: () => 20_000,
    });
    expect(await settled(written)).toBeLessThan(HELD);
    sink.destroy(new Error('The client is gone.'));
    await running;
  });
});
