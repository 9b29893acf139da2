import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { bindCatalog } from '../../engine/select.js';
import { getOrMake } from '../../once.js';
import { ERRORS, LISTS } from '../../wire/messages.js';
import { askForPages } from '../../wire/page-walker.js';
import { targetMatcher } from '../enforce/visibility.js';
import { FRESH } from '../request/catalog-cache.js';
import type { FoundLists, Lists, NeededLists, Target } from '../request/decision.js';
import { itemsOf } from '../request/whole-list.js';
import type { Exchange } from './exchange.js';

/** How far to search a list that is too long to be cached. A list with more pages is searched only once. */
const BOUNDS = { pages: 300, milliseconds: 60_000 };

/**
 * Gets some of the server's lists. Lists that the server does not have are omitted.
 *
 * @param exchange the request, on whose behalf the server is asked
 * @param needed the lists to get
 * @param then called with the lists
 */
export function withLists(
  exchange: Exchange,
  { kinds, targets = [], again = true }: NeededLists,
  then: (found: FoundLists) => void,
): void {
  const { servers } = exchange.connection.catalog;
  const lists: { -readonly [K in keyof Lists]: Lists[K] } = { servers };
  let enough = true;
  const { policy, connection } = exchange;
  const usual = again ? undefined : FRESH.heldMs;
  const next = (index: number, freshMs = usual): void => {
    const kind = kinds[index];
    if (kind === undefined) return then({ lists, enough });
    connection.catalog.get(
      kind,
      policy,
      exchange.ask,
      (outcome) => {
        const isUnknown = (): boolean => {
          if (outcome.state !== 'complete') return false;
          const { items } = outcome.list.bound;
          const known = getOrMake(
            identities,
            items,
            () => new Set(items.map((each) => identityOf(kind, each))),
          );
          return targets.some(({ name }) => {
            if (known.has(name)) return false;
            const matches = targetMatcher(kind, name, servers);
            return !items.some((each) => matches(identityOf(kind, each)));
          });
        };
        if (freshMs === undefined && isUnknown()) return next(index, FRESH.nameMs);
        if (outcome.state === 'complete') lists[kind] = outcome.list.bound;
        if (outcome.state === 'failed' && outcome.error.code !== ERRORS.methodNotFound) enough = false;
        if (outcome.state !== 'unbounded') return next(index + 1);
        search(exchange, kind, targets, (found) => {
          if (found === undefined) enough = false;
          else lists[kind] = bindCatalog(policy, kind, found, servers);
          next(index + 1);
        });
      },
      freshMs,
    );
  };
  next(0);
}

/** The names or URIs of each list. */
const identities = new WeakMap<readonly Primitive[], ReadonlySet<string>>();

/** Calls `then` with the primitives that match the targets, or with `undefined` if the search did not reach the end. */
function search(
  exchange: Exchange,
  kind: Kind,
  targets: readonly Target[],
  then: (found: readonly Primitive[] | undefined) => void,
): void {
  const { catalog } = exchange.connection;
  if (targets.length === 0 || catalog.endless.has(kind)) return then(undefined);
  const matchers = targets.map(({ name }) => targetMatcher(kind, name, catalog.servers));
  const found: Primitive[] = [];
  const onPage = (page: unknown): number => {
    const items = itemsOf(kind, page) ?? [];
    for (const item of items) {
      if (matchers.some((matches) => matches(identityOf(kind, item)))) found.push(item);
    }
    return items.length;
  };
  // Always to the end of the list: the time that it takes must not reveal that a target exists.
  askForPages(exchange.ask, LISTS[kind].method, { bounds: BOUNDS, onPage }, (end) => {
    if (end.kind === 'too-many-pages' || end.kind === 'repeated-cursor') catalog.endless.add(kind);
    then(end.kind === 'complete' ? found : undefined);
  });
}
