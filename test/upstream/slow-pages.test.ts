import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { read } from '../../src/core/wire/messages.js';
import { ListingServer, listing, tool } from './listing-server.js';
import { connect, namesOf, newClient } from './several-harness.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const LEFT_OUT = 'io.github.mcp-concerns/left-out';
const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Each page after two seconds, and with another one after it. */
const endless = () => {
  let page = 0;
  return new ListingServer(async (method) => {
    if (method !== 'tools/list') return usual(method);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return { result: { tools: [tool(`of-page-${++page}`)], nextCursor: `${page}` } };
  });
};
const usual = (method: string) =>
  method === 'initialize'
    ? {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 's', version: '1' },
        },
      }
    : { result: {} };

it('pages that never end delay the list of others by less than ten seconds, once, until the server announces', async () => {
  const [slow, good] = [endless(), new ListingServer(listing({ tools: [tool('look')] }))];
  const client = await connect({ slow: slow.start, good: good.start });
  const listed = client.listTools();
  const ended = vi.fn();
  void listed.then(ended);
  for (let second = 0; second < 7; second++) {
    await turns();
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(ended).not.toHaveBeenCalled();
  await turns();
  await vi.advanceTimersByTimeAsync(1100);
  await turns();
  expect(ended).toHaveBeenCalled();
  const { tools, _meta } = await listed;
  expect(tools.map(({ name }) => name)).toContain('good__look');
  expect(read(_meta, LEFT_OUT)).toEqual({ slow: [{ after: 4, why: 'too-slow' }] });

  const asked = slow.asked.get('tools/list');
  // Not one second passes.
  expect((await client.listTools()).tools).toHaveLength(5);
  expect(slow.asked.get('tools/list')).toBe(asked);
  expect(good.asked.get('tools/list')).toBe(2);
});

it('a list that is late is listed when it is there, and its siblings wait for it once', async () => {
  const slow = new ListingServer(async (method) => {
    if (method !== 'tools/list') return usual(method);
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    return { result: { tools: [tool('late')] } };
  });
  const good = new ListingServer(listing({ tools: [tool('look')] }));
  const client = newClient();
  const changed = vi.fn();
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
  await connect({ slow: slow.start, good: good.start }, client);
  const listed = namesOf(client);
  await turns();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await listed).toEqual(['good__look']);
  await vi.advanceTimersByTimeAsync(2000);
  await turns();
  expect(changed).toHaveBeenCalledTimes(1);
  // No time passes, and nobody is asked: what came late is at hand.
  for (let time = 0; time < 3; time++) {
    expect(await namesOf(client)).toEqual(['slow__late', 'good__look']);
    await vi.advanceTimersByTimeAsync(6000);
  }
  expect([slow.asked.get('tools/list'), good.asked.get('tools/list')]).toEqual([1, 3]);
});

it('more than 20,000 entries are left out, and the pages that are missing are named', async () => {
  let page = 0;
  const long = new ListingServer((method) => {
    if (method !== 'tools/list') return usual(method);
    const tools = Array.from({ length: 5000 }, (_, at) => tool(`t-${page}-${at}`));
    return { result: { tools, nextCursor: String(++page) } };
  });
  const good = new ListingServer(listing({ tools: [tool('look')] }));
  const client = await connect({ long: long.start, good: good.start });
  const { tools, _meta } = await client.listTools();
  expect(tools).toHaveLength(20_001);
  expect(read(_meta, LEFT_OUT)).toEqual({ long: [{ after: 20_000, why: 'too-many-items' }] });
});

it('more entries than that in one page are cut, too', async () => {
  const tools = Array.from({ length: 200_000 }, (_, at) => tool(`t-${at}`));
  const long = new ListingServer((method) =>
    method === 'tools/list' ? { result: { tools } } : usual(method),
  );
  const good = new ListingServer(listing({ tools: [tool('look')] }));
  const client = await connect({ long: long.start, good: good.start });
  const listed = await client.listTools();
  expect(listed.tools).toHaveLength(20_001);
  expect(read(listed._meta, LEFT_OUT)).toEqual({ long: [{ after: 20_000, why: 'too-many-items' }] });
});
