import { createRequire } from 'node:module';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import { serveLocally } from '../../src/http/local.js';
import { loadPolicy } from '../../src/policy/compile/load.js';
import { createMemoryStore } from '../../src/session/memory.js';
import { ChildTransport } from '../../src/upstream/child-process.js';
import { shareUpstream, type Upstream } from '../../src/upstream/upstream.js';
import { connectOverHttp, inMeta, rawList, toolNames, updateConcerns } from '../e2e/clients.js';

const EVERYTHING = createRequire(import.meta.url)
  .resolve('@modelcontextprotocol/server-everything/package.json')
  .replace('package.json', 'dist/index.js');

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(upstream: Upstream, policy: string) {
  open.push(() => upstream.close());
  const endpoint = await serveLocally({
    server: () => upstream.server(),
    policy: loadPolicy(policy),
    store: createMemoryStore(),
  });
  open.push(() => endpoint.close());
  return endpoint;
}

async function client(url: string, options = {}) {
  const connected = await connectOverHttp(url, options);
  open.push(() => connected.close());
  return connected;
}

/** A real server from the registry as a child; `pids` tells each one that was started. */
function everything() {
  const pids: (number | undefined)[] = [];
  const children: ChildTransport[] = [];
  const upstream = shareUpstream(() => {
    const child = new ChildTransport(process.execPath, [EVERYTHING, 'stdio']);
    children.push(child);
    const start = child.start.bind(child);
    child.start = async () => {
      await start();
      pids.push(child.pid);
    };
    return child;
  });
  return { upstream, pids, children };
}

describe('a child process that all requests share', () => {
  it('is started once, and its lists follow the policy', async () => {
    const { upstream, pids } = everything();
    const { url } = await serve(upstream, 'policies/everything.yaml');
    const [first, second] = [
      await client(url),
      await client(url, { initialized: { sensitivity: 'public' } }),
    ];
    expect(await toolNames(first)).toContain('get-env');
    expect(await toolNames(second)).not.toContain('get-env');
    await updateConcerns(second, { sensitivity: 'secret' });
    expect(await toolNames(second)).toContain('get-env');
    const { prompts } = await rawList(second, 'prompts/list', inMeta({ input: 'nothing' }));
    expect(prompts).toHaveLength(1);
    expect(pids).toHaveLength(1);
  });

  it('answers many clients at once, each its own', async () => {
    const { upstream } = everything();
    const { url } = await serve(upstream, 'policies/everything.yaml');
    const clients = await Promise.all(Array.from({ length: 5 }, () => client(url)));
    const sums = await Promise.all(
      clients.flatMap((each, a) =>
        [1, 2, 3].map(async (b) => {
          const { content } = await each.callTool({ name: 'get-sum', arguments: { a, b } });
          return [a + b, (content as { text: string }[])[0]?.text] as const;
        }),
      ),
    );
    for (const [sum, text] of sums) expect(text).toContain(`is ${sum}.`);
  });

  it('passes progress to the client that asked', async () => {
    const { upstream } = everything();
    const { url } = await serve(upstream, 'policies/everything.yaml');
    const asking = await client(url);
    const steps: number[] = [];
    const params = { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } };
    await asking.callTool(params, undefined, { onprogress: ({ progress }) => void steps.push(progress) });
    expect(steps).toEqual([1, 2, 3, 4]);
  });

  it('is started anew after it died', async () => {
    const { upstream, pids } = everything();
    const { url } = await serve(upstream, 'policies/everything.yaml');
    const asking = await client(url);
    expect(await toolNames(asking)).toContain('echo');
    const ended = new Promise<void>((resolve) => {
      const check = () => (isAlive(pids[0]) ? setTimeout(check, 20) : resolve());
      process.kill(pids[0] ?? 0, 'SIGKILL');
      check();
    });
    await ended;
    await expect.poll(() => toolNames(asking).catch(() => [])).toContain('echo');
    expect(pids).toHaveLength(2);
  });

  it('refuses what would be shared, and does not offer it', async () => {
    const { upstream } = everything();
    const { url } = await serve(upstream, 'policies/everything.yaml');
    const asking = await client(url);
    expect(asking.getServerCapabilities()).not.toHaveProperty('logging');
    expect(asking.getServerCapabilities()?.resources).not.toHaveProperty('subscribe');
    const raw = (method: string, params: object) => rawList(asking, method as never, params);
    await expect(raw('logging/setLevel', { level: 'debug' })).rejects.toMatchObject({ code: -32601 });
    await expect(raw('resources/subscribe', { uri: 'demo://x' })).rejects.toMatchObject({ code: -32601 });
  });

  it('that cannot be started is an error that says so', async () => {
    const upstream = shareUpstream(() => new ChildTransport('no-such-command-anywhere'));
    const { url } = await serve(upstream, 'policies/everything.yaml');
    await expect(connectOverHttp(url)).rejects.toThrow('cannot be started');
  });
});

describe('a remote endpoint', () => {
  it('is filtered by the policy in front of it', async () => {
    const remote = await serveLocally({
      server: () => createVaultServer(),
      policy: loadPolicy('policies/vault.yaml'),
    });
    open.push(() => remote.close());
    const upstream = shareUpstream(() => new StreamableHTTPClientTransport(new URL(remote.url)) as Transport);
    const { url } = await serve(upstream, 'policies/vault.yaml');
    const asking = await client(url, { initialized: { security: 'high', cost: 'minimal' } });
    expect(await toolNames(asking)).toHaveLength(9);
    const { structuredContent } = await asking.callTool({ name: 'hashData', arguments: { data: 'x' } });
    expect(structuredContent).toMatchObject({ algorithm: 'sha256' });
  });
});

function isAlive(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
}
