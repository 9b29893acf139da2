import type { Configuration } from '../../engine/configuration.js';
import { ruleFires } from '../../engine/evaluate.js';
import { isTruthy } from '../../engine/expression/evaluate.js';
import type { Mapping } from '../../engine/mapping.js';
import {
  type Assignment,
  type CompiledPolicy,
  type Entry,
  KINDS,
  type Kind,
  type Policy,
} from '../../engine/policy.js';
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
  const tested = new Map<Subject, Configuration[]>();
  for (const { subjects, results } of runs) {
    for (const { test, configuration } of results) {
      const expects = expectationsOf(test);
      for (const subject of subjects) {
        if (expects(subject.kind, subject.name) === undefined) continue;
        const known = tested.get(subject);
        if (known === undefined) tested.set(subject, [configuration]);
        else known.push(configuration);
      }
    }
  }
  const subjects = runs.flatMap((run) => run.subjects);
  const configurations = runs.flatMap(({ results }) => results.map(({ configuration }) => configuration));
  const byEntry = groupBy(subjects, (each) => keyOf(entryOf(policy, each)));

  const mapped = (
    part: CoveredPart['part'],
    { name, kind, source }: { name: string; kind?: Kind; source: string },
    assignments: readonly Assignment[],
    own: readonly Subject[],
  ): CoveredPart => {
    const isUsed = own.some(({ mapping }) => isInEffect(assignments, mapping));
    const obstacle = own.length > 0 ? 'replaced by stronger values' : 'not in the catalog';
    return {
      part,
      name,
      ...(kind === undefined ? {} : { kind }),
      source,
      exercised: own.some((each) =>
        tested.get(each)?.some((configuration) => decides(assignments, each.mapping, configuration)),
      ),
      ...(isUsed ? {} : { obstacle }),
    };
  };
  return [
    ...valuesOf(policy, configurations),
    ...KINDS.flatMap((kind) =>
      [...policy.entries[kind].values()].map((entry) =>
        mapped(
          'entries',
          { name: entry.name, kind, source: entry.source },
          entry.assignments,
          byEntry.get(keyOf(entry)) ?? [],
        ),
      ),
    ),
    ...KINDS.flatMap((kind) =>
      policy.patterns[kind].map(({ name, source, assignments, matches }) => {
        const own = subjects.filter((subject) => subject.kind === kind && matches(subject.name));
        return mapped('patterns', { name, kind, source }, assignments, own);
      }),
    ),
    ...policy.assigns.map(({ fires, assignments }, index) => {
      const { file = 0, line = 0 } = compiled.assign[index] ?? {};
      const source = `${compiled.files[file]}:${line}`;
      const own = subjects.filter(({ mapping }) => isTruthy(fires({ primitive: mapping.primitive }, [])));
      return mapped('assign', { name: `assign ${index + 1}`, source }, assignments, own);
    }),
    ...policy.rules.map(
      (rule): CoveredPart => ({
        part: 'rules',
        name: rule.id,
        source: rule.source,
        exercised: [...tested].some(([{ mapping }, configurations]) =>
          configurations.some((configuration) => ruleFires(rule, mapping, configuration)),
        ),
        ...(subjects.some(({ kind }) => rule.kinds.includes(kind)) ? {} : { obstacle: 'not in the catalog' }),
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
    const part = (value: string, exercised: boolean): CoveredPart => ({
      part: 'values',
      name: `${name}=${value}`,
      exercised,
    });
    const all =
      'min' in values
        ? [
            part(
              `${values.min}..${values.max}`,
              [...inEffect].some((each) => typeof each === 'number'),
            ),
          ]
        : values.map((value, ordinal) => part(value, inEffect.has(ordinal)));
    // An operator concern without a default denies callers who lack the claim: tests can exercise that case too.
    const canBeDenied = setBy === 'operator' && defaultValue === undefined;
    return canBeDenied ? [...all, part('(no claim)', inEffect.has('denied'))] : all;
  });
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

/** Groups once for all entries, because filtering thousands of primitives for each of thousands of entries is slow. */
function groupBy<T>(all: readonly T[], keyFor: (each: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const key = keyFor(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

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
