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
} from '../../src/core/engine/index.js';
import type { Term } from '../../src/core/policy/diff/change.js';
import { compareSides } from '../../src/core/policy/diff/compare.js';
import { sample } from '../sample.js';

const TOOLS = ['a', 'b', 'c', 'd'].map((name, at) => ({ name, annotations: { readOnlyHint: at % 2 === 0 } }));
const WORDS = ['v0', 'v0.a', 'v1'];
const NAMES = ['one', 'two', 'three'];

/** Makes a concern for each policy. If either has a default, both have the same values, so that both declare them all. */
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
      hasDefault: fc.tuple(fc.boolean(), fc.boolean()),
      operator: fc.nat(3).map((roll) => roll === 0),
      within: fc.tuple(fc.boolean(), fc.boolean()),
    })
    .map(({ list, sizes, matches, several, hasDefault, operator, within }) => {
      const make = (at: 0 | 1): Concern => {
        const size = sizes[hasDefault.includes(true) ? 0 : at];
        return {
          name,
          values: list ? WORDS.slice(0, size) : { min: 0, max: size },
          match: list && within[at] ? 'within' : several && list ? 'exact' : matches[at],
          multiple: several && list,
          ...(hasDefault[at] ? { default: list ? 'v0' : 1 } : {}),
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
      unmappedTools: fc.subarray([0, 1, 2, 3]),
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
    .map(({ entries, unmappedTools, rules, unmapped, defaults }) => ({
      format: 1,
      digest: '',
      files: ['p.yaml'],
      concerns,
      presets: {},
      primitives: {
        tools: TOOLS.flatMap(({ name }, at) =>
          unmappedTools.includes(at)
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

/** One, two or three concerns: preferences for the other concerns are cases of their own. */
const concernPairs = fc
  .integer({ min: 1, max: NAMES.length })
  .chain((count) => fc.tuple(fc.boolean(), ...NAMES.slice(0, count).map(concernPair)))
  .map(([small, ...pairs]) => ({
    small,
    pairs: pairs.map(([before, after]) => [before, small ? before : after] as const),
  }));

/** Makes two policies without rules that differ only in the values of the first concern, as most real changes do. */
function smallChange(
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
      listed: fc.tuple(fc.subarray([0, 1, 2, 3]), fc.subarray([0, 1, 2, 3])),
      same: fc.boolean(),
      requests: fc.array(
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
    .map((found) => (small ? { ...found, ...smallChange(found.before, found.after) } : found)),
);

/** Tells whether the requested value, or the claim, is among the choices of a term. */
function holds(
  { dimension, choices }: Term,
  request: Readonly<Record<string, unknown>>,
  requestsAny: boolean,
): boolean {
  if (dimension.type === 'other-concern') return choices.has(requestsAny ? 1 : 0);
  const value = request[dimension.name];
  // If neither policy has a default, requesting null is the same as requesting nothing.
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

it('names exactly the primitives that change in each configuration', () => {
  fc.assert(
    fc.property(world, ({ before, after, listed, same, requests }) => {
      const catalogs = listed.map((own) => ({
        tools: same ? TOOLS : TOOLS.filter((_, at) => own.includes(at)),
      }));
      const [old = {}, now = {}] = catalogs;
      const { groups, gaps } = compareSides(
        { compiled: before, catalog: old },
        { compiled: after, catalog: now },
      );
      expect(gaps.filter((gap) => gap.includes('treated as not requested'))).toEqual([]);
      const policies: readonly Policy[] = [preparePolicy(before), preparePolicy(after)];
      for (const values of requests) {
        const all = Object.fromEntries(NAMES.map((name, at) => [name, values[at]]));
        // A policy that does not declare a value treats it as not requested, so its defaults may not apply.
        const isDeclared = ({ values: each }: Concern, value: unknown): boolean =>
          'min' in each
            ? typeof value === 'number' && value >= each.min && value <= each.max
            : typeof value === 'string' && each.includes(value);
        const hasDefault = [before, after].some(({ concerns }) =>
          concerns.some((each) => each.default !== undefined),
        );
        const isComparable = before.concerns.every((concern, at) => {
          const value = all[concern.name];
          const both = [concern, after.concerns[at] ?? concern].map((each) => isDeclared(each, value));
          return (
            value === undefined ||
            value === null ||
            (hasDefault ? !both.includes(false) : both.includes(true))
          );
        });
        if (!isComparable) continue;
        const host = before.concerns.filter(({ setBy }) => setBy === 'host').map(({ name }) => name);
        const concerns = Object.fromEntries(
          host.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
        );
        const claims = new Map(
          NAMES.flatMap((name) =>
            (all[name] ?? undefined) === undefined ? [] : [[`claim-${name}`, all[name]] as const],
          ),
        );
        const requestsAny = Object.values(concerns).some((value) => value !== null);
        // A caller without the claim gets the default. If both policies have the same one, it has no choice of its own.
        const effective = Object.fromEntries(
          before.concerns.map((concern, at) => {
            const same = concern.default === after.concerns[at]?.default ? concern.default : undefined;
            const value = all[concern.name];
            return [concern.name, concern.setBy === 'operator' ? (value ?? same) : value];
          }),
        );
        for (const { name } of TOOLS) {
          const [wasShown, isShown] = policies.map((policy, at) => {
            const tool = catalogs[at]?.tools.find((each) => each.name === name);
            const configuration = resolveConfiguration(policy, [{ from: 'session', concerns }], { claims });
            return (
              tool !== undefined &&
              decide(mapPrimitive(policy, 'tools', tool), configuration).effect === 'show'
            );
          });
          const groupsWith = (direction: 'hidden' | 'shown') =>
            groups.filter(
              (group) =>
                group[direction].some((each) => each.name === name) &&
                group.when.some((terms) => terms.every((term) => holds(term, effective, requestsAny))),
            );
          if (wasShown && !isShown) expect(groupsWith('hidden')).not.toEqual([]);
          if (!wasShown && isShown) expect(groupsWith('shown')).not.toEqual([]);
          for (const { exact } of groupsWith('hidden'))
            expect([isShown, exact && !wasShown]).toEqual([false, false]);
          for (const { exact } of groupsWith('shown'))
            expect([wasShown, exact && !isShown]).toEqual([false, false]);
        }
      }
    }),
    { numRuns: sample(1000) },
  );
});
