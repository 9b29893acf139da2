import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { bindCatalog } from '../../engine/select.js';
import { itemsOf } from '../lists/filter-list.js';
import { type Answer, ERRORS, type Failure, LISTS, type Request, read } from '../messages/wire.js';
import type { GateScope, MessageContext } from '../request/request.js';
import type { Target } from './targets.js';
import { isReachedBy, type Lists } from './visibility.js';

/** A list that is too long to be held is searched for what a request reaches for; one that never ends, once. */
const MAX_PAGES = 300;

/**
 * Gets some of the server's lists; those that it does not have are left out.
 *
 * @param scope the gate
 * @param request on whose behalf the server is asked
 * @param context what the transport knows of it
 * @param wanted which lists; and what for: of a list that is too long to be held, that is all there will be
 * @param then gets the lists, and whether they are enough to judge by: one that could not be had may hold what is hidden
 */
export function withLists<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  { kinds, targets = [] }: { readonly kinds: readonly Kind[]; readonly targets?: readonly Target[] },
  then: (lists: Lists, enough: boolean) => void,
): void {
  const lists: { -readonly [K in Kind]?: Lists[K] } = {};
  let enough = true;
  const next = (index: number): void => {
    const kind = kinds[index];
    if (kind === undefined) return then(lists, enough);
    scope.catalogs.get(kind, scope.ask(request, context), (outcome) => {
      if (outcome.state === 'complete') lists[kind] = outcome.catalog.bound;
      if (outcome.state === 'failed' && outcome.error.code !== ERRORS.methodNotFound) enough = false;
      if (outcome.state !== 'unbounded') return next(index + 1);
      search(scope, request, context, kind, targets, (found) => {
        if (found === undefined) enough = false;
        else lists[kind] = bindCatalog(scope.policy, kind, found);
        next(index + 1);
      });
    });
  };
  next(0);
}

/** @param then gets what the list holds of the targets; nothing if that could not be found out */
function search<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  kind: Kind,
  targets: readonly Target[],
  then: (found: readonly Primitive[] | undefined) => void,
): void {
  if (targets.length === 0 || scope.catalogs.isEndless(kind)) return then(undefined);
  const ask = scope.ask(request, context);
  const reached = targets.map(({ name }) => isReachedBy(kind, name));
  const found: Primitive[] = [];
  let pages = 0;
  const onPage = (response: Answer | Failure): void => {
    if ('error' in response) return then(undefined);
    const items = itemsOf(kind, response.result) ?? [];
    found.push(...items.filter((item) => reached.some((by) => by(identityOf(kind, item)))));
    const cursor = read(response.result, 'nextCursor');
    // To its end, also where it is found: how long it takes, and what becomes of it, must not tell that it is there.
    if (typeof cursor !== 'string') return then(found);
    if (++pages >= MAX_PAGES) {
      scope.catalogs.setEndless(kind);
      return then(undefined);
    }
    ask(LISTS[kind].method, { cursor }, onPage);
  };
  ask(LISTS[kind].method, {}, onPage);
}
