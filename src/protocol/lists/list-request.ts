import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { redactUnder } from '../access/failure-redaction.js';
import { itemsOf, type WholeList, wholeListOf } from '../catalog/whole-list.js';
import { CURSOR_MESSAGES, type CursorTarget, cutPage, isGateCursor } from '../messages/cursor.js';
import { nowOrLater } from '../messages/now-or-later.js';
import { isSealed, openCursor, sealCursor } from '../messages/sealed-cursor.js';
import { type Answer, answer, ERRORS, type Failure } from '../messages/wire.js';
import { canChange, unshared } from '../request/can-change.js';
import type { Exchange } from '../request/exchange.js';
import { withConfiguration } from '../request/with-configuration.js';
import { answerPage, cursorTarget } from './answer-page.js';
import { applyListFilter, type ListFilter, readListFilter } from './client-filter.js';
import { filterList, withWarnings } from './filter-list.js';
import { ownListOnly, withOwnEntries } from './own-entries.js';
import { callableTools, toolsOfEra } from './task-support.js';
import { withoutHiddenUi } from './ui-links.js';

/** What a list request asks for: the kind of primitives, and the client's own filter. */
interface ListQuery {
  readonly kind: Kind;
  readonly filter: ListFilter | undefined;
  readonly filterKey: string;
}

/**
 * Handles a list request. Passes it to the server if nothing can be hidden or cut; otherwise answers it from the
 * server's whole list. Concerns apply first, then the client's own filter (SEP-2564), then paging.
 *
 * @param exchange the list request
 * @returns a promise if the session store must be waited for
 */
export function judgeList(exchange: Exchange): void | Promise<void> {
  const own = readListFilter(exchange.request.params, kindOf(exchange));
  if (!own.ok) return exchange.refuse(ERRORS.invalidParams, own.message);
  return withConfiguration(exchange, () => {
    const { connection } = exchange;
    connection.listed = exchange.configuration;
    if (connection.relisted === false && kindOf(exchange) === 'tools') connection.relisted = true;
    connection.observer?.listed();
    passOrAnswer(exchange);
  });
}

/** Only the rows of lists have these handlers. */
const kindOf = ({ route }: Exchange): Kind => (route.to === 'list' ? route.kind : 'tools');

function queryOf(exchange: Exchange): ListQuery {
  const kind = kindOf(exchange);
  const own = readListFilter(exchange.request.params, kind);
  return { kind, filter: own.ok ? own.filter : undefined, filterKey: own.ok ? own.key : '' };
}

const UNBOUNDED: ConcernWarning = {
  code: 'unbounded-list',
  message: 'The list is too long to be read at once. It is filtered page by page, so pages may be short.',
};

function passOrAnswer(exchange: Exchange): void {
  const { catalog } = exchange.connection;
  const { params } = exchange.request;
  const query = queryOf(exchange);
  const cursor = params?.cursor;
  if (isSealed(cursor)) {
    // The pages before this one were already fetched, so a new server instance does not have to list them again.
    const opened = openCursor(cursor, serverPageTarget(exchange, query));
    if (!opened.ok) return exchange.refuse(ERRORS.invalidParams, CURSOR_MESSAGES[opened.reason]);
    return exchange.pass({ ...params, cursor: opened.cursor });
  }
  const rewrites = mustRewrite(exchange, query);
  const passPage = (): void => {
    // A client has a cursor of the server itself only if nothing is hidden from it.
    if (cursor === undefined || !rewrites) return exchange.pass();
    exchange.refuse(ERRORS.invalidParams, CURSOR_MESSAGES.malformed);
  };
  if (catalog.isUnbounded(query.kind)) return passPage();
  // The gate also made a cursor if it cut a list only because of its size.
  const fromGate = cursor !== undefined && isGateCursor(cursor);
  if (!rewrites && !fromGate) return exchange.pass();

  exchange.hold();
  catalog.get(query.kind, exchange.policy, exchange.ask, (outcome) => {
    if (!exchange.resume()) return;
    if (outcome.state === 'unbounded') return passPage();
    if (outcome.state === 'failed') {
      const own = ownListOnly(exchange, query.kind, outcome.error);
      if (own !== undefined) return exchange.reply(unshared(exchange.era, own));
      exchange.report({ error: outcome.error.code });
      const failed: Failure = { jsonrpc: '2.0', id: exchange.clientId, error: outcome.error };
      return exchange.fail(redactUnder(exchange, exchange.configuration, failed).error);
    }
    answerWholeList(exchange, query, outcome.list);
  });
}

function answerWholeList(exchange: Exchange, { kind, filter, filterKey }: ListQuery, whole: WholeList): void {
  const { configuration } = exchange;
  const filtered = filterList(whole, configuration, configuration.warnings, (shown) =>
    applyListFilter(kind, callableTools(exchange, kind, shown), filter),
  );
  const { kept, shown, total, hidden, rest, meta } = filtered;
  const answerWith = (items: readonly object[]): void =>
    answerPage(exchange, {
      field: kind,
      items: toolsOfEra(exchange, kind, items),
      // Only of what this client is shown: its cursors must not reveal changes of hidden primitives.
      identities: () => kept.map((item) => identityOf(kind, item)),
      filterKey,
      rest,
      meta,
      counts: { shown, total, hidden },
      list: { kind, items: whole.bound.items },
      warnings: [...exchange.logged, ...filtered.warnings],
    });
  let answered = false;
  let waits = false;
  withoutHiddenUi(exchange, kind, filtered.items, (items) => {
    answered = true;
    if (!waits || exchange.resume()) answerWith(items);
  });
  if (answered) return;
  waits = true;
  exchange.hold();
}

/** For a list that is not known as a whole, `catalog` is only its kind. */
function serverPageTarget({ configuration }: Exchange, { kind, filterKey }: ListQuery): CursorTarget {
  const { policy, key } = configuration;
  return { catalog: kind, policy: policy.digest, configuration: key, filter: filterKey };
}

/** Returns whether the answer to this request may differ from the server's own. */
function mustRewrite({ policy, configuration }: Exchange, { filter }: ListQuery): boolean {
  return filter !== undefined || policy.settings.pageSize !== undefined || canChange(configuration);
}

/** Returns the answer to a list request that was passed; the same object if nothing is hidden and nothing to add. */
export function settleList(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  const query = queryOf(exchange);
  if ('error' in message) {
    const own = ownListOnly(exchange, query.kind, message.error);
    if (own === undefined) return redactUnder(exchange, exchange.configuration, message);
    return answer(exchange.request, unshared(exchange.era, own));
  }
  return mustRewrite(exchange, query)
    ? filterServerPage(exchange, query, message)
    : finishFullList(exchange, query, message);
}

/** A list from which nothing is hidden. It is cut only if it is one page that is too large. */
function finishFullList(exchange: Exchange, { kind, filterKey }: ListQuery, message: Answer): Answer {
  const { warnings } = exchange.configuration;
  const listedItems = itemsOf(kind, message.result) ?? [];
  const items = callableTools(exchange, kind, listedItems);
  const counts = { shown: items.length, total: listedItems.length };
  exchange.reportConcerns([...exchange.logged, ...warnings], counts, undefined, { list: { kind, items } });
  const isWhole = message.result.nextCursor === undefined && exchange.request.params?.cursor === undefined;
  const identities = () => items.map((item) => identityOf(kind, item));
  const target = () => cursorTarget(exchange, { field: kind, identities, filterKey });
  const page = isWhole ? cutPage(items, undefined, target) : undefined;
  const isCut = page?.ok === true && page.nextCursor.nextCursor !== undefined;
  const sent = toolsOfEra(exchange, kind, isCut ? page.items : items);
  const isSame = sent === listedItems;
  const given = isSame
    ? message.result
    : { ...message.result, [kind]: sent, ...(isCut ? page.nextCursor : {}) };
  const listed = withOwnEntries(exchange, { kind, items: listedItems, filterKey }, given);
  const result = unshared(exchange.era, withWarnings(listed, warnings));
  return result === message.result ? message : { ...message, result };
}

/** One page of a list that is too long to be cached. */
function filterServerPage(exchange: Exchange, query: ListQuery, message: Answer): Answer | Promise<Answer> {
  const { kind, filter } = query;
  const { configuration } = exchange;
  const { nextCursor } = message.result;
  const page = wholeListOf(exchange.policy, kind, [message.result]);
  const filtered = filterList(page, configuration, [...configuration.warnings, UNBOUNDED], (shown) =>
    applyListFilter(kind, callableTools(exchange, kind, shown), filter),
  );
  const { shown, total, hidden, rest, meta } = filtered;
  const list = { kind, items: page.bound.items };
  const warnings = [...exchange.logged, ...filtered.warnings];
  exchange.reportConcerns(warnings, { shown, total, hidden }, undefined, { list });
  const next =
    typeof nextCursor === 'string'
      ? { nextCursor: sealCursor(serverPageTarget(exchange, query), nextCursor) }
      : {};
  return nowOrLater((then) => {
    withoutHiddenUi(exchange, kind, filtered.items, (items) => {
      const listed = withOwnEntries(
        exchange,
        { kind, items: page.bound.items, filterKey: query.filterKey },
        { ...rest, [kind]: toolsOfEra(exchange, kind, items), ...next, ...meta },
      );
      then({ ...message, result: unshared(exchange.era, listed) });
    });
  });
}

/**
 * Filters a list in a response that belongs to no pending request: the request was cancelled, or its id used again.
 *
 * @param message the response
 * @param configuration the configuration of the latest list request
 * @returns the response for the client; the same object if it contains no list, or nothing can be hidden
 */
export function filterUnexpected(message: Answer, configuration: Configuration): Answer {
  const kind = KINDS.find((each) => itemsOf(each, message.result) !== undefined);
  if (kind === undefined || !canChange(configuration)) return message;
  const page = wholeListOf(configuration.policy, kind, [message.result]);
  const keepAll = (shown: readonly Primitive[]) => shown;
  const { rest, items, meta } = filterList(page, configuration, [], keepAll);
  return { ...message, result: { ...rest, [kind]: items, ...meta } };
}
