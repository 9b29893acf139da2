import { Client, type Notification, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, expect, it } from 'vitest';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { listenLocally } from '../../src/core/http/local.js';
import { byEra, createModernHandler } from '../../src/core/http/sdk-v2.js';
import { ListenStreams } from '../../src/core/http/streams/listen-streams.js';
import { TASKS_EXTENSION } from '../../src/core/wire/messages.js';
import { inProcessTransport } from '../../src/proxy/in-process.js';
import { type Bridge, bridge } from '../../src/proxy/isolation.js';
import { bridgeSeveral } from '../../src/proxy/several/bridge-several.js';
import { policyOf } from '../gate/gate-harness.js';
import { TaskServer } from './task-server.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const policyHiding = (hidden: string, enforcement = 'enforce') =>
  policyOf(`
concerns: { audience: { values: [staff, public], set-by: operator, claim: audience, default: public } }
primitives: { tools: { ${hidden}: { audience: staff } } }
settings: { enforcement: ${enforcement}, unmapped: show }
`);

const OPTIONS = { isLongLived: true } as const;
const CAPABILITIES = { extensions: { [TASKS_EXTENSION]: {} } };
const LISTEN = 'subscriptions/listen';
const INFO = { name: 'host', version: '1' };

/** An endpoint in front of servers with tasks. Each host says who it is, as if its token had been verified. */
async function begin(bridged: Bridge, policy = new LivePolicy(policyHiding('none'))) {
  const streams = new ListenStreams((context) => bridged.make(context));
  const modern = createModernHandler({ server: bridged.make, policy }, streams);
  const refuseLegacy: FetchHandler = async () => new Response(null, { status: 405 });
  const endpoint = await listenLocally(
    byEra((request, body, given) => {
      const sub = request.headers.get('x-caller');
      const authInfo = { token: 't', clientId: 'host', scopes: [], extra: { iss: 'https://login', sub } };
      return modern(request, body, { ...given, authInfo });
    }, refuseLegacy),
    {},
  );
  closing.push(
    () => bridged.close(),
    endpoint.close,
    () => streams.close(),
  );

  return async (caller: string) => {
    const client = new Client(INFO, {
      capabilities: CAPABILITIES,
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    });
    const received: Notification[] = [];
    client.fallbackNotificationHandler = async (notification) => void received.push(notification);
    const headers = { 'x-caller': caller };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(endpoint.url), { requestInit: { headers } }),
    );
    closing.push(() => client.close());
    const told = () =>
      received.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params ?? {});
    return {
      told,
      /** The states of its tasks that it was told. */
      statuses: () => told().map(({ status }) => status),
      make: async (name: string): Promise<string> =>
        (await read(await send('tools/call', { name }, name))).result.taskId,
      /** What the acknowledgment of a stream says; the error if there is none. */
      async acknowledged(notifications: object, capabilities: object = CAPABILITIES) {
        const { params, error } = await read(await send(LISTEN, { notifications }, undefined, capabilities));
        return error?.code ?? params.notifications;
      },
      listen(...taskIds: string[]) {
        const filter: object = { taskIds };
        return client.listen(filter);
      },
      listenAlso: (more: object, ...taskIds: string[]) => client.listen({ ...more, ...Object({ taskIds }) }),
    };

    /** The SDK knows no tasks, so these requests are sent as they are. */
    function send(method: string, params: object, name?: string, capabilities: object = CAPABILITIES) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': INFO,
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      };
      return fetch(endpoint.url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(name === undefined ? {} : { 'mcp-name': name }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      });
    }
  };
}

/** Reads the first message of a response, and leaves. */
async function read({ body }: Response) {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const line = text.startsWith('{') ? text : /^data: (.*)\n/m.exec(text)?.[1];
    if (line !== undefined) return JSON.parse(line);
  }
}

function oneServer(policy?: LivePolicy) {
  const server = new TaskServer();
  const bridged = bridge(() => inProcessTransport(() => server), 'shared', OPTIONS);
  return { server, connecting: begin(bridged, policy) };
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

it('tells a caller of its tasks, and no other caller, whatever it asks for', async () => {
  const { server, connecting } = oneServer();
  const connect = await connecting;
  const [ann, eve] = [await connect('ann'), await connect('eve')];
  const [hers, his] = [await ann.make('make'), await eve.make('make')];
  await ann.listen(hers, 'unknown');
  await eve.listen(his, hers);
  await expect.poll(() => [ann.statuses(), eve.statuses()]).toEqual([['working'], ['working']]);
  server.tell(hers, 'working', { statusMessage: 'half' });
  await expect.poll(() => ann.told().at(-1)?.statusMessage).toBe('half');
  await settle();
  expect(eve.told().map(({ taskId }) => taskId)).toEqual([his]);
  expect(ann.told().map(({ taskId }) => taskId)).toEqual([hers, hers]);
});

it('acknowledges the tasks that the caller has and the server knows', async () => {
  const { server, connecting } = oneServer();
  const connect = await connecting;
  const [ann, eve] = [await connect('ann'), await connect('eve')];
  const [hers, his, lost] = [await ann.make('make'), await eve.make('make'), await ann.make('make')];
  server.tasks.pop();
  expect(await ann.acknowledged({ taskIds: [hers, his, lost, 'unknown'] })).toEqual({ taskIds: [hers] });
  expect(await ann.acknowledged({ toolsListChanged: true })).toEqual({ toolsListChanged: true });
});

it.each<[string, unknown, object, number]>([
  ['from a client without the extension', ['x'], {}, -32021],
  ['about what is not a list', 'x', CAPABILITIES, -32602],
  ['about ids that are not strings', [7], CAPABILITIES, -32602],
  ['about too many tasks', Array.from({ length: 101 }, String), CAPABILITIES, -32602],
])('refuses a stream %s', async (_what, taskIds, capabilities, code) => {
  const connect = await oneServer().connecting;
  expect(await (await connect('ann')).acknowledged({ taskIds }, capabilities)).toBe(code);
});

it('watches the tasks of all hosts on one stream of the server', async () => {
  const { server, connecting } = oneServer();
  const connect = await connecting;
  const [ann, eve] = [await connect('ann'), await connect('eve')];
  const [hers, his] = [await ann.make('make'), await eve.make('make')];
  await ann.listen(hers);
  const stream = await eve.listen(his);
  await expect.poll(() => server.watched).toEqual([[hers, his]]);
  await stream.close();
  await expect.poll(() => server.watched).toEqual([[hers]]);
  server.tell(hers, 'completed', { result: { content: [] } });
  await expect.poll(() => server.watched).toEqual([[]]);
  await expect.poll(() => ann.statuses().at(-1)).toBe('completed');
  // The state that the server repeats with each stream of its own is told once.
  expect(ann.statuses()).toEqual(['working', 'completed']);
});

it('ends a stream when its tasks have ended, unless it is about lists too', async () => {
  const { server, connecting } = oneServer();
  const connect = await connecting;
  const ann = await connect('ann');
  const task = await ann.make('make');
  const [ofTasks, ofLists] = [await ann.listen(task), await ann.listenAlso({ toolsListChanged: true }, task)];
  let open = 2;
  for (const each of [ofTasks, ofLists]) void each.closed.then(() => open--);
  server.tell(task, 'failed', { error: { code: -32603, message: 'it failed' } });
  await expect.poll(() => ann.statuses()).toEqual(['working', 'working', 'failed', 'failed']);
  expect(await ofTasks.closed).toBe('graceful');
  await settle();
  expect(open).toBe(1);
});

it('goes on with the tasks that it watches if the server refuses more', async () => {
  const { server, connecting } = oneServer();
  const connect = await connecting;
  const ann = await connect('ann');
  const [first, second] = [await ann.make('make'), await ann.make('make')];
  await ann.listen(first);
  server.limit = 1;
  expect(await ann.acknowledged({ taskIds: [second] })).toEqual({ taskIds: [] });
  server.tell(first, 'working', { statusMessage: 'on' });
  await expect.poll(() => ann.told().at(-1)?.statusMessage).toBe('on');
});

it('is silent about a task while its tool is hidden, and removes hidden names from what it tells', async () => {
  const policy = new LivePolicy(policyHiding('none'));
  const { server, connecting } = oneServer(policy);
  const connect = await connecting;
  const ann = await connect('ann');
  const [secret, made] = [await ann.make('secret'), await ann.make('make')];
  await ann.listen(secret, made);
  await expect.poll(() => ann.statuses().length).toBe(2);
  policy.replace(policyHiding('secret'));
  server.tell(secret, 'working', { statusMessage: 'nobody hears this' });
  server.tell(made, 'working', { statusMessage: 'made by secret' });
  await expect.poll(() => ann.told().length).toBe(3);
  expect(ann.told().at(-1)).toMatchObject({
    taskId: made,
    statusMessage: expect.not.stringContaining('secret'),
  });
  expect(await ann.acknowledged({ taskIds: [secret, made] })).toEqual({ taskIds: [made] });
  policy.replace(policyHiding('none'));
  server.tell(secret, 'completed', { result: { content: [] } });
  await expect.poll(() => ann.told().at(-1)).toMatchObject({ taskId: secret, status: 'completed' });
});

it('tells a caller of no task of another under advisory either', async () => {
  const { server, connecting } = oneServer(new LivePolicy(policyHiding('secret', 'advisory')));
  const connect = await connecting;
  const [ann, eve] = [await connect('ann'), await connect('eve')];
  const task = await ann.make('secret');
  await ann.listen(task);
  await eve.listenAlso({ toolsListChanged: true }, task);
  server.tell(task, 'working', { statusMessage: 'half' });
  await expect.poll(() => ann.told().at(-1)?.statusMessage).toBe('half');
  await settle();
  expect(eve.told()).toEqual([]);
});

it('tells hosts of the legacy era nothing of them', async () => {
  const server = new TaskServer();
  const bridged = bridge(() => inProcessTransport(() => server), 'shared', OPTIONS);
  const connect = await begin(bridged);
  const ann = await connect('ann');
  const [host, front] = InMemoryTransport.createLinkedPair();
  const received: unknown[] = [];
  host.onmessage = (message) => void received.push(message);
  await host.start();
  await bridged.connection().connect(front);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
  await host.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await expect.poll(() => received.length).toBe(1);
  const task = await ann.make('make');
  await ann.listen(task);
  server.tell(task, 'completed', { result: { content: [] } });
  await expect.poll(() => ann.statuses()).toEqual(['working', 'completed']);
  await settle();
  expect(received).toHaveLength(1);
});

it('tells of the tasks of several servers under the names that hosts use', async () => {
  const [files, docs] = [new TaskServer(), new TaskServer()];
  const openers = new Map([
    ['files', () => inProcessTransport(() => files)],
    ['docs', () => inProcessTransport(() => docs)],
  ]);
  const connect = await begin(bridgeSeveral(openers, 'shared', OPTIONS));
  const [ann, eve] = [await connect('ann'), await connect('eve')];
  const [one, two] = [await ann.make('files__make'), await ann.make('docs__make')];
  expect([one, two]).toEqual([`files+${files.tasks[0]}`, `docs+${docs.tasks[0]}`]);
  const others = ['docs+unknown', 'absent+task', 'task'];
  expect(await ann.acknowledged({ taskIds: [one, two, ...others] })).toEqual({ taskIds: [one, two] });
  expect(await eve.acknowledged({ taskIds: [one, two] })).toEqual({ taskIds: [] });
  const stream = await ann.listen(one, two);
  await expect.poll(() => ann.told().map(({ taskId }) => taskId)).toEqual([one, two]);
  const link = { type: 'resource_link', uri: 'data://a', name: 'a' };
  files.tell(files.tasks[0] ?? '', 'completed', { result: { content: [link] } });
  docs.tell(docs.tasks[0] ?? '', 'cancelled');
  await expect
    .poll(() => ann.told().slice(2))
    .toMatchObject([
      { taskId: one, status: 'completed', result: { content: [{ uri: 'files+data://a' }] } },
      { taskId: two, status: 'cancelled' },
    ]);
  expect(await stream.closed).toBe('graceful');
});
