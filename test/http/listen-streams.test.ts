import { afterEach, expect, it } from 'vitest';
import { listeningWorld, policyHiding, settle, TOOLS_CHANGED } from '../behavior/listening/world.js';

let world: Awaited<ReturnType<typeof listeningWorld>> | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});
const begin = async () => {
  world = await listeningWorld();
  return world;
};
const TOOLS = { toolsListChanged: true } as const;

it('tells the streams of a caller who switches, and no others', async () => {
  const { connect } = await begin();
  const [ada, other, bob] = [await connect('ada'), await connect('ada'), await connect('bob')];
  for (const { client } of [ada, other, bob]) await client.listen(TOOLS);
  const prompt = await ada.client.getPrompt({ name: 'concerns', arguments: { level: 'low' } });
  expect(JSON.stringify(prompt)).not.toContain('Nothing changed');
  await expect.poll(() => [ada, other, bob].map(({ changes }) => changes())).toEqual([1, 1, 0]);
  expect([await other.names(), await bob.names()]).toEqual([
    expect.not.arrayContaining(['b']),
    expect.arrayContaining(['a', 'b', 'c', 'd']),
  ]);
  await settle();
  expect([ada, other, bob].map(({ changes }) => changes())).toEqual([1, 1, 0]);
});

it('tells of preferences that were changed by another process', async () => {
  const { connect, store } = await begin();
  const [ada, bob] = [await connect('ada'), await connect('bob')];
  for (const { client } of [ada, bob]) await client.listen(TOOLS);
  const { principalId } = await import('../../src/core/session/principal.js');
  await store.update(principalId('https://login', 'ada'), { concerns: { level: 'high' } });
  await expect.poll(() => ada.changes()).toBe(1);
  expect(bob.changes()).toBe(0);
});

it('tells of an update of preferences, also to the stream of the host that sent it: its other windows have none', async () => {
  const { connect } = await begin();
  const { client, changes } = await connect('ada');
  await client.listen(TOOLS);
  const { z } = await import('zod');
  const params = { concerns: { level: 'low' } };
  await client.request({ method: 'updateConcerns', params }, z.looseObject({}));
  await expect.poll(changes).toBe(1);
});

it('has a view of its own for each stream', async () => {
  const { connect, toggle, live } = await begin();
  const [low, high] = [await connect(undefined, 'level:low'), await connect(undefined, 'level:high')];
  for (const { client } of [low, high]) await client.listen(TOOLS);
  await toggle('a');
  await expect.poll(() => [low.changes(), high.changes()]).toEqual([1, 0]);
  live.replace(policyHiding(['b']));
  await expect.poll(() => [low.changes(), high.changes()]).toEqual([1, 1]);
  await settle();
  expect([low.changes(), high.changes()]).toEqual([1, 1]);
});

it('watches at the server what the client may know, and nothing else', async () => {
  const { connect, watched } = await begin();
  const { client } = await connect(undefined, 'level:low');
  const resourceSubscriptions = ['r://low', 'r://high', 'r://nothing'];
  const { honoredFilter } = await client.listen({ resourceSubscriptions });
  expect(honoredFilter).toEqual({ resourceSubscriptions: ['r://low'] });
  expect([...watched]).toEqual(['r://low']);
});

it('names the stream in each message', async () => {
  const { connect, toggle } = await begin();
  const { client, told } = await connect();
  await client.listen(TOOLS);
  await toggle('a');
  await expect.poll(() => told.map(({ method }) => method)).toEqual([TOOLS_CHANGED]);
  expect(told[0]?.params?._meta).toHaveProperty(['io.modelcontextprotocol/subscriptionId']);
});

it('limits the streams of one caller', async () => {
  const { connect } = await begin();
  const [ada, bob] = [await connect('ada'), await connect('bob')];
  const streams = await Promise.all(Array.from({ length: 128 }, () => ada.client.listen(TOOLS)));
  await expect(ada.client.listen(TOOLS)).rejects.toThrow('Too many streams are open.');
  await bob.client.listen(TOOLS);
  await streams[0]?.close();
  await expect
    .poll(() =>
      ada.client.listen(TOOLS).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
});

it('is served by a handler in a process that lives long, if that says so', async () => {
  const { createHandler } = await import('../../src/core/http/sdk-v2.js');
  const { bridge } = await import('../../src/proxy/isolation.js');
  const { child } = await import('../upstream/modern-client.js');
  const bridged = bridge(
    () =>
      child(`
        if (m.method === 'initialize') return send({ id: m.id, result: info });
        if (m.id !== undefined) send({ id: m.id, result: { tools: [] } });`),
    'shared',
    { isLongLived: true, isOfOnePerson: true },
  );
  const policy = policyHiding();
  const answered = async (listens: boolean): Promise<string> => {
    const handle = createHandler({ server: (context) => bridged.make(context), policy, listens });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    };
    const params = { _meta: META, notifications: TOOLS };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params });
    const response = await handle(new Request('http://host/mcp', { method: 'POST', headers, body }));
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      // A stream stays open until its reader leaves.
      if (text.includes('acknowledged')) break;
    }
    return `${response.status} ${text}`;
  };
  expect(await answered(true)).toMatch(/^200 .*notifications\/subscriptions\/acknowledged/s);
  expect(await answered(false)).toMatch(/^404 .*-32601/);
  await bridged.close();
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const post = (url: string, params: object, changed: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
      ...changed,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: { _meta: META, ...params },
    }),
  });

it('is a stream that nothing between buffers', async () => {
  const { url } = await begin();
  const response = await post(url, { notifications: TOOLS });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  await response.body?.cancel();
});

it.each<[string, object, Record<string, string>, number]>([
  ['a header that names another method', { notifications: TOOLS }, { 'mcp-method': 'tools/list' }, -32020],
  ['another version', { notifications: TOOLS }, { 'mcp-protocol-version': '2099-01-01' }, -32020],
  ['no filter', {}, {}, -32602],
])('refuses %s', async (_what, params, changed, code) => {
  const { url } = await begin();
  const response = await post(url, params, changed);
  expect(await response.json()).toMatchObject({ id: 7, error: { code } });
});
