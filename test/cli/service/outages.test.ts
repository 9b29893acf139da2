import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { freePort, REDIS, startRedis, WITHOUT_REDIS } from '../../session/redis-server.js';
import {
  afterTest,
  begin,
  listening,
  post,
  type Service,
  send,
  startService,
  startServiceWith,
} from './service.js';

const SERVER = fileURLToPath(new URL('../fixtures/operations-server.mjs', import.meta.url));
const POLICY =
  'version: 1\nconcerns: { effect: { values: [read, write], match: at-most } }\nprimitives: { tools: { wipe: { effect: write } } }\n';
const SECRET = { MCP_CONCERNS_SESSION_SECRET: 's'.repeat(32) };
const OPEN = ['--host', '0.0.0.0', '--open', '--isolation', 'shared'];
const BEHIND = ['--', process.execPath, SERVER];

interface Counted extends Service {
  readonly path: string;
  /** What moved since the last call, without what only grows with use. */
  moved(): Promise<readonly string[]>;
}

const CAUSES =
  /^mcp_(request_errors|requests_degraded|tool_errors|policy_failures|upstream_failures)_total (\d+)/gm;

async function start(environment: Record<string, string>, ...args: string[]): Promise<Counted> {
  const path = join(mkdtempSync(join(tmpdir(), 'outages-')), 'policy.yaml');
  writeFileSync(path, POLICY);
  const port = await freePort();
  const options = [...OPEN, '--metrics', String(port), ...args];
  const started = startServiceWith(
    path,
    environment,
    options.includes('--') ? options : [...options, ...BEHIND],
  );
  const service = await listening(started);
  let before = new Map<string, number>();
  const moved = async (): Promise<readonly string[]> => {
    const { text } = await send(`http://127.0.0.1:${port}/metrics`, 'GET');
    const now = new Map([...text.matchAll(CAUSES)].map(([, name = '', value]) => [name, Number(value)]));
    const names = [...now].filter(([name, value]) => value > (before.get(name) ?? 0)).map(([name]) => name);
    before = now;
    return names;
  };
  return { ...service, path, moved };
}

/** Requests of a minute, with a session that began before the outage. */
async function use({ url }: Service, session: Record<string, string>): Promise<void> {
  for (const method of ['tools/list', 'tools/call', 'tools/list'])
    await post(url, session, method, method === 'tools/call' ? { name: 'look', arguments: {} } : {});
}

/** A proxy in front of Redis that can stop to answer. */
async function proxyTo(port: number) {
  const sockets = new Set<Socket>();
  let isHanging = false;
  const server = createServer((client) => {
    sockets.add(client);
    const inner = connect(port, '127.0.0.1');
    client.on('data', (data) => isHanging || inner.write(data));
    inner.on('data', (data) => isHanging || client.write(data));
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  afterTest(async () => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hang: () => {
      isHanging = true;
    },
  };
}

describe('an outage of serve moves the counter of one cause', () => {
  it('none without an outage', async () => {
    const service = await start({});
    await use(service, await begin(service.url, {}));
    expect(await service.moved()).toEqual([]);
  });

  it('the server behind it fails', async () => {
    const service = await start({});
    const session = await begin(service.url, {});
    await post(service.url, session, 'tools/call', { name: 'broken', arguments: {} });
    expect(await service.moved()).toEqual(['request_errors']);
    await post(service.url, session, 'tools/call', { name: 'fail', arguments: {} });
    expect(await service.moved()).toEqual(['tool_errors']);
  });

  it('no session is left', async () => {
    const service = await start({}, '--sessions', '1');
    // Sessions that were just used end for others only a few times.
    for (let turn = 0; turn < 12; turn++) await begin(service.url, {}).catch(() => undefined);
    expect(await service.moved()).toEqual(['request_errors']);
    const [line] = (await service.until('stderr', /"status":503/))
      .split('\n')
      .filter((each) => each.includes('"status":503'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'WARN', message: 'request', httpMethod: 'POST' });
  });

  it('a saved policy cannot be used', async () => {
    const service = await start({});
    writeFileSync(service.path, `${POLICY}rules: nothing\n`);
    const text = await service.until('stderr', /"policy kept".*\n/);
    expect(await service.moved()).toEqual(['policy_failures']);
    const line = JSON.parse(text.split('\n').find((each) => each.includes('policy kept')) ?? '');
    expect(line).toMatchObject({
      level: 'WARN',
      policy: expect.stringMatching(/^[0-9a-f]{32}$/),
      ageSeconds: expect.any(Number),
    });
    expect(line.error.message).toMatch(/policy\.yaml:\d+: /);
    expect(line.error.message).not.toContain('\n');
  });
});

describe.skipIf(REDIS === undefined)(`an outage of Redis (${WITHOUT_REDIS})`, () => {
  it('that does not answer counts as degraded, and says why', async () => {
    const redis = await startRedis();
    afterTest(() => redis.close());
    const proxy = await proxyTo(Number(new URL(redis.url).port));
    const service = await start(SECRET, '--sessions-store', proxy.url);
    const session = await begin(service.url, {}, { effect: 'read' });
    await use(service, session);
    expect(await service.moved()).toEqual([]);
    proxy.hang();
    await use(service, session);
    expect(await service.moved()).toEqual(['requests_degraded']);
    const text = await service.until('stderr', /storeFailures.*\n/);
    const line = JSON.parse(text.split('\n').find((each) => each.includes('storeFailures')) ?? '');
    expect(line).toMatchObject({
      level: 'WARN',
      session: expect.any(String),
      storeFailures: expect.arrayContaining([expect.any(String)]),
    });
    // The host waited for the store before the gate had the request.
    expect(line.durationMs).toBeGreaterThanOrEqual(line.storeMs - 1);
    expect(line.storeMs).toBeGreaterThan(700);
  });

  it('that denies its user counts as degraded, and says why', async () => {
    const redis = await startRedis();
    afterTest(() => redis.close());
    const service = await start(SECRET, '--sessions-store', redis.url);
    const session = await begin(service.url, {}, { effect: 'read' });
    await use(service, session);
    expect(await service.moved()).toEqual([]);
    await redis.deny();
    await use(service, session);
    expect(await service.moved()).toEqual(['requests_degraded']);
    const text = await service.until('stderr', /storeFailures.*\n/);
    const line = JSON.parse(text.split('\n').find((each) => each.includes('storeFailures')) ?? '');
    expect(line).toMatchObject({ level: 'WARN', storeFailures: expect.arrayContaining(['NOPERM']) });
    // A refused write changes nothing, and the host is told so.
    const answered = await post(service.url, session, 'updateConcerns', { concerns: { effect: 'write' } });
    expect(JSON.stringify(answered)).toMatch(/[Nn]othing (was )?changed/);
  });

  it('that has forgotten everything counts as degraded', async () => {
    const redis = await startRedis();
    afterTest(() => redis.close());
    const service = await start(SECRET, '--sessions-store', redis.url);
    const session = await begin(service.url, {}, { effect: 'read' });
    await redis.empty();
    expect((await post(service.url, session, 'tools/list')).status).toBe(404);
    expect(await service.moved()).toEqual(['requests_degraded']);
  });
});

describe('--metrics', () => {
  it('has the digest of the policy, the durations and what was hidden, and no name of a client', async () => {
    const port = await freePort();
    const service = await listening(startService({}, ...OPEN, '--metrics', String(port)));
    const session = await begin(service.url, {}, { access: 'none' }, 'M4RK3R');
    await post(service.url, session, 'tools/list');
    await post(service.url, session, 'tools/call', { name: 'M4RK3R', arguments: {} });
    const { text, headers } = await send(`http://127.0.0.1:${port}/metrics`, 'GET');
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^mcp_policy_info\{digest="[0-9a-f]{32}",label=""\} 1$/m);
    expect(text).toMatch(/^mcp_primitives_hidden_by_total\{by="concern",name="access"\} 1$/m);
    expect(text).toMatch(/^mcp_server_operation_duration_seconds_count 3$/m);
    expect(text).not.toContain('M4RK3R');
    expect((await send(`http://127.0.0.1:${port}/`, 'GET')).status).toBe(404);
  });

  it('on a port that is in use ends before anything listens', async () => {
    const port = await freePort();
    const one = await listening(startService({}, ...OPEN, '--metrics', String(port)));
    const { code, stdout, stderr } = await startService({}, ...OPEN, '--metrics', String(port)).ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`Port ${port} cannot be used for --metrics (EADDRINUSE). Choose another port`);
    one.child.kill('SIGTERM');
    expect((await one.ended).code).toBe(0);
  });

  it.each([
    ['--metrics', '9464'],
    ['--log', 'json'],
  ])('%s is refused over stdio', async (...option) => {
    const { code, stderr } = await startService({}, '--stdio', ...option).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('need HTTP')]);
  });
});

describe('SIGHUP', () => {
  it('lets a service look at its policy and go on', async () => {
    const service = await start({});
    writeFileSync(service.path, POLICY.replace('wipe', 'look'));
    service.child.kill('SIGHUP');
    await service.until('stderr', /"policy replaced".*\n/);
    const list = await post(service.url, await begin(service.url, {}, { effect: 'read' }), 'tools/list');
    expect(list.text).not.toContain('"look"');
    service.child.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);
  });
});
