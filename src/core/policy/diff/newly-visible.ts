import { withProbes } from '../../analysis/probes.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import type { CompiledPolicy, Kind } from '../../engine/policy.js';
import { compareSides } from './compare.js';
import { describeCondition } from './conditions.js';

/** A primitive that a change of a policy shows to some host or caller that did not see it. */
export interface NewlyVisible {
  readonly kind: Kind;
  /** `undefined` if no primitive of today is meant, but one that the server can add. */
  readonly name: string | undefined;
  /** A pattern or entry that such a primitive would match; `undefined` for one that matches nothing. */
  readonly like: string | undefined;
  readonly when: string;
}

/**
 * Finds what a change of a policy opens: on what the server lists now, and on what it may list later. Each pattern and each
 * entry of either policy gets a primitive that it matches, and each kind one that matches nothing.
 *
 * @param before the policy as it is
 * @param after the policy as it would be
 * @param catalog what the server lists
 * @returns what becomes visible, and when; empty if the change opens nothing
 * @example
 * newlyVisible(before, after, catalog).length === 0; // the change may be written
 */
export function newlyVisible(
  before: CompiledPolicy,
  after: CompiledPolicy,
  catalog: ServerCatalog,
): readonly NewlyVisible[] {
  const { catalog: probed, isListed, likeOf } = withProbes([before, after], catalog);
  const { groups, untried } = compareSides(
    { compiled: before, catalog: probed },
    { compiled: after, catalog: probed },
  );
  const opened = (kind: Kind, name: string, when: string): NewlyVisible => {
    return { kind, name: isListed(kind, name) ? name : undefined, like: likeOf(kind, name), when };
  };
  const found = groups.flatMap(({ shown, when }) =>
    shown.map(({ kind, name }) => opened(kind, name, describeCondition(when))),
  );
  const isFound = (kind: Kind, name: string) =>
    groups.some(({ shown }) => shown.some((each) => each.kind === kind && each.name === name));
  // What cannot be compared may be open.
  const unknown = untried.filter(({ kind, name }) => !isFound(kind, name));
  return [
    ...found,
    ...unknown.map(({ kind, name }) => opened(kind, name, 'There are too many configurations to tell when')),
  ];
}
