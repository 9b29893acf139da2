import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { attachGate } from '../../src/core/gate/attach.js';
import { read } from '../../src/core/wire/messages.js';
import { bridgeSeveral } from '../../src/proxy/several/bridge-several.js';
import { policyOf } from '../gate/gate-harness.js';
import { type Answers, ListingServer, listing, tool } from './listing-server.js';
import { ask } from './modern-client.js';
import { namesOf, newClient, open, textOf } from './several-harness.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<never>(() => undefined);
const good = listing({ tools: [tool('look')] }, (method, params) =>
  method === 'tools/call'
    ? { result: { content: [{ type: 'text', text: `ran ${String(read(params, 'name'))}` }] } }
    : undefined,
);
const onList =
  (answer: ReturnType<Answers>): Answers =>
  (method, params) =>
    method === 'tools/list' ? answer : good(method, params);
const ended = (): Transport => {
  const [near] = InMemoryTransport.createLinkedPair();
  near.start = async () => {
    throw new Error('spawn ENOENT');
  };
  return near;
};

/** Ten ways in which a server fails. The second says what a list has of it: nothing, or its tool without what does not fit. */
const FAILING: Readonly<Record<string, readonly [() => Transport, 'missing' | 'listed']>> = {
  'does-not-start': [ended, 'missing'],
  'never-initializes': [
    new ListingServer((method) => (method === 'initialize' ? never : undefined)).start,
    'missing',
  ],
  'refuses-to-initialize': [
    new ListingServer((method) =>
      method === 'initialize' ? { error: { code: -32000, message: 'no key' } } : undefined,
    ).start,
    'missing',
  ],
  'never-lists': [new ListingServer(onList(never)).start, 'missing'],
  'fails-to-list': [
    new ListingServer(onList({ error: { code: -32603, message: 'no database' } })).start,
    'missing',
  ],
  'lists-nothing': [new ListingServer(onList({ result: {} })).start, 'listed'],
  'lists-no-list': [new ListingServer(onList({ result: { tools: 'look' } })).start, 'listed'],
  'lists-null': [new ListingServer(onList({ result: { tools: [null, tool('look')] } })).start, 'listed'],
  'lists-odd-names': [
    new ListingServer(onList({ result: { tools: [tool('good-1__look'), tool('')] } })).start,
    'listed',
  ],
  'repeats-pages': [
    new ListingServer(onList({ result: { tools: [tool('look')], nextCursor: 'same' } })).start,
    'listed',
  ],
};

/** Lets time pass until there is an answer. Returns it, and how many seconds that took. */
async function waited<T>(answer: Promise<T>): Promise<{ readonly answer: T; readonly seconds: number }> {
  let there: { readonly answer: T } | undefined;
  void answer.then((found) => {
    there = { answer: found };
  });
  for (let seconds = 0; seconds < 60; seconds++) {
    for (let turn = 0; turn < 50 && there === undefined; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    if (there !== undefined) return { ...there, seconds };
    await vi.advanceTimersByTimeAsync(1000);
  }
  throw new Error('There is no answer within a minute.');
}

it('sixty servers answer hosts of both eras as if ten others did not fail in ten ways', async () => {
  const sixty = Array.from({ length: 60 }, (_, at) => [`good-${at}`, new ListingServer(good).start] as const);
  const failing = Object.entries(FAILING).map(([name, [start]]) => [name, start] as const);
  const several = bridgeSeveral(new Map<string, () => Transport>([...sixty, ...failing]), 'shared', {
    isLongLived: true,
    isOfOnePerson: true,
  });
  const policy = policyOf('concerns: { effect: { values: [read, write] } }');
  const client = newClient();
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = await several.connection();
  attachGate(server, { policy, upstream: server.behind });
  await server.connect(theirs);
  open.push(
    () => several.close(),
    () => client.close(),
  );
  expect((await waited(client.connect(ours))).seconds).toBeLessThanOrEqual(10);
  const first = await waited(client.listTools());
  expect(first.seconds).toBeLessThanOrEqual(10);
  const { tools, _meta } = first.answer;
  const names = tools.map(({ name }) => name);
  for (const [slug] of sixty) expect(names).toContain(`${slug}__look`);
  const missing = Object.keys(read(_meta, 'io.github.mcp-concerns/unavailable') ?? {}).sort();
  expect(missing).toEqual(
    Object.entries(FAILING)
      .filter(([, [, state]]) => state === 'missing')
      .map(([name]) => name)
      .sort(),
  );
  expect(new Set(names).size).toBe(names.length);
  for (const [slug] of sixty) {
    const called = await waited(client.callTool({ name: `${slug}__look` }));
    expect([textOf(called.answer), called.seconds]).toEqual(['ran look', 0]);
  }
  const modern = await waited(ask(several, undefined, 'tools/list'));
  expect(modern.seconds).toBeLessThanOrEqual(10);
  const { result } = modern.answer;
  const shown = Object(result).tools.map((each: unknown) => read(each, 'name'));
  expect(shown).toEqual(names);
  // Once more, and nobody waits.
  expect(await waited(namesOf(client))).toEqual({ answer: names, seconds: 0 });
});
