import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import { type Decision, decide, evaluate } from '../../engine/evaluate.js';
import type { Mapping, ServerCatalog } from '../../engine/mapping.js';
import { mapListed } from '../../engine/pins.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { isUse, listedIn } from '../../engine/uses/use-primitives.js';
import type { PolicyTest } from './test-file.js';

/** A primitive of the catalog, with the values that the policy gives it. */
export interface Subject {
  readonly kind: Kind;
  readonly name: string;
  readonly mapping: Mapping;
  /** Whether it is a use of a tool. Tests can name uses, and do not count them. */
  readonly isUse: boolean;
}

/** A primitive that is shown although a test expects it to be hidden, or the reverse. */
export interface Wrong extends Subject {
  readonly expected: 'shown' | 'hidden';
  readonly decision: Decision;
}

/** The result of one test. The test passed if `wrong` and `counts` are both empty, see `hasPassed`. */
export interface TestResult {
  readonly test: PolicyTest;
  readonly configuration: Configuration;
  readonly wrong: readonly Wrong[];
  /** The kinds of which more or fewer primitives are shown than `count` expects. */
  readonly counts: readonly { readonly kind: Kind; readonly expected: number; readonly actual: number }[];
}

/** Whether a test passed. */
export const hasPassed = ({ wrong, counts }: TestResult): boolean =>
  wrong.length === 0 && counts.length === 0;

/**
 * Maps every primitive of a catalog once, for all tests that run on it.
 *
 * @param policy the policy
 * @param catalog the primitives of a server
 * @returns every primitive with its values, by kind and then in the order of the server
 * @example
 * const subjects = subjectsOf(policy, { tools: [{ name: 'encryptData' }] });
 */
export function subjectsOf(policy: Policy, catalog: ServerCatalog): readonly Subject[] {
  return listedIn(policy, catalog).map(({ kind, name, primitive }) => ({
    kind,
    name,
    mapping: mapListed(policy, kind, primitive),
    isUse: isUse(primitive),
  }));
}

/**
 * Runs one test.
 *
 * @param policy the policy
 * @param subjects the primitives of a catalog, from `subjectsOf`
 * @param test a test without errors from `checkTests`
 * @returns the configuration of the test, and every primitive and count that differs from what the test expects
 * @example
 * runTest(policy, subjectsOf(policy, { tools }), test).wrong;
 */
export function runTest(policy: Policy, subjects: readonly Subject[], test: PolicyTest): TestResult {
  const configuration = configure(policy, test);
  const expects = expectationsOf(test);
  const wrong: Wrong[] = [];
  const shown = new Map<Kind, number>();
  for (const subject of subjects) {
    const { kind, name, mapping } = subject;
    const isShown = decide(mapping, configuration).effect === 'show';
    if (isShown && !subject.isUse) shown.set(kind, (shown.get(kind) ?? 0) + 1);
    const expected = expects(kind, name, subject.isUse);
    if (expected === undefined || (expected === 'shown') === isShown) continue;
    wrong.push({ ...subject, expected, decision: evaluate(mapping, configuration) });
  }
  const counts = KINDS.flatMap((kind) => {
    const expected = test.expects[kind]?.count;
    const actual = shown.get(kind) ?? 0;
    return expected === undefined || expected === actual ? [] : [{ kind, expected, actual }];
  });
  return { test, configuration, wrong, counts };
}

/** What a test expects of a primitive, or `undefined` if the test expects nothing of it. */
export type Expected = (kind: Kind, name: string, isUse: boolean) => 'shown' | 'hidden' | undefined;

/**
 * Collects what a test expects of single primitives.
 *
 * @param test a test
 * @returns a function that returns what the test expects of one primitive. `only` makes it expect `hidden` of every other
 * primitive of the same kind, but nothing of uses that it does not name; `count` alone expects nothing of a single primitive.
 * @example
 * expectationsOf(test)('tools', 'encryptData', false); // 'shown'
 */
export function expectationsOf(test: PolicyTest): Expected {
  return (kind, name, isUse) => {
    const { includes = [], excludes = [], only } = test.expects[kind] ?? {};
    if (excludes.includes(name)) return 'hidden';
    if (includes.includes(name) || only?.includes(name)) return 'shown';
    return only === undefined || isUse ? undefined : 'hidden';
  };
}

function configure(policy: Policy, { concerns, claims, client, era }: PolicyTest): Configuration {
  const preferences = typeof concerns === 'string' ? { preset: concerns } : concerns;
  const sources = preferences === undefined ? [] : [{ from: 'request' as const, concerns: preferences }];
  return resolveConfiguration(policy, sources, {
    claims: new Map(Object.entries(claims)),
    capabilities: client?.capabilities,
    client,
    era,
  });
}
