import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate/gate-harness.js';
import { sample } from '../sample.js';

/** Makes the policy with a page size. Without one, a list is a single page. */
function policyWith(pageSize: number | undefined) {
  const settings = pageSize === undefined ? '' : `settings: { page-size: ${pageSize} }\n`;
  return policyOf(`
concerns: { level: { values: [low, high] } }
patterns: { tools: { "l*": { level: low }, "h*": { level: high } } }
${settings}`);
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
const preferences = fc.constantFrom<object>(
  {},
  { _meta: { [EXTENSION_ID]: { concerns: { level: 'high' } } } },
);

/** Serves a list in pages of `pageSize`, or as one page if it is undefined. Cursors are offsets. */
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

function walk(harness: Harness, params: object, between: () => void): { names: string[]; rejected: boolean } {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let id = 1; id < 100; id++) {
    harness.request(id, 'tools/list', cursor === undefined ? params : { ...params, cursor });
    const [{ result, error } = {}] = harness.answers(id) as Page[];
    if (error !== undefined) {
      expect(error.code).toBe(-32602);
      return { names, rejected: true };
    }
    names.push(...(result?.tools ?? []).map(({ name }) => name));
    cursor = result?.nextCursor;
    if (cursor === undefined) return { names, rejected: false };
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

it('splits the filtered list into pages without loss, for any page size of the policy and of the server', () => {
  fc.assert(
    fc.property(
      tools,
      fc.constantFrom(...POLICIES),
      fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
      filter,
      preferences,
      (all, policy, serverPage, narrowed, concerns) => {
        const harness = new Harness(policy);
        serverOf(harness, () => all, serverPage);
        const { names, rejected } = walk(harness, { ...narrowed, ...concerns }, () => undefined);
        expect(rejected).toBe(false);
        expect(names).toEqual(expected(all, concerns, narrowed));
      },
    ),
    { numRuns: sample(1000) },
  );
});

it('rejects the cursor if the catalog changes between pages, or serves the old or the new list in full', () => {
  fc.assert(
    fc.property(
      tools,
      tools,
      fc.constantFrom(...POLICIES.slice(1)),
      filter,
      preferences,
      (before, after, policy, narrowed, concerns) => {
        const harness = new Harness(policy);
        let current = before;
        serverOf(harness, () => current, undefined);
        const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
        const { names, rejected } = walk(harness, { ...narrowed, ...concerns }, () => {
          current = after;
          void harness.server(changed);
        });
        if (rejected) return;
        const [old, now] = [expected(before, concerns, narrowed), expected(after, concerns, narrowed)];
        expect([JSON.stringify(old), JSON.stringify(now)]).toContain(JSON.stringify(names));
      },
    ),
    { numRuns: sample(1000) },
  );
});
