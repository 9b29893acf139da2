import { listedUnder } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import { identityOf } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { looksSame, select } from '../../engine/select.js';
import { type Capability, LISTS } from '../../wire/messages.js';
import { ask, type ResponseSteps } from '../request/decision.js';

/** What a change of the values in effect does to the lists of a server. Under `lists: stable`, to what calls may do. */
export interface ListComparison {
  /** How many primitives of each list are visible after the change. */
  readonly visible: Partial<Record<Kind, number>>;
  /** The capabilities whose visible lists are different. Under `lists: stable`, none is. */
  readonly changed: ReadonlySet<Capability>;
  /** The names and URIs that only the new values show. */
  readonly appeared: readonly string[];
  /** How many primitives only the old values show. */
  readonly disappeared: number;
}

/**
 * Compares what two configurations show. A list that the server does not have, or that is too long to be kept, is left
 * out.
 *
 * @param before the values in effect before the change
 * @param after the values in effect after it
 * @example
 * (yield* compareLists(before, after)).appeared; // ['logData']
 */
export function* compareLists(before: Configuration, after: Configuration): ResponseSteps<ListComparison> {
  const visible: Partial<Record<Kind, number>> = {};
  const changed = new Set<Capability>();
  const appeared: string[] = [];
  let disappeared = 0;
  for (const kind of KINDS) {
    const found = yield* ask({ need: 'whole', kind });
    if (found.state !== 'complete') continue;
    const { bound } = found.list;
    const [old, now] = [select(bound, before).kept, select(bound, after).kept];
    visible[kind] = now.length;
    const [oldList, list] = [select(bound, listedUnder(before)), select(bound, listedUnder(after))];
    if (!looksSame(oldList, list)) changed.add(LISTS[kind].capability);
    const [wasShown, isShown] = [new Set(old), new Set(now)];
    for (const item of now) if (!wasShown.has(item)) appeared.push(identityOf(kind, item));
    disappeared += old.filter((item) => !isShown.has(item)).length;
  }
  return { visible, changed, appeared, disappeared };
}
