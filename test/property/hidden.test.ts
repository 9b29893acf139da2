import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CompiledPolicy,
  evaluate,
  KINDS,
  type Kind,
  mapPrimitive,
  type Policy,
  type Primitive,
  preparePolicy,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { FILTER_FIELDS } from '../../src/core/gate/lists/client-filter.js';
import type { GateReport, HiddenReport } from '../../src/core/gate/request/report.js';
import { EXTENSION_ID, LISTS } from '../../src/core/wire/messages.js';
import { preferencesFor, smallPolicies } from '../engine/small-policies.js';
import { Harness } from '../gate/gate-harness.js';
import { sample } from '../sample.js';

const reasonsOf = ({ concerns, rules, unmapped, filter }: HiddenReport = {}): Record<string, number> => ({
  ...Object.fromEntries(Object.entries(concerns ?? {}).map(([name, count]) => [`concern ${name}`, count])),
  ...Object.fromEntries(Object.entries(rules ?? {}).map(([id, count]) => [`rule ${id}`, count])),
  ...(unmapped === undefined ? {} : { unmapped }),
  ...(filter === undefined ? {} : { filter }),
});
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** Counts the reasons by deciding on every primitive separately, without classes and caches. */
function countReasons(
  policy: Policy,
  items: readonly Primitive[],
  kind: (typeof KINDS)[number],
  concerns: Record<string, unknown>,
  claims: ReadonlyMap<string, unknown>,
  keeps: (name: string) => boolean,
): Record<string, number> {
  const configuration = resolveConfiguration(policy, [{ from: 'request', concerns }], { claims });
  const counts: Record<string, number> = {};
  const count = (key: string) => {
    counts[key] = (counts[key] ?? 0) + 1;
  };
  for (const item of items) {
    const { effect, reason } = evaluate(mapPrimitive(policy, kind, item), configuration);
    if (effect === 'show') {
      if (!keeps(String(item.name))) count('filter');
    } else if (reason.code === 'rule') count(`rule ${reason.rule}`);
    else count('concern' in reason ? `concern ${reason.concern}` : reason.code);
  }
  return counts;
}

/** Copies the entries of tools to every kind. */
function ofEveryKind(compiled: CompiledPolicy, enforcement: Policy['settings']['enforcement']): Policy {
  const { tools } = compiled.primitives;
  return preparePolicy({
    ...compiled,
    primitives: { tools, prompts: tools, resources: tools, resourceTemplates: tools },
    settings: { ...compiled.settings, enforcement },
  });
}

const valuePicks = fc.array(fc.nat(), { maxLength: 5 });
/** Each field of a filter that some list understands, with patterns; or no filter. */
const filters = fc.option(
  fc.record({
    field: fc.constantFrom(...new Set(Object.values(FILTER_FIELDS).flat())),
    patterns: fc.constantFrom<readonly string[]>(['t0', 't2'], ['t*'], ['none']),
  }),
  { nil: undefined },
);

it('counts every primitive as shown or hidden, for any policy, host and filter', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      smallPolicies,
      valuePicks,
      fc.constantFrom(undefined, 'free', 'pro', 'S3CR3T'),
      filters,
      fc.constantFrom('advisory' as const, 'enforce' as const, 'shadow' as const),
      ({ compiled, tools }, picks, tier, filter, enforcement) => {
        const policy = ofEveryKind(compiled, enforcement);
        const items = tools.map((each) => ({ ...each, uri: each.name, uriTemplate: each.name }));
        const harness = new Harness(policy).serve(
          Object.fromEntries(KINDS.map((kind) => [LISTS[kind].method, items])),
        );
        const hosted = policy.concerns.filter(({ setBy }) => setBy === 'host');
        const concerns = Object.fromEntries(
          picks.flatMap((pick, index) => {
            const concern = hosted[index];
            const values = concern === undefined ? [] : preferencesFor(concern);
            return concern === undefined ? [] : [[concern.name, values[pick % values.length]]];
          }),
        );
        const claims = new Map<string, unknown>(tier === undefined ? [] : [['tier', tier]]);
        const params = {
          _meta: { [EXTENSION_ID]: { concerns } },
          ...(filter === undefined ? {} : { filter: { [filter.field]: filter.patterns } }),
        };
        const keepsOf =
          (kind: Kind) =>
          (name: string): boolean => {
            const fields: readonly string[] = FILTER_FIELDS[kind];
            // A list leaves fields that it does not understand to its server, and this one has none.
            if (filter === undefined || !fields.includes(filter.field)) return true;
            return filter.patterns.includes('t*') || filter.patterns.includes(name);
          };

        // Each kind is listed twice: the second answer comes from the cache.
        for (const [id, kind] of [...KINDS, ...KINDS].entries()) {
          harness.client({ jsonrpc: '2.0', id, method: LISTS[kind].method, params }, { claims });
          const report: Partial<GateReport> = harness.reports.at(-1) ?? {};
          const { shown = Number.NaN, total, hidden } = report;
          const reasons = reasonsOf(hidden);
          expect(total).toBe(items.length);
          expect(sum(Object.values(reasons)) + shown).toBe(total);
          expect(reasons).toEqual(countReasons(policy, items, kind, concerns, claims, keepsOf(kind)));
          for (const reason of Object.keys(reasons)) seen.add(reason.split(' ')[0] ?? '');
          for (const name of Object.keys(report.concerns ?? {})) expect(report.sources).toHaveProperty(name);
        }
        expect(JSON.stringify(harness.reports)).not.toContain('S3CR3T');
      },
    ),
    { numRuns: sample(1500) },
  );
  // The generated policies and hosts must be varied enough that every reason occurs.
  expect([...seen].sort()).toEqual(['concern', 'filter', 'rule', 'unmapped']);
});
