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
import type { Term } from '../../src/policy/diff/change.js';
import { compareSides } from '../../src/policy/diff/compare.js';

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
      usual: fc.tuple(fc.boolean(), fc.boolean()),
      operator: fc.nat(3).map((roll) => roll === 0),
    })
    .map(({ list, sizes, matches, several, usual, operator }) => {
      const make = (at: 0 | 1): Concern => {
        const size = sizes[usual.includes(true) ? 0 : at];
        return {
          name,
          values: list ? WORDS.slice(0, size) : { min: 0, max: size },
          match: several && list ? 'exact' : matches[at],
          multiple: several && list,
          ...(usual[at] ? { default: list ? 'v0' : 1 } : {}),
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
            fc.option(fc.subarray(valuesOf(concern), { minLength: 1 }), { freq: 2 }),
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

/** One concern, two or three: what a host can ask for beside the one that matters is a case of its own. */
const concernPairs = fc
  .integer({ min: 1, max: NAMES.length })
  .chain((count) => fc.tuple(fc.boolean(), ...NAMES.slice(0, count).map(concernPair)))
  .map(([small, ...pairs]) => ({
    small,
    pairs: pairs.map(([before, after]) => [before, small ? before : after] as const),
  }));

/** Policies without rules that differ in what they say of the first concern: most changes are small. */
function alike(
  before: CompiledPolicy,
  after: CompiledPolicy,
): Readonly<Record<'before' | 'after', CompiledPolicy>> {
  const rest = { ...before, rules: [], settings: { ...before.settings, defaults: 'aware' } } as const;
  const [first = ''] = NAMES;
  const tools = before.primitives.tools.map((entry) => {
    const { [first]: _, ...values } = entry.values;
    const now = after.primitives.tools.find(({ name }) => name === entry.name)?.values[first];
    return { ...entry, values: now === undefined ? values : { ...values, [first]: now } };
  });
  return { before: rest, after: { ...rest, primitives: { ...rest.primitives, tools } } };
}

const world = concernPairs.chain(({ small, pairs }) =>
  fc
    .record({
      before: policyOf(pairs.map(([before]) => before)),
      after: policyOf(pairs.map(([, after]) => after)),
      kept: fc.tuple(fc.subarray([0, 1, 2, 3]), fc.subarray([0, 1, 2, 3])),
      same: fc.boolean(),
      asked: fc.array(
        fc.tuple(
          ...pairs.map(([before, after]) =>
            fc.oneof(fc.constant(undefined), fc.constant(null), {
              weight: 2,
              arbitrary: fc.constantFrom(...valuesOf(before), ...valuesOf(after), 0.3),
            }),
          ),
        ),
        { minLength: 1, maxLength: 12 },
      ),
    })
    .map((found) => (small ? { ...found, ...alike(found.before, found.after) } : found)),
);

/** Whether a value that is asked for is among the choices of a term. */
function holds(
  { dimension, choices }: Term,
  asked: Readonly<Record<string, unknown>>,
  spoken: boolean,
): boolean {
  if (dimension.by === 'spoken') return choices.has(spoken ? 1 : 0);
  const value = asked[dimension.name];
  // Where no policy has a default, asking for none is the same as not asking.
  const none = dimension.choices.findIndex((choice) => choice.value === null);
  if (value === null) return choices.has(Math.max(none, 0));
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
        const usual = [before, after].some(({ concerns }) =>
          concerns.some((each) => each.default !== undefined),
        );
        const known = before.concerns.every((concern, at) => {
          const value = all[concern.name];
          const both = [concern, after.concerns[at] ?? concern].map((each) => fits(each, value));
          return (
            value === undefined || value === null || (usual ? !both.includes(false) : both.includes(true))
          );
        });
        if (!known) continue;
        const host = before.concerns.filter(({ setBy }) => setBy === 'host').map(({ name }) => name);
        const concerns = Object.fromEntries(
          host.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
        );
        const claims = new Map(
          NAMES.flatMap((name) => (all[name] === undefined ? [] : [[`claim-${name}`, all[name]] as const])),
        );
        const spoken = Object.values(concerns).some((value) => value !== null);
        // Who claims nothing has the default, which is then no choice of its own.
        const effective = Object.fromEntries(
          before.concerns.map((concern, at) => {
            const same = concern.default === after.concerns[at]?.default ? concern.default : undefined;
            const value = all[concern.name];
            return [concern.name, concern.setBy === 'operator' ? (value ?? same) : value];
          }),
        );
        for (const { name } of TOOLS) {
          const [wasShown, isShown] = policies.map((policy, at) => {
            const tool = surfaces[at]?.tools.find((each) => each.name === name);
            const configuration = resolveConfiguration(policy, [{ from: 'session', concerns }], { claims });
            return (
              tool !== undefined &&
              decide(policy, mapPrimitive(policy, 'tools', tool), configuration).effect === 'show'
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
    { numRuns: 1000 },
  );
});
