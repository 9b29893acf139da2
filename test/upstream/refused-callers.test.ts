import { afterEach, describe, expect, it } from 'vitest';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler as createHandlerV1 } from '../../src/core/http/sdk-v1.js';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { type Bridge, bridge } from '../../src/proxy/isolation.js';
import { SessionProxy } from '../../src/proxy/sessions/session-proxy.js';
import { bridgeSeveral } from '../../src/proxy/several/bridge-several.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
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

const OPTIONS = { isLongLived: true, isOfOnePerson: true } as const;

/** An endpoint in front of a remote server. */
const endpoint = (front: Front, remote: GuardedRemote, mode: keyof typeof policies): FetchHandler =>
  endpointTo(
    front,
    bridge(() => remoteTransport(remote.url), 'per-session', OPTIONS),
    mode,
  );

/** An endpoint in front of the servers `one` and `two`. */
function severalEndpoint(
  front: Front,
  remotes: readonly GuardedRemote[],
  mode: keyof typeof policies,
): FetchHandler {
  const openers = new Map(
    ['one', 'two'].map((slug, at) => [slug, () => remoteTransport(remotes[at]?.url ?? '')]),
  );
  return endpointTo(front, bridgeSeveral(openers, 'per-session', OPTIONS), mode);
}

function endpointTo(front: Front, bridged: Bridge, mode: keyof typeof policies): FetchHandler {
  const policy = policies[mode];
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
  const proxy = new SessionProxy({ server: () => bridged.connection(), policy, store: createMemoryStore() });
  open.push(() => proxy.close());
  // With the secret of a user, sessions go on after a restart.
  return (request, given) => proxy.fetch(request, { ...given, sessionSecret: 'secret' });
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

it('a host of 2025-11-25 that leaves before the first message of a call has not cancelled it', async () => {
  const remote = await startGuardedRemote('legacy');
  open.push(() => remote.close());
  const proxied = endpoint('sessions', remote, 'advisory');
  const leaving = new AbortController();
  let signal: AbortSignal | undefined;
  const post = await hostOf('legacy', (request) => proxied(new Request(request, { signal: signal ?? null })));
  signal = leaving.signal;
  remote.holds = () => leaving.abort();
  await post('tools/call', { name: 'delete' });
  signal = undefined;
  // The session goes on, and what the host sends next reaches the server after a cancellation would have.
  remote.holds = undefined;
  await post('tools/list');
  expect(remote.received).toContain('tools/list');
  expect(remote.received).not.toContain('notifications/cancelled');
});

/** The challenge of one server must reach no host of the endpoint, in whatever form. */
async function expectInside(response: Response, slug?: string): Promise<void> {
  expect(response.status).toBe(200);
  expect(response.headers.get('www-authenticate')).toBeNull();
  const text = await response.text();
  const message = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as { error: { message: string } };
  expect(message.error).toMatchObject({ code: -32603, data: { status: 401 } });
  if (slug !== undefined) expect(message.error.message).toMatch(new RegExp(`^${slug}: `));
  expect(message.error.message).toContain('HTTP 401');
  expect(text).not.toContain('server.example');
}

describe.each(CASES)(
  'a $host host of $front in front of two $server servers, $mode',
  ({ host, front, server, mode }) => {
    it('gets the refusal of one server as an error of its call, and the answers of the other', async () => {
      const remotes = [await startGuardedRemote(server), await startGuardedRemote(server)];
      for (const remote of remotes) open.push(() => remote.close());
      const post = await hostOf(host, severalEndpoint(front, remotes, mode));
      for (const [own, other, remote] of [
        ['one', 'two', remotes[0]],
        ['two', 'one', remotes[1]],
      ] as const) {
        remote?.guarded.set('tools/call', login);
        await expectInside(await post('tools/call', { name: `${own}__delete` }), own);
        const answered = await post('tools/call', { name: `${other}__delete` });
        expect(answered.status).toBe(200);
        expect(await answered.text()).toContain('deleted');
        remote?.guarded.clear();
      }
      remotes[0]?.guarded.set('tools/list', login);
      const listed = await post('tools/list');
      expect([listed.status, listed.headers.get('www-authenticate')]).toEqual([200, null]);
      const text = await listed.text();
      expect(text).toContain('"two__delete"');
      expect(text).not.toContain('server.example');
    });

    it('is not asked to log in by two servers that both refuse it', async () => {
      const remotes = [await startGuardedRemote(server), await startGuardedRemote(server)];
      for (const remote of remotes) open.push(() => remote.close());
      const post = await hostOf(host, severalEndpoint(front, remotes, mode));
      for (const remote of remotes) remote.guarded.set('tools/list', login);
      const response = await post('tools/list');
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([200, null]);
      expect(await response.text()).not.toContain('server.example');
    });
  },
);

describe.each(CASES)(
  'a verified caller with a $host host of $front in front of a $server server, $mode',
  (each) => {
    it('is not asked to log in anywhere but at the issuer of the endpoint', async () => {
      const remote = await startGuardedRemote(each.server);
      open.push(() => remote.close());
      const inside = endpoint(each.front, remote, each.mode);
      // As `serve --issuer` and requireLogin do after they verified the token.
      const authInfo = {
        token: 't',
        clientId: 'c',
        scopes: [],
        extra: { iss: 'https://own.example', sub: 'alice' },
      };
      const post = await hostOf(each.host, (request) => inside(request, { authInfo }));
      expect(await (await post('tools/call', { name: 'delete' })).text()).toContain('deleted');
      for (const method of ['tools/call', 'tools/list']) remote.guarded.set(method, login);
      await expectInside(await post('tools/call', { name: 'delete' }));
      await expectInside(await post('tools/list'));
      // Servers can write the challenge into the answers that they give, too.
      remote.guarded.clear();
      remote.result = {
        content: [],
        isError: true,
        _meta: { 'mcp/www_authenticate': [login.challenge], other: 1 },
      };
      const demanded = await (await post('tools/call', { name: 'delete' })).text();
      expect(demanded).toContain('"other":1');
      expect(demanded).not.toContain('server.example');
    });
  },
);
