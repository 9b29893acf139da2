import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bindCatalog,
  type CompiledPolicy,
  type Concern,
  type ConcernValue,
  describeAccepted,
  describeConfiguration,
  evaluate,
  mapPrimitive,
  type PreferenceSource,
  type Primitive,
  preparePolicy,
  resolveConfiguration,
  select,
} from '../../src/core/engine/index.js';
import { sample } from '../sample.js';

type Sent = Record<string, unknown>;
type Claims = Record<string, unknown>;

// Few names and values, because otherwise a host almost never sends a declared value and a name almost never matches.
const NAMES = ['one', 'two', 'three', 'four'];
const WORDS = ['v0', 'v1', 'v2', 'v3'];
const TOOLS = ['a', 'ab', 'abc', 'b', 'ba', 'c', 'constructor', '__proto__'];
const PATTERNS = ['a*', '*b', '*', 'a*c', 'b*', '*_*'];

const word = fc.constantFrom(...WORDS);
const number = fc.constantFrom(0, 1, 2, 2.5, 5);

const concern = (name: string): fc.Arbitrary<Concern> =>
  fc
    .record({
      list: fc.boolean(),
      size: fc.integer({ min: 1, max: 4 }),
      match: fc.constantFrom('exact' as const, 'at-least' as const, 'at-most' as const),
      several: fc.boolean(),
      hasDefault: fc.boolean(),
      operator: fc.nat(4).map((roll) => roll === 0),
    })
    .map(({ list, size, match, several, hasDefault, operator }) => ({
      name,
      values: list ? WORDS.slice(0, size) : { min: 0, max: size },
      match: several && list ? 'exact' : match,
      multiple: several && list,
      ...(hasDefault ? { default: list ? 'v0' : 1 } : {}),
      setBy: operator ? 'operator' : 'host',
      ...(operator ? { claim: `claim-${name}` } : {}),
    }));

/** A value that a primitive may have. A checked policy has only declared values. */
const offered = ({ values }: Concern): fc.Arbitrary<readonly ConcernValue[] | 'any'> => {
  const one: fc.Arbitrary<ConcernValue> =
    'min' in values ? number.filter((each) => each <= values.max) : fc.constantFrom(...values);
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }) },
    fc.constant('any' as const),
  );
};

const mapping = (concerns: readonly Concern[]) =>
  fc
    .tuple(...concerns.map((each) => fc.option(offered(each), { nil: undefined })))
    .map((values) =>
      Object.fromEntries(
        values.flatMap((is, index) =>
          is === undefined ? [] : [[concerns[index]?.name ?? '', { is, line: 1 }]],
        ),
      ),
    );

const entries = (concerns: readonly Concern[], names: readonly string[]) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), mapping(concerns)), {
      selector: ([name]) => name,
      maxLength: 4,
    })
    .map((found) => found.map(([name, values]) => ({ name, file: 0, line: 1, values })));

const policies: fc.Arbitrary<CompiledPolicy> = fc
  .integer({ min: 1, max: NAMES.length })
  .chain((count) => fc.tuple(...NAMES.slice(0, count).map(concern)))
  .chain((concerns) => {
    const hosted = concerns.filter(({ setBy }) => setBy === 'host');
    const preset = fc.tuple(
      ...hosted.map(({ values, multiple }) => {
        const one: fc.Arbitrary<ConcernValue> =
          'min' in values ? number.filter((each) => each <= values.max) : fc.constantFrom(...values);
        const list = fc.array(one.map(String), { minLength: 1, maxLength: 2 });
        const some: fc.Arbitrary<ConcernValue | readonly string[]> = multiple ? fc.oneof(one, list) : one;
        return fc.option(fc.option(some, { nil: null }), { nil: undefined });
      }),
    );
    return fc.record({
      format: fc.constant(1 as const),
      digest: fc.constant(''),
      files: fc.constant(['policy.yaml']),
      concerns: fc.constant(concerns),
      presets: preset.map((values) => ({
        safe: Object.fromEntries(
          values.flatMap((value, index) => (value === undefined ? [] : [[hosted[index]?.name ?? '', value]])),
        ),
      })),
      primitives: fc.record({
        tools: entries(concerns, TOOLS),
        prompts: fc.constant([]),
        resources: fc.constant([]),
        resourceTemplates: fc.constant([]),
      }),
      patterns: fc.record({
        tools: entries(concerns, PATTERNS),
        prompts: fc.constant([]),
        resources: fc.constant([]),
        resourceTemplates: fc.constant([]),
      }),
      assign: fc.constant([]),
      rules: fc.constant([]),
      settings: fc.record({
        unmapped: fc.constantFrom('show' as const, 'hide' as const),
        defaults: fc.constantFrom('aware' as const, 'always' as const, 'never' as const),
        invalid: fc.constantFrom('error' as const, 'ignore' as const, 'clamp' as const),
        enforcement: fc.constant('advisory' as const),
        transparency: fc.boolean(),
      }),
    });
  });

const oneValue = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 6, arbitrary: number },
  { weight: 1, arbitrary: fc.constantFrom(null, true, 99, -1, '', 'v9', '__proto__', {}) },
);
const value = fc.oneof(
  { weight: 5, arbitrary: oneValue },
  { weight: 2, arbitrary: fc.array(oneValue, { maxLength: 3 }) },
);
const sent: fc.Arbitrary<Sent> = fc.dictionary(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
    fc.constantFrom('constructor', '__proto__', 'x'),
  ),
  value,
  { maxKeys: 5 },
);
const presetToo = fc
  .tuple(sent, fc.constantFrom(undefined, undefined, 'safe', 'none', 7))
  .map(([entry, preset]) => (preset === undefined ? entry : { ...entry, preset }));
// Only preference sources in JSON. The header and the URL have tests of their own.
const sourceObjects = fc.array(presetToo, { maxLength: 3 });
const claims: fc.Arbitrary<Claims> = fc.dictionary(
  fc.constantFrom(...NAMES.map((name) => `claim-${name}`)),
  value,
);
const primitives: fc.Arbitrary<Primitive[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...TOOLS, 'new'),
    _meta: fc.option(fc.record({ concerns: fc.oneof(sent, fc.constant(null)) }), { nil: undefined }),
  }),
  { maxLength: 12 },
);

const toSources = (objects: readonly Sent[]): PreferenceSource[] =>
  objects.map((concerns, index) => ({ from: index === 0 ? 'request' : 'session', concerns }));
const toCaller = (found: Claims) => ({ claims: new Map(Object.entries(found)) });

const declares = ({ values }: Concern, each: unknown): boolean =>
  'min' in values
    ? typeof each === 'number' && each >= values.min && each <= values.max
    : values.some((name) => name === each);
const listOf = (found: unknown): unknown[] => (Array.isArray(found) ? found : [found]);
const own = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Sent)[name]
    : undefined;

/** A reference implementation that follows the policy language reference, without indexes, caches or classes. */
function oracle(
  policy: CompiledPolicy,
  tools: readonly Primitive[],
  objects: readonly Sent[],
  found: Claims,
) {
  const { concerns, settings } = policy;

  const accept = (each: Concern, sentValue: unknown): unknown => {
    if (sentValue === null) return null;
    const { values } = each;
    if (settings.invalid === 'clamp' && 'min' in values && typeof sentValue === 'number') {
      return Math.min(Math.max(sentValue, values.min), values.max);
    }
    if (Array.isArray(sentValue) && !each.multiple) return undefined;
    const fitting = listOf(sentValue).filter((one) => declares(each, one));
    return fitting.length === 0 ? undefined : each.multiple ? fitting : fitting[0];
  };
  // For each preference source: its own entries, then those of its preset.
  const sources = objects.flatMap((object) => [object, own(policy.presets, String(own(object, 'preset')))]);
  const hosts = concerns.map((each) =>
    each.setBy === 'operator'
      ? undefined
      : sources.map((source) => accept(each, own(source, each.name))).find((one) => one !== undefined),
  );
  const requestsAny = hosts.some((host) => host !== undefined && host !== null);
  const defaults = settings.defaults === 'always' || (settings.defaults === 'aware' && requestsAny);

  const holds = (each: Concern, host: unknown, values: readonly unknown[] | undefined): boolean => {
    if (values === undefined) return true;
    const claim = own(found, String(each.claim ?? ''));
    const claimed = (
      Array.isArray(claim) && !each.multiple && claim.length !== 1 ? [] : listOf(claim)
    ).filter((one) => declares(each, one));
    const isClaimed = claim !== undefined;
    if (each.setBy === 'operator' && claimed.length === 0 && (isClaimed || each.default === undefined))
      return false;
    const preferred =
      each.setBy === 'operator'
        ? claimed.length > 0
          ? claimed
          : each.default
        : host === undefined && defaults
          ? each.default
          : host;
    if (preferred === undefined || preferred === null) return true;
    const rank = (one: unknown) => ('min' in each.values ? Number(one) : each.values.indexOf(String(one)));
    return values.some((offer) =>
      listOf(preferred).some((one) => {
        if (each.match === 'at-least') return rank(offer) >= rank(one);
        return each.match === 'at-most' ? rank(offer) <= rank(one) : offer === one;
      }),
    );
  };

  return tools.filter((tool) => {
    const name = String(tool.name);
    const meta = own(tool._meta, 'concerns');
    const written = [
      ...policy.patterns.tools.filter((pattern) =>
        new RegExp(`^${pattern.name.replaceAll('*', '.*')}$`).test(name),
      ),
      ...policy.primitives.tools.filter((entry) => entry.name === name),
    ];
    const mapped = written.length > 0;
    return (
      (mapped || settings.unmapped === 'show') &&
      concerns.every((each, index) => {
        const own0 = listOf(own(meta, each.name)).filter((one) => declares(each, one));
        let values: readonly unknown[] | undefined = own0.length > 0 ? own0 : undefined;
        for (const { values: assigned } of written) {
          const is = assigned[each.name]?.is;
          if (is !== undefined) values = is === 'any' ? undefined : is;
        }
        return holds(each, hosts[index], values);
      })
    );
  });
}

describe('for any policy, list and host', () => {
  it('a selection equals the reference implementation, in the order of the server', () => {
    const seen = { empty: 0, some: 0, all: 0 };
    fc.assert(
      fc.property(policies, primitives, sourceObjects, claims, (compiled, tools, objects, found) => {
        const policy = preparePolicy(compiled);
        const configuration = resolveConfiguration(policy, toSources(objects), toCaller(found));
        const { kept, total, hidden } = select(bindCatalog(policy, 'tools', tools), configuration);
        expect(kept).toEqual(oracle(compiled, tools, objects, found));
        expect(total).toBe(tools.length);
        const counts = [...Object.values(hidden.concerns ?? {}), hidden.unmapped ?? 0];
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total - kept.length);
        seen[kept.length === 0 ? 'empty' : kept.length < tools.length ? 'some' : 'all'] += 1;
      }),
      { numRuns: sample(6000) },
    );
    // The generated policies must be varied enough that all three cases are frequent.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(300);
  });

  it('the decision on one primitive equals the selection from the list', () => {
    fc.assert(
      fc.property(policies, primitives, sourceObjects, claims, (compiled, tools, objects, found) => {
        const policy = preparePolicy(compiled);
        const configuration = resolveConfiguration(policy, toSources(objects), toCaller(found));
        const { kept, hidden } = select(bindCatalog(policy, 'tools', tools), configuration);
        const decisions = tools.map((tool) => evaluate(mapPrimitive(policy, 'tools', tool), configuration));
        expect(tools.filter((_tool, index) => decisions[index]?.effect === 'show')).toEqual(kept);
        const reasons = new Map<string, number>();
        for (const { reason: why } of decisions) {
          if (why.code === 'fits') continue;
          const reason = 'concern' in why ? why.concern : '';
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        }
        const { concerns = {}, unmapped } = hidden;
        expect(
          new Map([...Object.entries(concerns), ...(unmapped ? [['', unmapped] as const] : [])]),
        ).toEqual(reasons);
      }),
      { numRuns: sample(2000) },
    );
  });

  it('selections from one bound list are independent of each other', () => {
    fc.assert(
      fc.property(
        policies,
        primitives,
        fc.array(sourceObjects, { maxLength: 5 }),
        (compiled, tools, hosts) => {
          const policy = preparePolicy(compiled);
          const shared = bindCatalog(policy, 'tools', tools);
          for (const objects of [...hosts, ...hosts]) {
            const configuration = resolveConfiguration(policy, toSources(objects));
            expect(select(shared, configuration).kept).toEqual(
              select(bindCatalog(policy, 'tools', tools), configuration).kept,
            );
          }
        },
      ),
      { numRuns: sample(500) },
    );
  });

  it('accepted preferences mean the same after they are stored as JSON and read again', () => {
    fc.assert(
      fc.property(policies, sent, claims, (compiled, object, found) => {
        const policy = preparePolicy(compiled);
        const first = resolveConfiguration(policy, [{ from: 'update', concerns: object }], toCaller(found));
        const stored: unknown = JSON.parse(JSON.stringify(describeAccepted(first)));
        const again = resolveConfiguration(policy, [{ from: 'session', concerns: stored }], toCaller(found));
        expect(again.key).toBe(first.key);
        expect(again.warnings).toEqual([]);
        expect(describeConfiguration(again)).toEqual(describeConfiguration(first));
      }),
      { numRuns: sample(2000) },
    );
  });

  it('accepts any JSON value from a host without throwing', () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      sent,
      fc.anything({ withBigInt: false, withSparseArray: true }),
    );
    const from = fc.constantFrom(
      'update' as const,
      'request' as const,
      'session' as const,
      'header' as const,
      'url' as const,
    );
    const any = fc.array(fc.record({ from, concerns: anything }), { maxLength: 3 });
    fc.assert(
      fc.property(
        policies,
        any,
        fc.dictionary(fc.constantFrom('claim-one', 'claim-two'), fc.jsonValue()),
        (compiled, objects, found) => {
          const policy = preparePolicy(compiled);
          const configuration = resolveConfiguration(policy, objects, toCaller(found));
          expect(configuration.effective).toHaveLength(policy.concerns.length);
          configuration.effective.forEach((each, index) => {
            const { values, multiple } = policy.concerns[index] ?? { values: [], multiple: false };
            if (each === undefined || each === 'denied') return;
            expect(Array.isArray(each)).toBe(multiple);
            for (const one of listOf(each)) {
              expect(one).toBeGreaterThanOrEqual('min' in values ? values.min : 0);
              expect(one).toBeLessThanOrEqual('min' in values ? values.max : values.length - 1);
            }
          });
          if (objects.every((source) => source.from === 'session')) expect(configuration.invalid).toEqual([]);
        },
      ),
      { numRuns: sample(3000) },
    );
  });
});
