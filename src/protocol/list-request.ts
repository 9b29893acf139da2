import type { ConcernWarning, Configuration } from '../engine/configuration.js';
import { KINDS, type Kind } from '../engine/policy.js';
import type { SessionRead } from '../session/store.js';
import { canChange, catalogOf, filterList, itemsOf, withWarnings } from './lists.js';
import { readPreferences } from './preferences.js';
import {
  configure,
  type GateScope,
  type MessageContext,
  refuse,
  refuseValue,
  reportConcerns,
  storeWarning,
} from './scope.js';
import { type Answer, answer, ERRORS, LISTS, type Request } from './wire.js';

/** A list that the server answers itself: whole, or page by page where it is too long to be held. */
export interface ExpectedList {
  readonly as: 'list';
  readonly kind: Kind;
  readonly configuration: Configuration;
  readonly filter: boolean;
}

/** How a list request goes on once it is known what is in effect. */
export interface ListPorts {
  /** Lets the server answer. */
  pass(expected: ExpectedList): void;
  /** The gate answers later, through `done`, which tells whether the request still waits for it. */
  wait(expected: ExpectedList): { done(): boolean };
}

/**
 * Judges a list request: lets it pass where nothing can be hidden, else answers it from the server's whole list.
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
  const judge = (session: SessionRead, logged: readonly ConcernWarning[]): void => {
    const configuration = configure(scope.policy, request, context, session);
    const [invalid] = configuration.invalid;
    if (invalid !== undefined) return refuseValue(scope, request, invalid);
    const filter = canChange(scope.policy, configuration);
    const expected: ExpectedList = { as: 'list', kind, configuration, filter };
    if (!filter || scope.catalogs.isUnbounded(kind)) return ports.pass(expected);
    if (request.params?.cursor !== undefined) {
      const message =
        'This cursor does not belong to the list as it is filtered now; list again without a cursor.';
      return refuse(scope, request, ERRORS.invalidParams, message);
    }
    answerFromCatalog(scope, request, context, expected, logged, ports);
  };

  const session = readPreferences(scope.preferences);
  if (!(session instanceof Promise)) return judge(session, []);
  return session.then(
    (found) => judge(found, found.state === 'live' ? [] : [UNKNOWN_SESSION]),
    (cause) => judge({ state: 'unknown' }, [storeWarning('read', cause)]),
  );
}

const UNKNOWN_SESSION: ConcernWarning = {
  code: 'unknown-session',
  message: 'The session is not known here, or expired; it is served as one that was never configured.',
};

const UNBOUNDED: ConcernWarning = {
  code: 'unbounded-list',
  message: 'The list is too long to be held, so it is filtered page by page, and pages may be short.',
};

function answerFromCatalog<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  expected: ExpectedList,
  logged: readonly ConcernWarning[],
  ports: ListPorts,
): void {
  const { kind, configuration } = expected;
  const waiting = ports.wait(expected);
  scope.catalogs.get(kind, scope.ask(context), (outcome) => {
    // A request that was cancelled meanwhile gets no answer.
    if (!waiting.done()) return;
    if (outcome.state === 'unbounded') return ports.pass(expected);
    if (outcome.state === 'failed') {
      scope.report({ method: request.method, error: outcome.error.code });
      return scope.reply({ jsonrpc: '2.0', id: request.id, error: outcome.error });
    }
    const { result, selection, warnings } = filterList(
      outcome.catalog,
      configuration,
      configuration.warnings,
    );
    const { kept, total } = selection;
    reportConcerns(scope, request.method, configuration, [...logged, ...warnings], {
      shown: kept.length,
      total,
    });
    scope.reply(answer(request.id, result));
  });
}

/**
 * Takes the server's own answer to a list request that was let pass.
 *
 * @returns the answer as the client gets it; the very same where nothing can be hidden and nothing is to be said
 */
export function finishList<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer,
  { kind, configuration, filter }: ExpectedList,
): Answer {
  const { method } = LISTS[kind];
  const { warnings } = configuration;
  if (!filter) {
    const total = itemsOf(kind, message.result)?.length ?? 0;
    reportConcerns(scope, method, configuration, warnings, { shown: total, total });
    return warnings.length === 0 ? message : { ...message, result: withWarnings(message.result, warnings) };
  }
  const catalog = catalogOf(scope.policy, kind, [message.result]);
  const { result, selection, warnings: all } = filterList(catalog, configuration, [...warnings, UNBOUNDED]);
  reportConcerns(scope, method, configuration, all, { shown: selection.kept.length, total: selection.total });
  const { nextCursor } = message.result;
  return { ...message, result: nextCursor === undefined ? result : { ...result, nextCursor } };
}

/** A list that nobody is known to have asked for (a cancelled request, a reused id) is filtered like any other. */
export function filterUnexpected<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer,
  configuration: Configuration,
): Answer {
  const kind = KINDS.find((each) => itemsOf(each, message.result) !== undefined);
  if (kind === undefined || !canChange(scope.policy, configuration)) return message;
  const { result } = filterList(catalogOf(scope.policy, kind, [message.result]), configuration, []);
  return { ...message, result };
}
