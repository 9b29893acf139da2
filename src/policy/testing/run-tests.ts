import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import { type Decision, decide, evaluate } from '../../engine/evaluate.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { identityOf, type Mapping, mapPrimitive } from '../../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import type { PolicyTest } from './test-file.js';

/** A primitive of the catalog, and what the policy says of it. */
export interface Subject {
  readonly kind: Kind;
  readonly name: string;
  readonly mapping: Mapping;
}

/** A primitive that is shown and should not be, or the other way round. */
export interface Wrong {
  readonly kind: Kind;
  readonly name: string;
  readonly mapping: Mapping;
  readonly expected: 'shown' | 'hidden';
  readonly decision: Decision;
}

export interface WrongCount {
  readonly kind: Kind;
  readonly expected: number;
  readonly actual: number;
}

/** What came of a test; it passed if nothing is wrong. */
export interface TestResult {
  readonly test: PolicyTest;
  readonly configuration: Configuration;
  readonly wrong: readonly Wrong[];
  readonly counts: readonly WrongCount[];
}

/**
 * @param policy the policy
 * @param surface the primitives of a catalog
 * @returns what the policy says of each of them
 */
export function subjectsOf(policy: Policy, surface: ServerCatalog): readonly Subject[] {
  return KINDS.flatMap((kind) =>
    (surface[kind] ?? []).map((primitive) => ({
      kind,
      name: identityOf(kind, primitive),
      mapping: mapPrimitive(policy, kind, primitive),
    })),
  );
}

/**
 * Runs a test.
 *
 * @param policy the policy
 * @param subjects the primitives of a catalog, see `subjectsOf`
 * @param test the test, which `checkTests` let pass
 * @returns every primitive that is not as the test says
 * @example
 * runTest(policy, subjectsOf(policy, { tools }), test).wrong;
 */
export function runTest(policy: Policy, subjects: readonly Subject[], test: PolicyTest): TestResult {
  const configuration = configure(policy, test);
  const expects = expectationsOf(test);
  const wrong: Wrong[] = [];
  const shown = new Map<Kind, number>();
  for (const { kind, name, mapping } of subjects) {
    const isShown = decide(policy, mapping, configuration).effect === 'show';
    if (isShown) shown.set(kind, (shown.get(kind) ?? 0) + 1);
    const expected = expects(kind, name);
    if (expected === undefined || (expected === 'shown') === isShown) continue;
    wrong.push({ kind, name, mapping, expected, decision: evaluate(policy, mapping, configuration) });
  }
  const counts = KINDS.flatMap((kind): WrongCount[] => {
    const expected = test.expects[kind]?.count;
    const actual = shown.get(kind) ?? 0;
    return expected === undefined || expected === actual ? [] : [{ kind, expected, actual }];
  });
  return { test, configuration, wrong, counts };
}

/** What a test says of a primitive; nothing if it does not name it. */
export type Expected = (kind: Kind, name: string) => 'shown' | 'hidden' | undefined;

/** @returns what a test says of each primitive */
export function expectationsOf(test: PolicyTest): Expected {
  const sets = new Map(
    KINDS.flatMap((kind) => {
      const found = test.expects[kind];
      if (found === undefined) return [];
      const { includes, excludes, only } = found;
      return [
        [
          kind,
          {
            shown: new Set([...includes, ...(only ?? [])]),
            hidden: new Set(excludes),
            closed: only !== undefined,
          },
        ],
      ];
    }),
  );
  return (kind, name) => {
    const own = sets.get(kind);
    if (own === undefined) return undefined;
    if (own.hidden.has(name)) return 'hidden';
    if (own.shown.has(name)) return 'shown';
    return own.closed ? 'hidden' : undefined;
  };
}

function configure(policy: Policy, { concerns, claims, capabilities }: PolicyTest): Configuration {
  const asked = typeof concerns === 'string' ? { preset: concerns } : concerns;
  return resolveConfiguration(policy, asked === undefined ? [] : [{ from: 'request', concerns: asked }], {
    claims: new Map(Object.entries(claims)),
    capabilities,
  });
}
