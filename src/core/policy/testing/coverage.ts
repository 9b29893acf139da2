import type { Configuration } from '../../engine/configuration.js';
import { isAbout, ruleFires } from '../../engine/evaluate.js';
import { isTruthy } from '../../engine/expression/evaluate.js';
import type { Mapping } from '../../engine/mapping.js';
import { compileGlob } from '../../engine/match/glob.js';
import {
  type Assignment,
  type CompiledPolicy,
  type Entry,
  KINDS,
  type Kind,
  type Policy,
} from '../../engine/policy.js';
import type { NamedUse } from '../../engine/uses/policy-uses.js';
import { parseUse } from '../../engine/uses/use-name.js';
import { groupBy } from '../../once.js';
import { expectationsOf, type Subject, type TestResult } from './run-tests.js';

/** The kinds of parts, in the order of reports. */
export const COVERED = ['values', 'entries', 'patterns', 'assign', 'rules'] as const;

/** A part of a policy that tests can exercise: a value, an entry, a pattern, an `assign` or a rule. */
export interface CoveredPart {
  readonly part: (typeof COVERED)[number];
  /** The name for reports: `security=high`, `encryptData`, the id of a rule. */
  readonly name: string;
  readonly kind?: Kind;
  /** The file and line where the part is written, as `policy.yaml:12`. Absent for a value of a concern. */
  readonly source?: string;
  readonly exercised: boolean;
  /** Why no test on this catalog can exercise the part. Absent if one can. */
  readonly obstacle?: string;
}

/** The results of all tests that ran on one catalog. */
export interface TestRun {
  readonly subjects: readonly Subject[];
  readonly results: readonly TestResult[];
}

/**
 * Reports which parts of a policy the tests exercise.
 *
 * - A value is exercised if it is in effect in a test.
 * - An entry, pattern or `assign` is exercised if a test expects a primitive that has values from it to be shown or
 *   hidden, while one of the concerns of these values is in effect. If it gives no values, any concern in effect counts.
 * - A rule is exercised if it fires for a primitive that a test expects to be shown or hidden.
 *
 * @param compiled the compiled policy, which knows where each `assign` is written
 * @param policy the same policy, prepared
 * @param runs the tests of the policy, one run for each catalog
 * @returns every part of the policy, in the order of the policy
 * @example
 * coverageOf(compiled, policy, runs).filter(({ exercised }) => !exercised);
 */
export function coverageOf(
  compiled: CompiledPolicy,
  policy: Policy,
  runs: readonly TestRun[],
): readonly CoveredPart[] {
  // For each primitive, the configurations of the tests that expect it to be shown or hidden.
  const expected = runs.flatMap(({ subjects, results }) =>
    results.flatMap(({ test, configuration }) => {
      const expects = expectationsOf(test);
      return subjects.flatMap((subject) =>
        expects(subject.kind, subject.name, subject.isUse) === undefined ? [] : [{ subject, configuration }],
      );
    }),
  );
  const tested = groupBy(expected, ({ subject }) => subject);
  const subjects = runs.flatMap((run) => run.subjects);
  const configurations = runs.flatMap(({ results }) => results.map(({ configuration }) => configuration));
  const byEntry = groupBy(subjects, (each) => keyOf(entryOf(policy, each)));

  const mapped = (
    part: CoveredPart['part'],
    { name, source, assignments }: Pick<Entry, 'name' | 'source' | 'assignments'>,
    own: readonly Subject[],
    kind?: Kind,
  ): CoveredPart => {
    const isUsed = own.some(({ mapping }) => isInEffect(assignments, mapping));
    const obstacle = own.length > 0 ? 'replaced by stronger values' : 'not in the catalog';
    const exercised = own.some((each) =>
      tested.get(each)?.some(({ configuration }) => decides(assignments, each.mapping, configuration)),
    );
    return {
      part,
      name,
      ...(kind === undefined ? {} : { kind }),
      source,
      exercised,
      ...(isUsed ? {} : { obstacle }),
    };
  };
  return [
    ...valuesOf(policy, configurations),
    ...KINDS.flatMap((kind) =>
      [...policy.entries[kind].values()].map((entry) =>
        mapped('entries', entry, byEntry.get(keyOf(entry)) ?? [], kind),
      ),
    ),
    ...KINDS.flatMap((kind) =>
      policy.patterns[kind].map((pattern) => {
        const own = subjects.filter(
          (subject) => subject.kind === kind && !subject.isUse && pattern.matches(subject.name),
        );
        return mapped('patterns', pattern, own, kind);
      }),
    ),
    ...policy.uses.map((use) => {
      const own = subjects.filter((subject) => subject.isUse && isNamedBy(use, subject));
      return mapped(use.isPattern ? 'patterns' : 'entries', use, own, 'tools');
    }),
    ...policy.assigns.map(({ fires, assignments }, index) => {
      const { file = 0, line = 0 } = compiled.assign[index] ?? {};
      const source = `${compiled.files[file]}:${line}`;
      const own = subjects.filter(({ mapping }) => isTruthy(fires({ primitive: mapping.primitive }, [])));
      return mapped('assign', { name: `assign ${index + 1}`, source, assignments }, own);
    }),
    ...policy.rules.map(
      (rule): CoveredPart => ({
        part: 'rules',
        name: rule.id,
        source: rule.source,
        exercised: expected.some(({ subject, configuration }) =>
          ruleFires(rule, subject.mapping, configuration),
        ),
        ...(subjects.some(({ kind, mapping }) => rule.kinds.includes(kind) && isAbout(rule, mapping))
          ? {}
          : { obstacle: 'not in the catalog' }),
      }),
    ),
  ];
}

/**
 * Computes the coverage of a policy.
 *
 * @param parts the parts of a policy
 * @returns the share of exercised parts in percent, from 0 to 100. It is rounded down, so that 100 means all parts.
 * @example
 * percentageOf(coverageOf(compiled, policy, runs)); // 87
 */
export function percentageOf(parts: readonly CoveredPart[]): number {
  const exercised = parts.filter((part) => part.exercised).length;
  return parts.length === 0 ? 100 : Math.floor((100 * exercised) / parts.length);
}

function valuesOf(policy: Policy, configurations: readonly Configuration[]): CoveredPart[] {
  return policy.concerns.flatMap(({ name, values, setBy, default: defaultValue }, index) => {
    const inEffect = new Set(configurations.flatMap(({ effective }) => effective[index] ?? []).flat());
    const parts: [value: string, exercised: boolean][] =
      'min' in values
        ? [[`${values.min}..${values.max}`, [...inEffect].some((each) => typeof each === 'number')]]
        : values.map((value, ordinal) => [value, inEffect.has(ordinal)]);
    // An operator concern without a default denies callers who lack the claim: tests can exercise that case too.
    const canBeDenied = setBy === 'operator' && defaultValue === undefined;
    if (canBeDenied) parts.push(['(no claim)', inEffect.has('denied')]);
    return parts.map(([value, exercised]) => ({ part: 'values', name: `${name}=${value}`, exercised }));
  });
}

/** Whether an entry or a pattern is about a use. A name without a value is about all uses of the argument. */
function isNamedBy({ isPattern, matchesTool, matchesArgument, value }: NamedUse, { name }: Subject): boolean {
  const use = parseUse(name);
  if (use === undefined || !matchesTool(use.tool) || !matchesArgument(use.argument)) return false;
  return value === undefined || (isPattern ? compileGlob(value)(use.value ?? '') : value === use.value);
}

/** Finds the entry of a primitive in the same order as `mapPrimitive`. */
function entryOf(policy: Policy, { kind, name }: Subject): Entry | undefined {
  const own = policy.entries[kind].get(name);
  if (own !== undefined || kind !== 'resources') return own;
  return policy.covering.find((template) => template.matches(name));
}

/** Identifies an entry within a policy by its name and the place where it is written. */
const keyOf = (entry: Entry | undefined): string =>
  entry === undefined ? '' : `${entry.source} ${entry.name}`;

/** Whether a primitive keeps at least one of these assignments after stronger assignments have replaced some. */
function isInEffect(assignments: readonly Assignment[], mapping: Mapping): boolean {
  return assignments.length === 0 || assignments.some((each) => keepsAssignment(each, mapping));
}

function decides(
  assignments: readonly Assignment[],
  mapping: Mapping,
  { effective, active }: Configuration,
): boolean {
  if (assignments.length === 0) return active;
  return assignments.some((each) => effective[each.concern] !== undefined && keepsAssignment(each, mapping));
}

function keepsAssignment({ concern, offered }: Assignment, { offers }: Mapping): boolean {
  return offered === 'any' ? offers[concern] === undefined : offers[concern]?.offered === offered;
}
