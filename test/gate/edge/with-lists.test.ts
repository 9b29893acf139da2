import { afterEach, describe, expect, it, vi } from 'vitest';
import { KINDS, type Kind } from '../../../src/core/engine/policy.js';
import { withLists } from '../../../src/core/gate/edge/server-lists.js';
import type { NeededLists } from '../../../src/core/gate/request/decision.js';
import { ListServer, type Lists } from '../enforce/list-server.js';
import { policyOf } from '../gate-harness.js';

const policy = policyOf(
  'concerns: { security: { values: [low, high] } }\nsettings: { enforcement: enforce }\n',
);
const serving = (lists: Lists): ListServer => new ListServer(policy).listing(lists);

interface Got {
  readonly lists: { readonly [K in Kind]?: readonly unknown[] };
  readonly enough: boolean;
}

/** Gets lists from a server that answers at once. */
function get(server: ListServer, needed: NeededLists): Got {
  const got: Got[] = [];
  withLists(server.exchange('tools/call', { name: 'a' }), needed, ({ lists, enough }) => {
    got.push({
      lists: Object.fromEntries(KINDS.flatMap((kind) => (kind in lists ? [[kind, lists[kind]?.items]] : []))),
      enough,
    });
  });
  expect(got).toHaveLength(1);
  return got[0] ?? { lists: {}, enough: false };
}

const uri = (name: string) => ({ type: 'uri', name }) as const;
const tool = (name: string) => ({ type: 'tool', name }) as const;
const ALL: readonly Kind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];
const SHORT = {
  'tools/list': [{ name: 'a' }, { name: 'b' }],
  'prompts/list': [{ name: 'p' }],
  'resources/list': [{ uri: 'r://a' }],
  'resources/templates/list': [{ uriTemplate: 't://{id}' }],
};

afterEach(() => {
  vi.useRealTimers();
});

describe('the lists of a server', () => {
  it('are those that are needed', () => {
    const server = serving(SHORT);
    expect(get(server, { kinds: ['prompts', 'resources'] })).toEqual({
      lists: { prompts: [{ name: 'p' }], resources: [{ uri: 'r://a' }] },
      enough: true,
    });
    expect(server.asked).toEqual(['prompts/list', 'resources/list']);
    expect(get(server, { kinds: [] })).toEqual({ lists: {}, enough: true });
    expect(server.asked).toHaveLength(2);
  });

  it('are asked for once', () => {
    const server = serving(SHORT);
    expect(get(server, { kinds: ALL })).toEqual(get(server, { kinds: ALL }));
    expect(server.asked).toEqual(Object.keys(SHORT));
  });

  it('come without those that the server does not have', () => {
    expect(get(serving({ 'tools/list': [{ name: 'a' }] }), { kinds: ALL })).toEqual({
      lists: { tools: [{ name: 'a' }] },
      enough: true,
    });
  });

  it('are not enough if one could not be read', () => {
    expect(get(serving({ ...SHORT, 'prompts/list': -32603 }), { kinds: ALL })).toEqual({
      lists: {
        tools: SHORT['tools/list'],
        resources: SHORT['resources/list'],
        resourceTemplates: SHORT['resources/templates/list'],
      },
      enough: false,
    });
  });

  it('come later if the server answers later', async () => {
    const server = serving(SHORT);
    server.isSlow = true;
    const got = await new Promise((resolve) => {
      withLists(server.exchange('tools/call'), { kinds: ['tools', 'prompts'] }, ({ lists, enough }) =>
        resolve([Object.keys(lists), enough]),
      );
    });
    expect(got).toEqual([['servers', 'tools', 'prompts'], true]);
  });
});

describe('a list that is too long to be cached', () => {
  const pages = (count: number, last: readonly unknown[] = []) => [
    ...Array.from({ length: count - 1 }, (_, index) => [{ name: `n${index}`, uri: `n://${index}` }]),
    last,
  ];

  it('is searched for the targets, to its end', () => {
    const server = serving({ 'tools/list': pages(120, [{ name: 'late' }, { name: 'later' }]) });
    expect(get(server, { kinds: ['tools'], targets: [tool('late'), tool('n3'), tool('none')] })).toEqual({
      lists: { tools: [{ name: 'n3', uri: 'n://3' }, { name: 'late' }] },
      enough: true,
    });
    // A hundred pages told that it is too long.
    expect(server.asked).toHaveLength(220);
    expect(get(server, { kinds: ['tools'], targets: [tool('none')] })).toEqual({
      lists: { tools: [] },
      enough: true,
    });
    expect(server.asked).toHaveLength(340);
  });

  it('is searched for every form of a URI', () => {
    const server = serving({ 'resources/list': pages(110, [{ uri: 'R://Late' }, { uri: 'r://other' }]) });
    expect(get(server, { kinds: ['resources'], targets: [uri('r://Late')] }).lists).toEqual({
      resources: [{ uri: 'R://Late' }],
    });
  });

  it('does not end the search for other lists', () => {
    const server = serving({ ...SHORT, 'tools/list': pages(120) });
    expect(get(server, { kinds: ['tools', 'prompts'], targets: [tool('n1')] })).toEqual({
      lists: { tools: [{ name: 'n1', uri: 'n://1' }], prompts: [{ name: 'p' }] },
      enough: true,
    });
  });

  it('is searched once, also for a page', () => {
    const server = serving({ ...SHORT, 'tools/list': pages(120) });
    get(server, { kinds: ['tools', 'resources'], targets: [uri('ui://a')] });
    expect(server.asked.filter((method) => method === 'tools/list')).toHaveLength(220);
  });

  it('is not enough without targets', () => {
    const server = serving({ 'tools/list': pages(120) });
    expect(get(server, { kinds: ['tools'] })).toEqual({ lists: {}, enough: false });
    expect(server.asked).toHaveLength(100);
    expect(get(server, { kinds: ['tools'], targets: [] })).toEqual({ lists: {}, enough: false });
    expect(server.asked).toHaveLength(100);
  });

  it('may contain what is no list and no primitive', () => {
    const server = serving({ 'tools/list': [...pages(105), ['late', null, 7, { name: 'late' }]] });
    const answerList = server.onServer;
    server.onServer = (message) => {
      if ('params' in message && message.params?.cursor === '50' && 'id' in message) {
        void server.server({ jsonrpc: '2.0', id: message.id, result: { nextCursor: '51' } });
      } else answerList(message);
    };
    expect(get(server, { kinds: ['tools'], targets: [tool('late'), tool('')] })).toEqual({
      lists: { tools: [{ name: 'late' }] },
      enough: true,
    });
  });

  it('is not enough if a page could not be read, and is searched again the next time', () => {
    const server = serving({ 'tools/list': pages(120) });
    get(server, { kinds: ['tools'], targets: [tool('n1')] });
    server.lists = { 'tools/list': -32603 };
    expect(get(server, { kinds: ['tools'], targets: [tool('n1')] })).toEqual({ lists: {}, enough: false });
    server.lists = { 'tools/list': pages(120) };
    expect(get(server, { kinds: ['tools'], targets: [tool('n1')] }).enough).toBe(true);
  });

  it.each([
    [300, true],
    [301, false],
  ])('of %d pages is searched to its end: %s', (count, enough) => {
    const server = serving({ 'tools/list': pages(count, [{ name: 'late' }]) });
    const needed = { kinds: ['tools'], targets: [tool('late')] } as const;
    const expected = { lists: enough ? { tools: [{ name: 'late' }] } : {}, enough };
    expect(get(server, needed)).toEqual(expected);
    const before = server.asked.length;
    expect(get(server, needed)).toEqual(expected);
    // A list that has no end is not searched again.
    expect(server.asked.length - before).toBe(enough ? count : 0);
  });

  it('ends at a cursor that repeats, and is not read again', () => {
    const server = new ListServer(policy);
    server.onServer = (message) => {
      if (!('id' in message)) return;
      void server.server({ jsonrpc: '2.0', id: message.id, result: { tools: [], nextCursor: 'same' } });
    };
    const needed = { kinds: ['tools'], targets: [tool('late')] } as const;
    for (let times = 0; times < 2; times++) {
      const { lists, enough } = get(server, needed);
      expect([lists.tools, enough]).toEqual([[], true]);
      expect(server.asked).toHaveLength(2);
    }
  });

  it('is searched for a minute, and again the next time', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const server = serving({ 'tools/list': pages(120, [{ name: 'late' }]) });
    const needed = { kinds: ['tools'], targets: [tool('late')] } as const;
    expect(get(server, needed).enough).toBe(true);
    server.onList = (_method, page) => vi.advanceTimersByTime(page === 1 ? 59_999 : 0);
    expect(get(server, needed).enough).toBe(true);
    server.onList = (_method, page) => vi.advanceTimersByTime(page === 1 ? 60_000 : 0);
    expect(get(server, needed)).toEqual({ lists: {}, enough: false });
    server.onList = () => undefined;
    expect(get(server, needed).enough).toBe(true);
  });
});

it('the lists that are held are those that were read, and nothing is asked for them', () => {
  const server = serving(SHORT);
  expect(server.gate.state.catalog.held(policy)).toEqual({ servers: new Set() });
  get(server, { kinds: ['tools', 'resources'] });
  const asked = server.asked.length;
  const held = server.gate.state.catalog.held(policy);
  expect(Object.keys(held).sort()).toEqual(['resources', 'servers', 'tools']);
  expect(held.tools?.items).toEqual([{ name: 'a' }, { name: 'b' }]);
  expect(held.tools?.policy).toBe(policy);
  expect(held.resources?.items).toEqual([{ uri: 'r://a' }]);
  expect(server.asked).toHaveLength(asked);
});
