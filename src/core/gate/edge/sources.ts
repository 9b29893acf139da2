import { listedUnder } from '../../engine/added-tools.js';
import type { ConcernWarning } from '../../engine/configuration.js';
import { ERRORS } from '../../wire/messages.js';
import { FRESH } from '../request/catalog-cache.js';
import { configure, sessionConfiguration } from '../request/configure.js';
import {
  type FactOf,
  type Need,
  type NeedName,
  type RequestOutcome,
  refuse,
  refuseValue,
} from '../request/decision.js';
import {
  readPrincipal,
  readStored,
  type StoredPreferences,
  unread,
  updateSession,
} from '../request/kept-preferences.js';
import { UNKNOWN_SESSION } from '../request/messages.js';
import { NO_WARNINGS } from '../request/name-filters.js';
import { readPages } from '../request/read-pages.js';
import { storeWarning } from '../request/report.js';
import type { Route } from '../table/routes.js';
import { askPerson } from './ask-person.js';
import { isChosen } from './chosen-prompt.js';
import type { Exchange } from './exchange.js';
import { withLists } from './server-lists.js';
import { makersOf, ownerOf } from './task-owners.js';

/** What a need is answered with, or why it cannot be. */
export type Fact = { readonly fact: FactOf<NeedName> } | { readonly cause: unknown };
/** The same, or the outcome that ends the request. */
export type FactResult<T = RequestOutcome> = Fact | { readonly end: T };

/** Whoever asks for something. */
export interface FactReceiver<T = RequestOutcome> {
  /** Called with what the need is answered with: before `provideFact` returns if that is at hand, otherwise later. */
  receive(found: FactResult<T>): void;
}

/** The needs that a source below answers. The server and the client answer the others by callbacks, see `provideFact`. */
type DirectNeed = Exclude<NeedName, 'whole' | 'lists' | 'pages' | 'person' | 'preferences'>;

/** A promise only if a store or a module must be waited for. */
const FACT_SOURCES: {
  readonly [N in DirectNeed]: (exchange: Exchange, need: Need<N>) => FactOf<N> | Promise<FactOf<N>>;
} = {
  configuration: (exchange) =>
    exchange.isConfigured ? exchange.configuration : sessionConfiguration(exchange),
  kept: (exchange) => readStored(exchange),
  principal: ({ connection }) => readPrincipal(connection.principal),
  keep({ connection: { preferences, principal }, era }, { place, change }) {
    if (place === 'session' && era === 'legacy') return updateSession(preferences, change);
    return principal?.place === 'store' ? principal.store.update(principal.id, change) : 'nowhere';
  },
  held: ({ connection, policy }) => connection.catalog.held(policy),
  owner: (exchange) => ownerOf(exchange),
  makers: ({ connection }, { taskIds }) => makersOf(connection.tasks, taskIds),
  remember: ({ connection }, { taskId, maker }) => connection.tasks.set(taskId, maker),
  tasks: ({ connection, sender }, { query }) =>
    connection.options.lister?.list(query, sender.extra) ?? { ok: true, tasks: [] },
  handshake: ({ gate }, { step }) => gate.handshake(step),
  announce: ({ gate, relatedTo }, { capabilities, isSwitch }) =>
    gate.announce(capabilities, isSwitch, relatedTo),
  chosen: ({ connection }, { prompt }) => isChosen(connection, prompt),
  // The module of the panel is loaded when it is first needed.
  panel: async () => (await import('../panel/answer-panel.js')).answerPanel,
};

/**
 * Provides what a decision needs.
 *
 * The server's lists are never waited for with a promise: the answer to a list that is not held is sent synchronously when
 * the server's last page arrives, which SDK v2 and servers of one request depend on.
 *
 * @param exchange the request on whose behalf the server, the client and the store are asked
 * @param need the need
 * @param receiver is told what the need is answered with
 */
export function provideFact(
  exchange: Exchange,
  need: Need<Exclude<NeedName, 'preferences'>>,
  receiver: FactReceiver<never>,
): void {
  const found = (fact: FactOf<NeedName>): void => receiver.receive({ fact });
  switch (need.need) {
    case 'whole':
      return exchange.connection.catalog.get(need.kind, exchange.policy, exchange.ask, found, FRESH.listMs);
    case 'lists':
      return withLists(exchange, need, found);
    case 'pages':
      return readPages(exchange.ask, need, found);
    case 'person':
      return askPerson(exchange.connection, exchange.askClient, need.form, found);
    default:
      return provideRead(exchange, need, receiver);
  }
}

function provideRead<N extends DirectNeed>(
  exchange: Exchange,
  need: Need<N>,
  receiver: FactReceiver<never>,
): void {
  const failed = (cause: unknown): void => receiver.receive({ cause });
  let fact: FactOf<N> | Promise<FactOf<N>>;
  try {
    fact = FACT_SOURCES[need.need](exchange, need);
  } catch (cause) {
    return failed(cause);
  }
  if (fact instanceof Promise) fact.then((each) => receiver.receive({ fact: each }), failed);
  else receiver.receive({ fact });
}

/**
 * Reads the preferences of a request from every source, and resolves its configuration. If the store cannot be read,
 * `advisory` continues with what the session id says and with the other sources. `enforce` refuses: the preferences that it cannot read may hide something.
 *
 * @param exchange the request, which has its configuration then
 * @param need what to do about values that the policy does not have
 * @param receiver receives the configured exchange, before this function returns if the session is at hand
 */
export function providePreferences(
  exchange: Exchange,
  need: Need<'preferences'>,
  receiver: FactReceiver,
): void {
  const kept = readStored(exchange);
  if (!(kept instanceof Promise)) return receiver.receive(configured(exchange, need, kept));
  const failed = (cause: unknown): void => receiver.receive({ cause });
  readLater(exchange, need, kept).then((found) => receiver.receive(found), failed);
}

/** Waits for a store. What it throws otherwise is a fault of the gate, and the request is answered with it. */
async function readLater(
  exchange: Exchange,
  need: Need<'preferences'>,
  reading: Promise<StoredPreferences>,
): Promise<FactResult> {
  let kept: StoredPreferences;
  try {
    kept = await reading;
  } catch (cause) {
    exchange.storeFailed(cause);
    const warnings = [storeWarning('read', cause)];
    // The client must know that what it sees may not be what its person chose.
    if (!exchange.isEnforced) return configured(exchange, need, unread(exchange), warnings);
    const message = 'The preferences of this session could not be read. Try again.';
    return { end: refuse(ERRORS.internal, message, undefined, () => [{ warnings }]) };
  }
  // Only a store can have lost the session of a legacy request.
  const isLost = exchange.era === 'legacy' && kept.session.state !== 'live';
  if (!isLost) return configured(exchange, need, kept);
  return configured(exchange, need, { ...kept, areLost: true }, [UNKNOWN_SESSION]);
}

/** For an operator who lets callers keep preferences that this one cannot. */
const NO_PRINCIPAL: ConcernWarning = {
  code: 'no-principal',
  message:
    'Preferences are kept per caller, but this caller has no verified claims iss and sub. Its preferences are kept only for its session.',
};

/** Gives a request its configuration. */
function configured(
  exchange: Exchange,
  { invalid }: Need<'preferences'>,
  kept: StoredPreferences,
  told: readonly ConcernWarning[] = NO_WARNINGS,
): FactResult {
  const logged = exchange.connection.principal?.place === 'none' ? [NO_PRINCIPAL] : NO_WARNINGS;
  exchange.kept = kept;
  const resolved = configure(exchange, kept, { meta: true });
  const warnings = told.length === 0 ? resolved.warnings : [...told, ...resolved.warnings];
  const configuration = told.length === 0 ? resolved : { ...resolved, warnings };
  const listed = LISTS.has(exchange.route.to) ? listedUnder(configuration) : configuration;
  if (listed === configuration) exchange.configured(configuration, logged);
  else if (exchange.policy.settings.lists !== 'stable') exchange.configured({ ...listed, warnings }, logged);
  else {
    // Warnings about preferences would make lists differ.
    const own = new Set(listed.warnings.map(({ message }) => message));
    exchange.configured(listed, [...logged, ...warnings.filter(({ message }) => !own.has(message))]);
  }
  const wrong = invalid === 'refuse' ? resolved.invalid[0] : undefined;
  if (wrong !== undefined) return { end: refuseValue(exchange, wrong) };
  // Remembers what the client was shown last, and tells the page that it has listed.
  const { gate, configuration: shown, route } = exchange;
  if (route.to === 'list') gate.listedWith(shown, route.kind);
  if (route.to === 'listen') gate.listedWith(shown);
  return { fact: exchange };
}

/** The routes of lists that clients show to models. */
const LISTS: ReadonlySet<Route['to']> = new Set(['list', 'groups', 'group']);
