import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { modern, settled } from '../exchange-of.js';
import { Harness } from '../gate-harness.js';
import { answerWith, errorWith, gate, high, list, named, plain, policyWith, TOOLS } from './list-gate.js';

const enforce = policyWith('{ enforcement: enforce }');
const panel = policyWith('{ panel: on }');
const told = (own: object) => ({ _meta: { [EXTENSION_ID]: own } });
const CONCERNS = { security: 'high' };

/** Answers every request with this error, and reports what the client receives. */
function failing(policy: typeof plain, error: object): Harness {
  const harness = new Harness(policy);
  harness.onServer = (message) => {
    if ('id' in message) void harness.server({ jsonrpc: '2.0', id: message.id, error });
  };
  return harness;
}

describe('a list request', () => {
  it('passes if nothing can be hidden, and its answer stays the same', () => {
    const harness = gate();
    expect(list(harness, { extra: 1 })).toEqual(answerWith({ tools: TOOLS }));
    expect(harness.toServer).toEqual([
      { jsonrpc: '2.0', id: expect.any(String), method: 'tools/list', params: { extra: 1 } },
    ]);
    expect(harness.reports).toEqual([
      { method: 'tools/list', era: 'legacy', concerns: {}, shown: 3, total: 3, warnings: [] },
    ]);
    expect(harness.contexts).toEqual([
      { id: 'list', policy: plain.digest, list: { kind: 'tools', items: TOOLS } },
    ]);
  });

  it('is answered from the whole list if something is hidden', () => {
    const harness = gate();
    expect(list(harness, high)).toEqual(
      answerWith({
        tools: named('open', 'free'),
        ...told({ concerns: CONCERNS, shown: 2, total: 3 }),
      }),
    );
    expect(harness.toServer).toEqual([
      { jsonrpc: '2.0', id: expect.any(String), method: 'tools/list', params: {} },
    ]);
    expect(harness.reports).toMatchObject([
      { shown: 2, total: 3, hidden: { concerns: { security: 1 } }, warnings: [] },
    ]);
    expect(harness.contexts).toEqual([
      { id: 'list', policy: plain.digest, list: { kind: 'tools', items: TOOLS } },
    ]);
    // The list is held now.
    list(harness, high);
    expect(harness.toServer).toHaveLength(1);
    expect([...harness.gate.ledger.all()]).toEqual([]);
  });

  it('lists other kinds in the same way', () => {
    expect(list(gate(), high, 'prompts/list')).toMatchObject({ result: { prompts: [] } });
    expect(list(gate(), {}, 'prompts/list')).toEqual(answerWith({ prompts: named('ask') }));
  });

  it("with the client's own filter is answered from the whole list", () => {
    const harness = gate();
    expect(list(harness, { filter: { namePatterns: ['*e*'] } })).toEqual(answerWith({ tools: TOOLS }));
    expect(list(harness, { filter: { namePatterns: ['w*'] } })).toEqual(answerWith({ tools: named('weak') }));
    expect(harness.reports.at(-1)).toMatchObject({ shown: 1, total: 3, hidden: { filter: 2 } });
  });

  it('with an invalid filter is refused', () => {
    const harness = gate();
    const message = "Invalid pattern in namePatterns: '7' — a pattern must be a string";
    expect(list(harness, { filter: { namePatterns: [7] } })).toEqual(errorWith(-32602, message));
    expect(harness.toServer).toEqual([]);
    expect(harness.reports).toEqual([{ method: 'tools/list', era: 'legacy', error: -32602 }]);
  });

  it('is a filter of its own kind', () => {
    expect(list(gate(), { filter: { uriPatterns: [7] } })).toEqual(answerWith({ tools: TOOLS }));
    const harness = new Harness(plain).serve({ 'resources/list': [] });
    expect(list(harness, { filter: { uriPatterns: [7] } }, 'resources/list')).toMatchObject({
      error: { code: -32602 },
    });
  });

  it('tells the connection what is listed', () => {
    const harness = gate();
    const told: string[] = [];
    harness.gate.state.observer = {
      changed: () => told.push('changed'),
      listed: () => told.push('listed'),
      closed: () => told.push('closed'),
    };
    expect(harness.gate.state.relisted).toBeNull();
    list(harness, high);
    expect(told).toEqual(['listed']);
    expect(harness.gate.state.listed?.key).toBe(harness.gate.latest?.configuration.key);
    expect(harness.gate.state.relisted).toBeNull();
    harness.gate.announce(['tools'], true, undefined);
    list(harness, high, 'prompts/list');
    expect(harness.gate.state.relisted).toBe(false);
    list(harness, high);
    expect(harness.gate.state.relisted).toBe(true);
    expect(told).toEqual(['listed', 'changed', 'listed', 'listed']);
  });
});

describe('a list from which nothing is hidden', () => {
  it('has the warnings about preferences', () => {
    const params = { _meta: { [EXTENSION_ID]: { concerns: { unknown: 'x' } } } };
    const answer = list(gate(), params);
    expect(answer).toEqual(
      answerWith({
        tools: TOOLS,
        ...told({ warnings: [expect.objectContaining({ code: 'undeclared-concern' })] }),
      }),
    );
  });

  it('is the list of its era', () => {
    const tools = [{ name: 'open' }, { name: 'task', execution: { taskSupport: 'required' } }];
    const both = [...tools, { name: 'either', execution: { taskSupport: 'optional' } }];
    expect(list(gate(plain, both))).toEqual(answerWith({ tools: both }));
    const harness = gate(plain, both);
    expect(list(harness, { _meta: modern() })).toEqual(
      answerWith({ tools: named('open', 'either'), ttlMs: 0, cacheScope: 'private' }),
    );
    expect(harness.reports).toMatchObject([{ era: 'modern', shown: 2, total: 3 }]);
  });

  it('ends with the tool of the gate', () => {
    const own = expect.objectContaining({ name: 'concerns' });
    expect(list(gate(panel))).toEqual(answerWith({ tools: [...TOOLS, own] }));
    const taken = [...TOOLS, { name: 'concerns' }];
    const harness = gate(panel, taken);
    expect(list(harness)).toEqual(answerWith({ tools: [...TOOLS, own] }));
    expect(harness.reports).toMatchObject([{ warnings: [{ code: 'reserved-name' }] }]);
  });

  it('that the server does not answer as a list stays as it is', () => {
    const harness = new Harness(plain);
    harness.onServer = (message) => {
      if ('id' in message) void harness.server({ jsonrpc: '2.0', id: message.id, result: { tools: 'none' } });
    };
    expect(list(harness)).toEqual(answerWith({ tools: 'none' }));
    expect(harness.reports).toMatchObject([{ shown: 0, total: 0 }]);
  });
});

describe('a list request of a session that is lost', () => {
  it.each([{}, high])('warns in the log and in the list, with params %j', async (params) => {
    const harness = new Harness(plain, { place: 'store', store: createMemoryStore(), id: 'lost' });
    harness.serve({ 'tools/list': TOOLS });
    list(harness, params);
    await settled();
    expect(harness.reports).toMatchObject([{ warnings: [{ code: 'unknown-session' }] }]);
    expect(JSON.stringify(harness.toClient)).toContain('unknown-session');
    expect(harness.toClient).toMatchObject([{ id: 'list' }]);
  });
});

describe('name filters of the URL', () => {
  const filters = policyWith('{ name-filters: true }');
  const enforced = policyWith('{ name-filters: true, enforcement: enforce }');
  const at = (query: string) => ({ http: { url: `http://localhost/mcp${query}`, headers: {} } });
  const unknown = (name: string) => ({
    code: 'unknown-tool-name',
    message: `?tools names tools that are not listed: "${name}". Check the names with a list without filters.`,
  });

  it('narrow the tools, if the policy accepts them', () => {
    expect(list(gate(filters), {}, 'tools/list', at('?tools=*e*&exclude=free'))).toEqual(
      answerWith({ tools: named('open', 'weak') }),
    );
    expect(list(gate(), {}, 'tools/list', at('?tools=weak'))).toMatchObject({ result: { tools: TOOLS } });
    expect(list(gate(filters), {}, 'prompts/list', at('?tools=weak'))).toEqual(
      answerWith({ prompts: named('ask') }),
    );
  });

  it("apply together with the client's own filter", () => {
    const params = { filter: { namePatterns: ['*e*', 'w*'] } };
    expect(list(gate(filters), params, 'tools/list', at('?exclude=open'))).toEqual(
      answerWith({ tools: named('weak', 'free') }),
    );
    expect(list(gate(filters), { filter: { namePatterns: ['w*'] } }, 'tools/list', at('?tools=*e*'))).toEqual(
      answerWith({ tools: named('weak') }),
    );
  });

  it('warn of unknown names, and under enforce of hidden ones too', () => {
    const query = at('?tools=weak,gone');
    expect(list(gate(filters), high, 'tools/list', query)).toMatchObject({
      result: { tools: [], ...told({ warnings: [unknown('gone')] }) },
    });
    const both = { ...unknown(''), message: unknown('weak", "gone').message };
    expect(list(gate(enforced), high, 'tools/list', query)).toMatchObject({
      result: { tools: [], ...told({ warnings: [both] }) },
    });
  });

  it('belong to the filter that a cursor is bound to', () => {
    const paged = gate(policyWith('{ name-filters: true, page-size: 1 }'));
    const first = list(paged, {}, 'tools/list', at('?tools=*e*'));
    const cursor = first && 'result' in first ? first.result.nextCursor : undefined;
    const message = 'Filter parameters must not change between paginated requests';
    expect(list(paged, { cursor }, 'tools/list', at('?tools=*'))).toEqual(errorWith(-32602, message));
    expect(list(paged, { cursor })).toEqual(errorWith(-32602, message));
    expect(list(paged, { cursor }, 'tools/list', at('?tools=*e*'))).toMatchObject({
      result: { tools: named('weak') },
    });
  });
});

describe('an error of the server', () => {
  const NOT_FOUND = { code: -32601, message: 'Method not found' };
  const own = expect.objectContaining({ name: 'concerns' });

  it.each<[string, object]>([
    ['if nothing is hidden', {}],
    ['if something is hidden', high],
  ])('is what the client gets, %s', (_what, params) => {
    const error = { code: -32603, message: 'weak failed', data: { tool: 'weak' } };
    const harness = failing(plain, error);
    expect(list(harness, params)).toEqual({ jsonrpc: '2.0', id: 'list', error });
  });

  it('is reported if the gate asked', () => {
    const harness = failing(plain, NOT_FOUND);
    list(harness, high);
    expect(harness.reports).toEqual([{ method: 'tools/list', era: 'legacy', error: -32601 }]);
  });

  it.each<[string, object]>([
    ['if nothing is hidden', {}],
    ['if something is hidden', high],
  ])('is the own list of the gate if the server has no such list, %s', (_what, params) => {
    const harness = failing(panel, NOT_FOUND);
    expect(list(harness, params)).toEqual(answerWith({ tools: [own] }));
    expect(list(harness, params, 'resources/list')).toEqual(answerWith({ resources: [] }));
  });

  it('is a modern answer for a modern client', () => {
    const result = { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' };
    const harness = failing(panel, NOT_FOUND);
    expect(list(harness, { _meta: modern() })).toEqual(answerWith(result));
    expect(list(harness, { _meta: modern({}, high._meta) })).toEqual(answerWith(result));
  });

  it('has no hidden names under enforce, as far as lists are held', () => {
    const error = { code: -32603, message: 'not weak' };
    const harness = gate(enforce);
    list(harness, high);
    harness.onServer = (message) => {
      if ('id' in message) void harness.server({ jsonrpc: '2.0', id: message.id, error });
    };
    expect(list(harness, high, 'prompts/list')).toEqual(errorWith(-32603, 'not [hidden]'));
  });
});
