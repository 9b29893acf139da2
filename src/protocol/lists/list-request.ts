import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import {
  CURSOR_MESSAGES,
  type CursorTarget,
  digestOf,
  makeCursor,
  pageOf,
  readCursor,
} from '../messages/cursor.js';
import { isSealed, openCursor, sealCursor } from '../messages/sealed-cursor.js';
import { type Answer, answer, ERRORS, type Era, eraOf, LISTS, type Request } from '../messages/wire.js';
import {
  configure,
  type GateScope,
  type MessageContext,
  refuse,
  refuseValue,
  reportConcerns,
} from '../request/request.js';
import { withSession } from '../request/session-of.js';
import { applyListFilter, type ListFilter, readListFilter } from './client-filter.js';
import {
  canChange,
  catalogOf,
  filterList,
  itemsOf,
  type ListCatalog,
  unshared,
  withWarnings,
} from './filter-list.js';

/** What a client asked for with a list request. */
export interface AskedList {
  readonly kind: Kind;
  readonly era: Era;
  readonly configuration: Configuration;
  readonly filter: ListFilter | undefined;
  readonly filterKey: string;
  /** What only the log should know. */
  readonly logged: readonly ConcernWarning[];
}

/** A list that the server answers itself: whole, or page by page where it is too long to be held. */
export interface ExpectedList extends AskedList {
  readonly as: 'list';
  /** As the server gets it. */
  readonly request: Request;
}

/** How a list request goes on once it is known what is in effect. */
export interface ListPorts {
  /** Lets the server answer. */
  pass(expected: ExpectedList): void;
  /** The gate answers later; `done` tells whether the request still waits for it. */
  wait(asked: AskedList): { done(): boolean };
}

/**
 * Judges a list request: lets it pass where nothing can be hidden or cut, else answers it from the server's whole list.
 * Concerns come first, then the client's own filter (SEP-2564), then pages.
 *
 * @param scope the gate
 * @param kind the list that is asked for
 * @param request the request
 * @param context what the transport knows of it
 * @param ports how it goes on
 * @returns a promise where the store has to be waited for
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
  return withSession(scope, request, (session, logged) => {
    const configuration = configure(scope.policy, request, context, { session, meta: true });
    const [invalid] = configuration.invalid;
    if (invalid !== undefined) return refuseValue(scope, request, invalid);
    const asked: AskedList = { kind, era, configuration, filter: own.filter, filterKey: own.key, logged };
    goOn(scope, request, context, asked, ports);
  });
}

const UNBOUNDED: ConcernWarning = {
  code: 'unbounded-list',
  message: 'The list is too long to be held, so it is filtered page by page, and pages may be short.',
};

function goOn<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  asked: AskedList,
  ports: ListPorts,
): void {
  const expected: ExpectedList = { ...asked, as: 'list', request };
  const cursor = request.params?.cursor;
  if (isSealed(cursor)) {
    // The walk is behind: not even a new instance of the server has to be asked for everything again.
    const opened = openCursor(cursor, pageTarget(scope.policy, asked));
    if (!opened.ok) return refuse(scope, request, ERRORS.invalidParams, CURSOR_MESSAGES[opened.reason]);
    const params = { ...request.params, cursor: opened.cursor };
    return ports.pass({ ...expected, request: { ...request, params } });
  }
  const passPage = (): void => {
    // The server's own cursors were given to clients from whom nothing was hidden.
    const foreign = cursor !== undefined && mustAnswer(scope.policy, asked);
    if (!foreign) return ports.pass(expected);
    refuse(scope, request, ERRORS.invalidParams, CURSOR_MESSAGES.malformed);
  };
  if (scope.catalogs.isUnbounded(asked.kind)) return passPage();
  // A cursor of the gate's own is left from a list that was cut for its size.
  const own = cursor !== undefined && looksLikeOurs(cursor);
  if (!mustAnswer(scope.policy, asked) && !own) return ports.pass(expected);

  const waiting = ports.wait(asked);
  scope.catalogs.get(asked.kind, scope.ask(request, context), (outcome) => {
    // A request that was cancelled meanwhile gets no answer.
    if (!waiting.done()) return;
    if (outcome.state === 'unbounded') return passPage();
    if (outcome.state === 'failed') {
      scope.report({ method: request.method, era: asked.era, error: outcome.error.code });
      return scope.reply({ jsonrpc: '2.0', id: request.id, error: outcome.error });
    }
    answerPage(scope, request, asked, outcome.catalog);
  });
}

/** Of a list that nobody holds, pages depend on everything but the list. */
function pageTarget({ digest }: Policy, { kind, configuration, filterKey }: AskedList): CursorTarget {
  return { catalog: kind, policy: digest, configuration: configuration.key, filter: filterKey };
}

/** Whether the server's own answer may differ from what this request is to get. */
function mustAnswer(policy: Policy, { configuration, filter }: AskedList): boolean {
  return filter !== undefined || policy.settings.pageSize !== undefined || canChange(policy, configuration);
}

/** @returns whether a cursor was made by a gate, for whatever list */
export function looksLikeOurs(cursor: unknown): boolean {
  const read = readCursor(cursor, { catalog: '', policy: '', configuration: '', filter: '' });
  return read.ok || read.reason !== 'malformed';
}

function answerPage<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  asked: AskedList,
  catalog: ListCatalog,
): void {
  const { kind, configuration, filter, filterKey, logged, era } = asked;
  const filtered = filterList(catalog, configuration, configuration.warnings, (shown) =>
    applyListFilter(kind, shown, filter),
  );
  const { kept, shown, total, hidden } = filtered;
  const target = (): CursorTarget => ({
    // Of what this client is shown: a change among what is hidden from it is none of its business.
    catalog: digestOf([kind, ...kept.map((item) => identityOf(kind, item))]),
    policy: scope.policy.digest,
    configuration: configuration.key,
    filter: filterKey,
  });
  const { cursor } = request.params ?? {};
  const read = cursor === undefined ? ({ ok: true, offset: 0 } as const) : readCursor(cursor, target());
  if (!read.ok) return refuse(scope, request, ERRORS.invalidParams, CURSOR_MESSAGES[read.reason]);

  const { pageSize } = scope.policy.settings;
  const page = pageOf(filtered.items, read.offset, { pageSize });
  const nextCursor =
    page.next === undefined ? {} : { nextCursor: makeCursor({ ...target(), offset: page.next }) };
  const warnings = [...logged, ...filtered.warnings];
  reportConcerns(scope, { method: request.method, era }, configuration, warnings, { shown, total, hidden });
  const result = { ...filtered.rest, [kind]: page.items, ...nextCursor, ...filtered.meta };
  scope.reply(answer(request, unshared(era, result)));
}

/**
 * Takes the server's own answer to a list request that was let pass.
 *
 * @returns the answer as the client gets it; the very same where nothing can be hidden and nothing is to be said
 */
export function finishList<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer,
  expected: ExpectedList,
): Answer {
  const { kind, era, configuration, filter, logged, filterKey } = expected;
  const { method } = LISTS[kind];
  const { warnings } = configuration;
  if (!mustAnswer(scope.policy, expected)) {
    const items = itemsOf(kind, message.result) ?? [];
    const counts = { shown: items.length, total: items.length };
    reportConcerns(scope, { method, era }, configuration, [...logged, ...warnings], counts);
    const whole = message.result.nextCursor === undefined && expected.request.params?.cursor === undefined;
    const page = whole ? pageOf(items, 0) : { items };
    if (page.next !== undefined) {
      const target = {
        catalog: digestOf([kind, ...items.map((item) => identityOf(kind, item))]),
        policy: scope.policy.digest,
        configuration: configuration.key,
        filter: filterKey,
        offset: page.next,
      };
      const cut = { ...message.result, [kind]: page.items, nextCursor: makeCursor(target) };
      return { ...message, result: unshared(era, withWarnings(cut, warnings)) };
    }
    const result = unshared(era, withWarnings(message.result, warnings));
    return result === message.result ? message : { ...message, result };
  }
  const { nextCursor } = message.result;
  const catalog = catalogOf(scope.policy, kind, [message.result]);
  const filtered = filterList(catalog, configuration, [...warnings, UNBOUNDED], (shown) =>
    applyListFilter(kind, shown, filter),
  );
  const { shown, total, hidden, items, rest, meta } = filtered;
  const counts = { shown, total, hidden };
  reportConcerns(scope, { method, era }, configuration, [...logged, ...filtered.warnings], counts);
  const next =
    typeof nextCursor === 'string'
      ? { nextCursor: sealCursor(pageTarget(scope.policy, expected), nextCursor) }
      : {};
  return { ...message, result: unshared(era, { ...rest, [kind]: items, ...next, ...meta }) };
}

/** A list that nobody is known to have asked for (a cancelled request, a reused id) is filtered like any other. */
export function filterUnexpected<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer,
  configuration: Configuration,
): Answer {
  const kind = KINDS.find((each) => itemsOf(each, message.result) !== undefined);
  if (kind === undefined || !canChange(scope.policy, configuration)) return message;
  const catalog = catalogOf(scope.policy, kind, [message.result]);
  const { rest, items, meta } = filterList(
    catalog,
    configuration,
    [],
    (shown: readonly Primitive[]) => shown,
  );
  return { ...message, result: { ...rest, [kind]: items, ...meta } };
}
