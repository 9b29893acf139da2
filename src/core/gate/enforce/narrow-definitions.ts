import type { Configuration } from '../../engine/configuration.js';
import type { Primitive } from '../../engine/mapping.js';
import { type Catalog, type NarrowedTool, type Selection, select } from '../../engine/select.js';
import { narrowTool } from '../../engine/uses/narrow.js';
import { getOrMake } from '../../once.js';
import { redactDefinitions } from './definitions.js';

/** Selections are remembered, and so is what was written for them. A definition can be redacted in several ways. */
const known = new WeakMap<NarrowedTool, WeakMap<Primitive, Primitive>>();

/**
 * Writes what is left of tools into their definitions. It comes last, so that what finds a primitive by its object still finds it.
 *
 * @param selection what the configuration shows
 * @param listed the primitives of it that the client gets
 * @param definitions their definitions, from which names of hidden primitives may be missing
 * @param isEnforced whether calls are checked
 * @returns the same list if nothing is narrowed
 */
export function narrowDefinitions(
  { narrowed }: Selection<Primitive>,
  listed: readonly Primitive[],
  definitions: readonly Primitive[],
  isEnforced: boolean,
): readonly Primitive[] {
  if (narrowed.size === 0) return definitions;
  return definitions.map((definition, index) => {
    const found = narrowed.get(listed[index] ?? definition);
    if (found === undefined) return definition;
    const written = getOrMake(known, found, () => new WeakMap<Primitive, Primitive>());
    return getOrMake(written, definition, () => narrowTool(found.uses, found.left, definition, isEnforced));
  });
}

/**
 * Returns the definition of a tool as a list has it under `enforce`.
 *
 * @param bound the list of tools
 * @param position the position of the tool in the list
 * @param configuration the values in effect
 */
export function listedDefinition(
  bound: Catalog<Primitive>,
  position: number,
  configuration: Configuration,
): Primitive {
  const item = bound.items[position] ?? {};
  const [redacted = item] =
    bound.policy.settings.texts === 'keep' ? [item] : redactDefinitions(bound, [item], configuration);
  const [narrowed = redacted] = narrowDefinitions(select(bound, configuration), [item], [redacted], true);
  return narrowed;
}
