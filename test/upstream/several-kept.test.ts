import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListToolsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, it, vi } from 'vitest';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { inProcessTransport } from '../../src/proxy/in-process.js';
import { remoteTransport } from '../../src/proxy/wires/remote.js';
import { policyOf } from '../gate/gate-harness.js';
import { startFaultyRemote } from './faulty-remote.js';
import { connect, namesOf, newClient, open } from './several-harness.js';

afterEach(() => {
  vi.useRealTimers();
});

/** Nothing can be hidden, and no client has preferences. */
const POLICY = policyOf('concerns: { effect: { values: [read, write] } }');

/** A server whose one tool is named after the number of lists so far. */
function counting(name: string) {
  const listed = { count: 0, fails: false };
  const servers: Server[] = [];
  const capabilities = { tools: { listChanged: true } };
  const start = () =>
    inProcessTransport(() => {
      const server = new Server({ name, version: '1' }, { capabilities });
      servers.push(server);
      server.setRequestHandler(ListToolsRequestSchema, () => {
        if (listed.fails) throw new Error('not now');
        return { tools: [{ name: `list-${++listed.count}`, inputSchema: { type: 'object' } }] };
      });
      return server;
    });
  return { listed, start, announce: () => servers.at(-1)?.sendToolListChanged() };
}

async function connectBoth(policy = new LivePolicy(POLICY)) {
  const [one, two] = [counting('one'), counting('two')];
  const client = await connect({ one: one.start, two: two.start }, newClient(), policy);
  return { one, two, client };
}

it('a client without preferences gets the kept list of several servers, until one of them announces a change', async () => {
  const { two, client } = await connectBoth();
  expect(await namesOf(client)).toEqual(['one__list-1', 'two__list-1']);
  expect(await namesOf(client)).toEqual(['one__list-1', 'two__list-1']);
  await two.announce();
  // What one server announces costs the other no request.
  await expect.poll(() => namesOf(client)).toEqual(['one__list-1', 'two__list-2']);
});

it('a kept list of several servers is asked for again after five seconds, because not every server announces its changes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { client } = await connectBoth();
  await namesOf(client);
  vi.setSystemTime(Date.now() + 4000);
  expect(await namesOf(client)).toEqual(['one__list-1', 'two__list-1']);
  vi.setSystemTime(Date.now() + 2000);
  expect(await namesOf(client)).toEqual(['one__list-2', 'two__list-2']);
});

it('a new policy applies to the kept list of several servers at once', async () => {
  const policy = new LivePolicy(POLICY);
  const { client } = await connectBoth(policy);
  expect(await namesOf(client)).toEqual(['one__list-1', 'two__list-1']);
  policy.replace(
    policyOf(`
rules: [{ id: closed, hide: [tools], when: { '===': [{ var: primitive.name }, one__list-1] }, reason: It is closed. }]`),
  );
  expect(await namesOf(client)).toEqual(['two__list-1']);
});

it('a list that one of several servers is missing from is kept for a host for five seconds, too', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { two, client } = await connectBoth();
  two.listed.fails = true;
  expect(await namesOf(client)).toEqual(['one__list-1']);
  two.listed.fails = false;
  expect(await namesOf(client)).toEqual(['one__list-1']);
  vi.setSystemTime(Date.now() + 5001);
  expect(await namesOf(client)).toEqual(['one__list-2', 'two__list-1']);
});

it('a server that was replaced without ending its connection is announced when it is opened again', async () => {
  const remote = await startFaultyRemote('forgets');
  open.push(() => remote.close());
  const client = newClient();
  const changed = vi.fn();
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
  const far = () => remoteTransport(remote.url);
  await connect({ one: counting('one').start, far }, client, POLICY);
  expect(await namesOf(client)).toEqual(['one__list-1', 'far__echo']);
  remote.failing = true;
  // It forgets its session after ten requests.
  for (let n = 0; n < 12; n++) await client.callTool({ name: 'far__echo', arguments: { n } });
  expect(remote.sessions()).toBe(2);
  await expect.poll(() => changed.mock.calls.length).toBe(1);
  // What happens to one server costs the other no request.
  expect(await namesOf(client)).toEqual(['one__list-1', 'far__echo']);
});
