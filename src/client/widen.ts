import { widenings } from '../core/engine/match/widen.js';
import type { PreferenceValue } from './check-preferences.js';
import type { DeclaredConcern } from './declaration.js';
import type { EffectiveConcerns } from './summary.js';

/** The preferences that a step of widening changes. */
export type WidenedConcerns = { readonly [concern: string]: PreferenceValue };

/**
 * Returns the next step after a tool was missing, for one concern: a value is replaced by the one above it, the nearest first;
 * then values without an order are removed; then a bound moves to the next value, because an order often says what may happen.
 *
 * @param concerns the concerns that the server declares
 * @param inEffect the values in effect
 * @param names the concerns to widen; by default all that the host sets
 * @returns the preference to change; `undefined` if there is nothing left to widen
 * @example
 * widerConcerns(declaration.concerns, { topic: 'finance.stocks' }); // { topic: 'finance' }
 */
export function widerConcerns(
  concerns: readonly DeclaredConcern[],
  inEffect: EffectiveConcerns,
  names?: readonly string[],
): WidenedConcerns | undefined {
  const present = concerns.filter(
    ({ name, setBy }) => setBy === 'host' && names?.includes(name) !== false && Object.hasOwn(inEffect, name),
  );
  for (const concern of present) {
    const wider = widerValue(concern, inEffect[concern.name]);
    if (wider !== undefined) return { [concern.name]: wider };
  }
  const next = present.find((concern) => !isBound(concern)) ?? present[0];
  if (next === undefined) return undefined;
  return { [next.name]: isBound(next) ? looserBound(next, inEffect[next.name]) : null };
}

const isBound = ({ match }: DeclaredConcern): boolean => match === 'at-most' || match === 'at-least';

/** Returns the next value in the order; `null` after the last one, and for a range, which has no steps. */
function looserBound({ values, match }: DeclaredConcern, value: EffectiveConcerns[string] | undefined) {
  if ('min' in values) return null;
  const position = values.indexOf(String(value));
  return (position === -1 ? undefined : values[position + (match === 'at-most' ? 1 : -1)]) ?? null;
}

function widerValue(concern: DeclaredConcern, value: EffectiveConcerns[string] | undefined) {
  const { values, multiple } = concern;
  if ('min' in values) return undefined;
  const positions = [value ?? []].flat().map((each) => values.indexOf(String(each)));
  const known = positions.filter((each) => each !== -1);
  const [nearest] = widenings(concern, known);
  const wider = nearest?.flatMap((position) => values[position] ?? []);
  return multiple ? wider : wider?.[0];
}
