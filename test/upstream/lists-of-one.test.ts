import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { deferred } from '../../src/core/once.js';
import { ownCall } from '../../src/proxy/call.js';
import { listPart } from '../../src/proxy/several/list-all.js';
import {
  type Announcements,
  type KeepListed,
  type Listed,
  ListsOfOne,
} from '../../src/proxy/several/lists-of-one.js';
import { Member } from '../../src/proxy/several/member.js';
import type { Part } from '../../src/proxy/several/part.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const listOf = (name: string): Listed => ({
  entries: [{ name }],
  about: {},
  leftOut: { first: [], count: 0 },
  isPartial: false,
});

/** Lists whose walks end when the test says so. */
function withWalks() {
  const walks: ((listed: Listed) => void)[] = [];
  const list = async (keep: KeepListed) => {
    const walk = deferred<Listed>();
    walks.push(walk.resolve);
    const listed = await walk.promise;
    keep(listed);
    return listed;
  };
  const announcements: Announcements = new Map();
  const told: string[] = [];
  const tell = (capability: string) => void told.push(capability);
  const lists = new ListsOfOne(
    (_kind, keep) => list(keep),
    announcements,
    tell,
    new AbortController().signal,
  );
  const other = () => announcements.set('tools', (announcements.get('tools') ?? 0) + 1);
  return { lists, walks, told, list, other, read: () => lists.read('tools', list) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('a walk that began before an announcement and ends after the renewed one does not replace it', async () => {
  const { lists, walks, told, read, other } = withWalks();
  const first = read();
  walks[0]?.(listOf('old'));
  await first;
  const late = read();
  lists.announced('tools');
  walks[2]?.(listOf('new'));
  await turn();
  expect(told).toEqual(['tools']);
  walks[1]?.(listOf('older'));
  expect(await late).toEqual(listOf('older'));
  expect(await read()).toEqual(listOf('new'));
  other();
  expect(await read()).toEqual(listOf('new'));
  expect(walks).toHaveLength(3);
});

it('what a walk brings that began before the server was another one is not kept', async () => {
  const { lists, walks, read, other } = withWalks();
  const late = read();
  lists.forget();
  walks[0]?.(listOf('old'));
  await late;
  other();
  void read();
  expect(walks).toHaveLength(2);
});

it('a list that is asked for twice without an announcement comes from the server', async () => {
  const { walks, read, other } = withWalks();
  for (const name of ['a', 'b']) {
    const listed = read();
    walks.at(-1)?.(listOf(name));
    expect(await listed).toEqual(listOf(name));
  }
  other();
  expect(await read()).toEqual(listOf('b'));
  void read();
  expect(walks).toHaveLength(3);
});

it('an announcement while the lists are read is told after another list', async () => {
  const { lists, walks, told, read } = withWalks();
  const first = read();
  walks[0]?.(listOf('a'));
  await first;
  for (let times = 0; times < 9; times++) lists.announced('tools');
  walks[1]?.(listOf('b'));
  await turn();
  expect([walks.length, told.length]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(walks).toHaveLength(3);
  walks[2]?.(listOf('c'));
  await turn();
  expect(told).toHaveLength(2);
  expect(await read()).toEqual(listOf('c'));
});

it('a list is at hand while the server has announced another one that the client is not told of yet', async () => {
  const { lists, walks, told, read } = withWalks();
  const first = read();
  walks[0]?.(listOf('a'));
  await first;
  lists.announced('tools');
  expect(await read()).toEqual(listOf('a'));
  walks[1]?.(listOf('b'));
  await turn();
  expect(told).toEqual(['tools']);
  expect(await read()).toEqual(listOf('b'));
  expect(walks).toHaveLength(2);
});

it('each of several announcements of another server is answered once from what is at hand', async () => {
  const { walks, read, other } = withWalks();
  const first = read();
  walks[0]?.(listOf('a'));
  await first;
  other();
  other();
  for (let time = 0; time < 2; time++) expect(await read()).toEqual(listOf('a'));
  void read();
  expect(walks).toHaveLength(2);
});

it('what a server listed is not at hand any more while it is down, and is while it is late', async () => {
  const { lists, walks, read } = withWalks();
  const first = read();
  walks[0]?.(listOf('a'));
  await first;
  expect(await lists.read('tools', async () => 'its list is not there yet')).toEqual(listOf('a'));
  const left = new AbortController();
  const member = new Member('one', async () => ({ result: {} }), vi.fn(), left.signal);
  member.happened({ upstream: 'one', state: 'failed', reason: 'it ended', isLost: true });
  // Of a server that is down, nothing else is read.
  const part = { member } as Part;
  const call = ownCall('tools/list', undefined);
  expect(await lists.read('tools', (keep) => listPart(part, call, 'tools', keep))).toBe('it ended');
  expect(await lists.read('tools', async () => 'its list is not there yet')).toBe(
    'its list is not there yet',
  );
  left.abort();
});

it('a list older than a minute comes from the server, also after an announcement', async () => {
  const { walks, read, other } = withWalks();
  const first = read();
  walks[0]?.(listOf('a'));
  await first;
  vi.setSystemTime(Date.now() + 60_001);
  other();
  void read();
  expect(walks).toHaveLength(2);
});
