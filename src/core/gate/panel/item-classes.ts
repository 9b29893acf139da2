import { openConfiguration } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import { decide, fits } from '../../engine/evaluate.js';
import type { Mapping } from '../../engine/mapping.js';
import { isReadByRules } from '../../engine/narrows.js';
import type { Concern } from '../../engine/policy.js';
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

/** Whether rules decide by what the host prefers: then only the engine can tell what a change shows. */
export const needsEngine = ({ policy }: Configuration): boolean =>
  policy.concerns.some(({ name, setBy }) => setBy === 'host' && isReadByRules(policy, name));
