import { afterEach, describe, expect, it } from 'vitest';
import { Hub } from '../../src/cli/control/hub.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { read } from '../../src/core/wire/messages.js';
import { bridge } from '../../src/proxy/isolation.js';
import { SessionProxy } from '../../src/proxy/sessions/session-proxy.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { policyOf } from '../gate/gate-harness.js';

const policyWith = (access: string, enforcement: string) =>
  policyOf(`
concerns:
  access: { values: [${access}, all], match: at-most, default: all }
  cost: { values: [low, high], match: at-most }
primitives: { tools: { echo: { access: all, cost: low } } }
settings: { enforcement: ${enforcement} }
`);

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const IDLE_MS = 60_000;

/** A host of `serve` whose person chose `access: none`. */
async function host(enforcement: string) {
  let now = 0;
  const policy = new LivePolicy(policyWith('none', enforcement));
  const hub = new Hub(async () => () => 1);
  const server = 'test/upstream/fixtures/faulty-child.mjs';
  const spawn = () => new ChildTransport(process.execPath, [server, 'none', '/dev/null']);
  const proxy = new SessionProxy({
    server: () => bridge(spawn, 'per-session', { report: () => undefined }).connection(),
    policy,
    store: createMemoryStore(),
    observe: hub.observerOf('http'),
    idleMs: IDLE_MS,
    now: () => now,
  });
  open.push(() => proxy.close());
  let session: Record<string, string> = {};
  const post = async (method: string, params: object = {}) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...session,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await proxy.fetch(
      new Request('http://localhost/mcp', { method: 'POST', headers, body }),
    );
    const id = response.headers.get('mcp-session-id');
    if (id !== null) session = { 'mcp-session-id': id };
    const text = await response.text();
    return JSON.parse(
      text
        .split('\n')
        .find((line) => line.includes('"jsonrpc"'))
        ?.replace('data: ', '') ?? '',
    );
  };
  const list = async () => {
    const answer: unknown = await post('tools/list');
    const tools = JSON.stringify(read(answer, 'result', 'tools')).match(/"name":"\w+"/g) ?? [];
    return { tools: tools.length, text: JSON.stringify(answer) };
  };
  const click = async (change: object) => {
    const [state] = await hub.states();
    await hub.change(state?.session ?? '', { ...change });
  };
  const clientInfo = { name: 'host', version: '1' };
  await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await click({ access: 'none' });
  expect(await list()).toMatchObject({ tools: 0 });
  /** Ends the session as the proxy does when nobody used it. */
  const idle = async () => {
    now += IDLE_MS + 1;
    await expect
      .poll(() => {
        proxy.endIdle();
        return proxy.size;
      })
      .toBe(0);
  };
  return { policy, list, click, idle };
}

describe.each(['advisory', 'enforce'])('under %s, a choice of a person', (enforcement) => {
  it.each(['in use', 'idle'])(
    'survives a new policy that still has its value, in a session that is %s',
    async (session) => {
      const { policy, list, idle } = await host(enforcement);
      if (session === 'idle') await idle();
      policy.replace(policyWith('none, some', enforcement));
      expect(await list()).toMatchObject({ tools: 0 });
    },
  );

  it.each(['in use', 'idle'])(
    'shows no more under a policy that renamed its value, in a session that is %s',
    async (session) => {
      const { policy, list, idle } = await host(enforcement);
      if (session === 'idle') await idle();
      policy.replace(policyWith('nothing', enforcement));
      const { tools, text } = await list();
      expect(tools).toBe(0);
      expect(text).toContain('What has a value for access is hidden until you set it again.');
    },
  );

  it('stays lost while the person changes another concern, until it is made again', async () => {
    const { policy, list, click } = await host(enforcement);
    policy.replace(policyWith('nothing', enforcement));
    await click({ cost: 'high' });
    expect(await list()).toMatchObject({ tools: 0 });
    await click({ access: 'all' });
    expect(await list()).toMatchObject({ tools: 1, text: expect.not.stringContaining('set it again') });
  });
});
