import { claimName, claimNames } from '../../engine/claims.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { byKind, type Concern, KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { listedIn } from '../../engine/uses/use-primitives.js';
import { notAConcern, problemOfValue, type Reports, reportsIn } from '../check/check-values.js';
import type { Finding } from '../language/findings.js';
import { KIND_NAMES } from '../language/kind-names.js';
import { problem } from '../language/problem.js';
import type { Path, Source } from '../language/read-yaml.js';
import type { PolicyTest, TestFile } from './test-file.js';

/**
 * Checks every name in a test file: concerns, values and presets against the policy, primitives against the catalog.
 * Without this check, a test that excludes a renamed tool would always pass, because a missing tool is never shown.
 *
 * @param source the test file, to locate findings
 * @param file the tests
 * @param policy the policy under test
 * @param catalog the primitives that the tests run on
 * @returns one finding for each problem, in the order of the tests
 * @example
 * checkTests(source, file, policy, { tools }); // [{ code: 'unknown-primitive', line: 9, ... }]
 */
export function checkTests(
  source: Source,
  file: TestFile,
  policy: Policy,
  catalog: ServerCatalog,
): Finding[] {
  const findings: Finding[] = [];
  const { error, warn } = reportsIn({ source, locate: source.locate }, findings);
  // A replacement would be a fix, and only policies are fixed.
  const check: TestCheck = {
    policy,
    warn,
    error: (path, { code, message }, part) => error(path, { code, message }, part),
  };
  const listed = listedIn(policy, catalog);
  const names = byKind(
    (kind) => new Set(listed.filter((each) => each.kind === kind).map(({ name }) => name)),
  );
  for (const test of file.tests) {
    checkConcerns(test, check);
    checkClaims(test, check);
    for (const kind of KINDS) checkNames(test, kind, names[kind], check);
  }
  return findings;
}

interface TestCheck extends Pick<Reports, 'error' | 'warn'> {
  readonly policy: Policy;
}

function checkConcerns({ concerns, path }: PolicyTest, check: TestCheck): void {
  const { policy, error } = check;
  const at = [...path, 'concerns'];
  if (typeof concerns === 'string') return checkPreset(concerns, at, check);
  const { preset, ...values } = concerns ?? {};
  if (preset !== undefined) checkPreset(String(preset), [...at, 'preset'], check);
  for (const [name, value] of Object.entries(values)) {
    const entryPath = [...at, name];
    const concern = policy.concerns[policy.indexOf.get(name) ?? -1];
    if (concern === undefined) {
      error(entryPath, notAConcern(name, [...policy.indexOf.keys()]), 'key');
    } else if (concern.setBy === 'operator') {
      const claim = claimName(concern.claim ?? '');
      error(entryPath, problem('operator-preference', { name, claim }), 'key');
    } else checkValue(concern, value, entryPath, check);
  }
}

function checkPreset(preset: string, path: Path, { policy, error }: TestCheck): void {
  if (policy.presets.has(preset)) return;
  const known = [...policy.presets.keys(), 'none'];
  const names = { preset, known: known.join(', ') };
  error(path, problem('unknown-value.preset', names, { scalar: preset, known }));
}

function checkValue(concern: Concern, value: unknown, path: Path, check: TestCheck): void {
  const { policy, error } = check;
  const { name, values, multiple } = concern;
  if (value === null) return;
  if (Array.isArray(value)) {
    if (!multiple) error(path, problem('several-values.test', { name }));
    if (value.length === 0) error(path, problem('empty.part', { name }));
    value.forEach((each, index) => {
      checkValue({ ...concern, multiple: false }, each, [...path, index], check);
    });
  } else {
    // With `invalid: clamp` a host may send any number, and a test may check how it is clamped.
    if ('min' in values && typeof value === 'number' && policy.settings.invalid === 'clamp') return;
    const found = problemOfValue(name, values, value);
    if (found !== undefined) error(path, found);
  }
}

/** A claim that the policy does not read is only a warning, and values are not checked: a caller may have any claims. */
function checkClaims({ claims, path }: PolicyTest, { policy, warn }: TestCheck): void {
  const read = policy.callerPaths.filter((each) => each.startsWith('claims.'));
  const known = [
    ...new Set([
      ...policy.concerns.flatMap(({ claim }) => (claim === undefined ? [] : claimNames(claim))),
      ...(policy.callerPaths.includes('caller.scopes') ? claimNames('scope') : []),
      ...read.map((each) => each.slice('claims.'.length)),
    ]),
  ];
  for (const name of Object.keys(claims)) {
    if (known.some((each) => each === name || each.startsWith(`${name}.`))) continue;
    const reads = known.length === 0 ? 'it reads none' : `it reads ${known.join(', ')}`;
    const found = problem('unread-claim', { name, reads, hint: didYouMean(name, known) });
    warn([...path, 'claims', name], found, 'key');
  }
}

function checkNames(test: PolicyTest, kind: Kind, known: ReadonlySet<string>, { error }: TestCheck): void {
  for (const key of ['includes', 'excludes', 'only'] as const) {
    const seen = new Set<string>();
    test.expects[kind]?.[key]?.forEach((name, index) => {
      const path = [...test.path, kind, key, index];
      if (!known.has(name)) {
        const names = { noun: KIND_NAMES[kind][0], name, hint: didYouMean(name, known) };
        error(path, problem('unknown-primitive', names));
      } else if (seen.has(name)) error(path, problem('duplicate.expected', { name, key }));
      seen.add(name);
    });
  }
}
