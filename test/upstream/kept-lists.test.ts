import { afterEach, expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { bridge } from '../../src/proxy/isolation.js';
import type { UpstreamOptions } from '../../src/proxy/options.js';
import { policyOf } from '../gate/gate-harness.js';
import { hostOf } from './guarded-remote.js';
import { child } from './modern-client.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Lists a tool that is named after the number of lists so far. A call changes the list. */
const SERVER = `
  globalThis.lists ??= 0;
  if (m.method === 'initialize') return send({ id: m.id, result: { ...info, capabilities: { tools: { listChanged: true } } } });
  if (m.method === 'tools/list')
    return send({ id: m.id, result: { tools: [{ name: 'list-' + ++lists, inputSchema: { type: 'object' } }] } });
  if (m.method === 'tools/call') {
    send({ method: 'notifications/tools/list_changed' });
    return send({ id: m.id, result: { content: [] } });
  }
  if (m.id !== undefined) send({ id: m.id, error: { code: -32601, message: 'no' } });`;

/** Something can be hidden, so that lists do not pass as they are. */
const POLICY = `
concerns: { effect: { values: [read, write] } }
rules: [{ id: closed, hide: [tools], when: { '===': [{ var: primitive.name }, closed] }, reason: It is closed. }]
settings: { enforcement: enforce }`;

async function serve(options: UpstreamOptions) {
  const bridged = bridge(() => child(SERVER), 'shared', options);
  const policy = policyOf(POLICY);
  const handle = createHandler({ server: (context) => bridged.make(context), policy });
  open.push(() => bridged.close());
  const post = await hostOf('modern', (request) => handle(request));
  return {
    names: async () => /list-\d+/.exec(await (await post('tools/list')).text())?.[0],
    change: async () => (await post('tools/call', { name: 'any', arguments: {} })).text(),
  };
}

it('modern hosts of a legacy server are answered from the list of its connection, until it changes', async () => {
  const { names, change } = await serve({ isLongLived: true, isOfOnePerson: true });
  // The first request opens the connection, and the second one fills its list.
  await names();
  const listed = await names();
  expect(await Promise.all([names(), names(), names()])).toEqual([listed, listed, listed]);
  await change();
  expect(await names()).not.toBe(listed);
});

it('a process that may be frozen between requests asks the server for each list', async () => {
  const { names } = await serve({});
  expect([await names(), await names(), await names()]).toEqual(['list-1', 'list-2', 'list-3']);
});
