import { didYouMean } from '../../engine/match/did-you-mean.js';
import { listNames } from '../../engine/match/list-names.js';
import type { ConcernDeclaration } from '../language/concern-values.js';
import type { FindingCode } from '../language/finding-codes.js';
import { nearestReplacement, type Replacement } from '../language/fixes.js';
import type { Path, Source } from '../language/read-yaml.js';
import { RESERVED } from '../language/schema.js';
import type { ValidatedPolicy } from '../language/validate.js';
import { toQuotedYaml } from '../language/yaml-scalars.js';

/** A file of a policy: its text with positions, and the part of it that fits the schema. */
export interface CheckedFile extends ValidatedPolicy {
  readonly source: Source;
  /** The names of all files that it includes, directly or through other files. */
  readonly included: ReadonlySet<string>;
}

/** A concern and the file that declares it. */
export interface Declared {
  readonly concern: ConcernDeclaration;
  readonly file: CheckedFile;
  /** A part of the declaration is wrong and already reported, so references to the concern are not checked. */
  readonly broken: boolean;
}

type ReportPart = (
  file: CheckedFile,
  path: Path,
  code: FindingCode,
  message: string,
  part?: 'key' | 'value',
  replacement?: Replacement,
) => void;

/** The input of each check, and the functions that report its findings. */
export interface CheckContext {
  readonly files: readonly CheckedFile[];
  readonly declared: ReadonlyMap<string, Declared>;
  /** A part of the policy could not be read. An unknown concern could be declared there, so it is not reported. */
  readonly incomplete: boolean;
  readonly settings: { readonly invalid?: string | undefined };
  readonly error: ReportPart;
  readonly warn: ReportPart;
}

/** Checks the concerns and values of a mapping, which is the value of an entry, a pattern or an `assign`. */
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

/** Looks up a concern by name and reports an unknown one. Returns undefined if it is unknown or broken. */
export function findConcern(
  context: CheckContext,
  file: CheckedFile,
  path: Path,
  name: string,
): ConcernDeclaration | undefined {
  const declared = context.declared.get(name);
  if (declared === undefined && !context.incomplete) {
    const names = [...context.declared.keys()];
    const known = names.length === 0 ? 'it declares none' : names.join(', ');
    context.error(
      file,
      path,
      'unknown-concern',
      `"${name}" is not a concern of this policy (${known}).${didYouMean(name, names)}`,
      'key',
      nearestReplacement(name, names),
    );
  }
  return declared?.broken === false ? declared.concern : undefined;
}

/** Checks one value of a concern or a list of values. */
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

/** Checks one value of a concern. */
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
  if ('min' in values) {
    if (typeof value === 'number' && value >= values.min && value <= values.max) return;
    const message = `${JSON.stringify(value)} is not a valid value for ${name}. Write a number from ${values.min} to ${values.max}.`;
    context.error(file, path, 'unknown-value', message);
  } else if (typeof value === 'number') {
    const message = `${value} is a number in YAML, but the values of ${name} are text (${listNames(values)}). If it is the name of a value, write it in quotes: "${value}".`;
    const replacement = { scalar: String(value), yaml: toQuotedYaml(String(value)) };
    context.error(
      file,
      path,
      'unquoted',
      message,
      'value',
      values.includes(String(value)) ? replacement : undefined,
    );
  } else if (!values.includes(String(value))) {
    const hint = didYouMean(String(value), values);
    const message = `"${value}" is not a valid value for ${name} (${listNames(values)}).${hint}`;
    context.error(file, path, 'unknown-value', message, 'value', nearestReplacement(String(value), values));
  }
}

/**
 * Writes the message about a duplicate definition.
 *
 * @param definition the kind of the definition, such as "concern"
 * @param name its name
 * @param earlier the file with the first definition
 * @param path the path of the first definition
 * @returns the message, which names the place of the first definition
 * @example
 * duplicateMessage('concern', 'cost', file, ['concerns', 'cost']);
 */
export function duplicateMessage(definition: string, name: string, earlier: CheckedFile, path: Path): string {
  const { file, line, column } = earlier.locate(path, path.at(-1) === 'id' ? 'value' : 'key');
  return `The ${definition} "${name}" is defined twice, here and in ${file}:${line}:${column}. Remove one.`;
}
