import type { Configuration } from '../../engine/configuration.js';
import type { Primitive } from '../../engine/mapping.js';
import { type Catalog, type NarrowedTool, partsText, type Selection, select } from '../../engine/select.js';
import { narrowTool } from '../../engine/uses/narrow.js';
import type { ToolUses } from '../../engine/uses/tool-uses.js';
import { getOrMake } from '../../once.js';
import { redactDefinitions } from './definitions.js';

/** What was written, by the definition: it can be redacted in several ways. */
type Written = WeakMap<Primitive, Primitive>;

/** Selections are remembered, and so is what was written for them. */
const known = new WeakMap<NarrowedTool, Written>();
/** Many configurations leave the same of a tool. Then it has one definition, which is written and counted once. */
const sameLeft = new WeakMap<ToolUses, Map<string, Written>>();
/** Values of claims can be different for each caller. */
const MAX_REMEMBERED = 64;

function writtenFor(found: NarrowedTool): Written {
  const ofTool = getOrMake(sameLeft, found.uses, () => new Map<string, Written>());
  if (ofTool.size >= MAX_REMEMBERED) ofTool.clear();
  return getOrMake(ofTool, partsText(found), () => new WeakMap());
}

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
    const written = getOrMake(known, found, () => writtenFor(found));
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
