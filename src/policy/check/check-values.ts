import { nearest } from '../../engine/match/nearest.js';
import type { FindingCode } from '../language/findings.js';
import type { Path, Source } from '../language/read-yaml.js';
import { type PolicyDocument, RESERVED } from '../language/schema.js';
import type { Shape } from '../language/validate.js';

/** A file of a policy: its text with positions, and the part of it that fits the schema. */
export interface CheckedFile extends Shape {
  readonly source: Source;
  /** Names of all files that it includes, directly or not. */
  readonly included: ReadonlySet<string>;
}

export type ConcernDocument = NonNullable<PolicyDocument['concerns']>[string];

export interface Declared {
  readonly concern: ConcernDocument;
  readonly file: CheckedFile;
  /** Part of its definition is wrong already: what refers to it is not judged. */
  readonly broken: boolean;
}

/** What each check gets: the files, all declared concerns, and where findings go. */
export interface CheckContext {
  readonly files: readonly CheckedFile[];
  readonly declared: ReadonlyMap<string, Declared>;
  /** A part that may declare concerns could not be read: an unknown one may be declared there. */
  readonly incomplete: boolean;
  readonly settings: { readonly invalid?: string | undefined };
  error(file: CheckedFile, path: Path, code: FindingCode, message: string, what?: 'key' | 'value'): void;
  warn(file: CheckedFile, path: Path, code: FindingCode, message: string, what?: 'key' | 'value'): void;
}

export function checkMapping(
  context: CheckContext,
  file: CheckedFile,
  path: Path,
  mapping: Record<string, unknown>,
): void {
  for (const [concern, value] of Object.entries(mapping)) {
    const at = [...path, concern];
    if (findConcern(context, file, at, concern) === undefined || value === RESERVED.value) continue;
    checkValues(context, file, at, concern, value);
  }
}

export function findConcern(
  context: CheckContext,
  file: CheckedFile,
  path: Path,
  name: string,
): ConcernDocument | undefined {
  const declared = context.declared.get(name);
  if (declared === undefined && !context.incomplete) {
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

export function checkValues(
  context: CheckContext,
  file: CheckedFile,
  path: Path,
  concern: string,
  value: unknown,
): void {
  if (!Array.isArray(value)) checkValue(context, file, path, concern, value);
  else {
    value.forEach((each, index) => {
      checkValue(context, file, [...path, index], concern, each);
    });
  }
}

export function checkValue(
  context: CheckContext,
  file: CheckedFile,
  path: Path,
  name: string,
  value: unknown,
): void {
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

export function twice(what: string, name: string, earlier: CheckedFile, path: Path): string {
  const { file, line, column } = earlier.locate(path, path.at(-1) === 'id' ? 'value' : 'key');
  return `The ${what} "${name}" is written twice, here and in ${file}:${line}:${column}; keep one.`;
}
