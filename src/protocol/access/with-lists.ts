import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import { bindCatalog } from '../../engine/select.js';
import { itemsOf } from '../lists/filter-list.js';
import type { GateScope } from '../lists/gate-scope.js';
import { askForPages } from '../messages/pending-requests.js';
import { ERRORS, LISTS, type Request } from '../messages/wire.js';
import type { MessageContext } from '../request/request.js';
import type { RequestTarget } from './targets.js';
import { type Lists, targetMatcher } from './visibility.js';

/** How far to search a list that is too long to be cached. A list with more pages is searched only once. */
const BOUNDS = { pages: 300, milliseconds: 60_000 };

/** Which lists an access check needs, and for which targets. */
export interface NeededLists {
  readonly policy: Policy;
  readonly kinds: readonly Kind[];
  /** From a list that is too long to be cached, only the primitives that match these are read. */
  readonly targets?: readonly RequestTarget[];
}

/**
 * Gets some of the server's lists. Lists that the server does not have are omitted.
 *
 * @param scope the gate
 * @param request the client's request, on whose behalf the server is asked
 * @param context what the transport knows about the request
 * @param needed the lists to get, and the policy of the request
 * @param then called with the lists. `enough` is false if a list could not be read: it may contain hidden primitives.
 */
export function withLists<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  { policy, kinds, targets = [] }: NeededLists,
  then: (lists: Lists, enough: boolean) => void,
): void {
  const lists: { -readonly [K in Kind]?: Lists[K] } = {};
  let enough = true;
  const next = (index: number): void => {
    const kind = kinds[index];
    if (kind === undefined) return then(lists, enough);
    scope.catalog.get(kind, policy, scope.ask(request, context), (outcome) => {
      if (outcome.state === 'complete') lists[kind] = outcome.list.bound;
      if (outcome.state === 'failed' && outcome.error.code !== ERRORS.methodNotFound) enough = false;
      if (outcome.state !== 'unbounded') return next(index + 1);
      search(scope, request, context, kind, targets, (found) => {
        if (found === undefined) enough = false;
        else lists[kind] = bindCatalog(policy, kind, found);
        next(index + 1);
      });
    });
  };
  next(0);
}

/** Calls `then` with the primitives that match the targets, or with `undefined` if the search did not reach the end. */
function search<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  kind: Kind,
  targets: readonly RequestTarget[],
  then: (found: readonly Primitive[] | undefined) => void,
): void {
  if (targets.length === 0 || scope.catalog.isEndless(kind)) return then(undefined);
  const matchers = targets.map(({ name }) => targetMatcher(kind, name));
  const found: Primitive[] = [];
  const onPage = (page: unknown): number => {
    const items = itemsOf(kind, page) ?? [];
    found.push(...items.filter((item) => matchers.some((matches) => matches(identityOf(kind, item)))));
    return items.length;
  };
  // Always to the end of the list: the time that it takes must not reveal that a target exists.
  askForPages(scope.ask(request, context), LISTS[kind].method, { bounds: BOUNDS, onPage }, (end) => {
    if (end.kind === 'too-many-pages' || end.kind === 'repeated-cursor') scope.catalog.setEndless(kind);
    then(end.kind === 'complete' ? found : undefined);
  });
}
