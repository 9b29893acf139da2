import type { Finding } from '../language/findings.js';
import { LIMITS, RESERVED } from '../language/schema.js';
import { checkEntries, checkRules } from './check-entries.js';
import {
  type CheckContext,
  type CheckedFile,
  type ConcernDocument,
  checkValue,
  checkValues,
  type Declared,
  findConcern,
  twice,
} from './check-values.js';

/**
 * Checks what the schema cannot: that everything refers to something that is declared, across all files.
 *
 * @param files the files of one policy, included ones first
 * @param complete whether all files could be read: else concerns may be missing that are declared
 * @returns a finding for each problem
 * @example
 * checkMeaning(files).filter(({ severity }) => severity === 'error');
 */
export function checkMeaning(files: readonly CheckedFile[], complete: boolean): Finding[] {
  const findings: Finding[] = [];
  const report =
    (severity: Finding['severity']): CheckContext['error'] =>
    (file, path, code, message, what) => {
      findings.push({ ...file.locate(path, what), severity, code, message });
    };
  const error = report('error');
  const context: CheckContext = {
    files,
    ...collectConcerns(files, complete, error),
    settings: Object.assign({}, ...files.map(({ document }) => document.settings ?? {})),
    error,
    warn: report('warning'),
  };
  for (const [name, { concern, file }] of context.declared) checkConcern(context, file, name, concern);
  const over = [...context.declared][LIMITS.concerns];
  if (over !== undefined) {
    const message = `A policy has at most ${LIMITS.concerns} concerns, those of all its files together; take some out.`;
    error(over[1].file, ['concerns', over[0]], 'too-many', message, 'key');
  }
  checkPresets(context);
  checkEntries(context);
  checkRules(context);
  checkSettings(context);
  return findings;
}

function collectConcerns(
  files: readonly CheckedFile[],
  complete: boolean,
  error: CheckContext['error'],
): { declared: Map<string, Declared>; incomplete: boolean } {
  const declared = new Map<string, Declared>();
  let incomplete = !complete;
  for (const file of files) {
    for (const removed of file.removed) {
      const [section, name] = removed.split('/');
      if (removed === 'concerns' || removed === '') incomplete = true;
      if (
        section === 'concerns' &&
        name !== undefined &&
        !Object.hasOwn(file.document.concerns ?? {}, name)
      ) {
        declared.set(name, { concern: { values: [] }, file, broken: true });
      }
    }
    for (const [name, concern] of Object.entries(file.document.concerns ?? {})) {
      const path = ['concerns', name];
      const earlier = declared.get(name);
      if (earlier !== undefined)
        error(file, path, 'duplicate', twice('concern', name, earlier.file, path), 'key');
      else {
        const broken = [...file.removed].some((removed) => `${removed}/`.startsWith(`concerns/${name}/`));
        const { values } = concern;
        const empty = !Array.isArray(values) && values.min > values.max;
        declared.set(name, { concern, file, broken: broken || empty });
      }
      if (name === RESERVED.concern) {
        error(
          file,
          path,
          'reserved-name',
          `"${name}" is how hosts name a preset; call the concern otherwise.`,
          'key',
        );
      }
    }
  }
  return { declared, incomplete };
}

function checkConcern(
  context: CheckContext,
  file: CheckedFile,
  name: string,
  concern: ConcernDocument,
): void {
  const path = ['concerns', name];
  const { values, multiple, match, claim } = concern;
  if (Array.isArray(values)) {
    const reserved = values.indexOf(RESERVED.value);
    if (reserved !== -1) {
      const message = `"${RESERVED.value}" takes a value away in mappings, so it cannot be a value; call it otherwise.`;
      context.error(file, [...path, 'values', reserved], 'reserved-name', message);
    }
  } else if ('min' in values && values.min > values.max) {
    const message = `The range of ${name} is empty: min ${values.min} is above max ${values.max}; swap them.`;
    context.error(file, [...path, 'values'], 'empty-range', message);
  }
  if (multiple === true && (!Array.isArray(values) || (match !== undefined && match !== 'exact'))) {
    const message = `${name} takes several values, which only a list with match: exact can; take "multiple" or "match" out.`;
    context.error(file, [...path, 'multiple'], 'multiple-not-exact', message, 'key');
  }
  if (concern.default !== undefined) checkValue(context, file, [...path, 'default'], name, concern.default);

  const operator = concern['set-by'] === 'operator';
  const removed = (key: string) => file.removed.has(`concerns/${name}/${key}`);
  if (operator && claim === undefined && !removed('claim')) {
    context.error(
      file,
      [...path, 'set-by'],
      'missing-claim',
      `${name} is set by the operator: say which claim with "claim".`,
    );
  } else if (!operator && claim !== undefined) {
    const message = `A claim is read for operator concerns only; add "set-by: operator" to ${name}, or take "claim" out.`;
    context.error(file, [...path, 'claim'], 'claim-without-operator', message, 'key');
  }
  if (operator && concern.default === undefined && !removed('default')) {
    const message = `A caller without the claim sees nothing that has a value for ${name}; give it a "default" if that is not meant.`;
    context.warn(file, path, 'operator-without-default', message, 'key');
  }
  if (context.settings.invalid === 'clamp' && Array.isArray(values) && !operator) {
    const message = `invalid: clamp has no nearest value in the list of ${name}; there an unknown value is ignored.`;
    context.warn(file, path, 'clamp-on-list', message, 'key');
  }
}

function checkPresets(context: CheckContext): void {
  const first = new Map<string, CheckedFile>();
  for (const file of context.files) {
    for (const [name, preset] of Object.entries(file.document.presets ?? {})) {
      const path = ['presets', name];
      const earlier = first.get(name);
      if (earlier !== undefined)
        context.error(file, path, 'duplicate', twice('preset', name, earlier, path), 'key');
      first.set(name, file);
      for (const [concern, value] of Object.entries(preset)) {
        const at = [...path, concern];
        const declared = findConcern(context, file, at, concern);
        if (declared === undefined || value === null) continue;
        if (declared['set-by'] === 'operator') {
          context.error(
            file,
            at,
            'operator-in-preset',
            `${concern} is set by the operator, so no preset can ask for it.`,
            'key',
          );
        } else if (Array.isArray(value) && declared.multiple !== true) {
          const message = `${concern} takes one value here; take one, or declare the concern with "multiple: true".`;
          context.error(file, at, 'several-values', message);
        } else checkValues(context, file, at, concern, value);
      }
    }
  }
}

/** A file may change a setting of one that it includes; files side by side may not disagree. */
function checkSettings(context: CheckContext): void {
  const said = new Map<string, { file: CheckedFile; value: unknown }[]>();
  for (const file of context.files) {
    for (const [name, value] of Object.entries(file.document.settings ?? {})) {
      const path = ['settings', name];
      const before = said.get(name) ?? [];
      const earlier = before.find(
        (each) => each.value !== value && !file.included.has(each.file.source.file),
      );
      if (earlier !== undefined) {
        const place = earlier.file.locate(path);
        const message = `${name} is ${value} here and ${earlier.value} in ${place.file}:${place.line}; keep one.`;
        context.error(file, path, 'conflicting-settings', message);
      }
      // What this file includes is overridden; what stands beside it counts.
      const beside = before.filter((each) => !file.included.has(each.file.source.file));
      said.set(name, [...beside, { file, value }]);
      if (name === 'enforcement' && value === 'enforce' && !protects(context)) {
        const message =
          'A host can lift what it asked for itself, so this protects nothing: add an operator concern, or a rule that reads no host concern.';
        context.warn(file, path, 'enforce-without-operator', message);
      }
    }
  }
}

/** Whether something hides primitives that no host can lift. */
function protects({ declared, files }: CheckContext): boolean {
  const operators = [...declared].filter(([, { concern }]) => concern['set-by'] === 'operator');
  if (operators.length > 0) return true;
  return files.some(({ document }) =>
    document.rules?.some(
      ({ hide, when }) => hide !== undefined && !JSON.stringify(when).includes('"concerns.'),
    ),
  );
}
