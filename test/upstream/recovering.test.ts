import { appendFileSync, existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { UpstreamEvent } from '../../src/core/telemetry/upstream-event.js';
import { isolateUpstream, shareUpstream } from '../../src/proxy/isolation.js';
import type { Isolation } from '../../src/proxy/options.js';
import { delayBefore } from '../../src/proxy/recovery.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { PATIENCE } from '../patience.js';
import { callAll, connect, countEvents } from './call-all.js';
import { type RemoteFault, startFaultyRemote } from './faulty-remote.js';

const CHILD = fileURLToPath(new URL('fixtures/faulty-child.mjs', import.meta.url));
const LIMITS = { startMs: 1000, silenceMs: 900 };
const SILENCE_MS = new Map([
  ['hang-later', 200],
  ['hang-at-initialize', LIMITS.silenceMs],
]);
const CALLS = { clients: 5, calls: 200, patienceMs: PATIENCE.wait };

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of open.splice(0).reverse()) await close();
});

function childUpstream(fault: string, isolation: Isolation = 'shared', after = '50') {
  const starts = join(mkdtempSync(join(tmpdir(), 'faulty-')), 'starts');
  const events: UpstreamEvent[] = [];
  const children: ChildTransport[] = [];
  const upstream = isolateUpstream(
    () => {
      const child = new ChildTransport(process.execPath, [CHILD, fault, starts, after]);
      children.push(child);
      return child;
    },
    isolation,
    // On a busy machine, Node.js needs more than a second to start, and a server that answers is silent for a second.
    {
      startMs: fault === 'hang-at-initialize' ? LIMITS.startMs : PATIENCE.wait,
      silenceMs: SILENCE_MS.get(fault) ?? PATIENCE.wait,
      report: (event) => void events.push(event),
    },
  );
  open.push(() => upstream.close());
  return { upstream, events, children, starts };
}

async function remoteUpstream(fault: RemoteFault) {
  const server = await startFaultyRemote(fault);
  open.push(() => server.close());
  const events: UpstreamEvent[] = [];
  const report = (event: UpstreamEvent): void => void events.push(event);
  const limits = fault === 'nothing' ? LIMITS : { startMs: PATIENCE.wait, silenceMs: PATIENCE.wait };
  const upstream = shareUpstream(() => remoteTransport(server.url), { ...limits, report });
  open.push(() => upstream.close());
  return { server, upstream, events };
}

const result = async (upstream: Parameters<typeof connect>[0], n: number) =>
  (await connect(upstream))(n, PATIENCE.wait);

describe('a remote server', () => {
  it('that forgets its session is initialized again, and no call fails', async () => {
    const { server, upstream, events } = await remoteUpstream('forgets');
    expect(await callAll(upstream, CALLS)).toMatchObject({
      answered: 200,
      failed: 0,
      unanswered: 0,
      wrong: 0,
    });
    expect(server.sessions()).toBeGreaterThan(5);
    const { failures, withoutReason, restarts, reasons } = countEvents(events);
    expect([failures, withoutReason]).toEqual([restarts, 0]);
    expect(reasons).toEqual(['it does not know the session any more (HTTP 404)']);
  });

  it('that restarts is used again', async () => {
    const { server, upstream } = await remoteUpstream('restarts');
    expect(await result(upstream, 1)).toHaveProperty('result');
    await server.restart();
    expect(await result(upstream, 2)).toHaveProperty('result');
    expect(server.sessions()).toBe(2);
  });

  it.each([
    ['500', 'it answered HTTP 500 (tools/call)', 'may have run'],
    ['half', 'its response ended before the answer (tools/call)', 'may have run'],
  ] as const)('that answers %s fails these calls only', async (fault, reason, advice) => {
    const { upstream, events } = await remoteUpstream(fault);
    const counts = await callAll(upstream, CALLS);
    expect(counts).toMatchObject({ unanswered: 0, wrong: 0 });
    expect(counts.failed).toBeGreaterThan(10);
    expect(counts.answered).toBeGreaterThan(150);
    expect(countEvents(events)).toMatchObject({ failures: counts.failed, reasons: [reason] });
    for (const error of counts.errors) expect(error).toContain(advice);
  });

  it.each(['404', 'nothing'] as const)('that answers %s for a time is used again', async (fault) => {
    const { server, upstream, events } = await remoteUpstream(fault);
    expect(await result(upstream, 1)).toHaveProperty('error');
    server.failing = false;
    expect(await result(upstream, 2)).toHaveProperty('result');
    expect(countEvents(events)).toMatchObject({ withoutReason: 0 });
  });
});

describe('a child process', () => {
  it('that ends at its start is started again by the next call, and operators get its last words', async () => {
    const { upstream, events } = childUpstream('exit-at-start');
    const first = await result(upstream, 1);
    expect(first).toMatchObject({ error: { message: expect.stringContaining('it ended with exit code 1') } });
    expect(JSON.stringify(first)).not.toContain('API_KEY');
    expect(await result(upstream, 2)).toHaveProperty('result');
    expect(events.filter(({ state }) => state !== undefined).map(({ state }) => state)).toEqual([
      'connecting',
      'failed',
      'restarting',
      'ready',
    ]);
    expect(events).toContainEqual({ upstream: 'upstream', stderr: 'FATAL: API_KEY is not set' });
  });

  it.each([
    ['exit-mid-call', 'it ended with exit code 3'],
    // A call is waited for five times as long: 1 s. A server at work would have 6 s.
    ['hang-later', /^it sent nothing for [1-5] s, and did not answer a ping$/],
  ])('with the fault %s is replaced, and each call is answered', async (fault, reason) => {
    const { upstream, events } = childUpstream(fault);
    const counts = await callAll(upstream, CALLS);
    expect(counts).toMatchObject({ unanswered: 0, wrong: 0 });
    expect(counts.answered).toBeGreaterThan(100);
    const { failures, restarts, reasons } = countEvents(events);
    expect(failures).toBeGreaterThan(1);
    expect(restarts).toBeGreaterThanOrEqual(failures - 1);
    for (const each of reasons) expect(each).toMatch(reason);
  });

  it('that hangs in initialize is replaced', async () => {
    const { upstream, starts } = childUpstream('hang-at-initialize');
    // Its time is over when it has started, however long that takes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const first = result(upstream, 1);
    await expect.poll(() => existsSync(starts)).toBe(true);
    vi.advanceTimersByTime(LIMITS.startMs);
    expect(await first).toMatchObject({
      error: { message: expect.stringContaining('did not initialize within 1 s') },
    });
    expect(await result(upstream, 2)).toHaveProperty('result');
  });

  it('that floods stdout and stderr answers, and few of its lines are reported', async () => {
    const { upstream, events } = childUpstream('flood');
    expect(await callAll(upstream, CALLS)).toMatchObject({ answered: 200 });
    expect(countEvents(events).stderr).toBeLessThanOrEqual(51);
  });

  it('is told that a request was cancelled, and the request is forgotten', async () => {
    const { upstream } = childUpstream('hang-later', 'shared', '1');
    const server = upstream.server();
    const sent: unknown[] = [];
    const client = {
      onmessage: undefined as ((message: never) => void) | undefined,
      start: async () => undefined,
      close: async () => undefined,
      send: async (message: unknown) => void sent.push(message),
    };
    await server.connect(client as never);
    client.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } } as never);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await server.close();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(sent).toEqual([]);
  });
});

describe('a request that ends the server each time', () => {
  const ask = async (
    upstream: ReturnType<typeof childUpstream>['upstream'],
    method: string,
    params: object,
  ) => {
    const server = upstream.server();
    const answer = new Promise<unknown>((resolve) => {
      const client = {
        onmessage: undefined as ((message: never) => void) | undefined,
        start: async () => undefined,
        close: async () => undefined,
        send: async (message: unknown) => resolve(message),
      };
      void server
        .connect(client as never)
        .then(() => client.onmessage?.({ jsonrpc: '2.0', id: 1, method, params } as never));
    });
    return answer;
  };

  it.each([
    ['tools/call', { name: 'poison' }, 1],
    ['resources/read', { uri: 'poison:' }, 2],
  ] as const)(
    '%s %j is delivered at most %i times, and the server answers the next request',
    async (method, params, times) => {
      const { upstream, events, starts } = childUpstream('poison');
      expect(await result(upstream, 1)).toHaveProperty('result');
      expect(await ask(upstream, method, params)).toMatchObject({
        error: { message: expect.stringContaining('it ended with exit code 1') },
      });
      expect(await result(upstream, 2)).toHaveProperty('result');
      expect(statSync(`${starts}.poison`).size).toBe(times);
      expect(countEvents(events)).toMatchObject({ failures: times, restarts: times });
    },
  );

  it('does not take other requests with it', async () => {
    const { upstream, starts } = childUpstream('poison');
    expect(await result(upstream, 0)).toHaveProperty('result');
    const poison = Array.from({ length: 3 }, () => ask(upstream, 'tools/call', { name: 'poison' }));
    const lists = Array.from({ length: 20 }, () => ask(upstream, 'tools/list', {}));
    for (const list of await Promise.all(lists)) expect(list).toHaveProperty('result');
    for (const answer of await Promise.all(poison)) expect(answer).toHaveProperty('error');
    expect(statSync(`${starts}.poison`).size).toBeLessThanOrEqual(3);
  });
});

describe('isolation', () => {
  it.each([
    ['shared', 1],
    ['per-session', 2],
    ['per-request', 4],
  ] as const)('%s starts %i processes for two requests of two sessions', async (isolation, count) => {
    const { upstream, children, starts } = childUpstream('none', isolation);
    appendFileSync(starts, '');
    for (const id of ['a', 'b', 'a', 'b']) {
      const request = new Request('http://localhost/mcp', { headers: { 'mcp-session-id': id } });
      expect(await result({ ...upstream, server: () => upstream.server(request) }, 1)).toHaveProperty(
        'result',
      );
    }
    expect(children).toHaveLength(count);
  });

  it('per-session keeps apart two callers that send the same session id', async () => {
    const { upstream, children } = childUpstream('none', 'per-session');
    const request = new Request('http://localhost/mcp', { headers: { 'mcp-session-id': 'a' } });
    for (const sub of ['ada', 'bob']) {
      const authInfo = { token: '', clientId: '', scopes: [], extra: { sub } };
      const server = () => upstream.server(request, { authInfo });
      expect(await result({ ...upstream, server }, 1)).toHaveProperty('result');
    }
    expect(children).toHaveLength(2);
  });
});

it('a server is opened again at once after its first failure, and never waited for longer than two seconds', () => {
  fc.assert(
    fc.property(fc.nat(), (failures) => {
      expect(delayBefore(failures)).toBeLessThanOrEqual(2000);
      expect(delayBefore(failures) === 0).toBe(failures <= 1);
    }),
  );
});
