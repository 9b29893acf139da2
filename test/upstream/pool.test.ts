import { afterEach, expect, it } from 'vitest';
import { type Bridge, bridge } from '../../src/proxy/isolation.js';
import type { Isolation } from '../../src/proxy/options.js';
import type { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { ask, child } from './modern-client.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Answers a call after 100 ms, except one of `ask`, for which it asks first. */
const SERVER = `
  if (m.method === 'initialize') return send({ id: m.id, result: info });
  if (m.method === 'server/discover') return send({ id: m.id, error: { code: -32601, message: 'no' } });
  const content = [{ type: 'text', text: String(process.pid) }];
  if (m.id === 'q') return send({ id: globalThis.call, result: { content } });
  if (m.method !== 'tools/call') return;
  if (m.params.name !== 'ask') return setTimeout(() => send({ id: m.id, result: { content } }), 100);
  globalThis.call = m.id;
  send({ id: 'q', method: 'elicitation/create', params: { message: 'Sure?' } });`;

function serve(isolation: Isolation) {
  const children: ChildTransport[] = [];
  const bridged = bridge(
    () => {
      const each = child(SERVER);
      children.push(each);
      return each;
    },
    isolation,
    { isLongLived: true, isOfOnePerson: true },
  );
  open.push(() => bridged.close());
  return { bridged, running: () => children.filter(isRunning).length };
}

function isRunning({ pid }: ChildTransport): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

const call = (bridged: Bridge, sub: string, params: object) => ask(bridged, sub, 'tools/call', params);

async function park(bridged: Bridge, sub: string) {
  const { result } = await call(bridged, sub, { name: 'ask' });
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: object };
  const inputResponses = { [Object.keys(inputRequests)[0] ?? '']: { action: 'accept' } };
  return () => call(bridged, sub, { name: 'ask', requestState, inputResponses });
}

it('a server that was started for one request ends with its answer, also after it has asked', async () => {
  const { bridged, running } = serve('per-request');
  for (const sub of ['ada', 'bob', 'ada']) {
    const resume = await park(bridged, sub);
    expect((await resume()).result).toHaveProperty('content');
  }
  // The process that refused the question about its version waits for the first request.
  await expect.poll(running).toBe(0);
});

it('twenty callers at once get their answers, and sixteen servers stay', async () => {
  const { bridged, running } = serve('per-session');
  const subs = Array.from({ length: 20 }, (_, n) => `caller ${n}`);
  const answers = await Promise.all(subs.map((sub) => call(bridged, sub, { name: 'echo' })));
  expect(answers.filter(({ result }) => result === undefined)).toEqual([]);
  await expect.poll(running).toBe(16);
});

it('the server of a call that waits for a person stays, whoever else comes', async () => {
  const { bridged } = serve('per-session');
  const resume = await park(bridged, 'ada');
  for (let round = 0; round < 2; round++) {
    const subs = Array.from({ length: 10 }, (_, n) => `caller ${round} ${n}`);
    await Promise.all(subs.map((sub) => call(bridged, sub, { name: 'echo' })));
  }
  expect((await resume()).result).toHaveProperty('content');
});
