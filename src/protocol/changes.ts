import type { Configuration } from '../engine/configuration.js';
import { KINDS, type Kind } from '../engine/policy.js';
import { select } from '../engine/select.js';
import type { ListCatalog } from './lists.js';
import { readPreferences } from './preferences.js';
import { configure, type GateScope, type MessageContext } from './scope.js';
import { CAPABILITIES, type Capability, LISTS, listChangedMethod, type Request } from './wire.js';

/** The latest request of a connection, on whose behalf lists are asked for when something changes by itself. */
export interface LatestRequest<C extends MessageContext> {
  readonly request: Request;
  readonly context: C;
}

/** What a client was shown of each list that it can have seen. */
export type Shown = ReadonlyMap<Kind, string>;

/**
 * What the session shows now, as text: a definition that changed is a change of the list too.
 *
 * @param held the lists that were taken of the server
 * @param configuration what is in effect for the session
 */
export function shownBy(held: ReadonlyMap<Kind, ListCatalog>, configuration: Configuration): Shown {
  return new Map(
    [...held].map(([kind, { bound }]) => [kind, JSON.stringify(select(bound, configuration).kept)]),
  );
}

/** @returns what is in effect for a connection's session, by itself */
export async function sessionConfiguration<C extends MessageContext>(
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
export async function changedSince<C extends MessageContext>(
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

/** Announces changes to the client, on the connection's own stream: they belong to no request. */
export function announce<C extends MessageContext>(
  scope: GateScope<C>,
  changed: ReadonlySet<Capability>,
  announced: readonly string[],
): void {
  for (const capability of CAPABILITIES) {
    if (!changed.has(capability) || !announced.includes(capability)) continue;
    scope.reply({ jsonrpc: '2.0', method: listChangedMethod(capability) });
  }
}
