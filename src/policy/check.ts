import { nearest } from '../engine/nearest.js';
import { KINDS } from '../engine/policy.js';
import type { Finding } from './findings.js';
import type { Path, Source } from './read.js';
import { LIMITS, type PolicyDocument, RESERVED } from './schema.js';
import type { Shape } from './shape.js';

/** A file of a policy: its text with positions, and the part of it that fits the schema. */
export interface CheckedFile extends Shape {
  readonly source: Source;
  /** Names of all files that it includes, directly or not. */
  readonly included: ReadonlySet<string>;
}

type ConcernDocument = NonNullable<PolicyDocument['concerns']>[string];

interface Declared {
  readonly concern: ConcernDocument;
  readonly file: CheckedFile;
  /** Part of its definition is wrong already: what refers to it is not judged. */
  readonly broken: boolean;
}

/** What each check gets: the files, all declared concerns, and where findings go. */
interface Context {
  readonly files: readonly CheckedFile[];
  readonly declared: ReadonlyMap<string, Declared>;
  readonly settings: { readonly invalid?: string | undefined };
  error(file: CheckedFile, path: Path, code: string, message: string, what?: 'key' | 'value'): void;
  warn(file: CheckedFile, path: Path, code: string, message: string, what?: 'key' | 'value'): void;
}

/**
 * Checks what the schema cannot: that everything refers to something that is declared, across all files.
 *
 * @param files the files of one policy, included ones first
 * @returns a finding for each problem
 * @example
 * checkMeaning(files).filter(({ severity }) => severity === 'error');
 */
export function checkMeaning(files: readonly CheckedFile[]): Finding[] {
  const findings: Finding[] = [];
  const report =
    (severity: Finding['severity']): Context['error'] =>
    (file, path, code, message, what) => {
      findings.push({ ...file.source.locate(path, what), severity, code, message });
    };
  const error = report('error');
  const context: Context = {
    files,
    declared: collectConcerns(files, error),
    settings: Object.assign({}, ...files.map(({ document }) => document.settings ?? {})),
    error,
    warn: report('warning'),
  };
  for (const [name, { concern, file }] of context.declared) checkConcern(context, file, name, concern);
  checkPresets(context);
  checkEntries(context);
  checkSettings(context);
  return findings;
}

function collectConcerns(files: readonly CheckedFile[], error: Context['error']): Map<string, Declared> {
  const declared = new Map<string, Declared>();
  for (const file of files) {
    for (const removed of file.removed) {
      const [section, name] = removed.split('/');
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
        const broken = [...file.removed].some((removed) => removed.startsWith(`concerns/${name}`));
        declared.set(name, { concern, file, broken });
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
  return declared;
}

function checkConcern(context: Context, file: CheckedFile, name: string, concern: ConcernDocument): void {
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
  if (operator && claim === undefined) {
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
  if (operator && concern.default === undefined) {
    const message = `A caller without the claim sees nothing that has a value for ${name}; give it a "default" if that is not meant.`;
    context.warn(file, path, 'operator-without-default', message, 'key');
  }
  if (context.settings.invalid === 'clamp' && Array.isArray(values) && !operator) {
    const message = `invalid: clamp has no nearest value in the list of ${name}; there an unknown value is ignored.`;
    context.warn(file, path, 'clamp-on-list', message, 'key');
  }
}

function checkPresets(context: Context): void {
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

function checkEntries(context: Context): void {
  for (const section of ['primitives', 'patterns'] as const) {
    for (const kind of KINDS) {
      const first = new Map<string, CheckedFile>();
      for (const file of context.files) {
        for (const [name, mapping] of Object.entries(file.document[section]?.[kind] ?? {})) {
          const path = [section, kind, name];
          const earlier = first.get(name);
          if (earlier !== undefined)
            context.error(file, path, 'duplicate', twice('entry', name, earlier, path), 'key');
          first.set(name, file);
          if (section === 'patterns') checkPattern(context, file, path, name);
          else if (name.includes('*') && kind !== 'resourceTemplates') {
            const message = `"${name}" is an exact name here; if "*" is meant as a wildcard, move it to "patterns".`;
            context.warn(file, path, 'wildcard-in-name', message, 'key');
          }
          for (const [concern, value] of Object.entries(mapping)) {
            const at = [...path, concern];
            if (findConcern(context, file, at, concern) === undefined || value === RESERVED.value) continue;
            checkValues(context, file, at, concern, value);
          }
        }
      }
    }
  }
}

function checkPattern(context: Context, file: CheckedFile, path: Path, pattern: string): void {
  const wildcards = pattern.split('*').length - 1;
  if (wildcards > LIMITS.patternWildcards || pattern.length > LIMITS.patternLength) {
    const message = `A pattern has at most ${LIMITS.patternLength} characters and ${LIMITS.patternWildcards} "*"; split it.`;
    context.error(file, path, 'pattern-too-long', message, 'key');
  } else if (wildcards === 0) {
    const message = `"${pattern}" has no "*", so it fits one name only; move it to "primitives", where it is found faster.`;
    context.warn(file, path, 'pattern-without-wildcard', message, 'key');
  }
}

/** A file may change a setting of one that it includes; files side by side may not disagree. */
function checkSettings(context: Context): void {
  const first = new Map<string, { file: CheckedFile; value: unknown }>();
  for (const file of context.files) {
    for (const [name, value] of Object.entries(file.document.settings ?? {})) {
      const path = ['settings', name];
      const earlier = first.get(name);
      if (earlier !== undefined && earlier.value !== value && !file.included.has(earlier.file.source.file)) {
        const place = earlier.file.source.locate(path);
        const message = `${name} is ${value} here and ${earlier.value} in ${place.file}:${place.line}; keep one.`;
        context.error(file, path, 'conflicting-settings', message);
      }
      first.set(name, { file, value });
      if (name === 'enforcement' && value === 'enforce') {
        const message = 'enforcement: enforce is not supported by this version; use advisory or shadow.';
        context.error(file, path, 'not-supported', message);
      }
    }
  }
}

function findConcern(
  context: Context,
  file: CheckedFile,
  path: Path,
  name: string,
): ConcernDocument | undefined {
  const declared = context.declared.get(name);
  if (declared === undefined) {
    const names = [...context.declared.keys()];
    const known = names.length === 0 ? 'none is declared' : names.join(', ');
    context.error(
      file,
      path,
      'unknown-concern',
      `"${name}" is no concern of this policy (${known})${suggest(name, names)}`,
      'key',
    );
  }
  return declared?.broken === false ? declared.concern : undefined;
}

function checkValues(context: Context, file: CheckedFile, path: Path, concern: string, value: unknown): void {
  if (!Array.isArray(value)) checkValue(context, file, path, concern, value);
  else {
    value.forEach((each, index) => {
      checkValue(context, file, [...path, index], concern, each);
    });
  }
}

function checkValue(context: Context, file: CheckedFile, path: Path, name: string, value: unknown): void {
  const declared = context.declared.get(name);
  if (declared === undefined || declared.broken) return;
  const { values } = declared.concern;
  if (!Array.isArray(values)) {
    if ('min' in values && typeof value === 'number' && value >= values.min && value <= values.max) return;
    const range = 'min' in values ? `${values.min} to ${values.max}` : '';
    const message = `${JSON.stringify(value)} is no value of ${name}; write a number from ${range}.`;
    context.error(file, path, 'unknown-value', message);
  } else if (typeof value === 'number') {
    const message = `${value} is a number in YAML; write "${value}" in quotes if it is a value of ${name} (${values.join(', ')}).`;
    context.error(file, path, 'unquoted', message);
  } else if (!values.includes(String(value))) {
    const hint = suggest(String(value), values);
    context.error(
      file,
      path,
      'unknown-value',
      `"${value}" is no value of ${name} (${values.join(', ')})${hint}`,
    );
  }
}

function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '.' : `; did you mean "${near}"?`;
}

function twice(what: string, name: string, earlier: CheckedFile, path: Path): string {
  const { file, line, column } = earlier.source.locate(path, 'key');
  return `The ${what} "${name}" is written twice, here and in ${file}:${line}:${column}; keep one.`;
}
