import { afterEach, describe, expect, it } from 'vitest';
import type { FetchHandler } from '../../src/http/fetch-handler.js';
import { createHandler as createHandlerV1 } from '../../src/http/sdk-v1.js';
import { createHandler } from '../../src/http/sdk-v2.js';
import { createMemoryStore } from '../../src/session/memory.js';
import { bridge } from '../../src/upstream/isolation.js';
import { proxySessions } from '../../src/upstream/sessions.js';
import { remoteTransport } from '../../src/upstream/wires/remote.js';
import { policyOf } from '../gate/gate-harness.js';
import { GUARDS, type GuardedRemote, hostOf, INITIALIZE, startGuardedRemote } from './guarded-remote.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const policies = {
  advisory: policyOf('concerns: {}'),
  enforce: policyOf(
    'concerns: { effect: { values: [read, write], match: at-most } }\nsettings: { enforcement: enforce }',
  ),
};

type Front = 'sdk-v1' | 'sdk-v2' | 'sessions';

/** An endpoint in front of a remote server. */
function endpoint(front: Front, remote: GuardedRemote, mode: keyof typeof policies): FetchHandler {
  const policy = policies[mode];
  const bridged = bridge(() => remoteTransport(remote.url), 'per-session', {
    isLongLived: true,
    isOfOnePerson: true,
  });
  open.push(() => bridged.close());
  if (front === 'sdk-v2') {
    return createHandler({ server: (context) => bridged.make(context), policy, store: createMemoryStore() });
  }
  if (front === 'sdk-v1') {
    return createHandlerV1({
      server: (request, given) => bridged.server(request, given),
      policy,
      store: createMemoryStore(),
    });
  }
  const proxy = proxySessions({ server: () => bridged.connection(), policy, store: createMemoryStore() });
  open.push(() => proxy.close());
  // With the secret of a user, sessions go on after a restart.
  return (request) => proxy.fetch(request, { sessionSecret: 'secret' });
}

const HOSTS = [
  ['legacy', 'sdk-v1'],
  ['legacy', 'sdk-v2'],
  ['legacy', 'sessions'],
  ['modern', 'sdk-v2'],
] as const;
const CASES = HOSTS.flatMap(([host, front]) =>
  (['legacy', 'modern'] as const).flatMap((server) =>
    (['advisory', 'enforce'] as const).map((mode) => ({ host, front, server, mode })),
  ),
);

describe.each(CASES)('a $host host of $front in front of a $server server, $mode', (each) => {
  it.each(GUARDS)('learns from HTTP $status that a call is refused, and what to send', async (guard) => {
    const remote = await startGuardedRemote(each.server);
    open.push(() => remote.close());
    const post = await hostOf(each.host, endpoint(each.front, remote, each.mode));
    const before = await post('tools/call', { name: 'delete' });
    expect(await before.text()).toContain('deleted');
    remote.guarded.set('tools/call', guard);
    const response = await post('tools/call', { name: 'delete' });
    expect(response.status).toBe(guard.status);
    expect(response.headers.get('www-authenticate')).toBe(guard.challenge);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error).toMatchObject({
      code: -32603,
      message: expect.stringContaining(`HTTP ${guard.status}`),
      data: { status: guard.status, wwwAuthenticate: guard.challenge },
    });
    // A server that refuses a caller has not run the call.
    expect(error.message).not.toContain('may have run');
    remote.guarded.clear();
    const after = await post('tools/call', { name: 'delete' });
    expect(after.status).toBe(200);
    expect(await after.text()).toContain('deleted');
  });

  it('learns it of a list too', async () => {
    const remote = await startGuardedRemote(each.server);
    open.push(() => remote.close());
    const post = await hostOf(each.host, endpoint(each.front, remote, each.mode));
    const [guard] = GUARDS;
    remote.guarded.set('tools/list', guard);
    const response = await post('tools/list');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(guard.challenge);
    expect(await response.json()).toMatchObject({ error: { data: { status: 401 } } });
    // The server was asked once: the same caller is refused again.
    expect(remote.refusals).toBe(1);
  });
});

const [login] = GUARDS;

it('a host that begins a session learns that the server demands a login, and so does one that continues its session', async () => {
  const remote = await startGuardedRemote('legacy');
  open.push(() => remote.close());
  let handle = endpoint('sessions', remote, 'advisory');
  const post = await hostOf('legacy', (request) => handle(request));
  for (const method of ['initialize', 'server/discover']) remote.guarded.set(method, login);
  // As after a restart of the endpoint.
  handle = endpoint('sessions', remote, 'advisory');
  for (const method of ['initialize', 'tools/list']) {
    const response = await post(method, method === 'initialize' ? INITIALIZE : {});
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(login.challenge);
  }
});

it('a host that leaves before the first message of a call cancels it', async () => {
  const remote = await startGuardedRemote('legacy');
  open.push(() => remote.close());
  const proxied = endpoint('sessions', remote, 'advisory');
  const leaving = new AbortController();
  let signal: AbortSignal | undefined;
  const post = await hostOf('legacy', (request) => proxied(new Request(request, { signal: signal ?? null })));
  signal = leaving.signal;
  remote.holds = () => leaving.abort();
  await post('tools/call', { name: 'delete' });
  while (!remote.received.includes('notifications/cancelled')) await remote.next();
});
