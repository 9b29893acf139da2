import { pathsOf, readsClientName } from '../../engine/expression/expression.js';
import { parseExpression } from '../../engine/expression/parse.js';
import { KINDS } from '../../engine/policy.js';
import type { Finding } from '../language/findings.js';
import { problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import { LIMITS } from '../language/schema.js';
import { checkArguments } from './arguments/check-arguments.js';
import { checkBinds } from './arguments/check-bind.js';
import { checkClientNames, checkClientPresets } from './callers/check-client.js';
import { checkConcern, checkSealed, collectConcerns } from './check-concerns.js';
import { checkRule } from './check-rule.js';
import {
  type CheckedFile,
  checkMapping,
  checkValues,
  type FileCheck,
  findConcern,
  type PolicyPart,
  type Reports,
  reportsIn,
  uniqueNames,
} from './check-values.js';
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
): { readonly findings: readonly Finding[]; readonly wrong: readonly PolicyPart[] } {
  const findings: Finding[] = [];
  const wrong: PolicyPart[] = [];
  const reports = files.map((file) => reportsIn(file, findings, wrong));
  const common = {
    ...collectConcerns(reports, complete, parts, shared),
    settings: Object.assign({}, ...files.map(({ document }) => document.settings ?? {})),
    parts,
  };
  const declared = [...common.declared];
  const checks = reports.map((each): FileCheck => ({ ...each, ...common }));
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
  checkBinds(checks);
  checkSettings(checks);
  return { findings, wrong };
}

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

/** Checks the entries of `primitives` and `patterns`: names, wildcards, duplicates across files, and values. */
function checkEntries(checks: readonly FileCheck[]): void {
  for (const section of ['primitives', 'patterns'] as const) {
    for (const kind of KINDS) {
      const checkName = uniqueNames('entry');
      for (const check of checks) {
        const { file, warn } = check;
        for (const [name, mapping] of Object.entries(file.document[section]?.[kind] ?? {})) {
          const path = [section, kind, name];
          checkName(check, name, path);
          if (section === 'patterns') checkPattern(check, path, name);
          else if (name.includes('*') && kind !== 'resourceTemplates') {
            warn(path, problem('wildcard-in-name', { name }), 'key');
          }
          checkMapping(check, path, mapping);
        }
      }
    }
  }
}

/** Checks `assign` and `rules`: conditions, values, and duplicate rules across files. */
function checkRules(checks: readonly FileCheck[]): void {
  const checkId = uniqueNames('rule');
  for (const check of checks) {
    const { file, error } = check;
    file.document.assign?.forEach(({ when, to }, index) => {
      const path = ['assign', index];
      checkRule(when, [...path, 'when'], check, true);
      checkMapping(check, [...path, 'to'], to);
    });
    file.document.rules?.forEach(({ id, hide, show, when }, index) => {
      const path = ['rules', index];
      checkId(check, id, [...path, 'id']);
      if ((hide === undefined) === (show === undefined)) error(path, problem('hide-or-show', { id }));
      checkRule(when, [...path, 'when'], check);
      checkClientNames(check, [...path, 'when'], { id, hide, when });
      checkArguments(check, path, { id, hide, when });
    });
  }
}

function checkPattern({ error, warn }: Reports, path: Path, pattern: string): void {
  const wildcards = pattern.split('*').length - 1;
  if (wildcards > LIMITS.patternWildcards || pattern.length > LIMITS.patternLength) {
    const limits = { length: LIMITS.patternLength, wildcards: LIMITS.patternWildcards };
    error(path, problem('pattern-too-long', limits), 'key');
  } else if (wildcards === 0) warn(path, problem('pattern-without-wildcard', { pattern }), 'key');
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
    ({ file, declared, parts, settings }) =>
      settings.unmapped === 'hide' ||
      [...declared.values()].some(({ concern }) => concern['set-by'] === 'operator') ||
      [file, ...parts.flatMap(({ files }) => files)].some(
        ({ document }) =>
          document.rules?.some(({ hide, when }) => hide !== undefined && !readsHost(when)) ||
          Object.values(document.bind ?? {}).some((from) => !readsHost(from)),
      ),
  );
}

function readsHost(when: unknown): boolean {
  const paths = pathsOf(parseExpression(when).expression);
  return paths.some((path) => path.startsWith('concerns.') || readsClientName(path));
}
