import { nearest } from '../engine/match/nearest.js';
import { read } from '../protocol/messages/wire.js';
import type { Declaration, DeclaredConcern, DeclaredValues } from './declaration.js';

/** One wish: a value, several where the concern is `multiple`, or `null` for none, also against a default. */
export type Wish = string | number | readonly string[] | null;

/**
 * What a host wants: concern names and values. `preset` stands for several; a name beside it is stronger.
 *
 * @example
 * const preferences: HostPreferences = { preset: 'safe', cost: 'minimal', environment: null };
 */
export interface HostPreferences {
  readonly preset?: string | undefined;
  readonly [concern: string]: Wish | undefined;
}

/** A preference that a server does not take. The codes are those of the server's own warnings. */
export interface Problem {
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
  /** What there is to choose from: values of the concern, or names of presets. */
  readonly values?: DeclaredValues;
  readonly suggestion?: string;
}

/** Preferences against a declaration. */
export interface Checked {
  /** What the server takes: nothing else is ever sent. */
  readonly fitting: HostPreferences;
  readonly problems: readonly Problem[];
}

const NOTHING: Checked = { fitting: {}, problems: [] };

/**
 * Compares preferences with what a server declares, before anything is sent. Stricter than a server with
 * `invalid: ignore` or `clamp`: what would be ignored or changed there is a problem here. See docs/wire.md, "Where a
 * configuration comes from".
 *
 * @param declaration what the server declares
 * @param preferences what the host wants
 * @returns what fits, and each preference that does not; both empty where nothing is declared
 * @example
 * checkPreferences(declaration, { security: 'hihg' }).problems[0].suggestion; // 'high'
 */
export function checkPreferences(declaration: Declaration, preferences: HostPreferences): Checked {
  const malformed = checkShape(preferences);
  if (malformed !== undefined) return { fitting: {}, problems: [malformed] };
  if (!declaration.declared) return NOTHING;
  const problems: Problem[] = [];
  const fitting = Object.entries(preferences).filter(([name, value]) => {
    if (value === undefined) return false;
    const problem =
      name === 'preset'
        ? checkPreset(Object.keys(declaration.presets), value)
        : checkWish(declaration.concerns, name, value);
    if (problem !== undefined) problems.push(problem);
    return problem === undefined;
  });
  return { fitting: Object.fromEntries(fitting), problems };
}

/** @returns a problem if these are no preferences at all */
export function checkShape(preferences: unknown): Problem | undefined {
  if (typeof preferences === 'object' && preferences !== null && !Array.isArray(preferences))
    return undefined;
  const message = 'Preferences must be an object of concern names and values, {} to ask for nothing.';
  return { code: 'malformed-concerns', message, value: preferences };
}

function checkPreset(names: readonly string[], value: unknown): Problem | undefined {
  if (typeof value === 'string' && names.includes(value)) return undefined;
  const known = names.length === 0 ? 'it declares none' : names.join(', ');
  return {
    code: 'unknown-preset',
    ...suggest(`${quote(value)} is no preset of this server (${known})`, value, names),
    concern: 'preset',
    value,
    values: names,
  };
}

function checkWish(concerns: readonly DeclaredConcern[], name: string, value: unknown): Problem | undefined {
  const concern = concerns.find((each) => each.name === name);
  if (concern === undefined) {
    const names = concerns.filter(({ setBy }) => setBy === 'host').map((each) => each.name);
    const said = `${quote(name)} is no concern of this server (${names.join(', ')})`;
    return { code: 'undeclared-concern', ...suggest(said, name, names), concern: name, value };
  }
  const { values, multiple, setBy } = concern;
  if (setBy === 'operator') {
    const message = `${name} is set by the server's operator, not by hosts; leave it out.`;
    return { code: 'operator-concern', message, concern: name, value };
  }
  if (value === null) return undefined;
  const about = { concern: name, value, values };
  if ('min' in values) {
    if (typeof value === 'number' && value >= values.min && value <= values.max) return undefined;
    const code = typeof value === 'number' ? 'unknown-value' : 'malformed-value';
    return {
      code,
      message: `${name} must be a number from ${values.min} to ${values.max}, not ${quote(value)}.`,
      ...about,
    };
  }
  const wished: readonly unknown[] = multiple && Array.isArray(value) ? value : [value];
  if (wished.length === 0 || wished.some((each) => typeof each !== 'string')) {
    const expected = `one of ${values.join(', ')}${multiple ? ', or a list of them' : ''}`;
    return {
      code: 'malformed-value',
      message: `${name} must be ${expected}, not ${quote(value)}.`,
      ...about,
    };
  }
  const unknown = wished.find((each) => !(values as readonly unknown[]).includes(each));
  if (unknown === undefined) return undefined;
  const said = `${quote(unknown)} is no value of ${name} (${values.join(', ')})`;
  return { code: 'unknown-value', ...suggest(said, unknown, values), ...about, value: unknown };
}

/** @returns the message with what was probably meant, and that by itself */
function suggest(
  said: string,
  value: unknown,
  known: readonly string[],
): { message: string; suggestion?: string } {
  const suggestion = typeof value === 'string' ? nearest(value, known) : undefined;
  if (suggestion === undefined) return { message: `${said}.` };
  return { message: `${said}; did you mean "${suggestion}"?`, suggestion };
}

/** @returns the `data` of a `-32602` answer as a problem; see docs/wire.md */
export function problemOf(data: unknown, message: string): Problem {
  const [concern, suggestion] = [read(data, 'concern'), read(data, 'suggestion')];
  return {
    code: concern === 'preset' ? 'unknown-preset' : 'unknown-value',
    message,
    ...(typeof concern === 'string' ? { concern } : {}),
    value: read(data, 'value'),
    ...(read(data, 'values') === undefined ? {} : { values: read(data, 'values') as DeclaredValues }),
    ...(typeof suggestion === 'string' ? { suggestion } : {}),
  };
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
