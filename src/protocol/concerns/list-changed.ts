import type { Configuration } from '../../engine/configuration.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { select } from '../../engine/select.js';
import { KINDS_OF, type Target } from '../access/targets.js';
import { type Lists, visibilityOfUri } from '../access/visibility.js';
import { withLists } from '../access/with-lists.js';
import type { ListCatalog } from '../lists/filter-list.js';
import {
  CAPABILITIES,
  type Capability,
  LISTS,
  listChangedMethod,
  type Message,
  type Request,
  read,
} from '../messages/wire.js';
import { readPreferences } from '../request/preferences.js';
import { configure, type GateScope, type MessageContext, storeWarning } from '../request/request.js';

/** The latest request of a connection, on whose behalf lists are asked for when something changes by itself. */
export interface LatestRequest<C extends MessageContext> {
  readonly request: Request;
  readonly context: C;
}

/** What a client was shown of each list that it can have seen. */
type Shown = ReadonlyMap<Kind, string>;

/**
 * Takes the server's word that a list changed: passed on only if what the client sees changed.
 *
 * @param scope the gate
 * @param message the notification
 * @param capability whose lists changed
 * @param latest on whose behalf the server can be asked, if anybody asked anything yet
 * @param canHide whether anything can be hidden from the client at all
 * @returns the message, if it is to be passed on
 */
export function onListChanged<C extends MessageContext>(
  scope: GateScope<C>,
  message: Message,
  capability: Capability,
  latest: LatestRequest<C> | undefined,
  canHide: boolean,
): Message | Promise<Message | undefined> {
  const before = scope.catalogs.taken();
  scope.catalogs.drop(capability);
  // Where nothing can be hidden, or nothing was shown yet, the server's word goes.
  if (latest === undefined || before.size === 0 || !canHide) return message;
  return sessionConfiguration(scope, latest)
    .then((configuration) => changedSince(scope, latest, shownBy(before, configuration)))
    .then(
      (changed) => (changed.has(capability) ? message : undefined),
      () => message,
    );
}

/** Under `enforce`: an update of a resource that is hidden would tell that it is there. */
export async function onResourceUpdated<C extends MessageContext>(
  scope: GateScope<C>,
  message: Message,
  latest: LatestRequest<C>,
): Promise<Message | undefined> {
  const uri = read(message, 'params', 'uri');
  if (typeof uri !== 'string') return message;
  const configuration = await sessionConfiguration(scope, latest);
  const targets: readonly Target[] = [{ by: 'uri', name: uri, put: (params) => params }];
  const [lists, enough] = await new Promise<readonly [Lists, boolean]>((resolve) => {
    withLists(scope, latest.request, latest.context, { kinds: KINDS_OF.uri, targets }, (...got) =>
      resolve(got),
    );
  });
  const shown = enough && visibilityOfUri(scope.policy, lists, uri, configuration) !== 'hidden';
  return shown ? message : undefined;
}

/**
 * Another policy is in force: the client hears of the lists that show something else now.
 *
 * @param scope the gate
 * @param latest on whose behalf the server is asked
 * @param before the policy that was in force
 * @param announced the lists whose changes the server announces
 */
export async function onPolicyReplaced<C extends MessageContext>(
  scope: GateScope<C>,
  latest: LatestRequest<C>,
  before: Policy,
  announced: readonly string[],
): Promise<void> {
  try {
    const session = await readPreferences(scope.preferences);
    const old = configure(before, latest.request, latest.context, { session, meta: false });
    const changed = await changedSince(scope, latest, shownBy(scope.catalogs.taken(before), old));
    for (const capability of CAPABILITIES) {
      if (!changed.has(capability) || !announced.includes(capability)) continue;
      // On the connection's own stream: it belongs to no request.
      scope.reply({ jsonrpc: '2.0', method: listChangedMethod(capability) });
    }
  } catch (cause) {
    scope.report({ method: 'reload', era: 'legacy', warnings: [storeWarning('read', cause)] });
  }
}

/**
 * What the session shows now, as text: a definition that changed is a change of the list too.
 *
 * @param held the lists that were taken of the server
 * @param configuration what is in effect for the session
 */
function shownBy(held: ReadonlyMap<Kind, ListCatalog>, configuration: Configuration): Shown {
  return new Map(
    [...held].map(([kind, { bound }]) => [kind, JSON.stringify(select(bound, configuration).kept)]),
  );
}

/** @returns what is in effect for a connection's session, by itself */
async function sessionConfiguration<C extends MessageContext>(
  scope: GateScope<C>,
  { request, context }: LatestRequest<C>,
): Promise<Configuration> {
  const session = await readPreferences(scope.preferences);
  return configure(scope.policy, request, context, { session, meta: false });
}

/**
 * Takes lists of the server anew, and tells which of them show something else than before.
 *
 * @param scope the gate
 * @param latest on whose behalf the server is asked
 * @param before what was shown; lists that are not in it were never shown, so they cannot have changed
 * @returns the capabilities whose change is to be announced
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
      scope.catalogs.get(kind, scope.ask(latest.request, latest.context), (outcome) => {
        const complete = outcome.state === 'complete' ? outcome.catalog.bound : undefined;
        resolve(complete && JSON.stringify(select(complete, configuration).kept));
      });
    });
    if (now !== shown) changed.add(LISTS[kind].capability);
  }
  return changed;
}
