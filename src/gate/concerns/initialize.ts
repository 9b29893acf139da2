import {
  type ConcernWarning,
  type Configuration,
  describeAccepted,
  resolveConfiguration,
} from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import type { SessionRead, SessionRecord } from '../../session/store.js';
import {
  type Answer,
  CAPABILITIES,
  type Failure,
  METHODS,
  type Notification,
  type RequestId,
  read,
} from '../../wire/messages.js';
import { redactFailure } from '../enforce/failure-redaction.js';
import { surfacesOf } from '../request/client-surfaces.js';
import { configure } from '../request/configure.js';
import type { Exchange, ExchangeConnection, Implementation } from '../request/exchange.js';
import { readPrincipal } from '../request/kept-preferences.js';
import { describeConcerns, NO_REPORT, storeWarning } from '../request/report.js';
import { keepCapabilities, updateSession } from '../request/session-preferences.js';
import { canKeep } from '../request/switching.js';
import { panelMode } from '../table/panel-routes.js';
import { concernsOfInitialize, declareConcerns, declareListChanged } from './declare.js';
import { declarePanel } from './declare-panel.js';
import { redactDiscovered, redactInstructions, WITHHELD } from './instructions.js';
import { questionCapabilities } from './question-capabilities.js';

/**
 * Handles `initialize`. From here on, no request of the connection is modern. A connection that keeps the preferences
 * itself keeps them now: a client that does not wait for the answer may already have sent its next messages.
 */
export function judgeInitialize(exchange: Exchange): void {
  const { connection } = exchange;
  const { preferences } = connection;
  connection.isLegacy = true;
  if (preferences.place === 'connection') preferences.record = offeredBy(exchange).record;
  exchange.pass();
}

/** Declares the concerns in the answer to `initialize`, and stores what a session needs to know. */
export function settleInitialize(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  const { connection } = exchange;
  if ('error' in message) {
    // A client may try `initialize` first, and then send modern requests.
    connection.isLegacy = connection.isInitialized;
    return redactFailure(exchange, message);
  }
  connection.isInitialized = true;
  const { place } = connection.preferences;
  const withPanel = declarePanel(exchange, message.result);
  // Without a session there is no way to deliver a notification of the gate.
  const result = place === 'none' ? withPanel : declareListChanged(withPanel);
  const listChanged = CAPABILITIES.filter(
    (each) => read(result, 'capabilities', each, 'listChanged') === true,
  );
  connection.announced = listChanged;
  const client = implementationOf(read(exchange.request.params, 'clientInfo'));
  connection.initialized(client, implementationOf(read(message.result, 'serverInfo')));
  const complete = (principal: SessionRead | undefined): Answer | Promise<Answer> =>
    answerInitialize(exchange, { message, result, listChanged, principal });
  // Only redaction needs to know what the caller chose.
  const isRedacted = exchange.isEnforced && result.instructions !== undefined;
  const principal = isRedacted ? readPrincipal(connection.principal) : undefined;
  // What was not read hides everything that it could hide.
  return principal === undefined
    ? complete(undefined)
    : principal.catch(() => ({ state: 'unknown' }) as const).then(complete);
}

interface Accepted {
  readonly message: Answer;
  /** The result of the server, with what the gate adds to the server. */
  readonly result: Record<string, unknown>;
  readonly listChanged: readonly string[];
  readonly principal: SessionRead | undefined;
}

function answerInitialize(
  exchange: Exchange,
  { message, result, listChanged, principal }: Accepted,
): Answer | Promise<Answer> {
  const { connection, policy } = exchange;
  const { place } = connection.preferences;
  const offered = offeredBy(exchange);
  const session = { state: 'live', record: offered.record } as const;
  const told = redactInstructions(
    exchange,
    result,
    configure(exchange, { session, principal }, { meta: true }),
  );
  const isWithheld = message.result.instructions !== undefined && told.instructions === undefined;
  const declared = { ...message, result: declareConcerns(told, policy, 'legacy', canKeep(exchange)) };
  const record =
    place === 'connection'
      ? { listChanged }
      : { ...offered.record, ...questionsOf(exchange, message), listChanged };
  const stored = store(
    connection,
    METHODS.initialize,
    { ...offered, record },
    {
      id: exchange.clientId,
      more: isWithheld ? [WITHHELD] : [],
    },
  );
  return stored === undefined ? declared : stored.then(() => declared);
}

/** A task that starts in a later request must know what its client can be asked. */
function questionsOf({ request }: Exchange, { result }: Answer): SessionRecord {
  if (read(result, 'capabilities', 'tasks') === undefined) return {};
  return { questions: questionCapabilities(read(request.params, 'capabilities')) };
}

/** Declares the concerns in the answer to `server/discover`. */
export function settleDiscover(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  if ('error' in message) return redactFailure(exchange, message);
  const declare = (result: Record<string, unknown>): Answer => ({
    ...message,
    result: declareConcerns(result, exchange.policy, 'modern', true),
  });
  const redacted = redactDiscovered(exchange, declarePanel(exchange, message.result));
  return redacted instanceof Promise ? redacted.then(declare) : declare(redacted);
}

/**
 * Stores the preferences that a client sent with `notifications/initialized`.
 *
 * @returns a promise if the session store must be waited for
 */
export function onInitialized(
  connection: ExchangeConnection,
  { params }: Notification,
): Promise<void> | undefined {
  const concerns = read(params, 'concerns');
  if (concerns === undefined) return undefined;
  const { sent, record } = offer(connection.policy, concerns);
  // They replace what a person may have chosen before.
  const acted = connection.principal?.place === 'store' ? { acted: false } : {};
  return store(connection, METHODS.initialized, { sent, record: { ...record, ...acted } });
}

/** Preferences from a message that cannot be answered with an error about them: invalid ones are ignored. */
interface Offer {
  readonly sent: Configuration;
  /** What is kept for the session: the valid preferences, and the warnings about the others, for later lists. */
  readonly record: SessionRecord;
}

function offer(policy: Policy, concerns: unknown): Offer {
  const sent = resolveConfiguration(policy, [{ from: 'session', concerns }]);
  const accepted = describeAccepted(sent);
  const { warnings } = sent;
  return {
    sent,
    record: {
      ...(Object.keys(accepted).length === 0 ? {} : { concerns: accepted }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

function offeredBy({ policy, request: { params } }: Exchange): Offer {
  const offered = offer(policy, concernsOfInitialize(params));
  const capabilities = read(params, 'capabilities');
  const surfaces = surfacesOf(capabilities);
  const panel =
    panelMode(policy.settings) === 'off'
      ? surfaces.app
        ? { apps: true }
        : {}
      : { panel: { ...surfaces, key: crypto.randomUUID() } };
  return { ...offered, record: { ...offered.record, ...keepCapabilities(policy, capabilities), ...panel } };
}

function store(
  connection: ExchangeConnection,
  method: typeof METHODS.initialize | typeof METHODS.initialized,
  { sent, record }: Offer,
  { id, more = [] }: { readonly id?: RequestId; readonly more?: readonly ConcernWarning[] } = {},
): Promise<void> | undefined {
  const warnings: ConcernWarning[] = [...sent.warnings, ...more];
  const report = (): void => {
    if (connection.report === NO_REPORT) return;
    const context = id === undefined ? {} : { id, policy: sent.policy.digest };
    connection.report({ method, era: 'legacy', ...describeConcerns(sent, warnings) }, context);
  };
  const changes = Object.keys(record).length > 0;
  const stored = changes ? updateSession(connection.preferences, record) : 'stored';
  if (stored instanceof Promise) {
    return stored.catch((cause) => void warnings.push(storeWarning('written', cause))).then(report);
  }
  if (stored === 'nowhere' && record.concerns !== undefined) {
    const message =
      'There is no session to keep concerns in. Hosts can send them in _meta, the Mcp-Concerns header or the URL.';
    warnings.push({ code: 'no-session', message });
  }
  report();
  return undefined;
}

function implementationOf(info: unknown): Implementation {
  const [name, version] = [read(info, 'title') ?? read(info, 'name'), read(info, 'version')];
  return {
    name: typeof name === 'string' && name !== '' ? name : 'unknown',
    ...(typeof version === 'string' ? { version } : {}),
  };
}
