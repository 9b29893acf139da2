import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze, smallestChange } from '../../src/core/analysis/index.js';
import {
  bindCatalog,
  decide,
  mapPrimitive,
  type Policy,
  resolveConfiguration,
  select,
} from '../../src/core/engine/index.js';
import { policyOf } from '../policy/author.js';
import { sample } from '../sample.js';

/** The oracle compares segments one by one, and shares nothing with the engine. */
function isWithin(one: string, other: string): boolean {
  const [a, b] = [one.split('.'), other.split('.')];
  for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return false;
  return true;
}

const above = (value: string): string[] => {
  const segments = value.split('.');
  return segments.slice(1).map((_segment, at) => segments.slice(0, segments.length - 1 - at).join('.'));
};

/** Names that are prefixes of each other as text, but not as segments. */
const segment = fc.constantFrom('a', 'ab', 'b', 'b-c');
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('.'));
/** Some paths and all paths above them, the shorter ones first. */
const values = fc
  .array(path, { minLength: 1, maxLength: 5 })
  .map((paths) =>
    [...new Set(paths.flatMap((each) => [...above(each), each]))].sort(
      (a, b) => a.split('.').length - b.split('.').length,
    ),
  );

interface World {
  readonly policy: Policy;
  readonly values: readonly string[];
  readonly several: boolean;
  /** The values of each tool; `undefined` for a tool without values. */
  readonly tools: readonly (readonly string[] | undefined)[];
}

const world: fc.Arbitrary<World> = values.chain((all) =>
  fc
    .record({
      several: fc.boolean(),
      tools: fc.array(
        fc.option(fc.subarray(all, { minLength: 1, maxLength: Math.min(2, all.length) }), { nil: undefined }),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
    })
    .map(({ several, tools }) => ({
      values: all,
      several,
      tools,
      policy: policyOf(
        JSON.stringify({
          version: 1,
          concerns: { topic: { values: all, match: 'within', multiple: several } },
          primitives: {
            tools: Object.fromEntries(
              tools.map((topic, at) => [`t${at}`, topic === undefined ? {} : { topic }]),
            ),
          },
        }),
      ),
    })),
);

const namesOf = (tools: World['tools']) => tools.map((_values, at) => ({ name: `t${at}` }));

function shows(own: readonly string[] | undefined, asked: readonly string[] | undefined): boolean {
  if (own === undefined || asked === undefined) return true;
  return asked.some((each) => own.some((value) => isWithin(each, value)));
}

function configure({ policy, several }: World, asked: readonly string[] | undefined) {
  const topic = several ? asked : asked?.[0];
  return resolveConfiguration(policy, topic === undefined ? [] : [{ from: 'request', concerns: { topic } }]);
}

/** All that a host can ask for: nothing, one value and, where several are allowed, two. */
const requestsOf = ({ values: all, several }: World): (string[] | undefined)[] => [
  undefined,
  ...all.map((one) => [one]),
  ...(several ? all.flatMap((one) => all.map((other) => (one === other ? [one] : [one, other]))) : []),
];

describe('match: within', () => {
  it('shows what a comparison of segments shows', () => {
    fc.assert(
      fc.property(world, (each) => {
        const catalog = bindCatalog(each.policy, 'tools', namesOf(each.tools));
        for (const asked of requestsOf(each)) {
          const expected = namesOf(each.tools).filter((_tool, at) => shows(each.tools[at], asked));
          expect(select(catalog, configure(each, asked)).kept).toEqual(expected);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is analyzed as if every request was tried', () => {
    fc.assert(
      fc.property(world, (each) => {
        const analysis = analyze(each.policy, { tools: namesOf(each.tools) });
        const requests = requestsOf(each);
        const always = namesOf(each.tools).filter(
          (_tool, at) =>
            each.tools[at] !== undefined && requests.every((asked) => shows(each.tools[at], asked)),
        );
        expect(analysis.neverVisible).toEqual([]);
        expect(analysis.alwaysVisible.map(({ name }) => ({ name })).sort(byName)).toEqual(always);
        const canBeEmpty = requests.some((asked) => !each.tools.some((own) => shows(own, asked)));
        expect(analysis.showsNothing !== undefined).toBe(canBeEmpty);
      }),
      { numRuns: 150 },
    );
  });

  it('is widened to the nearest value above that shows the tool, before anything else changes', () => {
    fc.assert(
      fc.property(world, fc.nat(), fc.nat(), (each, pick, tool) => {
        const hosts = requestsOf(each).filter((asked) => asked !== undefined);
        const asked = hosts[pick % hosts.length] ?? [];
        const at = tool % each.tools.length;
        const own = each.tools[at];
        const mapping = mapPrimitive(each.policy, 'tools', { name: `t${at}` });
        const configuration = configure(each, asked);
        const change = smallestChange(mapping, configuration);
        if (shows(own, asked)) {
          // To hide it, some value must not fit it.
          expect(change === undefined).toBe(
            own === undefined || each.values.every((one) => shows(own, [one])),
          );
          return;
        }
        const wanted = [change?.topic ?? []].flat().map(String);
        expect(decide(mapping, configure(each, wanted)).effect).toBe('show');
        // The fewest steps upwards that show the tool, over all values that were asked for.
        const steps = asked
          .map((one) => above(one).findIndex((wider) => shows(own, [wider])))
          .filter((found) => found !== -1);
        if (steps.length === 0) return;
        const nearest = asked.flatMap((one) => above(one)[Math.min(...steps)] ?? []);
        expect(wanted.some((one) => nearest.includes(one) && shows(own, [one]))).toBe(true);
        // What was asked for stays asked for.
        expect(asked.every((one) => wanted.some((other) => isWithin(one, other)))).toBe(true);
      }),
      { numRuns: sample(300) },
    );
  });

  it('is widened without the values that the wider one includes', () => {
    const policy = policyOf(`
version: 1
concerns: { topic: { values: [a, a.b, a.c, a.d, e], match: within, multiple: true } }
primitives: { tools: { d: { topic: a.d } } }
`);
    const asked = resolveConfiguration(policy, [
      { from: 'request', concerns: { topic: ['a.b', 'a.c', 'e'] } },
    ]);
    const change = smallestChange(mapPrimitive(policy, 'tools', { name: 'd' }), asked);
    expect(change).toEqual({ topic: ['a', 'e'] });
  });

  it('fits the claim of an operator concern in the same way', () => {
    const policy = policyOf(`
version: 1
concerns:
  unit: { values: [sales, sales.north, legal], match: within, set-by: operator, claim: unit, default: legal }
primitives:
  tools: { north: { unit: sales.north }, all: { unit: sales }, law: { unit: legal } }
`);
    const tools = [{ name: 'north' }, { name: 'all' }, { name: 'law' }];
    const shown = (unit: unknown) => {
      const configuration = resolveConfiguration(policy, [], { claims: new Map([['unit', unit]]) });
      return select(bindCatalog(policy, 'tools', tools), configuration).kept.map(({ name }) => name);
    };
    expect(shown('sales')).toEqual(['north', 'all']);
    expect(shown('sales.north')).toEqual(['north', 'all']);
    expect(shown('sales.south')).toEqual([]);
    expect(shown(undefined)).toEqual(['law']);
  });
});

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
