import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Hub } from '../../../src/cli/control/hub.js';
import { ChangeRefusedError } from '../../../src/cli/control/switch-errors.js';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { bridge } from '../../../src/proxy/isolation.js';
import { SessionProxy } from '../../../src/proxy/sessions/session-proxy.js';
import { ChildTransport } from '../../../src/proxy/wires/child-process.js';
import { policyOf } from '../../gate/gate-harness.js';

const TEXT = `
concerns:
  access: { values: [none, all], match: at-most }
  cost: { values: [low, high], match: at-most }
primitives: { tools: { echo: { access: all } } }
`;
const open: (() => Promise<unknown>)[] = [];
let hub = new Hub(async () => () => 1);
let policy = new LivePolicy(policyOf(TEXT));
let post: (method: string, params?: object) => Promise<string>;
const asked = async () => (await hub.states())[0]?.sessions[0]?.proposal;
const shown = async () => (await hub.states())[0]?.shown.tools;
const session = async () => (await hub.states())[0]?.session ?? '';
/** As `mcp-concerns switch` does without a terminal. */
const switchWithoutTerminal = async (change: object) => {
  await expect(hub.change(await session(), { ...change }, true)).rejects.toThrow(
    'This would show more, so nothing changed.',
  );
  return (await asked())?.id ?? '';
};

/** A host whose person chose `access: none`. */
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  hub = new Hub(async () => () => 1);
  policy = new LivePolicy(policyOf(TEXT));
  const spawn = () =>
    new ChildTransport(process.execPath, ['test/upstream/fixtures/faulty-child.mjs', 'none', '/dev/null']);
  const proxy = new SessionProxy({
    server: () => bridge(spawn, 'per-session', { report: () => undefined }).connection(),
    policy,
    store: createMemoryStore(),
    observe: hub.observerOf('http'),
  });
  open.push(() => proxy.close());
  let id: Record<string, string> = {};
  post = async (method, params = {}) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...id,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await proxy.fetch(
      new Request('http://localhost/mcp', { method: 'POST', headers, body }),
    );
    id = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
    return response.text();
  };
  const clientInfo = { name: 'host', version: '1' };
  await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await hub.change(await session(), { access: 'none' });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const close of open.splice(0).reverse()) await close();
});

it('asks the person at the page about a change that shows more, and makes it after a click', async () => {
  const id = await switchWithoutTerminal({ access: 'all' });
  expect(await asked()).toEqual({
    id,
    changes: [{ concern: 'access', from: ['none'], to: ['all'] }],
    tools: 1,
    names: ['echo'],
    others: 0,
  });
  expect(await shown()).toBe(0);
  await hub.answer(await session(), id, true);
  expect([await shown(), await asked()]).toEqual([1, undefined]);
});

it('changes nothing if the person refuses', async () => {
  const id = await switchWithoutTerminal({ access: 'all' });
  await hub.answer(await session(), id, false);
  expect([await shown(), await asked()]).toEqual([0, undefined]);
  await expect(hub.answer(await session(), id, true)).rejects.toThrow(ChangeRefusedError);
  expect(await shown()).toBe(0);
});

it('takes a click only for what the person saw, of which the last one replaces others', async () => {
  const first = await switchWithoutTerminal({ access: null });
  const second = await switchWithoutTerminal({ access: 'all' });
  await expect(hub.answer(await session(), first, true)).rejects.toThrow('does not ask for this any more');
  expect([await shown(), (await asked())?.id]).toEqual([0, second]);
});

it('does not ask about a change that shows less, or that is not valid', async () => {
  await hub.change(await session(), { cost: 'low' }, true);
  await expect(hub.change(await session(), { access: 'al' }, true)).rejects.toThrow('Did you mean "all"?');
  expect(await asked()).toBeUndefined();
});

it('forgets what a program asked for after five minutes', async () => {
  const id = await switchWithoutTerminal({ access: 'all' });
  vi.advanceTimersByTime(5 * 60 * 1000 - 1);
  expect((await asked())?.id).toBe(id);
  vi.advanceTimersByTime(1);
  expect(await asked()).toBeUndefined();
  await expect(hub.answer(await session(), id, true)).rejects.toThrow('does not ask for this any more');
});

it.each([
  ['the host', () => post('updateConcerns', { concerns: { access: 'none', cost: 'low' } })],
  ['a person', async () => hub.change(await session(), { cost: 'low' })],
  ['a program that shows less', async () => hub.change(await session(), { cost: 'low' }, true)],
  [
    'a new policy',
    async () => policy.replace(policyOf(TEXT.replace('echo:', 'echo: { access: all }, other:'))),
  ],
])('forgets what a program asked for when %s changes what may be shown', async (_who, change) => {
  await switchWithoutTerminal({ access: 'all' });
  await change();
  await expect.poll(asked).toBeUndefined();
  expect([await shown(), await asked()]).toEqual([0, undefined]);
});
