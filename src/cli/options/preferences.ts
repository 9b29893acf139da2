import { claimName, jsonOrText, setClaim, withClaim } from '../../engine/claims.js';
import { type Caller, type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { listNames } from '../../engine/match/list-names.js';
import type { Concern, Policy } from '../../engine/policy.js';
import { isScopeClaim } from '../../engine/scope-claims.js';
import { unknownConcern } from '../../policy/check/check-values.js';
import { CliError } from '../errors.js';
import { readClaims } from './claims-file.js';
import type { Options } from './generated/commands.js';

/** The values of the options `--concern`, `--claim`, `--claims` and `--client`. */
export type PreferenceValues = Partial<Pick<Options['list'], 'concern' | 'claim' | 'claims' | 'client'>>;

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
  const preferences = new Map<string, string | number | string[]>();
  const given = new Map<string, unknown>();
  const claims = new Map(values.claims === undefined ? [] : readClaims(values.claims));
  for (const text of values.claim ?? []) {
    const [name, value] = split(text);
    once(given, name).set(name, jsonOrText(value));
    // `realm_access.roles` is how explanations write a path.
    const { claim = name } =
      policy.concerns.find((each) => each.claim !== undefined && claimName(each.claim) === name) ?? {};
    setClaim(claims, claim, jsonOrText(value));
  }
  // The command line lists servers as a client of the legacy era.
  let caller: Caller = { claims, capabilities, client: clientInfo(values.client), era: 'legacy' };
  for (const text of values.concern ?? []) {
    const equals = text.indexOf('=');
    if (equals === -1) throw new CliError(withoutValue(policy, text));
    const name = text.slice(0, equals);
    const value = text.slice(equals + 1);
    if (name === 'preset') {
      once(preferences, name).set(name, known(value, 'preset', [...policy.presets.keys()]));
      continue;
    }
    const concern = policy.concerns[policy.indexOf.get(name) ?? -1];
    if (concern === undefined) throw new CliError(unknownConcern(name, [...policy.indexOf.keys()]));
    const read = readValue(policy, concern, value);
    if (concern.claim !== undefined) {
      const claim = claimName(concern.claim);
      // Several concerns can have values of one claim that has several elements, as the scopes of a caller.
      (isScopeClaim(claim) || concern.multiple ? given : once(given, claim, name)).set(claim, read);
      caller = withClaim(caller, concern, [read].flat());
    } else {
      const before = preferences.get(name);
      const both = Array.isArray(before) && Array.isArray(read) ? [...before, ...read] : undefined;
      if (both !== undefined) preferences.set(name, both);
      else once(preferences, name).set(name, read);
    }
  }
  const source = { from: 'request', concerns: Object.fromEntries(preferences) } as const;
  return { configuration: resolveConfiguration(policy, [source], caller), caller };
}

function split(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals >= 1) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new CliError(
    `"${text}" is not a valid claim. Pass --claim NAME=VALUE, for example --claim tier=pro.`,
  );
}

/** A text is the name of a client. Its title and version can only be given as JSON. */
function clientInfo(text: string | undefined): unknown {
  const info = text === undefined ? undefined : jsonOrText(text);
  return typeof info === 'object' ? info : { name: text };
}

function readValue(policy: Policy, concern: Concern, text: string): string | number | string[] {
  const { name, values, multiple } = concern;
  if ('min' in values) {
    const number = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    const inside = number >= values.min && number <= values.max;
    // Under `clamp` a host may send any number.
    if (inside || (!Number.isNaN(number) && policy.settings.invalid === 'clamp')) return number;
    throw new CliError(
      `"${text}" is not a valid value for ${name} (a number from ${values.min} to ${values.max}).`,
    );
  }
  if (multiple) return text.split(',').map((each) => known(each, name, values));
  return known(text, name, values);
}

function known(text: string, name: string, values: readonly string[]): string {
  if (values.includes(text)) return text;
  if (values.length === 0) throw new CliError(`There is no preset "${text}": this policy has no presets.`);
  const several = text.split(',').every((each) => values.includes(each));
  const problem = several
    ? `${name} takes one value, not several ("${text}").`
    : `"${text}" is not a valid value for ${name} (${listNames(values)}).${didYouMean(text, values)}`;
  throw new CliError(problem);
}

function once<T>(before: Map<string, T>, key: string, name = key): Map<string, T> {
  if (before.has(key)) throw new CliError(`${name} is given twice, but it takes one value. Remove one.`);
  return before;
}

function withoutValue(policy: Policy, text: string): string {
  if (policy.presets.has(text)) return `To request a preset, pass --concern preset=${text}.`;
  const values = policy.concerns[policy.indexOf.get(text) ?? -1]?.values;
  if (values === undefined) return `"${text}" has no value. Pass --concern NAME=VALUE.`;
  const allowed = 'min' in values ? `a number from ${values.min} to ${values.max}` : listNames(values);
  return `${text} has no value. Pass --concern ${text}=VALUE, with one of its values (${allowed}).`;
}
