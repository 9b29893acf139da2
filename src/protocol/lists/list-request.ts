import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { CURSOR_MESSAGES, type CursorTarget, cutPage, isGateCursor } from '../messages/cursor.js';
import { isSealed, openCursor, sealCursor } from '../messages/sealed-cursor.js';
import { type Answer, ERRORS, type Era, eraOf, LISTS, type Request } from '../messages/wire.js';
import { withConfiguration } from '../request/preferences.js';
import { reportConcerns } from '../request/report.js';
import { type MessageContext, refuse } from '../request/request.js';
import { answerPage, cursorTarget } from './answer-page.js';
import { applyListFilter, type ListFilter, readListFilter } from './client-filter.js';
import {
  canChange,
  filterList,
  itemsOf,
  unshared,
  type WholeList,
  wholeListOf,
  withWarnings,
} from './filter-list.js';
import type { GateScope } from './gate-scope.js';

/** A list request whose configuration and filter are known. */
export interface ConfiguredList {
  readonly kind: Kind;
  readonly era: Era;
  readonly configuration: Configuration;
  readonly filter: ListFilter | undefined;
  readonly filterKey: string;
  /** Warnings for the log only. */
  readonly logged: readonly ConcernWarning[];
}

/** A list request that the server answers: the whole list, or page by page if it is too long to be cached. */
export interface ExpectedList extends ConfiguredList {
  readonly as: 'list';
  /** The request as the server receives it. */
  readonly request: Request;
}

/** How the gate continues with a list request once the configuration is known. */
export interface ListPorts {
  /** Lets the server answer. */
  pass(expected: ExpectedList): void;
  /** Lets the gate answer later. `done` returns false if the client cancelled the request before. */
  wait(list: ConfiguredList): { done(): boolean };
}

/**
 * Handles a list request. Passes it to the server if nothing can be hidden or cut; otherwise answers it from the
 * server's whole list. Concerns apply first, then the client's own filter (SEP-2564), then paging.
 *
 * @param scope the gate
 * @param kind the kind of primitives to list
 * @param request the request
 * @param context what the transport knows about the request
 * @param ports how to continue
 * @returns a promise if the session store must be waited for
 */
export function listPrimitives<C extends MessageContext>(
  scope: GateScope<C>,
  kind: Kind,
  request: Request,
  context: C,
  ports: ListPorts,
): void | Promise<void> {
  const own = readListFilter(request.params, kind);
  if (!own.ok) return refuse(scope, request, ERRORS.invalidParams, own.message);
  const era = eraOf(request);
  return withConfiguration(scope, request, context, (configuration, logged) => {
    const list = { kind, era, configuration, filter: own.filter, filterKey: own.key, logged };
    passOrAnswer(scope, request, context, list, ports);
  });
}

const UNBOUNDED: ConcernWarning = {
  code: 'unbounded-list',
  message: 'The list is too long to be read at once. It is filtered page by page, so pages may be short.',
};

function passOrAnswer<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  list: ConfiguredList,
  ports: ListPorts,
): void {
  const expected: ExpectedList = { ...list, as: 'list', request };
  const cursor = request.params?.cursor;
  if (isSealed(cursor)) {
    // The pages before this one were already fetched, so a new server instance does not have to list them again.
    const opened = openCursor(cursor, serverPageTarget(list));
    if (!opened.ok) return refuse(scope, request, ERRORS.invalidParams, CURSOR_MESSAGES[opened.reason]);
    const params = { ...request.params, cursor: opened.cursor };
    return ports.pass({ ...expected, request: { ...request, params } });
  }
  const rewrites = mustRewrite(list);
  const passPage = (): void => {
    // A client has a cursor of the server itself only if nothing is hidden from it.
    if (cursor === undefined || !rewrites) return ports.pass(expected);
    refuse(scope, request, ERRORS.invalidParams, CURSOR_MESSAGES.malformed);
  };
  if (scope.catalog.isUnbounded(list.kind)) return passPage();
  // The gate also made a cursor if it cut a list only because of its size.
  const fromGate = cursor !== undefined && isGateCursor(cursor);
  if (!rewrites && !fromGate) return ports.pass(expected);

  const waiting = ports.wait(list);
  const { policy } = list.configuration;
  scope.catalog.get(list.kind, policy, scope.ask(request, context), (outcome) => {
    // A request that was cancelled must not be answered.
    if (!waiting.done()) return;
    if (outcome.state === 'unbounded') return passPage();
    if (outcome.state === 'failed') {
      scope.report({ method: request.method, era: list.era, error: outcome.error.code });
      return scope.reply({ jsonrpc: '2.0', id: request.id, error: outcome.error });
    }
    answerWholeList(scope, request, list, outcome.list);
  });
}

function answerWholeList<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  { kind, configuration, filter, filterKey, logged }: ConfiguredList,
  whole: WholeList,
): void {
  const filtered = filterList(whole, configuration, configuration.warnings, (shown) =>
    applyListFilter(kind, shown, filter),
  );
  const { kept, items, shown, total, hidden, rest, meta } = filtered;
  answerPage(scope, request, {
    field: kind,
    items,
    // Only of what this client is shown: its cursors must not reveal changes of hidden primitives.
    identities: () => kept.map((item) => identityOf(kind, item)),
    configuration,
    filterKey,
    rest,
    meta,
    counts: { shown, total, hidden },
    warnings: [...logged, ...filtered.warnings],
  });
}

/** For a list that is not known as a whole, `catalog` is only its kind. */
function serverPageTarget({ kind, configuration, filterKey }: ConfiguredList): CursorTarget {
  const { policy, key } = configuration;
  return { catalog: kind, policy: policy.digest, configuration: key, filter: filterKey };
}

/** Returns whether the answer to this request may differ from the server's own. */
function mustRewrite({ configuration, filter }: ConfiguredList): boolean {
  const { pageSize } = configuration.policy.settings;
  return filter !== undefined || pageSize !== undefined || canChange(configuration);
}

/**
 * Rewrites the server's answer to a list request that was passed to it.
 *
 * @param scope the gate
 * @param message the server's answer
 * @param expected the request
 * @returns the answer for the client; the same object if nothing can be hidden and there is nothing to add
 */
export function finishPassedList<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer,
  expected: ExpectedList,
): Answer {
  return mustRewrite(expected)
    ? filterServerPage(scope, message, expected)
    : finishFullList(scope, message, expected);
}

/** A list from which nothing is hidden. It is cut only if it is one page that is too large. */
function finishFullList<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer,
  { kind, era, configuration, logged, filterKey, request }: ExpectedList,
): Answer {
  const { warnings } = configuration;
  const items = itemsOf(kind, message.result) ?? [];
  const counts = { shown: items.length, total: items.length };
  reportConcerns(scope, { method: LISTS[kind].method, era }, configuration, [...logged, ...warnings], counts);
  const isWhole = message.result.nextCursor === undefined && request.params?.cursor === undefined;
  const identities = () => items.map((item) => identityOf(kind, item));
  const target = () => cursorTarget({ field: kind, identities, configuration, filterKey });
  const page = isWhole ? cutPage(items, undefined, target) : undefined;
  const isCut = page?.ok === true && page.nextCursor.nextCursor !== undefined;
  const given = isCut ? { ...message.result, [kind]: page.items, ...page.nextCursor } : message.result;
  const result = unshared(era, withWarnings(given, warnings));
  return result === message.result ? message : { ...message, result };
}

/** One page of a list that is too long to be cached. */
function filterServerPage<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer,
  expected: ExpectedList,
): Answer {
  const { kind, era, configuration, filter, logged } = expected;
  const { nextCursor } = message.result;
  const page = wholeListOf(configuration.policy, kind, [message.result]);
  const filtered = filterList(page, configuration, [...configuration.warnings, UNBOUNDED], (shown) =>
    applyListFilter(kind, shown, filter),
  );
  const { shown, total, hidden, items, rest, meta } = filtered;
  const counts = { shown, total, hidden };
  const warnings = [...logged, ...filtered.warnings];
  reportConcerns(scope, { method: LISTS[kind].method, era }, configuration, warnings, counts);
  const next =
    typeof nextCursor === 'string' ? { nextCursor: sealCursor(serverPageTarget(expected), nextCursor) } : {};
  return { ...message, result: unshared(era, { ...rest, [kind]: items, ...next, ...meta }) };
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
