import type { Configuration } from '../../engine/configuration.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { select } from '../../engine/select.js';
import {
  CAPABILITIES,
  type Capability,
  LISTS,
  listChangedMethod,
  type Message,
  read,
} from '../../wire/messages.js';
import { nowOrLater } from '../../wire/now-or-later.js';
import { KINDS_OF } from '../enforce/targets.js';
import { isUriShown } from '../enforce/visibility.js';
import { withLists } from '../gather/with-lists.js';
import type { Exchange } from '../request/exchange.js';
import { storeWarning } from '../request/report.js';
import type { View } from '../request/views.js';
import type { WholeList } from '../request/whole-list.js';
import { sessionConfiguration } from '../request/with-configuration.js';

/** The visible part of each list that the client can have seen, as JSON. */
type Shown = ReadonlyMap<Kind, string>;

/**
 * Handles a `list_changed` notification of the server. Passes it on only if the visible part of a list changed.
 *
 * @param exchange the latest request, under the policy in force: the gate lists on its behalf
 * @param message the notification
 * @param capability the capability whose lists changed
 * @returns the message; `undefined` if it must not be passed on
 */
export function onListChanged(
  exchange: Exchange,
  message: Message,
  capability: Capability,
): Message | Promise<Message | undefined> {
  const { catalog } = exchange.connection;
  const before = catalog.cached(exchange.policy);
  catalog.drop(capability);
  // Nothing was listed yet, so there is nothing to compare.
  if (before.size === 0) return message;
  return Promise.resolve(sessionConfiguration(exchange))
    .then((configuration) => changedSince(exchange, shownBy(before, configuration)))
    .then(
      (changed) => (changed.has(capability) ? message : undefined),
      () => message,
    );
}

/**
 * Under `enforce`, drops updates of hidden resources: they would reveal that the resource exists.
 *
 * @param exchange the latest request, under the policy in force
 * @param message the notification
 * @param views under which configurations the client sees the notification
 */
export function onResourceUpdated(
  exchange: Exchange,
  message: Message,
  views: readonly View[],
): Message | undefined | Promise<Message | undefined> {
  const uri = read(message, 'params', 'uri');
  if (typeof uri !== 'string') return undefined;
  const targets = [{ type: 'uri', name: uri }] as const;
  return nowOrLater((then) => {
    withLists(exchange, { kinds: KINDS_OF.uri, targets }, (lists, enough) => {
      // A request that began under another policy has lists of its own. Without them, the update is not decidable.
      const isShown = views.every(
        ({ configuration }) =>
          configuration.policy === exchange.policy && isUriShown(lists, uri, configuration),
      );
      then(enough && isShown ? message : undefined);
    });
  });
}

/**
 * Announces to the client which lists look different under the policy in force.
 *
 * @param before the latest request, under the policy that it arrived under
 */
export async function onPolicyReplaced(before: Exchange): Promise<void> {
  const { connection } = before;
  const after = before.again();
  try {
    const old = await sessionConfiguration(before);
    const changed = await changedSince(after, shownBy(connection.catalog.cached(before.policy), old));
    for (const capability of CAPABILITIES) {
      if (!changed.has(capability) || !connection.announced.includes(capability)) continue;
      // Without a related request, so that the transport uses the connection's own stream.
      connection.toClient({ jsonrpc: '2.0', method: listChangedMethod(capability) });
    }
  } catch (cause) {
    connection.report({ method: 'reload', era: 'legacy', warnings: [storeWarning('read', cause)] });
  }
}

/** Returns the visible part of each list, as JSON: a definition that changed changes the list too. */
function shownBy(lists: ReadonlyMap<Kind, WholeList>, configuration: Configuration): Shown {
  return new Map(
    [...lists].map(([kind, { bound }]) => [kind, JSON.stringify(select(bound, configuration).kept)]),
  );
}

/**
 * Fetches the server's lists again and compares their visible parts.
 *
 * @param exchange the request on whose behalf the lists are fetched
 * @param before the visible parts before. Lists that are not in it were never shown.
 * @returns the capabilities whose lists changed for this client
 */
async function changedSince(exchange: Exchange, before: Shown): Promise<ReadonlySet<Capability>> {
  const configuration = await sessionConfiguration(exchange);
  const changed = new Set<Capability>();
  for (const kind of KINDS) {
    const shown = before.get(kind);
    if (shown === undefined) continue;
    const now = await new Promise<string | undefined>((resolve) => {
      exchange.connection.catalog.get(kind, exchange.policy, exchange.ask, (outcome) => {
        const complete = outcome.state === 'complete' ? outcome.list.bound : undefined;
        resolve(complete && JSON.stringify(select(complete, configuration).kept));
      });
    });
    if (now !== shown) changed.add(LISTS[kind].capability);
  }
  return changed;
}
