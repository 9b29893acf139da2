import type { Configuration } from '../../engine/configuration.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { select } from '../../engine/select.js';
import { type Capability, LISTS } from '../../wire/messages.js';
import { KINDS_OF } from '../enforce/targets.js';
import { isUriShown } from '../enforce/visibility.js';
import { configurationNow, listsFor, type Settling, wholeList } from '../request/decision.js';
import type { View } from '../request/facts.js';
import type { WholeList } from '../request/whole-list.js';

/** The visible part of each list that the client can have seen, as JSON: a definition that changed changes the list too. */
type Shown = ReadonlyMap<Kind, string>;

/** Returns the visible part of lists. */
export function shownBy(lists: ReadonlyMap<Kind, WholeList>, configuration: Configuration): Shown {
  return new Map(
    [...lists].map(([kind, { bound }]) => [kind, JSON.stringify(select(bound, configuration).kept)]),
  );
}

/**
 * Fetches the server's lists again and compares their visible parts.
 *
 * @param before the visible parts before. Lists that are not in it were never shown.
 * @returns the capabilities whose lists changed for this client
 */
export function* changedSince(before: Shown): Settling<ReadonlySet<Capability>> {
  const configuration = yield* configurationNow();
  const changed = new Set<Capability>();
  for (const kind of KINDS) {
    const shown = before.get(kind);
    if (shown === undefined) continue;
    const found = yield* wholeList(kind);
    const now =
      found.state === 'complete' ? JSON.stringify(select(found.list.bound, configuration).kept) : undefined;
    if (now !== shown) changed.add(LISTS[kind].capability);
  }
  return changed;
}

/**
 * Returns whether the client may learn under `enforce` that a resource was updated: an update reveals that it exists.
 *
 * @param policy the policy in force
 * @param uri the URI of the resource, unchecked
 * @param views under which configurations the client sees the notification
 */
export function* isUpdateShown(policy: Policy, uri: unknown, views: readonly View[]): Settling<boolean> {
  if (typeof uri !== 'string') return false;
  const { lists, enough } = yield* listsFor({ kinds: KINDS_OF.uri, targets: [{ type: 'uri', name: uri }] });
  // A request that began under another policy has lists of its own. Without them, the update is not decidable.
  return (
    enough &&
    views.every(
      ({ configuration }) => configuration.policy === policy && isUriShown(lists, uri, configuration),
    )
  );
}
