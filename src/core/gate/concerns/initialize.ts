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
  CLIENT_INFO_META,
  type Failure,
  type Request,
  read,
} from '../../wire/messages.js';
import { HANDSHAKE } from '../enforce/exceptions.js';
import { hasTexts } from '../enforce/redact-texts.js';
import { redactFailure } from '../enforce/redaction.js';
import { withWarnings } from '../lists/filter-list.js';
import { surfacesOf } from '../request/client-surfaces.js';
import { configure } from '../request/configure.js';
import {
  ask,
  type LazyReport,
  pass,
  type RequestOutcome,
  type RequestSteps,
  type ResponseOutcome,
  type ResponseSteps,
} from '../request/decision.js';
import type { Facts, Implementation, RequestFacts } from '../request/facts.js';
import { keepClient, type StoredPreferences } from '../request/kept-preferences.js';
import { describeConcerns, storeWarning } from '../request/report.js';
import { canKeep } from '../request/switching.js';
import { panelMode } from '../table/routes.js';
import { concernsOfInitialize, declareChanges, declareConcerns } from './declare.js';
import { declarePanel } from './declare-panel.js';
import { redactInstructions } from './instructions.js';
import { questionCapabilities } from './question-capabilities.js';

/** Handles `initialize`. */
export function* judgeInitialize(facts: RequestFacts): RequestSteps<RequestOutcome> {
  const record = offeredRecord(facts.policy, facts.request.params);
  yield* ask({ need: 'handshake', step: { state: 'asked', record } });
  return pass(facts);
}

const INSTRUCTIONS_WITHHELD: ConcernWarning = {
  code: 'instructions-withheld',
  message:
    "The server's instructions are withheld: they may name hidden primitives, and the server's lists are not known yet.",
};

/** Declares the concerns in the answer to `initialize`, and stores what a session needs to know. */
export function* settleInitialize(
  facts: RequestFacts,
  message: Answer | Failure,
): ResponseSteps<ResponseOutcome> {
  if ('error' in message) {
    yield* ask({ need: 'handshake', step: { state: 'refused' } });
    return { message: yield* redactFailure(facts, message) };
  }
  const { place } = facts.keeps;
  const withPanel = declarePanel(facts, message.result);
  // Without a session there is no way to deliver a notification of the gate.
  const result = place === 'none' ? withPanel : declareChanges(withPanel, true);
  const announced = CAPABILITIES.filter((each) => read(result, 'capabilities', each, 'listChanged') === true);
  const client = implementationOf(read(facts.request.params, 'clientInfo'));
  const server = implementationOf(read(message.result, 'serverInfo'));
  yield* ask({ need: 'handshake', step: { state: 'accepted', client, server, announced } });

  const offered = offeredBy(facts.policy, facts.request.params);
  const told = yield* withInstructions(facts, offered.record, result);
  const isWithheld = result.instructions !== undefined && told.instructions === undefined;
  const record =
    place === 'connection'
      ? { listChanged: announced }
      : { ...offered.record, ...questionsOf(facts, message), listChanged: announced };
  const warnings = yield* stored(record);
  const declared = declareConcerns(told, facts.policy, 'legacy', canKeep(facts));
  // The values that apply to the next request, also those of the URL and of claims.
  const kept: StoredPreferences = {
    session: { state: 'live', record: offered.record },
    principal: undefined,
  };
  return {
    message: { ...message, result: withWarnings(declared, warnings) },
    tell: () => [
      describeConcerns(configure(facts, kept, { meta: true }), [
        ...offered.sent.warnings,
        ...(isWithheld ? [INSTRUCTIONS_WITHHELD] : []),
        ...warnings,
      ]),
    ],
  };
}

/** Redacts the texts in a result, such as instructions. Only for that must be known what the caller chose. */
function* withInstructions(
  facts: RequestFacts,
  record: SessionRecord,
  result: Record<string, unknown>,
): ResponseSteps<Record<string, unknown>> {
  if (!facts.isEnforced || !hasTexts(result, HANDSHAKE)) return result;
  let principal: SessionRead | undefined;
  try {
    principal = yield* ask({ need: 'principal' });
  } catch {
    // What was not read hides everything that it could hide.
    principal = { state: 'unknown' };
  }
  const configuration = configure(facts, { session: { state: 'live', record }, principal }, { meta: true });
  return yield* redactInstructions(facts, result, configuration);
}

/** A task that starts in a later request must know what its client can be asked. */
function questionsOf({ request }: RequestFacts, { result }: Answer): SessionRecord {
  if (read(result, 'capabilities', 'tasks') === undefined) return {};
  return { questions: questionCapabilities(read(request.params, 'capabilities')) };
}

/** Under `enforce`, the answer is redacted by the configuration of the request. */
export function* judgeDiscover(facts: RequestFacts): RequestSteps<RequestOutcome> {
  if (facts.isEnforced) yield* ask({ need: 'preferences', invalid: 'ignore' });
  return pass(facts, () => [{}]);
}

/** Declares the concerns in the answer to `server/discover`. */
export function* settleDiscover(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  if ('error' in message) return { message: yield* redactFailure(facts, message) };
  const declared = declarePanel(facts, message.result);
  const redacted = yield* redactInstructions(facts, declared, facts.configuration);
  const { listens } = facts.connection;
  const told = listens === undefined ? redacted : declareChanges(redacted, listens);
  return { message: { ...message, result: declareConcerns(told, facts.policy, 'modern', canKeep(facts)) } };
}

/**
 * Stores the preferences that a client sent with `notifications/initialized`.
 *
 * @returns what to report; `undefined` if it sent none
 */
export function* keepInitialized(facts: RequestFacts): ResponseSteps<ReturnType<LazyReport>[0] | undefined> {
  const concerns = read(facts.request.params, 'concerns');
  if (concerns === undefined) return undefined;
  const { sent, record } = offer(facts.policy, concerns);
  // They replace what a person may have chosen before.
  const acted = facts.keeps.caller ? { acted: false } : {};
  const warnings = yield* stored({ ...record, ...acted });
  return describeConcerns(sent, [...sent.warnings, ...warnings]);
}

const NO_SESSION: ConcernWarning = {
  code: 'no-session',
  message:
    'There is no session to keep concerns in. Hosts can send them in _meta, the Mcp-Concerns header or the URL.',
};

/** Stores what a session needs to know. Returns warnings for the log. */
function* stored(change: SessionRecord): ResponseSteps<readonly ConcernWarning[]> {
  if (Object.keys(change).length === 0) return [];
  try {
    const outcome = yield* ask({ need: 'keep', place: 'session', change });
    return outcome === 'nowhere' && change.concerns !== undefined ? [NO_SESSION] : [];
  } catch (cause) {
    return [storeWarning('written', cause)];
  }
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

/**
 * Returns what is kept of an `initialize` request.
 *
 * @param policy the policy in force
 * @param params the params as the client sent them
 */
export const offeredRecord = (policy: Policy, params: unknown): SessionRecord =>
  offeredBy(policy, params).record;

function offeredBy(policy: Policy, params: unknown): Offer {
  const offered = offer(policy, concernsOfInitialize(params));
  const surfaces = surfacesOf(read(params, 'capabilities'));
  const panel = panelMode(policy.settings) === 'off' ? {} : { panel: surfaces };
  return { ...offered, record: { ...offered.record, ...keepClient(policy, params), ...panel } };
}

/** Returns how the client of a modern request names itself. */
export const clientOf = ({ params }: Request): Implementation =>
  implementationOf(read(params, '_meta', CLIENT_INFO_META));

function implementationOf(info: unknown): Implementation {
  const [name, version] = [read(info, 'title') ?? read(info, 'name'), read(info, 'version')];
  return {
    name: typeof name === 'string' && name !== '' ? name : 'unknown',
    ...(typeof version === 'string' ? { version } : {}),
  };
}
