import { configurationFor, openConfiguration } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import { decide, fits } from '../../engine/evaluate.js';
import { identityOf, type Mapping, type Primitive } from '../../engine/mapping.js';
import { isReadByRules } from '../../engine/narrows.js';
import type { Concern, Policy } from '../../engine/policy.js';
import type { Catalog } from '../../engine/select.js';
import type { PanelClass, PanelValue } from './panel-document.js';

/**
 * Describes what decides about primitives with equal values, so that a page can tell at once what a change shows. Without the
 * places, and only of what the host sets: the rest is `always`.
 *
 * @param now the values in effect
 * @returns a function that describes a primitive's class
 * @example
 * describeClass(configuration)(mapping); // { fits: { topic: ['news'] } }
 */
export function describeClass(now: Configuration): (mapping: Mapping) => PanelClass {
  const { policy } = now;
  const open = openConfiguration(now, 'person');
  const { narrowed: _narrowed, ...own } = open;
  const closed: Configuration = {
    ...own,
    effective: own.effective.map((value, index) =>
      policy.concerns[index]?.setBy === 'host' ? 'denied' : value,
    ),
  };
  return (mapping) => {
    const entries = policy.concerns.flatMap((concern, index): [string, readonly PanelValue[]][] => {
      const offered = mapping.offers[index]?.offered;
      if (concern.setBy !== 'host' || offered === undefined) return [];
      return [[concern.name, valuesThatFit(concern, index, offered)]];
    });
    const isHidden = decide(mapping, open).effect === 'hide';
    const always = isHidden ? 'hidden' : decide(mapping, closed).effect === 'show' ? 'shown' : undefined;
    return { ...(always === undefined ? {} : { always }), fits: Object.fromEntries(entries) };
  };

  function valuesThatFit(
    { values, match, multiple }: Concern,
    index: number,
    offered: readonly number[],
  ): readonly PanelValue[] {
    if (!('min' in values)) {
      return values.filter((_value, each) => fits(policy, index, multiple ? [each] : each, offered));
    }
    if (match === 'at-least') return [values.min, Math.max(...offered)];
    if (match === 'at-most') return [Math.min(...offered), values.max];
    return offered.flatMap((each) => [each, each]);
  }
}

/** Whether rules or uses of tools depend on what the host prefers: then only the engine can tell what a change shows. */
export const needsEngine = ({ policy }: Configuration): boolean =>
  policy.concerns.some(
    ({ name, setBy }, index) =>
      setBy === 'host' && (isReadByRules(policy, name) || isReadByUses(policy, name, index)),
  );

const isReadByUses = ({ uses, binds }: Policy, name: string, index: number): boolean =>
  uses.some(({ assignments }) => assignments.some(({ concern }) => concern === index)) ||
  binds.some(({ paths }) =>
    paths.some((path) => `${path}.`.startsWith(`concerns.${name}.`) || path === 'concerns' || path === ''),
  );

/** A concern that hides a tool, and the values with which the tool, or a use of it, is shown. */
interface HidingConcern {
  /** Its index. */
  readonly concern: number;
  /** In the numbers of `Assignment`. */
  readonly offered: readonly number[];
}

/**
 * Finds the concern that hides a tool from a model that could show it. Of a tool of which no call is left, that is a concern which hides
 * a use, and which is open to models: what an operator hides is not told.
 *
 * @returns `undefined` if the tool is shown, or something else hides it
 * @example
 * hidingConcern(bound, 0, configuration)?.concern; // 1
 */
export function hidingConcern(
  bound: Catalog<Primitive>,
  position: number,
  configuration: Configuration,
): HidingConcern | undefined {
  const { kind, items, classes, classOf, uses, policy } = bound;
  const own = configurationFor(configuration, kind, identityOf(kind, items[position] ?? {}));
  const hiddenBy = (mapping: Mapping): HidingConcern | undefined => {
    const { effect, reason } = decide(mapping, own);
    if (effect === 'show' || typeof reason !== 'object' || !('concern' in reason)) return undefined;
    return { concern: reason.concern, offered: mapping.offers[reason.concern]?.offered ?? [] };
  };
  const mapping = classes[classOf[position] ?? -1];
  if (mapping === undefined) return undefined;
  const { reason } = decide(mapping, own);
  if (typeof reason !== 'object' || !('argument' in reason)) return hiddenBy(mapping);
  const at = uses[position]?.arguments.findIndex(({ name }) => name === reason.argument) ?? -1;
  const ways = mapping.alternatives?.()[at] ?? [];
  return ways
    .flat()
    .map(hiddenBy)
    .find((found) => found !== undefined && policy.concerns[found.concern]?.model === 'free');
}
