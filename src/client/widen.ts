import { widenings } from '../engine/match/widen.js';
import type { PreferenceValue } from './check-preferences.js';
import type { Declaration, DeclaredConcern } from './declaration.js';
import type { EffectiveConcerns } from './summary.js';

/** The preferences that a step of widening changes. */
export type WidenedConcerns = { readonly [concern: string]: PreferenceValue };

/**
 * Returns the next step after a tool was missing: a value is replaced by the one above it, the nearest first. If no value
 * has one above it, the values are removed.
 *
 * @param declaration the server's declaration
 * @param inEffect the values in effect
 * @param names the concerns to widen; by default those with `match: within`
 * @returns the preferences to change; `undefined` if there is nothing left to widen
 * @example
 * widerConcerns(declaration, { topic: 'finance.stocks' }); // { topic: 'finance' }
 */
export function widerConcerns(
  declaration: Declaration,
  inEffect: EffectiveConcerns,
  names?: readonly string[],
): WidenedConcerns | undefined {
  if (!declaration.declared) return undefined;
  const isMeant = ({ name, match, setBy }: DeclaredConcern): boolean =>
    setBy === 'host' && (names === undefined ? match === 'within' : names.includes(name));
  const present = declaration.concerns.filter(
    (concern) => isMeant(concern) && Object.hasOwn(inEffect, concern.name),
  );
  for (const concern of present) {
    const wider = widerValue(concern, inEffect[concern.name]);
    if (wider !== undefined) return { [concern.name]: wider };
  }
  return present.length === 0 ? undefined : Object.fromEntries(present.map(({ name }) => [name, null]));
}

function widerValue(concern: DeclaredConcern, value: EffectiveConcerns[string] | undefined) {
  const { values, multiple } = concern;
  if ('min' in values) return undefined;
  const positions = [value ?? []].flat().map((each) => values.indexOf(String(each)));
  const [nearest] = widenings(
    concern,
    positions.filter((each) => each !== -1),
  );
  const wider = nearest?.flatMap((position) => values[position] ?? []);
  return multiple ? wider : wider?.[0];
}
