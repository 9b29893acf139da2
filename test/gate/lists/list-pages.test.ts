import { describe, expect, it } from 'vitest';
import { digestOf, makeCursor } from '../../../src/core/gate/lists/cursor.js';
import { Harness } from '../gate-harness.js';
import { answerWith, errorWith, gate, high, list, named, plain, policyWith, TOOLS } from './list-gate.js';

describe('pages', () => {
  const paged = policyWith('{ page-size: 2 }');
  const malformed = 'The cursor is not valid. List again without a cursor.';
  const changed = 'The list changed, so the cursor is not valid any more. List again without a cursor.';

  it('are cut by the policy, and depend on what this client is shown', () => {
    const harness = gate(paged, [...TOOLS, { name: 'more' }]);
    const first = list(harness, high);
    expect(first).toMatchObject({ result: { tools: named('open', 'free') } });
    const target = {
      catalog: digestOf(['tools', 'open', 'free', 'more']),
      policy: paged.digest,
      configuration: harness.gate.latest?.configuration.key ?? '',
      filter: '',
    };
    const cursor = makeCursor({ ...target, offset: 2 });
    expect(first).toMatchObject({ result: { nextCursor: cursor } });
    expect(list(harness, { ...high, cursor })).toMatchObject({ result: { tools: named('more') } });
  });

  it('of the server are not known to a client whose list is cut by the gate', () => {
    expect(list(gate(paged), { cursor: 'of the server' })).toEqual(errorWith(-32602, malformed));
  });

  it('of the server pass if nothing can be hidden', () => {
    const harness = gate();
    expect(list(harness, { cursor: 'of the server' })).toEqual(answerWith({ tools: TOOLS }));
    expect(harness.toServer).toMatchObject([{ params: { cursor: 'of the server' } }]);
  });

  it('of the gate are answered by it, although nothing is hidden any more', () => {
    const cursor = `2.${'a'.repeat(22)}.${'b'.repeat(22)}`;
    const harness = gate();
    expect(list(harness, { cursor })).toEqual(errorWith(-32602, changed));
    expect(harness.toServer).toMatchObject([{ params: {} }]);
  });

  it('are cut without a page size if the list of the server is one that is too large', () => {
    const tools = named('a', 'b', 'c').map((tool) => ({ ...tool, title: 'x'.repeat(2_000_000) }));
    const harness = gate(plain, tools);
    const first = list(harness);
    expect(first).toMatchObject({ result: { tools: named('a', 'b'), nextCursor: expect.any(String) } });
    const cursor = first && 'result' in first ? first.result.nextCursor : undefined;
    expect(list(harness, { cursor })).toEqual(answerWith({ tools: tools.slice(2) }));
  });

  it.each<[string, object, object]>([
    ['the server has more', {}, { nextCursor: 'more' }],
    ['it is not the first', { cursor: 'second' }, {}],
  ])('of the server are not cut if %s', (_what, params, more) => {
    const tools = named('a', 'b', 'c').map((tool) => ({ ...tool, title: 'x'.repeat(2_000_000) }));
    const harness = new Harness(plain);
    harness.onServer = (message) => {
      if ('id' in message)
        void harness.server({ jsonrpc: '2.0', id: message.id, result: { tools, ...more } });
    };
    expect(list(harness, params)).toEqual(answerWith({ tools, ...more }));
  });
});
