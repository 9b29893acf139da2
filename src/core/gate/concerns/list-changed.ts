import { listedUnder } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { listText, select } from '../../engine/select.js';
import { type Capability, LISTS, METHODS, type Notification, read } from '../../wire/messages.js';
import { lacksScope } from '../enforce/explain-target.js';
import { isUriShown } from '../enforce/visibility.js';
import { ask, type Lists, listsFor, type ResponseSteps } from '../request/decision.js';
import type { View } from '../request/facts.js';
import { MAX_URIS } from '../table/routes.js';

/** The visible part of each list that the client can have seen, as JSON: a definition that changed changes the list too. */
type Shown = ReadonlyMap<Kind, string>;

/** Returns the visible part of lists. */
export function shownBy(lists: Omit<Lists, 'servers'>, configuration: Configuration): Shown {
  const listed = KINDS.flatMap((kind) => lists[kind] ?? []);
  return new Map(listed.map((bound) => [bound.kind, listText(select(bound, listedUnder(configuration)))]));
}

/**
 * Fetches the server's lists again and compares their visible parts.
 *
 * @param before the visible parts before. Lists that are not in it were never shown.
 * @returns the capabilities whose lists changed for this client
 */
export function* changedSince(before: Shown): ResponseSteps<ReadonlySet<Capability>> {
  const configuration = yield* ask({ need: 'configuration' });
  const changed = new Set<Capability>();
  for (const kind of KINDS) {
    const shown = before.get(kind);
    if (shown === undefined) continue;
    const found = yield* ask({ need: 'whole', kind });
    const lists = found.state === 'complete' ? { [kind]: found.list.bound } : {};
    if (shownBy(lists, configuration).get(kind) !== shown) changed.add(LISTS[kind].capability);
  }
  return changed;
}

/**
 * Returns what the client may learn under `enforce` of a notification about resources: that one was updated, or is watched,
 * reveals that it exists.
 *
 * @param policy the policy in force
 * @param message names one resource, or all that a stream is about
 * @param views under which configurations the client sees the notification
 * @returns the notification for the client; `undefined` if its resource is hidden
 */
export function* shownOfResources(
  policy: Policy,
  message: Notification,
  views: readonly View[],
): ResponseSteps<Notification | undefined> {
  const { method, params } = message;
  if (method !== METHODS.acknowledged) {
    return (yield* isUpdateShown(policy, read(params, 'uri'), views)) ? message : undefined;
  }
  const { notifications } = params ?? {};
  const uris = read(notifications, 'resourceSubscriptions');
  if (!Array.isArray(uris)) return message;
  const resourceSubscriptions: unknown[] = [];
  for (const uri of uris.slice(0, MAX_URIS)) {
    if (yield* isUpdateShown(policy, uri, views)) resourceSubscriptions.push(uri);
  }
  return {
    ...message,
    params: { ...params, notifications: { ...Object(notifications), resourceSubscriptions } },
  };
}

/** Returns whether all views show a resource and lack no scope to read it. A text that is not a URI is not shown. */
export function* isUpdateShown(policy: Policy, uri: unknown, views: readonly View[]): ResponseSteps<boolean> {
  if (typeof uri !== 'string') return false;
  const { lists, enough } = yield* listsFor('uri', [uri], false);
  // A request that began under another policy has lists of its own. Without them, the update is not decidable.
  return (
    enough &&
    views.every(
      ({ configuration }) =>
        configuration.policy === policy &&
        isUriShown(lists, uri, configuration) &&
        !lacksScope(lists, uri, configuration),
    )
  );
}
