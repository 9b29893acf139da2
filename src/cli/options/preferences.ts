import { claimName, jsonOrText, setClaim, withClaim } from '../../engine/claims.js';
import { type Caller, resolveConfiguration } from '../../engine/configuration.js';
import { listNames } from '../../engine/match/list-names.js';
import type { Concern, Policy } from '../../engine/policy.js';
import { isScopeClaim } from '../../engine/scope-claims.js';
import { notAConcern, problemOfValue } from '../../policy/check/check-values.js';
import type { Problem } from '../../policy/language/problem.js';
import { CliError } from '../errors.js';
import { readClaims } from './claims-file.js';
import type { Options } from './generated/commands.js';

/** The values of the options `--concern`, `--claim`, `--claims` and `--client`. */
export type PreferenceValues = Partial<Pick<Options['list'], 'concern' | 'claim' | 'claims' | 'client'>>;

/** A configuration, and the caller that it belongs to. */
export type CallerConfiguration = ReturnType<typeof readPreferences>;

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
export function readPreferences(policy: Policy, values: PreferenceValues, capabilities?: object) {
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
  for (const text of values.concern ?? []) {
    const [name, value] = pairOf(text, () => new CliError(withoutValue(policy, text)));
    if (name === 'preset') {
      once(name);
      preferences.set(name, presetOf(policy, value));
      continue;
    }
    const concern = policy.concerns[policy.indexOf.get(name) ?? -1];
    if (concern === undefined) throw new CliError(notAConcern(name, [...policy.indexOf.keys()]).message);
    const { claim, multiple } = concern;
    const read = (multiple ? value.split(',') : [value]).map((each) => readValue(policy, concern, each));
    if (claim !== undefined) {
      // Several concerns can have values of one claim that has several elements, as the scopes of a caller.
      if (!isScopeClaim(claim) && !multiple) once(`claim ${claimName(claim)}`, name);
      caller = withClaim(caller, concern, read);
    } else if (multiple) preferences.set(name, [preferences.get(name) ?? [], read].flat(2));
    else {
      once(name);
      const [only = value] = read;
      preferences.set(name, only);
    }
  }
  const source = { from: 'request', concerns: Object.fromEntries(preferences) } as const;
  return { configuration: resolveConfiguration(policy, [source], caller), caller };
}

/** Reads `NAME=VALUE`. Throws the error if there is no name, or no value. */
export function pairOf(text: string, error: () => CliError): [name: string, value: string] {
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
  const several = text.split(',');
  if (several.length > 1 && !('min' in values) && several.every((each) => values.includes(each)))
    throw new CliError(`${name} takes one value, not several ("${text}").`);
  const value = 'min' in values && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  // Under `clamp` a host may send any number.
  if (typeof value === 'string' || settings.invalid !== 'clamp') refuse(problemOfValue(name, values, value));
  return value;
}

function refuse(problem: Problem | undefined): void {
  if (problem !== undefined) throw new CliError(problem.message);
}

function withoutValue(policy: Policy, text: string): string {
  if (policy.presets.has(text)) return `To request a preset, pass --concern preset=${text}.`;
  const values = policy.concerns[policy.indexOf.get(text) ?? -1]?.values;
  if (values === undefined) return `"${text}" has no value. Pass --concern NAME=VALUE.`;
  const allowed = 'min' in values ? `a number from ${values.min} to ${values.max}` : listNames(values);
  return `${text} has no value. Pass --concern ${text}=VALUE, with one of its values (${allowed}).`;
}
