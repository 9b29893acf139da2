import type { CompiledPolicy } from '../../../engine/policy.js';
import { concernsOf, type ServerPart, type SharedConcerns, sharedValue } from './server-parts.js';

type Presets = CompiledPolicy['presets'];
type PresetValue = Presets[string][string];

/** Two servers whose presets of one name set one concern to different values. */
interface PresetConflict {
  readonly preset: string;
  readonly concern: string;
  readonly first: ServerPart;
  readonly second: ServerPart;
}

/**
 * Joins the presets of several servers. Presets with one name are one if they do not contradict each other.
 *
 * @param own the presets of the policy of all servers, which win over those of servers
 * @param parts the servers, in their order
 * @param shared the concerns of all of them
 * @returns the presets, and what contradicts
 * @example
 * sharePresets({}, parts, shared).presets.look; // { effect: 'read-only' }
 */
export function sharePresets(own: Presets, parts: readonly ServerPart[], shared: SharedConcerns) {
  const presets = new Map<string, Map<string, { readonly part: ServerPart; readonly value: PresetValue }>>();
  const conflicts: PresetConflict[] = [];
  for (const part of parts) {
    const concerns = concernsOf(part);
    for (const [preset, values] of Object.entries(part.policy?.presets ?? {})) {
      if (Object.hasOwn(own, preset)) continue;
      const joined = presets.get(preset) ?? new Map();
      presets.set(preset, joined);
      for (const [concern, given] of Object.entries(values)) {
        if (!concerns.has(concern)) continue;
        const value = shared.hierarchies.has(concern)
          ? inHierarchy(preset, concern, parts, shared)
          : outside(part, shared, concern, given);
        const first = joined.get(concern);
        if (first === undefined) joined.set(concern, { part, value });
        else if (JSON.stringify(first.value) !== JSON.stringify(value))
          conflicts.push({ preset, concern, first: first.part, second: part });
      }
    }
  }
  const all = [...presets].map(([name, values]) => [
    name,
    Object.fromEntries([...values].map(([concern, { value }]) => [concern, value])),
  ]);
  return { presets: { ...own, ...Object.fromEntries(all) } satisfies Presets, conflicts };
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
  parts: readonly ServerPart[],
  shared: SharedConcerns,
): readonly string[] {
  return parts.flatMap((part) => {
    const presets = new Map(Object.entries(part.policy?.presets ?? {}));
    const values = new Map(Object.entries(presets.get(preset) ?? {}));
    const all = [(concernsOf(part).has(concern) && values.get(concern)) || []].flat();
    return all.length === 0
      ? [part.slug]
      : all.map((value) => String(sharedValue(part, shared, concern, value)));
  });
}
