import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { read } from '../../src/core/wire/messages.js';
import { policyOf } from '../gate/gate-harness.js';
import { ListingServer, listing, tool } from './listing-server.js';
import { connect, namesOf, newClient } from './several-harness.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const turns = async (count = 40): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const pass = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
  await turns();
};
const times = (count: number, act: (index: number) => void): void => {
  for (let index = 0; index < count; index++) act(index);
};
const POLICY = policyOf('concerns: { effect: { values: [read, write] } }');

async function connectBoth(more = {}) {
  const tools: object[] = [tool('x'), tool('long')];
  const answers = listing({ tools, resources: [{ uri: 'a://b', name: 'a' }], ...more }, (method, params) => {
    if (method !== 'tools/call') return undefined;
    return read(params, 'name') === 'long'
      ? new Promise((resolve) => {
          finish = () => resolve({ result: { content: [] } });
        })
      : { result: { content: [] } };
  });
  let finish = (): void => undefined;
  const [evil, good] = [new ListingServer(answers), new ListingServer(listing({ tools: [tool('look')] }))];
  const client = newClient();
  const told: string[] = [];
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void told.push(String(params.data)),
  );
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void told.push(`${params.uri} ${read(params, '_meta', 'n')}`),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push('changed'));
  await connect({ evil: evil.start, good: good.start }, client, new LivePolicy(POLICY));
  await namesOf(client);
  return { evil, good, client, told, tools, finish: () => finish() };
}

describe('a server that floods', () => {
  it('with announcements is listed at most once a second, and the others never', async () => {
    const { evil, good, client, told, tools } = await connectBoth();
    tools.push(tool('new'));
    times(2000, () => evil.tell('tools/list_changed'));
    await turns();
    expect(told).toEqual(['changed']);
    expect(await namesOf(client)).toContain('evil__new');
    tools.push(tool('newer'));
    await pass(1000);
    expect(evil.asked.get('tools/list')).toBe(3);
    expect(told).toEqual(['changed', 'changed']);
    // The last announcement was not lost.
    expect(await namesOf(client)).toContain('evil__newer');
    await pass(10_000);
    expect([evil.asked.get('tools/list'), good.asked.get('tools/list')]).toEqual([3, 1]);
  });

  it('with all kinds of messages, and without lists in time, delays no call of another server', async () => {
    const hides = `
concerns: { effect: { values: [read, write], match: at-most, set-by: operator, claim: effect, default: read } }
primitives: { tools: { evil__x: { effect: write } } }
settings: { enforcement: enforce }`;
    const answers = listing({ tools: [tool('x')], resources: [{ uri: 'a://b', name: 'a' }] });
    let hangs = false;
    const evil = new ListingServer((method, params) =>
      hangs && method.endsWith('/list') ? new Promise(() => undefined) : answers(method, params),
    );
    const good = new ListingServer(
      listing({ tools: [tool('look')], resources: [{ uri: 'a://b', name: 'a' }] }, (method) =>
        method === 'tools/call' ? { result: { content: [] } } : undefined,
      ),
    );
    const client = newClient();
    await connect({ evil: evil.start, good: good.start }, client, new LivePolicy(policyOf(hides)));
    await namesOf(client);
    await client.listResources();
    await client.listResourceTemplates();
    const asked = new Map(good.asked);
    hangs = true;
    for (let second = 0; second < 20; second++) {
      times(50, (index) => {
        evil.tell('tools/list_changed');
        evil.tell('resources/list_changed');
        evil.tell('resources/updated', { uri: `a://of-nothing-${index}` });
        evil.tell('message', { level: 'error', data: 'x' });
      });
      await pass(1000);
      const called = vi.fn();
      void client.callTool({ name: 'good__look', arguments: {} }).then(called);
      await turns();
      expect(called).toHaveBeenCalledTimes(1);
    }
    expect([...good.asked].filter(([method]) => method.endsWith('/list'))).toEqual(
      [...asked].filter(([method]) => method.endsWith('/list')),
    );
  });

  it('with log messages is heard 50 times in ten seconds, and how many were left out is said', async () => {
    const { evil, told } = await connectBoth();
    times(2000, (index) => evil.tell('message', { level: 'error', data: `line ${index}` }));
    await turns();
    expect(told).toHaveLength(50);
    await pass(10_000);
    expect(told.slice(49)).toEqual(['line 49', '1950 more messages of evil were left out.']);
    times(51, (index) => evil.tell('message', { level: 'error', data: `again ${index}` }));
    await pass(10_000);
    expect(told.at(-1)).toBe('1 more message of evil was left out.');
    expect(told).toHaveLength(102);
  });

  it('with updates of resources tells each once a second, and the last one is not lost', async () => {
    const { evil, told } = await connectBoth();
    times(2000, (n) => evil.tell('resources/updated', { uri: 'a://b', _meta: { n } }));
    await turns();
    expect(told).toEqual(['evil+a://b 0']);
    await pass(1000);
    await pass(5000);
    expect(told).toEqual(['evil+a://b 0', 'evil+a://b 1999']);
  });

  it('with updates of any number of resources is told of 1,000', async () => {
    const { evil, told } = await connectBoth();
    times(3000, (n) => evil.tell('resources/updated', { uri: `a://${n}` }));
    await turns();
    expect(told).toHaveLength(1000);
    await pass(2100);
    evil.tell('resources/updated', { uri: 'a://b' });
    await turns();
    expect(told).toHaveLength(1001);
  });

  it('with progress is told 20 times a second, and the last one before the answer', async () => {
    const { evil, client, finish } = await connectBoth();
    const progress: number[] = [];
    const onprogress = ({ progress: done }: { progress: number }) => void progress.push(done);
    const called = client.callTool({ name: 'evil__long', arguments: {} }, undefined, { onprogress });
    await turns();
    // Tokens on the side of the server are numbers of its own connection.
    times(500, (token) =>
      times(3, (each) => evil.tell('progress', { progressToken: token, progress: each })),
    );
    times(60, (each) =>
      tokens(500, (token) => evil.tell('progress', { progressToken: token, progress: 10 + each })),
    );
    await turns();
    expect(progress).toHaveLength(20);
    finish();
    await called;
    expect(progress).toHaveLength(21);
    expect(progress.at(-1)).toBe(69);
  });

  it('with questions has four open and 32 that wait, and all of a call end with it', async () => {
    const { evil, client, finish } = await connectBoth();
    let open = 0;
    const most = { open: 0, asked: 0 };
    const answer: (() => void)[] = [];
    client.setRequestHandler(ElicitRequestSchema, async (_request, { signal }) => {
      most.asked++;
      most.open = Math.max(most.open, ++open);
      await new Promise<void>((resolve) => {
        answer.push(resolve);
        signal.addEventListener('abort', () => resolve());
      });
      open--;
      return { action: 'decline' };
    });
    const called = client.callTool({ name: 'evil__long', arguments: {} });
    await turns();
    const params = { message: 'What?', requestedSchema: { type: 'object', properties: {} } };
    times(100, (id) => evil.send({ id: `q-${id}`, method: 'elicitation/create', params }));
    await turns();
    expect([most.open, most.asked, evil.answered.size]).toEqual([4, 4, 64]);
    expect(read(evil.answered.get('q-99'), 'error', 'code')).toBe(-32000);
    answer.shift()?.();
    await turns();
    expect([most.open, most.asked, evil.answered.size]).toEqual([4, 5, 65]);
    finish();
    await called;
    await turns();
    expect([open, most.asked, evil.answered.size]).toEqual([0, 5, 100]);
  });

  it('with instructions leaves room for those of the others', async () => {
    const introduced = (instructions: string) =>
      new ListingServer((method) =>
        method === 'initialize'
          ? {
              result: {
                protocolVersion: '2025-11-25',
                capabilities: {},
                serverInfo: { name: 's', version: '1' },
                instructions,
              },
            }
          : undefined,
      );
    const client = await connect({
      evil: introduced('x'.repeat(1e6)).start,
      good: introduced('Be kind.').start,
    });
    const instructions = client.getInstructions() ?? '';
    expect(instructions.length).toBeLessThan(8192 + 300);
    expect(instructions).toContain('(shortened)');
    expect(instructions).toContain('Be kind.');
  });
});

const tokens = (count: number, act: (token: number) => void): void => times(count, act);
