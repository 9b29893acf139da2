import { afterEach, describe, expect, it, vi } from 'vitest';
import { isSealed } from '../../src/core/gate/lists/cursor.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { Harness, LIST_KEYS, policyOf } from './gate-harness.js';

const policy = policyOf(`
concerns: { level: { values: [low, high] } }
primitives: { tools: { a: { level: low }, b: { level: high } } }
settings: { enforcement: enforce }
`);
const HIGH = { _meta: { [EXTENSION_ID]: { concerns: { level: 'high' } } } };
const TOOLS = [{ name: 'a' }, { name: 'b' }];

/** A server whose pages all have the same cursor, and each another tool, unless it answers with the same page again. */
function repeating(page: 'new' | 'same' = 'new'): Harness {
  const harness = new Harness(policy);
  let pages = 0;
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const key = LIST_KEYS[message.method];
    const tools = page === 'new' ? [...TOOLS, { name: `more-${pages++}` }] : TOOLS;
    const items = key === 'tasks' ? [{ taskId: String(message.params?.cursor) }] : tools;
    const result = key === undefined ? { ran: true } : { [key]: items, nextCursor: 'same' };
    void harness.server({ jsonrpc: '2.0', id: message.id, result });
  };
  return harness;
}

const listRequests = ({ toServer }: Harness, method: string): number =>
  toServer.filter((message) => 'method' in message && message.method === method).length;

describe('a server that repeats a cursor', () => {
  it('is filtered page by page, after two pages instead of a hundred', () => {
    const harness = repeating();
    harness.request(1, 'tools/list', HIGH);
    const [answer] = harness.answers(1);
    expect(answer).toMatchObject({
      result: {
        tools: [{ name: 'b' }, { name: 'more-2' }],
        _meta: { [EXTENSION_ID]: { warnings: [{ code: 'unbounded-list' }] } },
      },
    });
    expect(isSealed((answer as { result?: { nextCursor?: string } }).result?.nextCursor)).toBe(true);
    // Two pages of the walk, and the page for the client.
    expect(listRequests(harness, 'tools/list')).toBe(3);
  });

  it('makes the access check refuse, and is not searched again', () => {
    const harness = repeating();
    for (const id of [1, 2]) {
      harness.request(id, 'tools/call', { name: 'a', ...HIGH });
      expect(harness.answers(id)).toMatchObject([{ error: { code: -32603 } }]);
    }
    // Two pages of the walk, and two of the search.
    expect(listRequests(harness, 'tools/list')).toBe(4);
    expect(listRequests(harness, 'tools/call')).toBe(0);
  });

  it('has a list that ends where the same page comes again', () => {
    const harness = repeating('same');
    harness.request(1, 'tools/list', HIGH);
    expect(harness.answers(1)).toMatchObject([{ result: { tools: [{ name: 'b' }] } }]);
    expect(JSON.stringify(harness.answers(1))).not.toMatch(/nextCursor|unbounded-list/);
    harness.request(2, 'tools/call', { name: 'b', ...HIGH });
    expect(harness.answers(2)).toMatchObject([{ result: { ran: true } }]);
  });

  it('lists each of its tasks once', async () => {
    const harness = repeating();
    harness.request(1, 'tasks/list', { order: 'asc' });
    await expect
      .poll(() => harness.answers(1))
      .toMatchObject([{ result: { tasks: [{ taskId: 'undefined' }, { taskId: 'same' }] } }]);
  });
});

describe('a server that takes a minute for a page', () => {
  afterEach(() => vi.restoreAllMocks());

  function slow(): Harness {
    let time = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => time);
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const page = Number(message.params?.cursor ?? 0);
      if (page === 0) time += 60_000;
      const next = page === 0 ? { nextCursor: '1' } : {};
      const result = { tools: page === 0 ? TOOLS : [{ name: 'c' }], ...next };
      void harness.server({ jsonrpc: '2.0', id: message.id, result });
    };
    return harness;
  }

  it('is filtered page by page', () => {
    const harness = slow();
    harness.request(1, 'tools/list', HIGH);
    expect(harness.answers(1)).toMatchObject([{ result: { tools: [{ name: 'b' }] } }]);
    expect(listRequests(harness, 'tools/list')).toBe(2);
  });

  it('is walked again for the next list request, since it may be faster then', () => {
    const harness = slow();
    harness.request(1, 'tools/list', HIGH);
    vi.spyOn(performance, 'now').mockReturnValue(0);
    harness.request(2, 'tools/list', HIGH);
    expect(harness.answers(2)).toMatchObject([{ result: { tools: [{ name: 'b' }, { name: 'c' }] } }]);
  });
});
