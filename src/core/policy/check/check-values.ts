import { listNames } from '../../engine/match/list-names.js';
import type { ConcernValues } from '../../engine/policy.js';
import { getOrMake } from '../../once.js';
import type { Finding } from '../language/findings.js';
import { fixableFinding, type Problem, problem } from '../language/problem.js';
import type { Path, Source } from '../language/read-yaml.js';
import { type PolicyDocument, RESERVED } from '../language/schema.js';
import type { ValidatedPolicy } from '../language/validate.js';
import { toQuotedYaml } from '../language/yaml-scalars.js';

/** A file of a policy: its text with positions, and the part of it that fits the schema. */
export interface CheckedFile extends ValidatedPolicy {
  readonly source: Source;
  /** The names of all files that it includes, directly or through other files. */
  readonly included: ReadonlySet<string>;
}

/** A part of a policy, and the file that has it. */
export interface PolicyPart {
  readonly file: CheckedFile;
  readonly path: Path;
}

/** The declaration of a concern, as the policy file contains it. */
export type ConcernDocument = NonNullable<PolicyDocument['concerns']>[string];

/** A declaration whose values are plain names, or a range. */
export type ConcernDeclaration = Omit<ConcernDocument, 'values'> & {
  readonly values: ConcernValues;
  readonly valueDescriptions: Readonly<Record<string, string>>;
};

/**
 * Separates the names of values from their descriptions.
 *
 * @param concern the declaration, as the policy file contains it
 * @returns the declaration with the names in the order of the file, and the descriptions by name
 * @example
 * declarationOf({ values: [{ stocks: 'Prices of companies' }, 'news'] }).values; // ['stocks', 'news']
 */
export function declarationOf(concern: ConcernDocument): ConcernDeclaration {
  const { values } = concern;
  // The values of `servers` are known only with the policies of all servers.
  if (typeof values === 'string') return { ...concern, values: [], valueDescriptions: {} };
  if (!Array.isArray(values)) return { ...concern, values, valueDescriptions: {} };
  const names = values.map((value) => (typeof value === 'string' ? value : (Object.keys(value)[0] ?? '')));
  const described = values.flatMap((value) => (typeof value === 'string' ? [] : Object.entries(value)));
  return { ...concern, values: names, valueDescriptions: Object.fromEntries(described) };
}

/** A concern and the part that declares it. */
export interface Declared extends PolicyPart {
  readonly concern: ConcernDeclaration;
  /** A part of the declaration is wrong and already reported, so references to the concern are not checked. */
  readonly broken: boolean;
}

type Report = (path: Path, problem: Problem, part?: 'key' | 'value') => void;

/** A file, and the functions that report the findings in it. */
export interface Reports<File = CheckedFile> {
  readonly file: File;
  readonly error: Report;
  readonly warn: Report;
}

/**
 * Makes the functions that report what is wrong in a file.
 *
 * @param file the file
 * @param findings receives the findings
 * @param wrong receives the parts with errors
 * @example
 * reportsIn(file, findings).error(['rules'], problem('empty.part', { name: 'rules' }));
 */
export function reportsIn<File extends Pick<CheckedFile, 'source' | 'locate'>>(
  file: File,
  findings: Finding[],
  wrong: { file: File; path: Path }[] = [],
): Reports<File> {
  const report =
    (severity: Finding['severity']): Report =>
    (path, found, part) => {
      findings.push(fixableFinding(file.source, file.locate(path, part), severity, found));
      if (severity === 'error') wrong.push({ file, path });
    };
  return { file, error: report('error'), warn: report('warning') };
}

/** The input of the checks of one file. */
export interface FileCheck extends Reports {
  /** The concerns of all files, and where they are declared. */
  readonly declared: ReadonlyMap<string, Declared>;
  /** A part of the policy could not be read. An unknown concern could be declared there, so it is not reported. */
  readonly incomplete: boolean;
  /** The servers that the policy is about, if they have policies of their own. */
  readonly parts: readonly { readonly files: readonly CheckedFile[] }[];
  /** The settings of all files together. */
  readonly settings: Readonly<Partial<Record<'invalid' | 'enforcement' | 'unmapped', string | undefined>>>;
}

/** Checks the concerns and values of a mapping, which is the value of an entry, a pattern or an `assign`. */
export function checkMapping(check: FileCheck, path: Path, mapping: Record<string, unknown>): void {
  for (const [concern, value] of Object.entries(mapping)) {
    const at = [...path, concern];
    if (findConcern(check, at, concern) === undefined || value === RESERVED.value) continue;
    checkValues(check, at, concern, value);
  }
}

/** Looks up a concern by name and reports an unknown one. Returns undefined if it is unknown or broken. */
export function findConcern(check: FileCheck, path: Path, name: string): ConcernDeclaration | undefined {
  const declared = check.declared.get(name);
  if (declared === undefined && !check.incomplete) {
    check.error(path, notAConcern(name, [...check.declared.keys()]), 'key');
  }
  return declared?.broken === false ? declared.concern : undefined;
}

/** Checks one value of a concern or a list of values. */
export function checkValues(check: FileCheck, path: Path, concern: string, value: unknown): void {
  if (!Array.isArray(value)) checkValue(check, path, concern, value);
  else for (const [index, each] of value.entries()) checkValue(check, [...path, index], concern, each);
}

/** Checks one value of a concern. */
export function checkValue(
  { declared, error }: FileCheck,
  path: Path,
  name: string,
  value: unknown,
  part: 'key' | 'value' = 'value',
): void {
  const concern = declared.get(name);
  if (concern === undefined || concern.broken) return;
  const found = problemOfValue(name, concern.concern.values, value);
  if (found !== undefined) error(path, found, part);
}

/** @returns what is wrong with a value of a concern; `undefined` if it is one of its values */
export function problemOfValue(name: string, values: ConcernValues, value: unknown): Problem | undefined {
  if ('min' in values) {
    if (typeof value === 'number' && value >= values.min && value <= values.max) return undefined;
    return problem('unknown-value.range', { value: JSON.stringify(value), name, ...values });
  }
  if (typeof value === 'string' && values.includes(value)) return undefined;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const known = listNames(values);
  if (typeof value === 'number' || typeof value === 'boolean') {
    const quoted = values.includes(text) ? { scalar: text, yaml: toQuotedYaml(text) } : undefined;
    return problem('unquoted.value', { value, type: typeof value, name, known }, quoted);
  }
  return problem('unknown-value.value', { value: `"${text}"`, name, known }, { scalar: text, known: values });
}

/** @returns the problem of a name that is not a concern */
export function notAConcern(name: string, concerns: readonly string[]): Problem {
  const known = concerns.length === 0 ? 'it declares none' : concerns.join(', ');
  return problem('unknown-concern.policy', { name, known }, { scalar: name, known: concerns });
}

/**
 * Makes the function that reports a definition with the name of an earlier one, in any file.
 *
 * @param definition the kind of the definitions, such as "concern"
 * @example
 * const checkName = uniqueNames('concern');
 * checkName(reports, 'cost', ['concerns', 'cost']); // The path of a rule is that of its id.
 */
export function uniqueNames(definition: string) {
  const first = new Map<string, PolicyPart>();
  return ({ file, error }: Reports, name: string, path: Path): void => {
    const earlier = getOrMake(first, name, () => ({ file, path }));
    if (earlier.path === path) return;
    const part = path.at(-1) === 'id' ? 'value' : 'key';
    const place = earlier.file.locate(earlier.path, part);
    error(path, problem('duplicate.definition', { definition, name, ...place }), part);
  };
}
