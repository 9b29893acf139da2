import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { select } from '../../engine/select.js';
import {
  type Answer,
  answer,
  ERRORS,
  type Failure,
  LISTS,
  membersOf,
  SERVER_INFO_META,
} from '../../wire/messages.js';
import { NOTHING } from '../enforce/exceptions.js';
import { failRedacted, redactFailure, redactRecords } from '../enforce/redaction.js';
import { type ListOutcome, outcomeOf } from '../request/catalog-cache.js';
import { canChange, unshared } from '../request/configure.js';
import {
  ask,
  pass,
  type RequestOutcome,
  type RequestSteps,
  type ResponseOutcome,
  type ResponseSteps,
  refusal,
  refuse,
  reply,
} from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';
import { CURSOR_MESSAGES } from '../request/messages.js';
import {
  type NameFilter,
  passesNameFilters,
  readNameFilters,
  warnOfUnknownNames,
} from '../request/name-filters.js';
import { describeConcerns } from '../request/report.js';
import { itemsOf, type WholeList, wholeListOf, withoutReserved } from '../request/whole-list.js';
import { answerPage, cutPage, listTarget, type PagedList } from './answer-page.js';
import { withCacheHints } from './cache-hints.js';
import { applyListFilter, type ReadListFilter, readListFilter } from './client-filter.js';
import { cursorOf, cursorTarget, isGateCursor, isSealed, openCursor, sealCursor } from './cursor.js';
import { type FilteredList, filterList, withWarnings } from './filter-list.js';
import { ownListOnly, withOwnEntries } from './own-entries.js';
import { withOutsideNames } from './sibling-names.js';
import { callableTools, toolsOfEra, withoutHiddenUi } from './tools-for-client.js';

/** What a list request asks for: the kind of primitives, and the client's own filter. */
interface ListQuery extends Omit<Extract<ReadListFilter, { readonly ok: true }>, 'key'> {
  readonly kind: Kind;
  /** The name filters of the URL and the headers, if the policy accepts them. */
  readonly names: readonly NameFilter[];
  readonly filterKey: string;
}

/**
 * Handles a list request. Passes it to the server if nothing can be hidden or cut; otherwise answers it from the
 * server's whole list. Concerns apply first, then the client's own filter (SEP-2564), then paging.
 */
export function* judgeList(asked: RequestFacts): RequestSteps<RequestOutcome> {
  const query = queryOf(asked);
  if (!query.ok) return refuse(ERRORS.invalidParams, query.message);
  const facts = yield* ask({ need: 'preferences', invalid: 'refuse' });
  const { request, era } = facts;
  const cursor = cursorOf(facts);
  if (cursor !== undefined && isSealed(cursor)) {
    // The pages before this one were already fetched, so a new server instance does not have to list them again.
    const opened = openCursor(cursor, cursorTarget(facts, query.kind, query.filterKey));
    if (!opened.ok) return refuse(ERRORS.invalidParams, CURSOR_MESSAGES[opened.reason]);
    return { to: 'server', params: { ...request.params, cursor: opened.cursor } };
  }
  const rewrites = mustRewrite(facts, query);
  // Joining takes four times as long as the slowest server (3 servers, 600 tools), so a client that stays shares the kept list.
  const isKept = facts.connection.lasts && facts.connection.servers.size > 0;
  // The gate also made a cursor if it cut a list only because of its size.
  const fromGate = cursor !== undefined && isGateCursor(cursor);
  if (!rewrites && !fromGate && !isKept) return pass(facts);
  const found = yield* listMatching(facts, query);
  if (found.state === 'complete') return yield* answerWholeList(facts, query, found.list);
  if (found.state === 'unbounded') {
    // A client has a cursor of the server itself only if nothing is hidden from it.
    const isOfServer = cursor === undefined || !rewrites;
    return isOfServer ? pass(facts) : refuse(ERRORS.invalidParams, CURSOR_MESSAGES.malformed);
  }
  const only = ownListOnly(facts, query.kind, found.error);
  if (only !== undefined) return reply(unshared(era, only));
  return yield* failRedacted(facts, found.error);
}

/** How far to follow the pages of a list that the server filters: it is fetched for this request alone. */
const BOUNDS = { items: 50_000, pages: 100, milliseconds: 60_000 };

/** Returns the server's whole list; of one with a vendor filter (SEP-2564), what the server finds for it. */
function* listMatching(facts: RequestFacts, { kind, vendor }: ListQuery): ResponseSteps<ListOutcome> {
  if (vendor === undefined) return yield* ask({ need: 'whole', kind });
  const { pages, end } = yield* ask({
    need: 'pages',
    method: LISTS[kind].method,
    field: kind,
    bounds: BOUNDS,
    params: { filter: vendor },
  });
  return outcomeOf(end, () => wholeListOf(facts.policy, kind, pages, facts.connection.servers));
}

/** Only the rows of lists have these handlers. */
const kindOf = ({ route }: RequestFacts): Kind => (route.to === 'list' ? route.kind : 'tools');

function queryOf(facts: RequestFacts): ListQuery | Extract<ReadListFilter, { readonly ok: false }> {
  const kind = kindOf(facts);
  const own = readListFilter(facts.request.params, kind);
  if (!own.ok) return own;
  const { settings } = facts.policy;
  const names = kind === 'tools' && settings.nameFilters === true ? readNameFilters(facts.sender.http) : [];
  return { ...own, kind, names, filterKey: own.key + (names.length === 0 ? '' : JSON.stringify(names)) };
}

type ListFilters = Pick<ListQuery, 'kind' | 'filter' | 'names'>;

/** Applies the filters of the client, which only ever make a list shorter. */
function narrowed({ kind, filter, names }: ListFilters, shown: readonly Primitive[]): readonly Primitive[] {
  const filtered = applyListFilter(kind, shown, filter);
  if (names.length === 0) return filtered;
  const passes = passesNameFilters(names);
  return filtered.filter((item) => passes(identityOf(kind, item)));
}

/** Under `enforce`, a hidden name is as unknown as one that does not exist. */
function nameWarnings({ kind, names }: ListQuery, whole: WholeList, configuration: Configuration) {
  if (names.length === 0) return [];
  const { enforcement } = configuration.policy.settings;
  const items = enforcement === 'enforce' ? select(whole.bound, configuration).kept : whole.bound.items;
  const listed = items.map((item) => identityOf(kind, item));
  return warnOfUnknownNames(names, listed);
}

/** Filters a list, by the configuration and by the filters of the client, and returns it as this client knows it. */
export function* filterFor(
  facts: Facts,
  query: ListFilters,
  whole: WholeList,
  warnings: readonly ConcernWarning[],
): ResponseSteps<FilteredList & Pick<PagedList, 'list'>> {
  const { kind } = query;
  const rest = yield* withoutHiddenNames(facts, whole.rest);
  const found = filterList({ ...whole, rest }, facts.configuration, warnings, (shown) =>
    narrowed(query, callableTools(facts, kind, shown)),
  );
  const items = withOutsideNames(kind, yield* withoutHiddenUi(facts, kind, found.items));
  return {
    ...found,
    items: toolsOfEra(facts, kind, items),
    warnings: [...facts.logged, ...found.warnings],
    list: { kind, items: whole.bound.items },
  };
}

/**
 * Redacts what servers wrote into the `_meta` of a list. Unlike definitions, it can name what other lists have: it has the errors of
 * servers that are missing.
 */
function* withoutHiddenNames(facts: Facts, rest: WholeList['rest']): ResponseSteps<WholeList['rest']> {
  // Every answer of 2026-07-28 names its server. That alone does not need all lists.
  if (Object.keys(membersOf(rest._meta)).every((key) => key === SERVER_INFO_META)) return rest;
  const [redacted] = yield* redactRecords(facts, [{ _meta: rest._meta }], () => NOTHING);
  return { ...rest, ...membersOf(redacted) };
}

function* answerWholeList(facts: Facts, query: ListQuery, whole: WholeList): ResponseSteps<RequestOutcome> {
  const { kind, filterKey } = query;
  const { configuration } = facts;
  const told = [...configuration.warnings, ...nameWarnings(query, whole, configuration)];
  const { kept, shown, total, hidden, ...found } = yield* filterFor(facts, query, whole, told);
  return answerPage(facts, {
    ...found,
    // Only of what this client is shown: its cursors must not reveal changes of hidden primitives.
    identities: () => kept.map((item) => identityOf(kind, item)),
    filterKey,
    counts: { shown, total, hidden },
  });
}

/** Returns whether the answer to this request may differ from the server's own. */
function mustRewrite({ policy, configuration }: Facts, { filter, names }: ListQuery): boolean {
  return (
    filter !== undefined ||
    names.length > 0 ||
    policy.settings.pageSize !== undefined ||
    canChange(configuration)
  );
}

/** Returns the answer to a list request that was passed; the same object if nothing is hidden and nothing to add. */
export function* settleList(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  const query = queryOf(facts);
  if ('error' in message) {
    const own = ownListOnly(facts, kindOf(facts), message.error);
    if (own === undefined) return { message: yield* redactFailure(facts, message) };
    return { message: answer(facts.request, unshared(facts.era, own)) };
  }
  if (!query.ok) return refusal(facts, query.message, undefined, ERRORS.invalidParams);
  return mustRewrite(facts, query)
    ? yield* filterServerPage(facts, query, message)
    : finishFullList(facts, query, message);
}

/** A list from which nothing is hidden. It is cut only if it is one page that is too large. */
function finishFullList(facts: Facts, { kind, filterKey }: ListQuery, message: Answer): ResponseOutcome {
  const { configuration, logged, request, policy } = facts;
  const { warnings } = configuration;
  const listedItems = itemsOf(kind, message.result) ?? [];
  const offered = withoutReserved(policy, kind, listedItems);
  const items = withOutsideNames(kind, callableTools(facts, kind, offered.items));
  const isWhole = message.result.nextCursor === undefined && request.params?.cursor === undefined;
  const identities = () => items.map((item) => identityOf(kind, item));
  const list = { kind, items };
  const target = () => listTarget(facts, { list, identities, filterKey });
  const page = isWhole ? cutPage(items, undefined, target) : undefined;
  const isCut = page?.ok === true && page.nextCursor.nextCursor !== undefined;
  const sent = toolsOfEra(facts, kind, isCut ? page.items : items);
  const isSame = sent === listedItems;
  const given = isSame
    ? message.result
    : { ...message.result, [kind]: sent, ...(isCut ? page.nextCursor : {}) };
  const listed = withOwnEntries(facts, { kind, filterKey }, given);
  const result = withCacheHints(facts, withWarnings(listed, warnings), listedItems);
  return {
    message: result === message.result ? message : { ...message, result },
    tell: () => [
      describeConcerns(configuration, [...logged, ...warnings, ...offered.warnings], {
        shown: items.length,
        total: listedItems.length,
      }),
      { list },
    ],
  };
}

const UNBOUNDED_LIST: ConcernWarning = {
  code: 'unbounded-list',
  message: 'The list is too long to be read at once. It is filtered page by page, so pages may be short.',
};

/** One page of a list that is too long to be cached. */
function* filterServerPage(facts: Facts, query: ListQuery, message: Answer): ResponseSteps<ResponseOutcome> {
  const { kind } = query;
  const { configuration, policy } = facts;
  const { nextCursor } = message.result;
  const page = wholeListOf(policy, kind, [message.result], facts.connection.servers);
  const told = [...configuration.warnings, UNBOUNDED_LIST];
  const found = yield* filterFor(facts, query, page, told);
  const { items, shown, total, hidden, rest, meta, warnings, list } = found;
  const next =
    typeof nextCursor === 'string' || typeof nextCursor === 'number'
      ? { nextCursor: sealCursor(cursorTarget(facts, kind, query.filterKey), nextCursor) }
      : {};
  const listed = withOwnEntries(facts, query, { ...rest, [kind]: items, ...next, ...meta });
  return {
    message: { ...message, result: withCacheHints(facts, listed, list.items) },
    tell: () => [describeConcerns(configuration, warnings, { shown, total, hidden }), { list }],
  };
}

/**
 * Filters a list in a response that belongs to no pending request: the request was cancelled, or its id used again.
 *
 * @param message the response
 * @param configuration the configuration of the latest list request
 * @returns the response for the client; the same object if it contains no list, or nothing can be hidden
 */
export function filterUnexpected(
  message: Answer,
  configuration: Configuration,
  servers: ReadonlySet<string>,
): Answer {
  const kind = KINDS.find((each) => itemsOf(each, message.result) !== undefined);
  if (kind === undefined || !canChange(configuration)) return message;
  const page = wholeListOf(configuration.policy, kind, [message.result], servers);
  const { rest, items, meta } = filterList(page, configuration, [], (shown) => shown);
  return { ...message, result: { ...rest, [kind]: items, ...meta } };
}
