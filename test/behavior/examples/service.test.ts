import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { begin, post } from '../../cli/service/service.js';
import { REDIS, startRedis, WITHOUT_REDIS } from '../../session/redis-server.js';
import { createProject, installedPackages, isAvailable } from './pages.js';

const page = createProject('docs/guides/run-as-a-service.md');
writeFileSync(join(page.folder, 'policy.yaml'), page.blocks('yaml')[0] ?? '');

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return String(port);
}

/** Starts what the guide starts, after the variables that it exports, on a free port and with the Redis of the test. */
async function start(redis?: string) {
  const port = await freePort();
  const given = (name: string) => page.command(new RegExp(`^export ${name}=`));
  const variables = [given('MCP_CONCERNS_ENDPOINT_KEY')];
  if (redis !== undefined) {
    variables.push(given('MCP_CONCERNS_SESSION_SECRET'));
    variables.push(given('MCP_CONCERNS_SESSIONS_STORE').replace('redis://127.0.0.1:6379', redis));
  }
  const serve = page
    .command(/^node_modules\/\.bin\/mcp-concerns serve/)
    .replace('--host', `--port ${port} --host`);
  // The secrets that others of the processes have, and the key that callers send.
  const shell = [...variables, 'echo "KEY $MCP_CONCERNS_ENDPOINT_KEY"', `exec ${serve}`].join('\n');
  const env = {
    ...process.env,
    npm_config_offline: 'true',
    PATH: `${page.folder}/node_modules/.bin:${process.env.PATH}`,
  };
  const child = spawn('sh', ['-c', shell.replaceAll('openssl rand -hex 32', 'printf %064d 7')], {
    cwd: page.folder,
    env,
    detached: true,
  });
  closing.push(async () => {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  let text = '';
  child.stderr.resume();
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('to stop.')) break;
  }
  const key = /^KEY (\S+)/.exec(text)?.[1] ?? '';
  return { child, port, url: `http://127.0.0.1:${port}/mcp`, headers: { authorization: `Bearer ${key}` } };
}

describe('run-as-a-service.md', () => {
  it('installs only packages that exist', () => {
    expect(installedPackages(page).filter((name) => !isAvailable(name))).toEqual([]);
  });

  it('has a policy without findings', async () => {
    expect(await page.run(/^npx mcp-concerns check/)).toContain('No findings');
  });

  it('starts an endpoint that needs the key, by the name in its URL, and is ready', async () => {
    const { url, headers, port } = await start();
    expect((await post(url, {}, 'ping')).status).toBe(401);
    const named = { ...headers, host: 'mcp.example', origin: 'https://mcp.example' };
    const { text } = await post(url, await begin(url, named), 'tools/list');
    expect([...text.matchAll(/"name":"([\w-]+)"/g)].map(([, name]) => name)).toEqual(['echo']);
    const probes = page.commands.filter((command) => command.startsWith('curl'));
    expect(probes).toHaveLength(2);
    for (const probe of probes) {
      const asked = spawn('sh', ['-c', probe.replace('8808', port)]);
      expect(await once(asked, 'exit')).toEqual([0, null]);
    }
  });

  it.skipIf(REDIS === undefined)(
    `starts two processes that continue the sessions of each other (${WITHOUT_REDIS})`,
    async () => {
      const redis = await startRedis();
      closing.push(() => redis.close());
      const [one, two] = [await start(redis.url), await start(redis.url)];
      const session = await begin(one.url, one.headers);
      await post(two.url, session, 'updateConcerns', { concerns: { effect: 'changes' } });
      const { text } = await post(one.url, session, 'tools/list');
      expect([...text.matchAll(/"name":"([\w-]+)"/g)].map(([, name]) => name)).toEqual(['echo', 'get-sum']);
    },
  );
});
