import { describe, expect, it } from 'vitest';
import { carryOut } from '../../../src/core/gate/edge/gather.js';
import { answerPage, listTarget, type PagedList } from '../../../src/core/gate/lists/answer-page.js';
import { digestOf, makeCursor } from '../../../src/core/gate/lists/cursor.js';
import { exchangeOf, modern } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = 'concerns: { security: { values: [low, high] } }\n';
const policy = policyOf(`${POLICY}settings: { page-size: 2 }\n`);
const withPanel = policyOf(`${POLICY}settings: { panel: on }\n`);

const items = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
const whole = { kind: 'tools', items } as const;
const list: PagedList = {
  list: whole,
  items,
  identities: () => ['a', 'b', 'c'],
  filterKey: '',
  rest: {},
  meta: {},
  counts: { shown: 3, total: 4 },
  warnings: [{ code: 'w', message: 'A warning.' }],
};

/** Answers a request with a list. */
function answered(params?: Record<string, unknown>, changed: Partial<PagedList> = {}, given = policy) {
  const harness = new Harness(given);
  const exchange = exchangeOf(harness, 'tools/list', params);
  carryOut(exchange, answerPage(exchange, { ...list, ...changed }));
  const target = listTarget(exchange, { ...list, ...changed });
  const { toClient: answers, reports, contexts } = harness;
  return { answers, reports, contexts, exchange, target };
}

describe('the basis of cursors', () => {
  it('is the list with its identities, the policy, the configuration and the filter', () => {
    const { exchange } = answered();
    expect(listTarget(exchange, { ...list, filterKey: 'key' })).toEqual({
      catalog: digestOf(['tools', 'a', 'b', 'c']),
      policy: policy.digest,
      configuration: exchange.configuration.key,
      filter: 'key',
    });
  });
});

describe('a page', () => {
  it('is the first one without a cursor, and is reported', () => {
    const { answers, reports, contexts, target } = answered();
    const nextCursor = makeCursor({ ...target, offset: 2 });
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a' }, { name: 'b' }], nextCursor } },
    ]);
    expect(reports).toEqual([
      {
        method: 'tools/list',
        era: 'legacy',
        concerns: {},
        shown: 3,
        total: 4,
        warnings: [{ code: 'w', message: 'A warning.' }],
      },
    ]);
    expect(contexts).toStrictEqual([{ id: 1, policy: policy.digest, list: whole }]);
  });

  it('is the one that the cursor points to, with the other parts of the result', () => {
    const cursor = makeCursor({ ...answered().target, offset: 2 });
    const _meta = { own: true };
    const { answers } = answered({ cursor }, { rest: { extra: 1, _meta: {} }, meta: { _meta } });
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, result: { extra: 1, tools: [{ name: 'c' }], _meta } }]);
  });

  it.each<[unknown, Partial<PagedList>, string]>([
    ['nonsense', {}, 'The cursor is not valid. List again without a cursor.'],
    [null, {}, 'The cursor is not valid. List again without a cursor.'],
    [
      makeCursor({ ...answered().target, offset: 2 }),
      { identities: () => ['a'] },
      'The list changed, so the cursor is not valid any more. List again without a cursor.',
    ],
    [
      makeCursor({ ...answered().target, offset: 2 }),
      { filterKey: 'other' },
      'Filter parameters must not change between paginated requests',
    ],
  ])('is refused for the cursor %j', (cursor, changed, message) => {
    const { answers, reports } = answered({ cursor }, changed);
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32602, message } }]);
    expect(reports).toEqual([{ method: 'tools/list', era: 'legacy', error: -32602 }]);
  });

  it('of a modern client is not to be cached', () => {
    expect(answered({ _meta: modern() }, { items: [] }).answers).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' },
      },
    ]);
  });

  it('has the own entries of the gate, unless the client filters the list', () => {
    const own = expect.objectContaining({ name: 'concerns' });
    expect(answered({}, {}, withPanel).answers).toEqual([
      { jsonrpc: '2.0', id: 1, result: { tools: [...items, own] } },
    ]);
    expect(answered({}, { filterKey: 'key' }, withPanel).answers).toEqual([
      { jsonrpc: '2.0', id: 1, result: { tools: items } },
    ]);
  });
});
