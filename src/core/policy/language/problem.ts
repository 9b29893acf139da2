import { didYouMean } from '../../engine/match/did-you-mean.js';
import { nearest } from '../../engine/match/nearest.js';
import type { FindingCode } from './finding-codes.js';
import type { Finding, Place } from './findings.js';
import { CATALOG_FINDINGS, FINDINGS } from './generated/findings.js';
import { toYamlScalar } from './yaml-scalars.js';

const TEXTS: typeof FINDINGS & typeof CATALOG_FINDINGS = { ...FINDINGS, ...CATALOG_FINDINGS };
type Texts = typeof TEXTS;

/** A code or, of a code with several texts, the code and the name of one: `duplicate.value`. */
type TextId = {
  [C in FindingCode]: Texts[C] extends string ? C : `${C}.${keyof Texts[C] & string}`;
}[FindingCode];
type TextOf<Id> = Id extends `${infer C extends FindingCode}.${infer Name}`
  ? Texts[C][Name & keyof Texts[C]]
  : Texts[Id & FindingCode];

type NamesIn<Text> = Text extends `${string}\${${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** What a text needs: one value for each `${name}` in it. */
type FillingsOf<Text> = { readonly [Name in NamesIn<Text>]: string | number | boolean | undefined };

/** A finding without its place. */
export interface Problem {
  readonly code: FindingCode;
  readonly message: string;
  /** What to write instead. */
  readonly replacement?: Replacement | undefined;
}

/**
 * Says what a finding says, in the words of `findings.yaml`.
 *
 * @param id the code of the finding and, if the code has several texts, the name of the text
 * @param values what is filled in, by its name in the text
 * @param meant the name that is not known and those that are, or what to write instead. With names, the message ends with the
 *   nearest one
 * @returns the problem
 * @example
 * problem('number-expected', { operator: '<' }).message; // '"<" compares only numbers.'
 */
export function problem<Id extends TextId>(
  id: Id,
  values: FillingsOf<TextOf<Id>>,
  meant?: Replacement | { readonly scalar: string; readonly known: Iterable<string> },
): Problem {
  const [code, name] = id.split('.') as [FindingCode, string];
  const texts: string | Readonly<Record<string, string>> = TEXTS[code];
  const known = new Map<string, unknown>(Object.entries(values));
  const text = typeof texts === 'string' ? texts : String(texts[name]);
  // What is filled in is not read again: a name of a server could be `${name}`.
  const message = text.replace(/\$\{(\w+)\}/g, (_, blank) => String(known.get(blank)));
  if (meant === undefined || 'yaml' in meant) return { code, message, replacement: meant };
  const hint = didYouMean(meant.scalar, meant.known);
  return { code, message: message + hint, replacement: nearestReplacement(meant.scalar, meant.known) };
}

/** A scalar to replace, and the YAML to write in its place. */
export interface Replacement {
  readonly scalar: string;
  readonly yaml: string;
}

/**
 * Makes the replacement that `didYouMean` suggests, for the same arguments.
 *
 * @param name the name that is not known
 * @param known the names that are
 * @returns the replacement; `undefined` if no known name is similar enough
 * @example
 * nearestReplacement('hihg', ['low', 'high']); // { scalar: 'hihg', yaml: 'high' }
 */
export function nearestReplacement(name: string, known: Iterable<string>): Replacement | undefined {
  const near = nearest(name, known);
  return near === undefined ? undefined : { scalar: name, yaml: toYamlScalar(near) };
}

/** Returns the finding of a problem at a place, without a fix. */
export const findingAt = (
  place: Place,
  severity: Finding['severity'],
  { code, message }: Problem,
): Finding => ({ ...place, severity, code, message });

/**
 * Returns the finding of a problem at a place. It has a fix if the problem says what to write instead, and the place is exactly
 * the scalar to replace, plain or in quotes.
 *
 * @param source the file
 * @param place the place of the finding
 * @param severity how severe it is
 * @param found the problem
 * @example
 * findings.push(fixableFinding(source, place, 'error', problem('unknown-key', names, replacement)));
 */
export function fixableFinding(
  source: { readonly text: string },
  place: Place,
  severity: Finding['severity'],
  found: Problem,
): Finding {
  const finding = findingAt(place, severity, found);
  if (found.replacement === undefined) return finding;
  const { scalar, yaml } = found.replacement;
  const { line, column, length } = place;
  const written = source.text.split('\n')[line - 1]?.slice(column - 1, column - 1 + length);
  if (![scalar, JSON.stringify(scalar), `'${scalar}'`].includes(written ?? '')) return finding;
  return { ...finding, fix: { line, column, endLine: line, endColumn: column + length, text: yaml } };
}
