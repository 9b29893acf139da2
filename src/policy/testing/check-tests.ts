import type { ServerCatalog } from '../../engine/mapping.js';
import { identityOf } from '../../engine/mapping.js';
import { nearest } from '../../engine/match/nearest.js';
import { type Concern, KINDS, type Kind, type Policy } from '../../engine/policy.js';
import type { Finding, FindingCode } from '../language/findings.js';
import type { Path, Source } from '../language/read-yaml.js';
import type { PolicyTest, TestFile } from './test-file.js';

/**
 * Checks that tests speak of what is there: concerns and values of the policy, names of the catalog. A test of a tool
 * that was renamed would otherwise pass for ever, because what is not there is never shown.
 *
 * @param source the file of the tests
 * @param file the tests
 * @param policy the policy that they test
 * @param surface the primitives that they test it on
 * @returns what is wrong
 * @example
 * checkTests(source, file, policy, { tools }); // [{ code: 'unknown-primitive', line: 9, ... }]
 */
export function checkTests(
  source: Source,
  file: TestFile,
  policy: Policy,
  surface: ServerCatalog,
): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (severity, path, code, message, what) => {
    findings.push({ ...source.locate(path, what), severity, code, message });
  };
  const names = new Map(
    KINDS.map((kind) => [kind, new Set((surface[kind] ?? []).map((each) => identityOf(kind, each)))]),
  );
  for (const test of file.tests) {
    checkConcerns(test, policy, report);
    checkClaims(test, policy, report);
    for (const kind of KINDS) checkNames(test, kind, names.get(kind) ?? new Set(), report);
  }
  return findings;
}

type Report = (
  severity: Finding['severity'],
  path: Path,
  code: FindingCode,
  message: string,
  what?: 'key' | 'value',
) => void;

function checkConcerns({ concerns, path }: PolicyTest, policy: Policy, report: Report): void {
  const at = [...path, 'concerns'];
  if (concerns === undefined) return;
  if (typeof concerns === 'string') {
    checkPreset(concerns, at, policy, report);
    return;
  }
  for (const [name, value] of Object.entries(concerns)) {
    const here = [...at, name];
    if (name === 'preset') {
      checkPreset(String(value), here, policy, report);
      continue;
    }
    const concern = policy.concerns[policy.indexOf.get(name) ?? -1];
    if (concern === undefined) {
      const known = policy.concerns.map((each) => each.name);
      const message = `"${name}" is no concern of this policy (${known.join(', ') || 'none is declared'})${hint(name, known)}`;
      report('error', here, 'unknown-concern', message, 'key');
    } else if (concern.setBy === 'operator') {
      const message = `${name} is set by the operator, so no host can ask for it; put "${concern.claim}" under claims.`;
      report('error', here, 'operator-asked-for', message, 'key');
    } else checkValue(concern, value, here, policy, report);
  }
}

function checkPreset(preset: string, path: Path, policy: Policy, report: Report): void {
  if (policy.presets.has(preset)) return;
  const known = [...policy.presets.keys()];
  const message = `"${preset}" is no preset of this policy (${known.join(', ') || 'there is none'}), nor "none"${hint(preset, [...known, 'none'])}`;
  report('error', path, 'unknown-value', message);
}

function checkValue(concern: Concern, value: unknown, path: Path, policy: Policy, report: Report): void {
  const { name, values, multiple } = concern;
  if (value === null) return;
  if (Array.isArray(value)) {
    if (!multiple) {
      const message = `${name} takes one value here; take one, or declare the concern with "multiple: true".`;
      report('error', path, 'several-values', message);
    }
    if (value.length === 0) report('error', path, 'empty', `${name} must not be empty.`);
    value.forEach((each, index) => {
      checkValue({ ...concern, multiple: false }, each, [...path, index], policy, report);
    });
  } else if ('min' in values) {
    const inside = typeof value === 'number' && value >= values.min && value <= values.max;
    // Under `clamp` a host may send any number, and a test may want to see what becomes of it.
    if (inside || (typeof value === 'number' && policy.settings.invalid === 'clamp')) return;
    const message = `${JSON.stringify(value)} is no value of ${name}; write a number from ${values.min} to ${values.max}.`;
    report('error', path, 'unknown-value', message);
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    const message = `${value} is a ${typeof value} in YAML; write "${value}" in quotes if it is a value of ${name} (${values.join(', ')}).`;
    report('error', path, 'unquoted', message);
  } else if (typeof value !== 'string' || !values.includes(value)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const message = `"${text}" is no value of ${name} (${values.join(', ')})${hint(text, values)}`;
    report('error', path, 'unknown-value', message);
  }
}

/** Callers have all sorts of claims, also of wrong values: only what nothing reads is remarkable. */
function checkClaims({ claims, path }: PolicyTest, policy: Policy, report: Report): void {
  const read = policy.callerPaths.filter((each) => each.startsWith('claims.'));
  const known = [
    ...new Set([
      ...policy.concerns.flatMap(({ claim }) => claim ?? []),
      ...read.map((each) => each.slice('claims.'.length)),
    ]),
  ];
  for (const name of Object.keys(claims)) {
    if (known.some((each) => each === name || each.startsWith(`${name}.`))) continue;
    const reads = known.length === 0 ? 'it reads none' : `it reads ${known.join(', ')}`;
    const message = `The policy does not read the claim "${name}" (${reads})${hint(name, known)}`;
    report('warning', [...path, 'claims', name], 'unread-claim', message, 'key');
  }
}

const WORDS: Readonly<Record<Kind, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
};

function checkNames(test: PolicyTest, kind: Kind, known: ReadonlySet<string>, report: Report): void {
  for (const key of ['includes', 'excludes', 'only'] as const) {
    const seen = new Set<string>();
    test.expects[kind]?.[key]?.forEach((name, index) => {
      const path = [...test.path, kind, key, index];
      if (!known.has(name)) {
        const message = `The catalog has no ${WORDS[kind]} "${name}"${hint(name, known)}`;
        report('error', path, 'unknown-primitive', message);
      } else if (seen.has(name)) {
        report('error', path, 'duplicate', `"${name}" is in ${key} twice; keep one.`);
      }
      seen.add(name);
    });
  }
}

function hint(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near === undefined ? '.' : `; did you mean "${near}"?`;
}
