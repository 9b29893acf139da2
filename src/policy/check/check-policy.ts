import { compileExpression } from '../../engine/expression/evaluate.js';
import { parseExpression } from '../../engine/expression/parse.js';
import { type ConcernDeclaration, declarationOf } from '../language/concern-values.js';
import type { Finding } from '../language/findings.js';
import { replacing } from '../language/fixes.js';
import { LIMITS, RESERVED } from '../language/schema.js';
import { checkEntries, checkRules } from './check-entries.js';
import {
  type CheckContext,
  type CheckedFile,
  checkValue,
  checkValues,
  type Declared,
  duplicateMessage,
  findConcern,
} from './check-values.js';
import { checkWithin } from './check-within.js';
import type { WrongPart } from './right-parts.js';

/** The problems of a policy, and the parts that have errors. */
export interface Meaning {
  readonly findings: readonly Finding[];
  readonly wrong: readonly WrongPart[];
}

/**
 * Makes the checks that the schema cannot express: every reference must name a part that some file of the policy
 * declares, and the parts must agree with each other.
 *
 * @param files the files of one policy, included files first
 * @param complete whether all files could be read; if not, unknown concerns are not reported
 * @returns one finding for each problem, and the parts with errors
 * @example
 * checkMeaning(files, true).findings.filter(({ severity }) => severity === 'error');
 */
export function checkMeaning(files: readonly CheckedFile[], complete: boolean): Meaning {
  const findings: Finding[] = [];
  const wrong: WrongPart[] = [];
  const report =
    (severity: Finding['severity']): CheckContext['error'] =>
    (file, path, code, message, part, replacement) => {
      const place = file.locate(path, part);
      findings.push({ ...place, severity, code, message, ...replacing(file.source, place, replacement) });
      if (severity === 'error') wrong.push({ file, path });
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
    const message = `A policy can have at most ${LIMITS.concerns} concerns in all its files together. Remove some.`;
    error(over[1].file, ['concerns', over[0]], 'too-many', message, 'key');
  }
  checkPresets(context);
  checkEntries(context);
  checkRules(context);
  checkSettings(context);
  return { findings, wrong };
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
        declared.set(name, { concern: { values: [], valueDescriptions: {} }, file, broken: true });
      }
    }
    for (const [name, document] of Object.entries(file.document.concerns ?? {})) {
      const concern = declarationOf(document);
      const path = ['concerns', name];
      const earlier = declared.get(name);
      if (earlier !== undefined)
        error(file, path, 'duplicate', duplicateMessage('concern', name, earlier.file, path), 'key');
      else {
        const broken = [...file.removed].some((removed) => `${removed}/`.startsWith(`concerns/${name}/`));
        const { values } = concern;
        const empty = 'min' in values && values.min > values.max;
        declared.set(name, { concern, file, broken: broken || empty });
      }
      if (name === RESERVED.concern) {
        error(
          file,
          path,
          'reserved-name',
          `"${name}" is reserved: hosts use it to choose a preset. Rename the concern.`,
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
  concern: ConcernDeclaration,
): void {
  const path = ['concerns', name];
  const { values, multiple, match, claim, model } = concern;
  if (!('min' in values)) {
    const reserved = values.indexOf(RESERVED.value);
    if (reserved !== -1) {
      const message = `"${RESERVED.value}" is reserved: mappings use it to remove a value. Rename the value.`;
      context.error(file, [...path, 'values', reserved], 'reserved-name', message);
    }
    values.forEach((value, index) => {
      if (values.indexOf(value) === index) return;
      const message = `The value "${value}" of ${name} is declared twice. Remove one.`;
      context.error(file, [...path, 'values', index], 'duplicate', message);
    });
  } else if (values.min > values.max) {
    const message = `The range of ${name} is empty: min ${values.min} is above max ${values.max}. Swap them.`;
    context.error(file, [...path, 'values'], 'empty-range', message);
  }
  checkWithin(context, file, name, concern);
  const hasOrder = match === 'at-least' || match === 'at-most';
  if (multiple === true && ('min' in values || hasOrder)) {
    const message = `"multiple: true" requires a list of values and "match: exact" or "match: within". Remove "multiple" from ${name}, or change "values" or "match".`;
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
      `${name} is set by the operator, but "claim" is missing. Add the name of the claim.`,
    );
  } else if (!operator && claim !== undefined) {
    const message = `"claim" is read only for operator concerns. Add "set-by: operator" to ${name}, or remove "claim".`;
    context.error(file, [...path, 'claim'], 'claim-without-operator', message, 'key');
  }
  if (operator && model !== undefined) {
    const message = `${name} is set by the operator, so a model cannot set it. Remove "model".`;
    context.error(file, [...path, 'model'], 'model-not-host', message, 'key');
  }
  if (operator && concern.default === undefined && !removed('default')) {
    const message = `Callers without the claim see no primitive that has a value for ${name}. Add a "default" if this is not intended.`;
    context.warn(file, path, 'operator-without-default', message, 'key');
  }
  if (context.settings.invalid === 'clamp' && !('min' in values) && !operator) {
    const message = `"invalid: clamp" does not apply to ${name}: a list has no nearest value, so unknown values are ignored.`;
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
        context.error(file, path, 'duplicate', duplicateMessage('preset', name, earlier, path), 'key');
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
            `${concern} is set by the operator, so a preset cannot set it. Remove it from the preset.`,
            'key',
          );
        } else if (Array.isArray(value) && declared.multiple !== true) {
          const message = `${concern} takes only one value here. Keep one, or declare the concern with "multiple: true".`;
          context.error(file, at, 'several-values', message);
        } else checkValues(context, file, at, concern, value);
      }
    }
  }
}

/** A file can change a setting of a file that it includes. Files that do not include each other must agree. */
function checkSettings(context: CheckContext): void {
  const settings = new Map<string, { file: CheckedFile; value: unknown }[]>();
  for (const file of context.files) {
    for (const [name, value] of Object.entries(file.document.settings ?? {})) {
      const path = ['settings', name];
      const before = settings.get(name) ?? [];
      const earlier = before.find(
        (each) => String(each.value) !== String(value) && !file.included.has(each.file.source.file),
      );
      if (earlier !== undefined) {
        const place = earlier.file.locate(path);
        const message = `${name} is ${value} here and ${earlier.value} in ${place.file}:${place.line}. Remove one.`;
        context.error(file, path, 'conflicting-settings', message);
      }
      // This file overrides the settings of files that it includes. Other files still count.
      const beside = before.filter((each) => !file.included.has(each.file.source.file));
      settings.set(name, [...beside, { file, value }]);
      if (name === 'enforcement' && value === 'enforce' && !protects(context)) {
        const message =
          'Hosts can undo everything that this policy hides, so "enforce" does not protect anything. Add an operator concern, or a rule that does not read the concerns of the host.';
        context.warn(file, path, 'enforce-without-operator', message);
      }
    }
    checkMethods(context, file);
  }
}

function checkMethods({ warn }: CheckContext, file: CheckedFile): void {
  for (const [index, method] of (file.document.settings?.methods ?? []).entries()) {
    const message = `"${method}" passes under "enforce", but nothing filters its messages, so they can name hidden primitives. Keep it only if they never do.`;
    warn(file, ['settings', 'methods', index], 'unfiltered-method', message);
  }
}

/** Whether the policy hides primitives in a way that hosts cannot undo. */
function protects({ declared, files }: CheckContext): boolean {
  if ([...declared.values()].some(({ concern }) => concern['set-by'] === 'operator')) return true;
  return files.some(({ document }) =>
    document.rules?.some(({ hide, when }) => hide !== undefined && !readsConcerns(when)),
  );
}

function readsConcerns(when: unknown): boolean {
  const { paths } = compileExpression(parseExpression(when).expression);
  return paths.some((path) => path.startsWith('concerns.'));
}
