import { KINDS } from '../../engine/policy.js';
import type { Path } from '../language/read-yaml.js';
import { LIMITS } from '../language/schema.js';
import { checkClientNames } from './callers/check-client.js';
import { checkRule } from './check-rule.js';
import {
  checkDuplicate,
  checkMapping,
  type FileCheck,
  type PolicyPart,
  type Reports,
} from './check-values.js';

/** Checks the entries of `primitives` and `patterns`: names, wildcards, duplicates across files, and values. */
export function checkEntries(checks: readonly FileCheck[]): void {
  for (const section of ['primitives', 'patterns'] as const) {
    for (const kind of KINDS) {
      const first = new Map<string, PolicyPart>();
      for (const check of checks) {
        const { file, warn } = check;
        for (const [name, mapping] of Object.entries(file.document[section]?.[kind] ?? {})) {
          const path = [section, kind, name];
          checkDuplicate(check, 'entry', name, path, first.get(name));
          first.set(name, { file, path });
          if (section === 'patterns') checkPattern(check, path, name);
          else if (name.includes('*') && kind !== 'resourceTemplates') {
            const message = `"${name}" is an exact name here, and "*" is not a wildcard. If you mean a wildcard, move the entry to "patterns".`;
            warn(path, 'wildcard-in-name', message, 'key');
          }
          checkMapping(check, path, mapping);
        }
      }
    }
  }
}

/** Checks `assign` and `rules`: conditions, values, and duplicate rules across files. */
export function checkRules(checks: readonly FileCheck[]): void {
  const first = new Map<string, PolicyPart>();
  for (const check of checks) {
    const { file, error, warn } = check;
    const concerns = new Map([...check.declared].map(([name, { concern }]) => [name, concern]));
    const always = new Set([
      // Every request of a client belongs to an era, and a rule does not fire where the era is not known.
      'protocol.era',
      // Empty for callers without scopes.
      'caller.scopes',
      // For clients without a name, the part counts as what hides most.
      'client.name',
      ...['kind', 'name', 'uri'].map((name) => `primitive.${name}`),
    ]);
    const scope = { concerns, always, error, warn };
    file.document.assign?.forEach(({ when, to }, index) => {
      const path = ['assign', index];
      checkRule(when, [...path, 'when'], { ...scope, roots: ['primitive'] });
      checkMapping(check, [...path, 'to'], to);
    });
    file.document.rules?.forEach(({ id, hide, show, when }, index) => {
      const path = ['rules', index];
      const own = { file, path: [...path, 'id'] };
      checkDuplicate(check, 'rule', id, own.path, first.get(id));
      if (!first.has(id)) first.set(id, own);
      if ((hide === undefined) === (show === undefined)) {
        const message = `The rule "${id}" needs either "hide" or "show", with a list of kinds.`;
        error(path, 'hide-or-show', message);
      }
      checkRule(when, [...path, 'when'], scope);
      checkClientNames(check, [...path, 'when'], { id, hide, when });
    });
  }
}

function checkPattern({ error, warn }: Reports, path: Path, pattern: string): void {
  const wildcards = pattern.split('*').length - 1;
  if (wildcards > LIMITS.patternWildcards || pattern.length > LIMITS.patternLength) {
    const message = `A pattern can have at most ${LIMITS.patternLength} characters and ${LIMITS.patternWildcards} "*". Split it.`;
    error(path, 'pattern-too-long', message, 'key');
  } else if (wildcards === 0) {
    const message = `"${pattern}" does not contain "*", so it matches only one name. Move the entry to "primitives", where lookups are faster.`;
    warn(path, 'pattern-without-wildcard', message, 'key');
  }
}
