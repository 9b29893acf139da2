import { pathsOf, readsClientName } from '../../engine/expression/expression.js';
import { parseExpression } from '../../engine/expression/parse.js';
import type { Finding } from '../language/findings.js';
import { problem } from '../language/problem.js';
import { LIMITS, RESERVED, VALUE_NAME } from '../language/schema.js';
import { checkClaim } from './callers/check-claim.js';
import { checkClientPresets } from './callers/check-client.js';
import { checkEntries, checkRules } from './check-entries.js';
import { checkSealed } from './check-sealed.js';
import {
  type CheckedFile,
  type ConcernDeclaration,
  checkValue,
  checkValues,
  type Declared,
  declarationOf,
  type FileCheck,
  findConcern,
  type PolicyPart,
  type Reports,
  reportsIn,
  uniqueNames,
} from './check-values.js';
import { checkWithin } from './check-within.js';
import type { ServerPart, SharedConcerns } from './servers/server-parts.js';

/**
 * Makes the checks that the schema cannot express: every reference must name a part that some file of the policy
 * declares, and the parts must agree with each other.
 *
 * @param files the files of one policy, included files first
 * @param complete whether all files could be read; if not, unknown concerns are not reported
 * @param parts the servers that the policy is about, if they have policies of their own
 * @param shared the concerns of the policy and of these servers
 * @returns one finding for each problem, and the parts with errors
 * @example
 * checkMeaning(files, true).findings.filter(({ severity }) => severity === 'error');
 */
export function checkMeaning(
  files: readonly CheckedFile[],
  complete: boolean,
  parts: readonly ServerPart[] = [],
  shared?: SharedConcerns,
) {
  const findings: Finding[] = [];
  const wrong: PolicyPart[] = [];
  const reports = files.map((file) => reportsIn(file, findings, wrong));
  const common = {
    ...collectConcerns(reports, complete, parts, shared),
    settings: Object.assign({}, ...files.map(({ document }) => document.settings ?? {})),
    parts,
  };
  const declared = [...common.declared];
  const concerns = new Map(declared.map(([name, { concern }]) => [name, concern]));
  const checks = reports.map((each): FileCheck => ({ ...each, ...common, concerns }));
  for (const [name, { file, concern }] of declared) {
    for (const check of checks) if (check.file === file) checkConcern(check, name, concern);
  }
  const over = declared[LIMITS.concerns]?.[1];
  if (over !== undefined) {
    const found = problem('too-many.concerns', { limit: LIMITS.concerns });
    reportsIn(over.file, findings, wrong).error(over.path, found, 'key');
  }
  checkSealed(declared, findings);
  checkPresets(checks);
  checkClientPresets(checks);
  checkEntries(checks);
  checkRules(checks);
  checkSettings(checks);
  return { findings, wrong };
}

function collectConcerns(
  reports: readonly Reports[],
  complete: boolean,
  parts: readonly ServerPart[],
  shared: SharedConcerns | undefined,
): { declared: Map<string, Declared>; incomplete: boolean } {
  const declared = new Map<string, Declared>();
  const checkName = uniqueNames('concern');
  let incomplete = !complete;
  for (const each of reports) {
    const { file, error } = each;
    const documents = new Map(Object.entries(file.document.concerns ?? {}));
    const removed = [...file.removed].filter((path) => path.startsWith('concerns/'));
    const broken = new Set(removed.map((path) => path.split('/')[1] ?? ''));
    incomplete ||= file.removed.has('concerns') || file.removed.has('');
    for (const name of new Set([...broken, ...documents.keys()])) {
      const path = ['concerns', name];
      checkName(each, name, path);
      if (name === RESERVED.concern) error(path, problem('reserved-name.concern', { name }), 'key');
      if (declared.has(name)) continue;
      const concern = declarationOf(documents.get(name) ?? { values: [] });
      const isEmpty = 'min' in concern.values && concern.values.min > concern.values.max;
      declared.set(name, { concern, file, path, broken: isEmpty || broken.has(name) });
    }
  }
  // The concerns of servers, and what they add to those that the policy declares.
  for (const [name, concern] of shared?.concerns ?? []) {
    const own = declared.get(name);
    const [file] = parts.find((part) => part.concerns.has(name))?.files ?? [];
    const place = own ?? (file && { file, path: ['concerns', name], broken: false });
    if (place !== undefined) declared.set(name, { ...place, concern });
  }
  return { declared, incomplete };
}

function checkConcern(check: FileCheck, name: string, concern: ConcernDeclaration): void {
  const { file, error, warn } = check;
  const path = ['concerns', name];
  const { values, multiple, match, model } = concern;
  const operator = concern['set-by'] === 'operator';
  if (!('min' in values)) {
    const reserved = values.indexOf(RESERVED.value);
    if (reserved !== -1) error([...path, 'values', reserved], problem('reserved-name.value', RESERVED));
    values.forEach((value, index) => {
      // A value with a description is a key.
      if (!operator && !VALUE.test(value))
        error([...path, 'values', index, value], problem('bad-name.host', { value }), 'key');
      if (values.indexOf(value) === index) return;
      error([...path, 'values', index], problem('duplicate.value', { value, name }));
    });
  } else if (values.min > values.max) {
    error([...path, 'values'], problem('empty-range', { name, ...values }));
  }
  if (file.document.concerns?.[name]?.values === 'servers' && check.parts.length === 0) {
    error([...path, 'values'], problem('empty.servers', { name }));
  }
  checkWithin(check, name, concern);
  const hasOrder = match === 'at-least' || match === 'at-most';
  if (multiple === true && ('min' in values || hasOrder)) {
    error([...path, 'multiple'], problem('multiple-not-exact', { name }), 'key');
  }
  if (concern.default !== undefined) checkValue(check, [...path, 'default'], name, concern.default);

  const removed = (key: string) => file.removed.has(`concerns/${name}/${key}`);
  checkClaim(check, name, concern);
  if (operator && model !== undefined) {
    error([...path, 'model'], problem('model-not-host', { name }), 'key');
  }
  if (operator && concern.default === undefined && !removed('default')) {
    warn(path, problem('operator-without-default', { name }), 'key');
  }
  if (check.settings.invalid === 'clamp' && !('min' in values) && !operator) {
    warn(path, problem('clamp-on-list', { name }), 'key');
  }
}

const VALUE = new RegExp(VALUE_NAME);

function checkPresets(checks: readonly FileCheck[]): void {
  const checkName = uniqueNames('preset');
  for (const check of checks) {
    const { file, error } = check;
    for (const [name, preset] of Object.entries(file.document.presets ?? {})) {
      const path = ['presets', name];
      checkName(check, name, path);
      for (const [concern, value] of Object.entries(preset)) {
        const at = [...path, concern];
        const declared = findConcern(check, at, concern);
        if (declared === undefined || value === null) continue;
        if (declared['set-by'] === 'operator') {
          error(at, problem('operator-in-preset', { concern }), 'key');
        } else if (Array.isArray(value) && declared.multiple !== true) {
          error(at, problem('several-values.preset', { concern }));
        } else checkValues(check, at, concern, value);
      }
    }
  }
}

/** A file can change a setting of a file that it includes. Files that do not include each other must agree. */
function checkSettings(checks: readonly FileCheck[]): void {
  const settings = new Map<string, { file: CheckedFile; value: unknown }[]>();
  for (const { file, error, warn } of checks) {
    for (const [name, value] of Object.entries(file.document.settings ?? {})) {
      const path = ['settings', name];
      // This file overrides the settings of files that it includes. Other files still count.
      const beside = (settings.get(name) ?? []).filter((each) => !file.included.has(each.file.source.file));
      const earlier = beside.find((each) => String(each.value) !== String(value));
      if (earlier !== undefined) {
        const place = earlier.file.locate(path);
        const other = String(earlier.value);
        error(path, problem('conflicting-settings', { ...place, name, value: String(value), other }));
      }
      settings.set(name, [...beside, { file, value }]);
      if (name === 'enforcement' && value === 'enforce' && !protects(checks))
        warn(path, problem('enforce-without-operator', {}));
    }
    file.document.settings?.methods?.forEach((method, index) => {
      warn(['settings', 'methods', index], problem('unfiltered-method', { method }));
    });
  }
}

/** Whether the policy hides primitives in a way that hosts cannot undo. */
function protects(checks: readonly FileCheck[]): boolean {
  return checks.some(
    ({ file, declared, parts }) =>
      [...declared.values()].some(({ concern }) => concern['set-by'] === 'operator') ||
      [file, ...parts.flatMap(({ files }) => files)].some(({ document }) =>
        document.rules?.some(({ hide, when }) => hide !== undefined && !readsHost(when)),
      ),
  );
}

function readsHost(when: unknown): boolean {
  const paths = pathsOf(parseExpression(when).expression);
  return paths.some((path) => path.startsWith('concerns.') || readsClientName(path));
}
