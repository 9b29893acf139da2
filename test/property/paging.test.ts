import fc from 'fast-check';
import { expect, it } from 'vitest';
import { preparePolicy } from '../../src/engine/policy.js';
import { readPolicy } from '../../src/policy/compile/load.js';
import { EXTENSION_ID } from '../../src/protocol/messages/wire.js';
import { Harness, policyFile } from '../protocol/gate-harness.js';

/** The same policy with any page size; without one a list is one page. */
function policyWith(pageSize: number | undefined) {
  const settings = pageSize === undefined ? '' : `settings: { page-size: ${pageSize} }\n`;
  const file = policyFile(`
concerns: { level: { values: [low, high] } }
patterns: { tools: { "l*": { level: low }, "h*": { level: high } } }
${settings}`);
  const { compiled } = readPolicy(file);
  if (compiled === undefined) throw new Error('The policy of this test is wrong.');
  return preparePolicy(compiled);
}
const POLICIES = [undefined, 1, 2, 3, 7].map(policyWith);

const tool = fc
  .tuple(fc.constantFrom('l', 'h', 'x'), fc.integer({ min: 0, max: 30 }))
  .map(([kind, n]) => `${kind}${n}`);
const tools = fc.uniqueArray(tool, { maxLength: 25 });
const filter = fc.constantFrom<object>(
  {},
  { filter: { namePatterns: ['*1*'] } },
  { filter: { namePatterns: ['l*', '?2'] } },
);
const wants = fc.constantFrom<object>({}, { _meta: { [EXTENSION_ID]: { concerns: { level: 'high' } } } });

/** A server that lists in pages of its own, if it has a page size; its cursors are offsets. */
function serverOf(harness: Harness, list: () => readonly string[], pageSize: number | undefined): void {
  harness.onServer = (message) => {
    if (!('method' in message) || !('id' in message)) return;
    const from = Number(message.params?.cursor ?? 0);
    const to = pageSize === undefined ? list().length : from + pageSize;
    const items = list()
      .slice(from, to)
      .map((name) => ({ name }));
    const next = to < list().length ? { nextCursor: String(to) } : {};
    void harness.server({ jsonrpc: '2.0', id: message.id, result: { tools: items, ...next } });
  };
}

interface Page {
  readonly result?: { readonly tools: { readonly name: string }[]; readonly nextCursor?: string };
  readonly error?: { readonly code: number };
}

function walk(harness: Harness, params: object, between: () => void): { names: string[]; refused: boolean } {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let id = 1; id < 100; id++) {
    harness.request(id, 'tools/list', cursor === undefined ? params : { ...params, cursor });
    const [{ result, error } = {}] = harness.answers(id) as Page[];
    if (error !== undefined) {
      expect(error.code).toBe(-32602);
      return { names, refused: true };
    }
    names.push(...(result?.tools ?? []).map(({ name }) => name));
    cursor = result?.nextCursor;
    if (cursor === undefined) return { names, refused: false };
    between();
  }
  throw new Error('The pages do not end.');
}

const matches = (name: string, params: object): boolean =>
  !('filter' in params) ||
  (params.filter as { namePatterns: string[] }).namePatterns.some((pattern) =>
    new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name),
  );
const expected = (all: readonly string[], concerns: object, params: object): string[] =>
  all.filter((name) => (!('_meta' in concerns) || !name.startsWith('l')) && matches(name, params));

it('walking all pages of any size equals filtering everything at once, whether the server has pages or not', () => {
  fc.assert(
    fc.property(
      tools,
      fc.constantFrom(...POLICIES),
      fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
      filter,
      wants,
      (all, policy, serverPage, narrowed, concerns) => {
        const harness = new Harness(policy);
        serverOf(harness, () => all, serverPage);
        const { names, refused } = walk(harness, { ...narrowed, ...concerns }, () => undefined);
        expect(refused).toBe(false);
        expect(names).toEqual(expected(all, concerns, narrowed));
      },
    ),
    { numRuns: 1000 },
  );
});

it('a catalog that changes between pages refuses the cursor or goes on consistently: nothing is missing or doubled', () => {
  fc.assert(
    fc.property(
      tools,
      tools,
      fc.constantFrom(...POLICIES.slice(1)),
      filter,
      wants,
      (before, after, policy, narrowed, concerns) => {
        const harness = new Harness(policy);
        let current = before;
        serverOf(harness, () => current, undefined);
        const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
        const { names, refused } = walk(harness, { ...narrowed, ...concerns }, () => {
          current = after;
          void harness.server(changed);
        });
        if (refused) return;
        const [old, now] = [expected(before, concerns, narrowed), expected(after, concerns, narrowed)];
        expect([JSON.stringify(old), JSON.stringify(now)]).toContain(JSON.stringify(names));
      },
    ),
    { numRuns: 1000 },
  );
});
