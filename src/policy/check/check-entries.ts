import { KINDS } from '../../engine/policy.js';
import { problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import { LIMITS } from '../language/schema.js';
import { checkClientNames } from './callers/check-client.js';
import { checkRule } from './check-rule.js';
import { checkMapping, type FileCheck, type Reports, uniqueNames } from './check-values.js';

/** Checks the entries of `primitives` and `patterns`: names, wildcards, duplicates across files, and values. */
export function checkEntries(checks: readonly FileCheck[]): void {
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
export function checkRules(checks: readonly FileCheck[]): void {
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
