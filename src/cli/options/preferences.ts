import { claimName, jsonOrText, setClaim, withClaim } from '../../core/engine/claims.js';
import { type Caller, type Configuration, resolveConfiguration } from '../../core/engine/configuration.js';
import { listNames } from '../../core/engine/match/list-names.js';
import type { Concern, Policy } from '../../core/engine/policy.js';
import { isScopeClaim } from '../../core/engine/scope-claims.js';
import { readPart } from '../../core/gate/request/preference-text.js';
import { notAConcern, problemOfValue } from '../../core/policy/check/check-values.js';
import type { Problem } from '../../core/policy/language/problem.js';
import { CliError } from '../errors.js';
import { readClaims } from './claims-file.js';
import type { Options } from './generated/commands.js';

/** The values of the options `--concern`, `--preset`, `--claim`, `--claims` and `--client`. */
export type PreferenceValues = Partial<
  Pick<Options['list'], 'concern' | 'preset' | 'claim' | 'claims' | 'client'>
>;

/** A configuration, and the caller that it belongs to. */
export interface CallerConfiguration {
  readonly configuration: Configuration;
  readonly caller: Caller;
}

/**
 * Turns these options into a configuration. An invalid preference of a host is ignored with a warning. On the command line it
 * is an error, because the user can correct it.
 *
 * A value for a concern that the operator sets becomes a verified claim, so that `--concern tier=pro` shows what a caller
 * with this claim sees.
 *
 * @param policy the policy
 * @param values the values of the options; a claim of `--claim` replaces that of the file
 * @param capabilities the client capabilities, for rules that read them
 * @returns the configuration and the caller
 * @throws {CliError} for an unknown concern, preset or value, or a file without claims
 * @example
 * readPreferences(policy, { concern: ['effect=read-only', 'purpose=forms,testing'], claim: ['groups=["staff"]'] });
 */
export function readPreferences(
  policy: Policy,
  values: PreferenceValues,
  capabilities?: object,
): CallerConfiguration {
  const given = new Set<string>();
  const once = (key: string, name = key): void => {
    if (given.has(key)) throw new CliError(`${name} is given twice, but it takes one value. Remove one.`);
    given.add(key);
  };
  const claims = new Map(values.claims === undefined ? [] : readClaims(values.claims));
  for (const text of values.claim ?? []) {
    const example = 'Pass --claim NAME=VALUE, for example --claim tier=pro.';
    const [name, value] = pairOf(text, () => new CliError(`"${text}" is not a valid claim. ${example}`));
    once(`claim ${name}`, name);
    // `realm_access.roles` is how explanations write a path.
    const { claim = name } =
      policy.concerns.find((each) => each.claim !== undefined && claimName(each.claim) === name) ?? {};
    setClaim(claims, claim, jsonOrText(value));
  }
  const preferences = new Map<string, string | number | readonly (string | number)[]>();
  // The command line lists servers as a client of the legacy era.
  let caller: Caller = { claims, capabilities, client: clientInfo(values.client), era: 'legacy' };
  const texts = [...(values.preset ?? []).map((name) => `preset=${name}`), ...(values.concern ?? [])];
  for (const [name, given] of texts.flatMap((text) => partsOf(policy, text))) {
    if (name === 'preset') {
      once(name);
      preferences.set(name, presetOf(policy, String(given)));
      continue;
    }
    const concern = policy.concerns[policy.indexOf.get(name) ?? -1];
    if (concern === undefined) throw new CliError(notAConcern(name, [...policy.indexOf.keys()]).message);
    const { claim, multiple } = concern;
    if (given.length > 1 && !multiple)
      throw new CliError(`${name} takes one value, not several ("${given.join(',')}").`);
    const read = given.map((each) => readValue(policy, concern, each));
    if (claim !== undefined) {
      // Several concerns can have values of one claim that has several elements, as the scopes of a caller.
      if (!isScopeClaim(claim) && !multiple) once(`claim ${claimName(claim)}`, name);
      caller = withClaim(caller, concern, read);
    } else if (multiple) preferences.set(name, [preferences.get(name) ?? [], read].flat(2));
    else {
      once(name);
      const [only] = read;
      if (only !== undefined) preferences.set(name, only);
    }
  }
  const source = { from: 'request', concerns: Object.fromEntries(preferences) } as const;
  return { configuration: resolveConfiguration(policy, [source], caller), caller };
}

/** Returns the names of the concerns that these options state themselves, not by a preset. */
export const statedConcerns = (policy: Policy, { concern = [] }: PreferenceValues): ReadonlySet<string> =>
  new Set(concern.flatMap((text) => partsOf(policy, text)).map(([name]) => name));

/**
 * Splits a value of `--concern` into its parts: `look,effect=read-only` are two, `topic=maps,charts` is one with two values. What
 * comes after a comma is a part of its own if it names a concern or a preset of the policy.
 */
function partsOf(policy: Policy, text: string): (readonly [name: string, values: readonly string[]])[] {
  const parts: [name: string, values: string[]][] = [];
  for (const piece of text.split(',')) {
    const last = parts.at(-1);
    const concern = last && policy.concerns[policy.indexOf.get(last[0]) ?? -1];
    const isValue = concern !== undefined && !startsPart(policy, concern, piece);
    if (last !== undefined && isValue) {
      // Claims of callers can have any characters.
      last[1].push(...(concern.setBy === 'operator' ? [piece] : piece.split('|')));
      continue;
    }
    const part = readPart(piece);
    if (part === undefined || (part[0] === 'preset' && !/[:=]/.test(piece) && !policy.presets.has(piece)))
      throw new CliError(withoutValue(policy, piece));
    const [name, given] = part;
    const isClaim = policy.concerns[policy.indexOf.get(name) ?? -1]?.setBy === 'operator';
    parts.push([name, isClaim ? [piece.slice(name.length + 1)] : [given].flat()]);
  }
  return parts;
}

function startsPart({ presets, indexOf }: Policy, { values, setBy }: Concern, piece: string): boolean {
  const [name = ''] = piece.split(/[:=]/, 1);
  if (name !== piece) return name === 'preset' || indexOf.has(name);
  // A value of the concern that comes before is one of its values, also if a preset has the same name.
  const isValue = setBy === 'operator' || 'min' in values || values.includes(piece);
  return !isValue && presets.has(piece);
}

/** Reads `NAME=VALUE`. Throws the error if there is no name, or no value. */
function pairOf(text: string, error: () => CliError): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw error();
}

/** A text is the name of a client. Its title and version can only be given as JSON. */
function clientInfo(text: string | undefined): unknown {
  const info = text === undefined ? undefined : jsonOrText(text);
  return typeof info === 'object' ? info : { name: text };
}

function presetOf({ presets }: Policy, name: string): string {
  if (presets.size === 0) throw new CliError(`There is no preset "${name}": this policy has no presets.`);
  refuse(problemOfValue('preset', [...presets.keys()], name));
  return name;
}

function readValue({ settings }: Policy, { name, values }: Concern, text: string): string | number {
  const value = 'min' in values && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  // Under `clamp` a host may send any number.
  if (typeof value === 'string' || settings.invalid !== 'clamp') refuse(problemOfValue(name, values, value));
  return value;
}

function refuse(problem: Problem | undefined): void {
  if (problem !== undefined) throw new CliError(problem.message);
}

function withoutValue(policy: Policy, piece: string): string {
  const text = piece.replace(/[:=].*$/s, '');
  const values = policy.concerns[policy.indexOf.get(text) ?? -1]?.values;
  if (values === undefined)
    return `"${piece}" is neither a preset nor a concern with a value. Pass --concern NAME=VALUE or --preset NAME.`;
  const allowed = 'min' in values ? `a number from ${values.min} to ${values.max}` : listNames(values);
  return `${text} has no value. Pass --concern ${text}=VALUE, with one of its values (${allowed}).`;
}
