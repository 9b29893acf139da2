import fc from 'fast-check';
import {
  type Caller,
  type CompiledPolicy,
  type Concern,
  type Configuration,
  KINDS,
  mapPrimitive,
  type Policy,
  type Primitive,
  preparePolicy,
  resolveConfiguration,
} from '../../src/core/engine/index.js';

/** Policies that are so small that all of their configurations can be tried one by one. */

const base = { multiple: false, setBy: 'host', match: 'exact' } as const;
const CONCERNS: readonly Concern[] = [
  { ...base, name: 'level', values: ['low', 'mid', 'high'] },
  { ...base, name: 'topic', values: ['maps', 'code'], multiple: true },
  { ...base, name: 'price', values: { min: 0, max: 3 }, match: 'at-most' },
  { ...base, name: 'limit', values: { min: 0, max: 3 }, match: 'at-most' },
  { ...base, name: 'tier', values: ['free', 'pro'], setBy: 'operator', claim: 'tier' },
  { ...base, name: 'area', values: ['a', 'a.b', 'a.b.c', 'ab'], match: 'within' },
];
const MATCHES = ['exact', 'at-least', 'at-most'] as const;
/** Thirds, because two of them lie between any two integers. So two prices occur there in every order. */
const GRID = Array.from({ length: 10 }, (_, index) => index / 3);

const concerns: fc.Arbitrary<Concern[]> = fc
  .tuple(
    fc.constantFrom(...MATCHES),
    fc.constantFrom(...MATCHES),
    fc.subarray([0, 1, 2, 3, 4, 5], { minLength: 1, maxLength: 3 }),
    fc.boolean(),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([listMatch, rangeMatch, chosen, tierDefault, levelDefault, severalAreas]) =>
    chosen
      .flatMap((index) => CONCERNS[index] ?? [])
      .map((concern): Concern => {
        if (concern.name === 'level') {
          return { ...concern, match: listMatch, ...(levelDefault ? { default: 'mid' } : {}) };
        }
        if (concern.name === 'area') return { ...concern, multiple: severalAreas };
        if ('min' in concern.values) return { ...concern, match: rangeMatch };
        return concern.name === 'tier' && tierDefault ? { ...concern, default: 'free' } : concern;
      }),
  );

const leaves: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  level: fc.constantFrom<unknown>(
    { '===': [{ var: 'concerns.level' }, 'low'] },
    { '===': ['high', { var: 'concerns.level' }] },
    { in: [{ var: 'concerns.level' }, ['low', 'high']] },
    { '!!': { var: 'concerns.level' } },
    { missing: ['concerns.level'] },
  ),
  topic: fc.constantFrom<unknown>(
    { in: ['maps', { var: 'concerns.topic' }] },
    { in: ['code', { var: 'concerns.topic' }] },
    { some: [{ var: 'concerns.topic' }, { '===': [{ var: '' }, 'code'] }] },
    { all: [{ var: 'concerns.topic' }, { '===': [{ var: '' }, 'code'] }] },
    { '!!': { var: 'concerns.topic' } },
  ),
  price: fc.constantFrom<unknown>(
    { '<': [{ var: 'concerns.price' }, 2] },
    { '>': [{ var: 'concerns.price' }, 1] },
    { '<': [1, { var: 'concerns.price' }, 2] },
    { '===': [{ var: 'concerns.price' }, 1] },
    { '<=': [{ var: 'primitive.annotations.price' }, { var: 'concerns.price' }] },
    { '===': [{ var: 'primitive.annotations.price' }, { var: 'concerns.price' }] },
  ),
  limit: fc.constantFrom<unknown>(
    { '>=': [{ var: 'concerns.limit' }, 3] },
    { '<': [{ var: 'concerns.price' }, { var: 'concerns.limit' }] },
    { '<': [0, { var: 'concerns.limit' }, { var: 'concerns.price' }, 1] },
    { '===': [{ var: 'concerns.price' }, { var: 'concerns.limit' }] },
  ),
  tier: fc.constantFrom<unknown>(
    { '===': [{ var: 'concerns.tier' }, 'pro'] },
    { '!!': { var: 'concerns.tier' } },
  ),
  area: fc.constantFrom<unknown>({ '!!': { var: 'concerns.area' } }, { missing: ['concerns.area'] }),
};
const ofPrimitive = fc.constantFrom<unknown>(
  { '===': [{ var: 'primitive.name' }, 't0'] },
  { '===': [{ var: 'primitive.annotations.hint' }, true] },
  { '===': [{ var: ['primitive.annotations.hint', true] }, true] },
  { in: ['x', { var: 'primitive.tags' }] },
);

/** Expressions over some concerns and the primitive. */
function expressions(names: readonly string[]): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(ofPrimitive, ...names.flatMap((name) => leaves[name] ?? []));
  return fc.letrec<{ expression: unknown }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'when' },
      leaf,
      leaf,
      fc.array(tie('expression'), { minLength: 2, maxLength: 3 }).map((and) => ({ and })),
      fc.array(tie('expression'), { minLength: 2, maxLength: 3 }).map((or) => ({ or })),
      fc.array(tie('expression'), { minLength: 2, maxLength: 5 }).map((given) => ({ if: given })),
      tie('expression').map((not) => ({ '!': not })),
      tie('expression').map((not) => ({ '!!': [not] })),
    ),
  })).expression;
}

function offered({ values }: Concern): fc.Arbitrary<readonly (string | number)[]> {
  const some: readonly (string | number)[] = 'min' in values ? [0, 1, 2, 3] : values;
  return fc.subarray([...some], { minLength: 1, maxLength: 2 });
}

export interface Small {
  readonly compiled: CompiledPolicy;
  readonly policy: Policy;
  readonly tools: readonly Primitive[];
}

const none = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

/** A compiled policy without content. */
export const EMPTY: CompiledPolicy = {
  format: 1,
  digest: '',
  files: ['policy.yaml'],
  concerns: [],
  presets: {},
  primitives: none,
  patterns: none,
  assign: [],
  rules: [],
  settings: {
    unmapped: 'show',
    defaults: 'aware',
    invalid: 'error',
    enforcement: 'advisory',
    transparency: false,
  },
};

export const smallPolicies: fc.Arbitrary<Small> = concerns.chain((declared) => {
  const names = declared.map(({ name }) => name);
  const entry = fc.record(Object.fromEntries(declared.map((concern) => [concern.name, offered(concern)])), {
    requiredKeys: [],
  });
  const tool = fc.record({
    mapped: fc.boolean(),
    values: entry,
    annotations: fc.record(
      { hint: fc.boolean(), price: fc.constantFrom<unknown>(0, 1, 2, 3, '1', true) },
      { requiredKeys: [] },
    ),
    tags: fc.subarray(['x', 'y']),
  });
  const rule = fc.record({
    effect: fc.constantFrom('hide', 'show'),
    kinds: fc.constantFrom(['tools'], ['tools', 'prompts'], ['prompts']),
    when: expressions(names),
  });
  return fc
    .record({
      tools: fc.array(tool, { minLength: 1, maxLength: 4 }),
      rules: fc.array(rule, { maxLength: 3 }),
      unmapped: fc.constantFrom('show', 'hide'),
      defaults: fc.constantFrom('aware', 'always', 'never'),
    })
    .map(({ tools, rules, unmapped, defaults }): Small => {
      const compiled = {
        ...EMPTY,
        concerns: declared,
        primitives: {
          ...none,
          tools: tools.flatMap(({ mapped, values }, index) => {
            const is = Object.entries(values).map(([name, each]) => [name, { is: each, line: 1 }]);
            return mapped ? [{ name: `t${index}`, file: 0, line: 1, values: Object.fromEntries(is) }] : [];
          }),
        },
        rules: rules.map((each, index) => ({ ...each, id: `r${index}`, file: 0, line: 1 })),
        settings: { ...EMPTY.settings, unmapped, defaults },
      } as CompiledPolicy;
      return {
        compiled,
        policy: preparePolicy(compiled),
        tools: tools.map(({ annotations, tags }, index) => ({ name: `t${index}`, annotations, tags })),
      };
    });
});

export interface Tried {
  readonly preferences: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly configuration: Configuration;
}

/** All preferences that a host can state for one concern, including null. */
export function preferencesFor({ values, multiple }: Concern): unknown[] {
  if ('min' in values) return [null, ...GRID];
  if (!multiple) return [null, ...values];
  let subsets: string[][] = [[]];
  for (const value of values) subsets = [...subsets, ...subsets.map((each) => [...each, value])];
  return [null, ...subsets.filter((each) => each.length > 0)];
}

/** Every configuration that a host and an operator can cause, with numbers in thirds. */
export function allConfigurations(policy: Policy): Tried[] {
  let tried: { preferences: Record<string, unknown>; claims: [string, unknown][] }[] = [
    { preferences: {}, claims: [] },
  ];
  for (const concern of policy.concerns) {
    const { name, claim } = concern;
    const values =
      claim === undefined ? preferencesFor(concern) : [...preferencesFor(concern), 'matches none'];
    tried = tried.flatMap(({ preferences, claims }) =>
      values.map((value) =>
        claim === undefined
          ? { preferences: { ...preferences, [name]: value }, claims }
          : {
              preferences,
              claims: value === null ? claims : [...claims, [claim, value] as [string, unknown]],
            },
      ),
    );
  }
  return tried.map(({ preferences, claims }) => {
    const caller = { claims: new Map(claims) };
    const configuration = resolveConfiguration(policy, [{ from: 'session', concerns: preferences }], caller);
    return { preferences, caller, configuration };
  });
}

export const mappingsOf = ({ policy, tools }: Pick<Small, 'policy' | 'tools'>) =>
  tools.map((tool) => mapPrimitive(policy, 'tools', tool));

/** @returns a policy whose concerns are lists compared with `exact`, in which the tools have the given values */
export function listPolicy(
  values: Readonly<Record<string, readonly string[]>>,
  tools: Readonly<Record<string, Readonly<Record<string, string>>>>,
  rules: readonly { id: string; effect: 'hide' | 'show'; when: unknown }[] = [],
): Policy {
  return preparePolicy({
    ...EMPTY,
    concerns: Object.entries(values).map(([name, each]) => ({ ...base, name, values: each })),
    primitives: {
      ...none,
      tools: Object.entries(tools).map(([name, each]) => ({
        name,
        file: 0,
        line: 1,
        values: Object.fromEntries(
          Object.entries(each).map(([concern, value]) => [concern, { is: [value], line: 1 }]),
        ),
      })),
    },
    rules: rules.map((rule) => ({ ...rule, kinds: KINDS, file: 0, line: 1 })),
  });
}
