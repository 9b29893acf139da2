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

export const COVERED = ['values', 'entries', 'patterns', 'assign', 'rules'] as const;

/** A part of a policy that tests can exercise. */
export interface CoveredPart {
  readonly part: (typeof COVERED)[number];
  /** As people call it: `security=high`, `encryptData`, the id of a rule. */
  readonly name: string;
  readonly kind?: Kind;
  /** Where it is written; a value stands with its concern. */
  readonly source?: string;
  readonly exercised: boolean;
  /** Why no test of this catalog can exercise it. */
  readonly obstacle?: string;
}

/** Tests that ran on one catalog. */
export interface TestRun {
  readonly subjects: readonly Subject[];
  readonly results: readonly TestResult[];
}

/**
 * Tells which parts of a policy the tests exercise.
 *
 * - A value: it is in effect in a test.
 * - An entry, pattern or `assign`: a test says of a primitive that has values from it whether it is shown, while one of
 *   those concerns is in effect; one without values: while any concern is.
 * - A rule: it fires for a primitive of which a test says whether it is shown.
 *
 * @param compiled the compiled policy
 * @param policy the same, prepared
 * @param runs all tests of the policy, by catalog
 * @returns every part, in the order of the policy
 * @example
 * coverageOf(compiled, policy, runs).filter(({ exercised }) => !exercised);
 */
export function coverageOf(
  compiled: CompiledPolicy,
  policy: Policy,
  runs: readonly TestRun[],
): readonly CoveredPart[] {
  // Of each primitive, what was in effect in the tests that say whether it is shown.
  const judged = new Map<Subject, Configuration[]>();
  for (const { subjects, results } of runs) {
    for (const { test, configuration } of results) {
      const expects = expectationsOf(test);
      for (const subject of subjects) {
        if (expects(subject.kind, subject.name) === undefined) continue;
        const known = judged.get(subject);
        if (known === undefined) judged.set(subject, [configuration]);
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
    const lasting = own.some(({ mapping }) => lasts(assignments, mapping));
    const obstacle = own.length > 0 ? 'replaced by stronger values' : 'not in the catalog';
    return {
      part,
      name,
      ...(kind === undefined ? {} : { kind }),
      source,
      exercised: own.some((each) =>
        judged.get(each)?.some((configuration) => decides(assignments, each.mapping, configuration)),
      ),
      ...(lasting ? {} : { obstacle }),
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
        exercised: [...judged].some(([{ mapping }, asked]) =>
          asked.some((configuration) => ruleFires(rule, mapping, configuration)),
        ),
        ...(subjects.some(({ kind }) => rule.kinds.includes(kind)) ? {} : { obstacle: 'not in the catalog' }),
      }),
    ),
  ];
}

/** @returns how much of it is exercised, in whole per cent, rounded down so that 100 means all */
export function percentageOf(parts: readonly CoveredPart[]): number {
  const exercised = parts.filter((part) => part.exercised).length;
  return parts.length === 0 ? 100 : Math.floor((100 * exercised) / parts.length);
}

function valuesOf(policy: Policy, configurations: readonly Configuration[]): CoveredPart[] {
  return policy.concerns.flatMap(({ name, values, setBy, default: usual }, index) => {
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
    const unclaimed = setBy === 'operator' && usual === undefined;
    return unclaimed ? [...all, part('(no claim)', inEffect.has('denied'))] : all;
  });
}

/** The entry of a primitive, as `mapPrimitive` finds it. */
function entryOf(policy: Policy, { kind, name }: Subject): Entry | undefined {
  const own = policy.entries[kind].get(name);
  if (own !== undefined || kind !== 'resources') return own;
  return policy.covering.find((template) => template.matches(name));
}

/** Names an entry among all of a policy: its name, where it is written. */
const keyOf = (entry: Entry | undefined): string =>
  entry === undefined ? '' : `${entry.source} ${entry.name}`;

/** Once for all parts: asked for each of them, thousands of primitives would be looked at thousands of times. */
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

/** Whether a primitive still has what these gave it, once all stronger values are there. */
function lasts(assignments: readonly Assignment[], mapping: Mapping): boolean {
  return assignments.length === 0 || assignments.some((each) => lastsOne(each, mapping));
}

function decides(
  assignments: readonly Assignment[],
  mapping: Mapping,
  { effective, active }: Configuration,
): boolean {
  if (assignments.length === 0) return active;
  return assignments.some((each) => effective[each.concern] !== undefined && lastsOne(each, mapping));
}

function lastsOne({ concern, offered }: Assignment, { offers }: Mapping): boolean {
  return offered === 'any' ? offers[concern] === undefined : offers[concern]?.offered === offered;
}
