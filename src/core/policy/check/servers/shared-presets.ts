import { readOwn } from '../../../engine/expression/evaluate.js';
import type { CompiledPolicy } from '../../../engine/policy.js';
import { getOrMake } from '../../../once.js';
import { type ServerPart, type Servers, type SharedConcerns, sharedValue } from './server-parts.js';

type Presets = CompiledPolicy['presets'];
type PresetValue = Presets[string][string];

/**
 * Joins the presets of several servers. Presets with one name are one if they do not contradict each other.
 *
 * @param servers the policies. The presets of the policy of all servers win
 * @param contradicts is told of two servers whose presets of one name set one concern to different values
 * @returns the presets
 * @example
 * sharePresets(servers).look; // { effect: 'read-only' }
 */
export function sharePresets(
  { top: { presets: own }, parts, shared }: Servers,
  contradicts?: (preset: string, concern: string, first: ServerPart, second: ServerPart) => void,
): Presets {
  const presets = new Map<string, Map<string, { readonly part: ServerPart; readonly value: PresetValue }>>();
  for (const part of parts) {
    for (const [preset, values] of Object.entries(part.policy?.presets ?? {})) {
      if (Object.hasOwn(own, preset)) continue;
      const joined = getOrMake(presets, preset, () => new Map());
      for (const [concern, given] of Object.entries(values)) {
        if (!part.concerns.has(concern)) continue;
        const value = shared.hierarchies.has(concern)
          ? inHierarchy(preset, concern, { parts, shared })
          : outside(part, shared, concern, given);
        const first = joined.get(concern);
        if (first === undefined) joined.set(concern, { part, value });
        else if (JSON.stringify(first.value) !== JSON.stringify(value))
          contradicts?.(preset, concern, first.part, part);
      }
    }
  }
  const all = [...presets].map(([name, values]) => [
    name,
    Object.fromEntries([...values].map(([concern, { value }]) => [concern, value])),
  ]);
  return { ...own, ...Object.fromEntries(all) };
}

function outside(part: ServerPart, shared: SharedConcerns, concern: string, given: PresetValue): PresetValue {
  if (given === null) return null;
  if (typeof given !== 'object') return sharedValue(part, shared, concern, given);
  return [...new Set(given.map((value) => sharedValue(part, shared, concern, value)))];
}

/** A preset of one server says nothing about the others, so all that they have stays. */
function inHierarchy(
  preset: string,
  concern: string,
  { parts, shared }: Pick<Servers, 'parts' | 'shared'>,
): readonly string[] {
  return parts.flatMap((part) => {
    const given = part.concerns.has(concern) && readOwn(readOwn(part.policy?.presets, preset), concern);
    const values = [given || []].flat().map((value) => sharedValue(part, shared, concern, String(value)));
    return values.length === 0 ? [part.slug] : values;
  });
}
