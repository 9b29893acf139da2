import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startFaultyRemote } from '../../upstream/faulty-remote.js';
import { afterTest, BEARER, begin, callModern, KEY, post, send, serve, startService } from './service.js';

const MANY = { MCP_CONCERNS_ENDPOINT_KEY: KEY };
const PUBLIC = ['--host', '0.0.0.0', '--allow-host', 'mcp.example'];
const OPEN = [...PUBLIC, '--open'];

describe('serve on an address that others reach', () => {
  it('requires the key of the endpoint as a bearer token', async () => {
    const { url, until } = await serve(MANY, ...PUBLIC);
    expect(url.pathname).toBe('/mcp');
    for (const headers of [{}, { authorization: `Bearer ${KEY}x` }, { authorization: KEY }]) {
      const refused = await post(url, headers, 'ping');
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    }
    const list = await post(url, await begin(url, BEARER), 'tools/list');
    expect([list.status, list.text]).toEqual([200, expect.stringContaining('"echo"')]);
    expect(await until('stdout', /to stop/)).not.toContain(KEY);
  });

  it('makes a key of the user without one in the environment, and does not print it', async () => {
    const { url, until } = await serve({}, ...PUBLIC);
    expect((await post(url, {}, 'ping')).status).toBe(401);
    expect(await until('stdout', /to stop/)).toMatch(/Callers need .* with the key in .*endpoint-key\./);
  });

  it('needs no key with --open', async () => {
    const { url } = await serve({}, ...OPEN);
    expect((await post(url, await begin(url, {}), 'tools/list')).status).toBe(200);
  });

  it('accepts only its own names in Host and Origin, with any port', async () => {
    const { url } = await serve({}, ...OPEN);
    const status = async (headers: Record<string, string>) => (await post(url, headers, 'ping')).status;
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ host: 'mcp.example.evil.example' })).toBe(403);
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    // What gets through is refused only for its missing session.
    expect(await status({ host: 'mcp.example' })).toBe(400);
    expect(await status({ host: 'mcp.example:443', origin: 'https://mcp.example' })).toBe(400);
  });

  it('says that it is one process, and 404 for a session of another', async () => {
    const one = await serve({}, ...OPEN);
    expect(await one.until('stderr', /one process/)).toContain('--sessions-store');
    const session = await begin(one.url, {});
    const other = await serve({}, ...OPEN);
    expect((await post(other.url, session, 'tools/list')).status).toBe(404);
  });

  it('has no page with switches', async () => {
    const { url } = await serve({}, ...OPEN);
    expect((await send(new URL('/panel', url), 'GET')).status).toBe(404);
  });

  it('shares no process among callers of 2026-07-28 whom nothing tells apart', async () => {
    const { url } = await serve({}, ...OPEN);
    const pids = await Promise.all([callModern(url, {}, 'pid'), callModern(url, {}, 'pid')]);
    const [first, second] = pids.map(({ text }) => /"text":"(\d+)"/.exec(text)?.[1]);
    expect(first).toMatch(/^\d+$/);
    expect(second).toMatch(/^\d+$/);
    expect(first).not.toBe(second);
  });
});

describe('the probes of a platform', () => {
  it('are answered without the name and the key of the endpoint', async () => {
    const { url } = await serve(MANY, ...PUBLIC);
    for (const path of ['/healthz', '/readyz']) {
      const { status, text } = await send(new URL(path, url), 'GET', { host: '10.0.0.7:8808' });
      expect([path, status, text]).toEqual([path, 200, 'ok\n']);
    }
  });

  it('say when the server behind is down, and when it is back', async () => {
    const remote = await startFaultyRemote('500');
    const { url } = await serve({}, ...OPEN, '--url', remote.url);
    const ready = async () => (await send(new URL('/readyz', url), 'GET')).status;
    expect(await ready()).toBe(200);
    await remote.close();
    expect(await ready()).toBe(503);
    expect((await send(new URL('/healthz', url), 'GET')).status).toBe(200);
    await remote.restart();
    afterTest(() => remote.close());
    await expect.poll(ready).toBe(200);
  });

  it('are answered also if the server behind was down at the start', async () => {
    const remote = await startFaultyRemote('500');
    await remote.close();
    const { url } = await serve({}, ...OPEN, '--url', remote.url);
    expect((await send(new URL('/readyz', url), 'GET')).status).toBe(503);
    await remote.restart();
    afterTest(() => remote.close());
    const list = async () => (await post(url, await begin(url, {}), 'tools/list')).text;
    await expect.poll(() => list().catch(String)).toContain('"echo"');
  });
});

describe('SIGTERM', () => {
  it('lets a call finish, begins no session, is not ready, and exits with 0', async () => {
    const { url, child, ended, starts } = await serve({}, ...OPEN);
    const session = await begin(url, {});
    const call = post(url, session, 'tools/call', { name: 'wait', arguments: { n: 600_000 } });
    await expect.poll(() => existsSync(`${starts}.waiting`)).toBe(true);
    child.kill('SIGTERM');
    await expect.poll(async () => (await send(new URL('/readyz', url), 'GET')).status).toBe(503);
    const begun = await post(url, {}, 'initialize');
    expect([begun.status, begun.headers['retry-after']]).toEqual([503, '5']);
    expect((await send(new URL('/healthz', url), 'GET')).status).toBe(200);
    writeFileSync(`${starts}.go`, '');
    expect(await call).toMatchObject({ status: 200, text: expect.stringContaining('"600000"') });
    expect((await ended).code).toBe(0);
  });
});

describe('options that contradict each other', () => {
  it.each([
    [['--host', '0.0.0.0', '--stdio'], 'need HTTP'],
    [['--issuer', 'https://login.example'], 'needs --audience'],
    [['--issuer', 'http://login.example', '--audience', 'a'], 'takes a URL with https'],
    [['--issuer', 'https://login.example', '--audience', 'a', '--open'], 'not both'],
    [['--allow-host', 'https://mcp.example'], 'takes a host name'],
    [['--sessions-store', 'memcached://x'], 'takes redis://HOST'],
  ])('%j are refused', async (args, message) => {
    const { code, stderr } = await startService({}, ...args).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('and a key that is easy to guess are refused', async () => {
    const { code, stderr } = await startService({ MCP_CONCERNS_ENDPOINT_KEY: 'secret' }, ...PUBLIC).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('at least 24')]);
    expect(stderr).not.toContain('secret ');
  });
});
