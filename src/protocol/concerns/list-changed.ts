import type { Configuration } from '../../engine/configuration.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { select } from '../../engine/select.js';
import { KINDS_OF, type RequestTarget } from '../access/targets.js';
import { type Lists, visibilityOfUri } from '../access/visibility.js';
import { withLists } from '../access/with-lists.js';
import type { WholeList } from '../lists/filter-list.js';
import type { GateScope } from '../lists/gate-scope.js';
import {
  CAPABILITIES,
  type Capability,
  LISTS,
  listChangedMethod,
  type Message,
  type Request,
  read,
} from '../messages/wire.js';
import { sessionConfiguration } from '../request/preferences.js';
import { storeWarning } from '../request/report.js';
import type { MessageContext } from '../request/request.js';

/** The latest request of a connection. The gate lists on its behalf when something changes without a request. */
export interface LatestRequest<C extends MessageContext> {
  readonly request: Request;
  readonly context: C;
}

/** The visible part of each list that the client can have seen, as JSON. */
type Shown = ReadonlyMap<Kind, string>;

/**
 * Handles a `list_changed` notification of the server. Passes it on only if the visible part of a list changed.
 *
 * @param scope the gate
 * @param message the notification
 * @param capability the capability whose lists changed
 * @param latest the latest request, if the client sent one
 * @param canHide whether the configuration can hide anything
 * @returns the message; `undefined` if it must not be passed on
 */
export function onListChanged<C extends MessageContext>(
  scope: GateScope<C>,
  message: Message,
  capability: Capability,
  latest: LatestRequest<C> | undefined,
  canHide: boolean,
): Message | Promise<Message | undefined> {
  const { policy } = scope;
  const before = scope.catalog.cached(policy);
  scope.catalog.drop(capability);
  // If nothing can be hidden, or nothing was listed yet, there is nothing to compare.
  if (latest === undefined || before.size === 0 || !canHide) return message;
  return sessionConfiguration(scope, latest, policy)
    .then((configuration) => changedSince(scope, latest, shownBy(before, configuration)))
    .then(
      (changed) => (changed.has(capability) ? message : undefined),
      () => message,
    );
}

/** Under `enforce`, drops updates of hidden resources: they would reveal that the resource exists. */
export async function onResourceUpdated<C extends MessageContext>(
  scope: GateScope<C>,
  message: Message,
  latest: LatestRequest<C>,
): Promise<Message | undefined> {
  const uri = read(message, 'params', 'uri');
  if (typeof uri !== 'string') return message;
  const configuration = await sessionConfiguration(scope, latest);
  const targets: readonly RequestTarget[] = [{ type: 'uri', name: uri, withName: (params) => params }];
  const [lists, enough] = await new Promise<readonly [Lists, boolean]>((resolve) => {
    const { policy } = configuration;
    withLists(scope, latest.request, latest.context, { policy, kinds: KINDS_OF.uri, targets }, (...result) =>
      resolve(result),
    );
  });
  const shown = enough && visibilityOfUri(lists, uri, configuration) !== 'hidden';
  return shown ? message : undefined;
}

/**
 * Announces to the client which lists look different under a new policy.
 *
 * @param scope the gate, with the new policy
 * @param latest the latest request
 * @param before the old policy
 * @param announced the capabilities whose changes the server announces
 */
export async function onPolicyReplaced<C extends MessageContext>(
  scope: GateScope<C>,
  latest: LatestRequest<C>,
  before: Policy,
  announced: readonly string[],
): Promise<void> {
  try {
    const old = await sessionConfiguration(scope, latest, before);
    const changed = await changedSince(scope, latest, shownBy(scope.catalog.cached(before), old));
    for (const capability of CAPABILITIES) {
      if (!changed.has(capability) || !announced.includes(capability)) continue;
      // Without a related request, so that the transport uses the connection's own stream.
      scope.reply({ jsonrpc: '2.0', method: listChangedMethod(capability) });
    }
  } catch (cause) {
    scope.report({ method: 'reload', era: 'legacy', warnings: [storeWarning('read', cause)] });
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
 * @param scope the gate
 * @param latest the latest request
 * @param before the visible parts before. Lists that are not in it were never shown.
 * @returns the capabilities whose lists changed for this client
 */
async function changedSince<C extends MessageContext>(
  scope: GateScope<C>,
  latest: LatestRequest<C>,
  before: Shown,
): Promise<ReadonlySet<Capability>> {
  const configuration = await sessionConfiguration(scope, latest);
  const changed = new Set<Capability>();
  for (const kind of KINDS) {
    const shown = before.get(kind);
    if (shown === undefined) continue;
    const now = await new Promise<string | undefined>((resolve) => {
      scope.catalog.get(kind, configuration.policy, scope.ask(latest.request, latest.context), (outcome) => {
        const complete = outcome.state === 'complete' ? outcome.list.bound : undefined;
        resolve(complete && JSON.stringify(select(complete, configuration).kept));
      });
    });
    if (now !== shown) changed.add(LISTS[kind].capability);
  }
  return changed;
}
