import { didYouMean } from '../core/engine/match/did-you-mean.js';
import { nearest } from '../core/engine/match/nearest.js';
import { quoted } from '../core/engine/match/quoted.js';
import { isMembers, read } from '../core/wire/messages.js';
import { type Declaration, type DeclaredConcern, type DeclaredValues, readValues } from './declaration.js';

/** The preference for one concern: a value, a list of values if the concern is `multiple`, or `null` for no value. */
export type PreferenceValue = string | number | readonly string[] | null;

/**
 * Preferences of a host: concern names and values. `null` overrides a default. `preset` sets several concerns at once,
 * and concerns that are named next to it override it.
 *
 * @example
 * const preferences: HostPreferences = { preset: 'safe', cost: 'minimal', environment: null };
 */
export interface HostPreferences {
  readonly preset?: string | undefined;
  readonly [concern: string]: PreferenceValue | undefined;
}

/** A preference that the server does not accept. Servers use the same codes in their warnings. */
export interface PreferenceProblem {
  readonly code:
    | 'malformed-concerns'
    | 'undeclared-concern'
    | 'operator-concern'
    | 'malformed-value'
    | 'unknown-value'
    | 'unknown-preset';
  readonly message: string;
  readonly concern?: string;
  readonly value?: unknown;
  /** The valid values of the concern, or the names of the presets. */
  readonly values?: DeclaredValues;
  /** The valid value or name that is most similar. */
  readonly suggestion?: string;
}

/** Preferences compared with a declaration. */
export interface CheckedPreferences {
  /** The preferences that the server accepts. Only these are sent. */
  readonly accepted: HostPreferences;
  readonly problems: readonly PreferenceProblem[];
}

/**
 * Compares preferences with a server's declaration, without a request. The check is stricter than a server with
 * `invalid: ignore` or `invalid: clamp`: preferences that such a server ignores or changes are problems here. See
 * docs/reference/wire.md.
 *
 * @param declaration the server's declaration
 * @param preferences the host's preferences
 * @returns the accepted preferences and one problem for each other one; both are empty if nothing is declared
 * @example
 * const { problems } = checkPreferences(declaration, { security: 'hihg' });
 * for (const { message, suggestion } of problems) console.log(message, suggestion);
 */
export function checkPreferences(declaration: Declaration, preferences: HostPreferences): CheckedPreferences {
  const malformed = checkShape(preferences);
  if (malformed !== undefined) return { accepted: {}, problems: [malformed] };
  if (!declaration.declared) return { accepted: {}, problems: [] };
  const problems: PreferenceProblem[] = [];
  const accepted = Object.entries(preferences).filter(([name, value]) => {
    const problem = value === undefined ? undefined : problemOf(declaration, name, value);
    if (problem !== undefined) problems.push(problem);
    return value !== undefined && problem === undefined;
  });
  return { accepted: Object.fromEntries(accepted), problems };
}

/** Returns a problem if the value is not an object. */
export function checkShape(preferences: unknown): PreferenceProblem | undefined {
  if (isMembers(preferences)) return undefined;
  const message =
    'Preferences must be an object of concern names and values. Pass {} to remove all preferences.';
  return { code: 'malformed-concerns', message, value: preferences };
}

function problemOf(
  { concerns, presets }: Extract<Declaration, { declared: true }>,
  name: string,
  value: unknown,
): PreferenceProblem | undefined {
  const given = { concern: name, value };
  if (name === 'preset') {
    const values = Object.keys(presets);
    if (values.some((each) => each === value)) return undefined;
    const message = `${quoted(value)} is not a preset of this server (${values.join(', ') || 'it declares none'}).`;
    return { code: 'unknown-preset', ...given, values, ...withSuggestion(message, value, values) };
  }
  const concern = concerns.find((each) => each.name === name);
  if (concern === undefined) {
    const names = concerns.filter(({ setBy }) => setBy === 'host').map((each) => each.name);
    const message = `${quoted(name)} is not a concern of this server (${names.join(', ')}).`;
    return { code: 'undeclared-concern', ...given, ...withSuggestion(message, name, names) };
  }
  if (concern.setBy === 'operator') {
    const message = `The server's operator sets ${name}, so hosts cannot. Leave it out.`;
    return { code: 'operator-concern', ...given, message };
  }
  return value === null ? undefined : problemOfValue(concern, value);
}

function problemOfValue(
  { name, values, multiple }: DeclaredConcern,
  value: unknown,
): PreferenceProblem | undefined {
  const given = { concern: name, value, values };
  if ('min' in values) {
    if (typeof value === 'number' && value >= values.min && value <= values.max) return undefined;
    const code = typeof value === 'number' ? 'unknown-value' : 'malformed-value';
    const message = `${name} must be a number from ${values.min} to ${values.max}, not ${quoted(value)}.`;
    return { code, ...given, message };
  }
  const list: readonly unknown[] = multiple && Array.isArray(value) ? value : [value];
  if (list.length === 0 || list.some((each) => typeof each !== 'string')) {
    const expected = `one of ${values.join(', ')}${multiple ? ', or a list of them' : ''}`;
    const message = `${name} must be ${expected}, not ${quoted(value)}.`;
    return { code: 'malformed-value', ...given, message };
  }
  const known: readonly unknown[] = values;
  const unknown = list.find((each) => !known.includes(each));
  if (unknown === undefined) return undefined;
  const message = `${quoted(unknown)} is not a valid value for ${name} (${values.join(', ')}).`;
  return { code: 'unknown-value', ...given, value: unknown, ...withSuggestion(message, unknown, values) };
}

function withSuggestion(message: string, value: unknown, known: readonly string[]) {
  if (typeof value !== 'string') return { message };
  const suggestion = nearest(value, known);
  return { message: message + didYouMean(value, known), ...(suggestion !== undefined && { suggestion }) };
}

/** Reads the `data` of an error `-32602`; see docs/reference/wire.md. */
export function problemFromError(data: unknown, message: string): PreferenceProblem {
  const [concern, suggestion] = [read(data, 'concern'), read(data, 'suggestion')];
  const values = readValues(read(data, 'values'));
  return {
    code: concern === 'preset' ? 'unknown-preset' : 'unknown-value',
    message,
    ...(typeof concern === 'string' && { concern }),
    value: read(data, 'value'),
    ...(values && { values }),
    ...(typeof suggestion === 'string' && { suggestion }),
  };
}
