import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CompiledPolicy,
  type Concern,
  decide,
  mapPrimitive,
  type Policy,
  preparePolicy,
  resolveConfiguration,
} from '../../src/engine/index.js';
import { compareSides, type Term } from '../../src/policy/difference.js';

const TOOLS = ['a', 'b', 'c', 'd'].map((name, at) => ({ name, annotations: { readOnlyHint: at % 2 === 0 } }));
const WORDS = ['v0', 'v1', 'v2'];
const NAMES = ['one', 'two', 'three'];

/** The values of a concern may differ between the policies only where no default depends on what else is asked for. */
const concernPair = (name: string): fc.Arbitrary<readonly [Concern, Concern]> =>
  fc
    .record({
      list: fc.boolean(),
      sizes: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
      matches: fc.tuple(
        fc.constantFrom('exact' as const, 'at-least' as const, 'at-most' as const),
        fc.constantFrom('exact' as const, 'at-least' as const, 'at-most' as const),
      ),
      several: fc.boolean(),
      usual: fc.boolean(),
      operator: fc.nat(3).map((roll) => roll === 0),
    })
    .map(({ list, sizes, matches, several, usual, operator }) => {
      const make = (at: 0 | 1): Concern => {
        const size = sizes[usual ? 0 : at];
        return {
          name,
          values: list ? WORDS.slice(0, size) : { min: 0, max: size },
          match: several && list ? 'exact' : matches[at],
          multiple: several && list,
          ...(usual ? { default: list ? 'v0' : 1 } : {}),
          setBy: operator ? 'operator' : 'host',
          ...(operator ? { claim: `claim-${name}` } : {}),
        };
      };
      return [make(0), make(1)] as const;
    });

const valuesOf = ({ values }: Concern): (string | number)[] =>
  'min' in values ? [values.min, values.max, 0.5] : [...values];

const policyOf = (concerns: readonly Concern[]): fc.Arbitrary<CompiledPolicy> =>
  fc
    .record({
      entries: fc.array(
        fc.tuple(
          ...concerns.map((concern) =>
            fc.option(fc.subarray(valuesOf(concern), { minLength: 1 }), { freq: 1 }),
          ),
        ),
        { minLength: 4, maxLength: 4 },
      ),
      left: fc.subarray([0, 1, 2, 3]),
      rules: fc.array(
        fc.record({
          effect: fc.constantFrom('hide' as const, 'show' as const),
          concern: fc.constantFrom(...concerns),
          hint: fc.boolean(),
          negated: fc.boolean(),
        }),
        { maxLength: 2 },
      ),
      unmapped: fc.constantFrom('show' as const, 'hide' as const),
      defaults: fc.constantFrom('aware' as const, 'always' as const, 'never' as const),
    })
    .map(({ entries, left, rules, unmapped, defaults }) => ({
      format: 1,
      digest: '',
      files: ['p.yaml'],
      concerns,
      presets: {},
      primitives: {
        tools: TOOLS.flatMap(({ name }, at) =>
          left.includes(at)
            ? []
            : [
                {
                  name,
                  file: 0,
                  line: 1,
                  values: Object.fromEntries(
                    concerns.flatMap((concern, index) => {
                      const is = entries[at]?.[index];
                      return is ? [[concern.name, { is, line: 1 }]] : [];
                    }),
                  ),
                },
              ],
        ),
        prompts: [],
        resources: [],
        resourceTemplates: [],
      },
      patterns: { tools: [], prompts: [], resources: [], resourceTemplates: [] },
      assign: [],
      rules: rules.map(({ effect, concern, hint, negated }, index) => {
        const path = { var: `concerns.${concern.name}` };
        const [value] = valuesOf(concern);
        const test = concern.multiple ? { in: [value, path] } : { '===': [path, value] };
        const own = { '===': [{ var: 'primitive.annotations.readOnlyHint' }, hint] };
        const when = { and: [negated ? { '!': [test] } : test, own] };
        return { id: `r${index}`, effect, kinds: ['tools'], when, file: 0, line: 1 } as const;
      }),
      settings: { unmapped, defaults, invalid: 'ignore', enforcement: 'advisory', transparency: false },
    }));

const world = fc.tuple(...NAMES.map(concernPair)).chain((pairs) =>
  fc.record({
    before: policyOf(pairs.map(([before]) => before)),
    after: policyOf(pairs.map(([, after]) => after)),
    kept: fc.tuple(fc.subarray([0, 1, 2, 3]), fc.subarray([0, 1, 2, 3])),
    same: fc.boolean(),
    asked: fc.array(
      fc.tuple(
        ...pairs.map(([before, after]) =>
          fc.oneof(fc.constant(undefined), fc.constantFrom(...valuesOf(before), ...valuesOf(after), 0.3)),
        ),
      ),
      { minLength: 1, maxLength: 12 },
    ),
  }),
);

/** Whether a value that is asked for is among the choices of a term. */
function holds(
  { dimension, choices }: Term,
  asked: Readonly<Record<string, unknown>>,
  spoken: boolean,
): boolean {
  if (dimension.by === 'spoken') return choices.has(spoken ? 1 : 0);
  const value = asked[dimension.name];
  const offset = dimension.choices[0]?.text === undefined ? 1 : 0;
  const { range } = dimension;
  const index =
    range !== undefined && typeof value === 'number'
      ? range.findIndex((point, at) =>
          at % 2 === 0 ? point === value : value > (range[at - 1] ?? 0) && value < (range[at + 1] ?? 0),
        ) + offset
      : dimension.choices.findIndex(({ text }) => text === (value === undefined ? undefined : String(value)));
  return choices.has(index);
}

it('groups say what changes for every configuration, and nothing else', () => {
  fc.assert(
    fc.property(world, ({ before, after, kept, same, asked }) => {
      const surfaces = kept.map((own) => ({
        tools: same ? TOOLS : TOOLS.filter((_, at) => own.includes(at)),
      }));
      const [old = {}, now = {}] = surfaces;
      const { groups, gaps } = compareSides(
        { compiled: before, surface: old },
        { compiled: after, surface: now },
      );
      expect(gaps.filter((gap) => gap.includes('left out'))).toEqual([]);
      const policies: readonly Policy[] = [preparePolicy(before), preparePolicy(after)];
      for (const values of asked) {
        const all = Object.fromEntries(NAMES.map((name, at) => [name, values[at]]));
        // A value that only one of them knows is as good as not asked for to the other, so there defaults may not apply.
        const fits = ({ values: each }: Concern, value: unknown): boolean =>
          'min' in each
            ? typeof value === 'number' && value >= each.min && value <= each.max
            : typeof value === 'string' && each.includes(value);
        const usual = before.concerns.some((concern) => concern.default !== undefined);
        const known = before.concerns.every((concern, at) => {
          const value = all[concern.name];
          const both = [concern, after.concerns[at] ?? concern].map((each) => fits(each, value));
          return value === undefined || (usual ? !both.includes(false) : both.includes(true));
        });
        if (!known) continue;
        const host = before.concerns.filter(({ setBy }) => setBy === 'host').map(({ name }) => name);
        const concerns = Object.fromEntries(
          host.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
        );
        const claims = new Map(
          NAMES.flatMap((name) => (all[name] === undefined ? [] : [[`claim-${name}`, all[name]] as const])),
        );
        const spoken = Object.keys(concerns).length > 0;
        // Who claims nothing has the default, which is then no choice of its own.
        const effective = Object.fromEntries(
          before.concerns.map((concern) => [
            concern.name,
            all[concern.name] ?? (concern.setBy === 'operator' ? concern.default : undefined),
          ]),
        );
        for (const { name } of TOOLS) {
          const [wasShown, isShown] = policies.map((policy, at) => {
            const tool = surfaces[at]?.tools.find((each) => each.name === name);
            const configuration = resolveConfiguration(policy, [{ from: 'session', concerns }], { claims });
            return (
              tool !== undefined && decide(policy, mapPrimitive(policy, 'tools', tool), configuration).shown
            );
          });
          const among = (direction: 'hidden' | 'shown') =>
            groups.filter(
              (group) =>
                group[direction].some((each) => each.name === name) &&
                group.when.some((terms) => terms.every((term) => holds(term, effective, spoken))),
            );
          if (wasShown && !isShown) expect(among('hidden')).not.toEqual([]);
          if (!wasShown && isShown) expect(among('shown')).not.toEqual([]);
          for (const { exact } of among('hidden'))
            expect([isShown, exact && !wasShown]).toEqual([false, false]);
          for (const { exact } of among('shown'))
            expect([wasShown, exact && !isShown]).toEqual([false, false]);
        }
      }
    }),
    { numRuns: 300 },
  );
});
