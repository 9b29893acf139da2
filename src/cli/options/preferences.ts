import { type Caller, type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import { nearest } from '../../engine/match/nearest.js';
import type { Concern, Policy } from '../../engine/policy.js';
import { CliError } from '../errors.js';

/** Who asks, and for what, as options of `parseArgs`. */
export const ASK_OPTIONS = {
  concern: { type: 'string', multiple: true },
  claim: { type: 'string', multiple: true },
} as const;

/** What the help of a command says of them. */
export const ASK_HELP = `  --concern NAME=VALUE  what a host asks for, also preset=NAME; may be repeated
  --claim NAME=VALUE    a verified claim, as JSON or text; may be repeated`;

/** What was given for `ASK_OPTIONS`. */
export interface AskValues {
  readonly concern?: readonly string[] | undefined;
  readonly claim?: readonly string[] | undefined;
}

/** A configuration, and the caller whose it is. */
export interface Asked {
  readonly configuration: Configuration;
  readonly caller: Caller;
}

/**
 * Turns `--concern name=value` and `--claim name=value` into a configuration. A host's misspelt name is ignored with a
 * warning; a person at a terminal wants to know, so here everything that does not fit is an error.
 *
 * Values of concerns that the operator sets are taken as verified claims: that is how to see what such a caller sees.
 *
 * @param policy the policy
 * @param values what was given for `ASK_OPTIONS`
 * @param capabilities what the client can do, for rules that read it; unknown unless given
 * @returns the configuration
 * @throws {CliError} for an unknown concern, preset or value, with the nearest one
 * @example
 * readAsked(policy, { concern: ['effect=read-only', 'purpose=forms,testing'], claim: ['groups=["staff"]'] });
 */
export function readAsked(policy: Policy, values: AskValues, capabilities?: object): Asked {
  const wanted = new Map<string, string | number | string[]>();
  const claims = new Map<string, unknown>();
  for (const text of values.claim ?? []) {
    const [name, value] = split(text, '--claim takes name=value, as in --claim tier=pro');
    once(claims, name).set(name, claimValue(value));
  }
  for (const text of values.concern ?? []) {
    const equals = text.indexOf('=');
    if (equals === -1) throw new CliError(withoutValue(policy, text));
    const name = text.slice(0, equals);
    const value = text.slice(equals + 1);
    if (name === 'preset') {
      once(wanted, name).set(name, known(value, 'preset', [...policy.presets.keys()]));
      continue;
    }
    const concern = policy.concerns[policy.indexOf.get(name) ?? -1];
    if (concern === undefined) throw new CliError(unknownConcern(policy, name));
    const read = readValue(policy, concern, value);
    const { claim } = concern;
    if (claim !== undefined) once(claims, claim, name).set(claim, read);
    else {
      const before = wanted.get(name);
      const both = Array.isArray(before) && Array.isArray(read) ? [...before, ...read] : undefined;
      if (both !== undefined) wanted.set(name, both);
      else once(wanted, name).set(name, read);
    }
  }
  const carrier = { from: 'request', concerns: Object.fromEntries(wanted) } as const;
  const caller = { claims, capabilities };
  return { configuration: resolveConfiguration(policy, [carrier], caller), caller };
}

function split(text: string, usage: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new CliError(`${usage}; "${text}" is neither.`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** A claim is JSON where it can be, as in a token: a number, true, a list; any other text is that text. */
function claimValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readValue(policy: Policy, concern: Concern, text: string): string | number | string[] {
  const { name, values, multiple } = concern;
  if ('min' in values) {
    const number = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    const inside = number >= values.min && number <= values.max;
    // Under `clamp` a host may send any number.
    if (inside || (!Number.isNaN(number) && policy.settings.invalid === 'clamp')) return number;
    throw new CliError(`${name} takes a number from ${values.min} to ${values.max}, not "${text}".`);
  }
  if (multiple) return text.split(',').map((each) => known(each, name, values));
  return known(text, name, values);
}

function known(text: string, name: string, values: readonly string[]): string {
  if (values.includes(text)) return text;
  if (values.length === 0) throw new CliError(`This policy has no presets, so "${text}" is none.`);
  const several = text.split(',').every((each) => values.includes(each));
  const problem = several
    ? `${name} takes one value, not "${text}".`
    : `"${text}" is no value of ${name} (${values.join(', ')})${didYouMean(text, values)}`;
  throw new CliError(problem);
}

function once<T>(before: Map<string, T>, key: string, name = key): Map<string, T> {
  if (before.has(key)) throw new CliError(`${name} is given twice, and takes one value.`);
  return before;
}

function withoutValue(policy: Policy, text: string): string {
  if (policy.presets.has(text)) return `A preset is given as --concern preset=${text}.`;
  const values = policy.concerns[policy.indexOf.get(text) ?? -1]?.values;
  if (values === undefined) return `--concern takes name=value; "${text}" has no value.`;
  const allowed = 'min' in values ? `a number from ${values.min} to ${values.max}` : values.join(', ');
  return `--concern takes name=value; give ${text} one of its values (${allowed}).`;
}

function unknownConcern(policy: Policy, name: string): string {
  const names = policy.concerns.map((concern) => concern.name);
  return `"${name}" is no concern of this policy (${names.join(', ')})${didYouMean(name, names)}`;
}

function didYouMean(text: string, known: readonly string[]): string {
  const near = nearest(text, known);
  return near === undefined ? '.' : `; did you mean "${near}"?`;
}
