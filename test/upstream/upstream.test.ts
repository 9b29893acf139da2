import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import { serveLocally } from '../../src/core/http/local.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { shareUpstream, type IsolatedUpstream as Upstream } from '../../src/proxy/isolation.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { connectOverHttp, inMeta, rawList, toolNames, updateConcerns } from '../clients.js';

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

/** A server from the registry as a child process. `pids` has the id of each process that was started. */
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

describe('a shared child process', () => {
  it('is started once, and its lists are filtered by the policy', async () => {
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

  it('answers many clients concurrently, each with its own result', async () => {
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

  it('sends progress to the client that made the request', async () => {
    const { upstream } = everything();
    const { url } = await serve(upstream, 'policies/everything.yaml');
    const host = await client(url);
    const steps: number[] = [];
    const params = { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } };
    await host.callTool(params, undefined, { onprogress: ({ progress }) => void steps.push(progress) });
    expect(steps).toEqual([1, 2, 3, 4]);
  });

  it('is restarted after it died', async () => {
    const { upstream, pids } = everything();
    const { url } = await serve(upstream, 'policies/everything.yaml');
    const host = await client(url);
    expect(await toolNames(host)).toContain('echo');
    const ended = new Promise<void>((resolve) => {
      const check = () => (isAlive(pids[0]) ? setTimeout(check, 20) : resolve());
      process.kill(pids[0] ?? 0, 'SIGKILL');
      check();
    });
    await ended;
    await expect.poll(() => toolNames(host).catch(() => [])).toContain('echo');
    expect(pids).toHaveLength(2);
  });

  it('does not declare, and rejects, requests that set shared state', async () => {
    const { upstream } = everything();
    const { url } = await serve(upstream, 'policies/everything.yaml');
    const host = await client(url);
    expect(host.getServerCapabilities()).not.toHaveProperty('logging');
    expect(host.getServerCapabilities()?.resources).not.toHaveProperty('subscribe');
    const raw = (method: string, params: object) => rawList(host, method as never, params);
    await expect(raw('logging/setLevel', { level: 'debug' })).rejects.toMatchObject({ code: -32601 });
    await expect(raw('resources/subscribe', { uri: 'demo://x' })).rejects.toMatchObject({ code: -32601 });
  });

  it('that cannot be started causes an error', async () => {
    const upstream = shareUpstream(() => new ChildTransport('no-such-command-anywhere'));
    const { url } = await serve(upstream, 'policies/everything.yaml');
    await expect(connectOverHttp(url)).rejects.toThrow('cannot be reached');
  });
});

describe('a remote server', () => {
  it('is filtered by the policy of the endpoint', async () => {
    const remote = await serveLocally({
      server: () => createVaultServer(),
      policy: loadPolicy('policies/vault.yaml'),
    });
    open.push(() => remote.close());
    const upstream = shareUpstream(() => remoteTransport(remote.url));
    const { url } = await serve(upstream, 'policies/vault.yaml');
    const host = await client(url, { initialized: { security: 'high', cost: 'minimal' } });
    expect(await toolNames(host)).toHaveLength(9);
    const { structuredContent } = await host.callTool({ name: 'hashData', arguments: { data: 'x' } });
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
