import { KINDS } from '../../engine/policy.js';
import type { FindingCode } from '../language/finding-codes.js';
import type { Replacement } from '../language/fixes.js';
import type { Path } from '../language/read-yaml.js';
import { LIMITS } from '../language/schema.js';
import { checkRule } from './check-rule.js';
import { type CheckContext, type CheckedFile, checkMapping, duplicateMessage } from './check-values.js';

/** Checks the entries of `primitives` and `patterns`: names, wildcards, duplicates across files, and values. */
export function checkEntries(context: CheckContext): void {
  for (const section of ['primitives', 'patterns'] as const) {
    for (const kind of KINDS) {
      const first = new Map<string, CheckedFile>();
      for (const file of context.files) {
        for (const [name, mapping] of Object.entries(file.document[section]?.[kind] ?? {})) {
          const path = [section, kind, name];
          const earlier = first.get(name);
          if (earlier !== undefined)
            context.error(file, path, 'duplicate', duplicateMessage('entry', name, earlier, path), 'key');
          first.set(name, file);
          if (section === 'patterns') checkPattern(context, file, path, name);
          else if (name.includes('*') && kind !== 'resourceTemplates') {
            const message = `"${name}" is an exact name here, and "*" is not a wildcard. If you mean a wildcard, move the entry to "patterns".`;
            context.warn(file, path, 'wildcard-in-name', message, 'key');
          }
          checkMapping(context, file, path, mapping);
        }
      }
    }
  }
}

/** Checks `assign` and `rules`: conditions, values, and duplicate rules across files. */
export function checkRules(context: CheckContext): void {
  const first = new Map<string, { file: CheckedFile; path: Path }>();
  const concerns = new Map([...context.declared].map(([name, { concern }]) => [name, concern]));
  const always = new Set(
    [...concerns].flatMap(([name, each]) =>
      each['set-by'] === 'operator' && each.default !== undefined ? [`concerns.${name}`] : [],
    ),
  );
  // Every request of a client belongs to an era, and a rule does not fire where the era is not known.
  always.add('protocol.era');
  for (const name of ['kind', 'name', 'uri']) always.add(`primitive.${name}`);
  for (const file of context.files) {
    const scope = {
      concerns,
      always,
      error: (path: Path, code: FindingCode, message: string, replacement?: Replacement) =>
        context.error(file, path, code, message, 'value', replacement),
      warn: (path: Path, code: FindingCode, message: string) => context.warn(file, path, code, message),
    };
    file.document.assign?.forEach(({ when, to }, index) => {
      const path = ['assign', index];
      checkRule(when, [...path, 'when'], { ...scope, roots: ['primitive'] });
      checkMapping(context, file, [...path, 'to'], to);
    });
    file.document.rules?.forEach(({ id, hide, show, when }, index) => {
      const path = ['rules', index];
      const earlier = first.get(id);
      if (earlier !== undefined) {
        const message = duplicateMessage('rule', id, earlier.file, earlier.path);
        context.error(file, [...path, 'id'], 'duplicate', message);
      } else first.set(id, { file, path: [...path, 'id'] });
      if ((hide === undefined) === (show === undefined)) {
        const message = `The rule "${id}" needs either "hide" or "show", with a list of kinds.`;
        context.error(file, path, 'hide-or-show', message);
      }
      checkRule(when, [...path, 'when'], scope);
    });
  }
}

function checkPattern(context: CheckContext, file: CheckedFile, path: Path, pattern: string): void {
  const wildcards = pattern.split('*').length - 1;
  if (wildcards > LIMITS.patternWildcards || pattern.length > LIMITS.patternLength) {
    const message = `A pattern can have at most ${LIMITS.patternLength} characters and ${LIMITS.patternWildcards} "*". Split it.`;
    context.error(file, path, 'pattern-too-long', message, 'key');
  } else if (wildcards === 0) {
    const message = `"${pattern}" does not contain "*", so it matches only one name. Move the entry to "primitives", where lookups are faster.`;
    context.warn(file, path, 'pattern-without-wildcard', message, 'key');
  }
}
