import {
  type Configuration,
  describeAccepted,
  describeConfiguration,
  resolveConfiguration,
} from '../../engine/configuration.js';
import type { Kind } from '../../engine/policy.js';
import type { HostConcerns, SessionRead, SessionRecord } from '../../session/store.js';
import {
  CAPABILITIES,
  type Capability,
  ERRORS,
  EXTENSION_ID,
  listChangedMethod,
  read,
} from '../messages/wire.js';
import { configure } from '../request/configure.js';
import type { Exchange } from '../request/exchange.js';
import { storeWarning } from '../request/report.js';
import { readSession, updateSession } from '../request/session-preferences.js';
import { refuseValue } from '../request/with-configuration.js';
import { compareLists } from './compare-lists.js';
import { type Decided, withoutModel } from './model-values.js';

/**
 * Answers `updateConcerns`: replaces the host's preferences, and acknowledges them only after they are stored. Before the
 * answer, it announces the lists whose visible part changed, if the server announces changes of these lists.
 *
 * @param exchange the request
 */
export async function updateConcerns(exchange: Exchange): Promise<void> {
  const { request, policy, connection } = exchange;
  const { preferences } = connection;
  const concerns = read(request.params, 'concerns');
  if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
    const message =
      'params.concerns must be an object of concern names and values. Send {} to remove all preferences.';
    return exchange.refuse(ERRORS.invalidParams, message);
  }
  const update = resolveConfiguration(policy, [{ from: 'update', concerns }]);
  const [invalid] = update.invalid;
  if (invalid !== undefined) return refuseValue(exchange, update, invalid);
  if (exchange.era === 'modern') return answerModern(exchange, update, describeAccepted(update));
  if (preferences.place === 'none') {
    const message =
      'There is no session to keep concerns in. Send them with each request, in _meta, the Mcp-Concerns header or the URL.';
    return exchange.refuse(ERRORS.invalidRequest, message);
  }

  const outcome = await replacePreferences(exchange, update);
  if (outcome.state === 'failed') {
    exchange.report({ warnings: [storeWarning('written', outcome.cause)] });
    const message = 'The concerns could not be stored, so nothing changed. Try again.';
    return exchange.refuse(ERRORS.internal, message);
  }
  if (outcome.state === 'ended') {
    return exchange.refuse(ERRORS.invalidRequest, 'The session has ended. Initialize a new one.');
  }
  const { after, visible, announced } = outcome;
  for (const capability of announced) {
    connection.toClient({ jsonrpc: '2.0', method: listChangedMethod(capability) }, exchange.clientId);
  }
  const warnings = [...update.warnings, ...after.warnings];
  exchange.reportConcerns(warnings, {}, after);
  exchange.reply({ concerns: describeConfiguration(after), warnings, visible });
  connection.observer?.changed();
}

/** What became of new preferences. */
export type Replaced =
  | {
      readonly state: 'replaced';
      /** The values in effect afterwards. */
      readonly after: Configuration;
      /** How many primitives of each list are visible. */
      readonly visible: Partial<Record<Kind, number>>;
      /** The capabilities whose visible lists changed, and whose changes the server announces. */
      readonly announced: readonly Capability[];
    }
  | { readonly state: 'ended' }
  /** The store failed, so nothing changed. */
  | { readonly state: 'failed'; readonly cause: unknown };

/**
 * Replaces the preferences of a session. Values that a model has set are removed where the person decides now.
 *
 * @param exchange a request of the session
 * @param update the new preferences, resolved without any other source
 * @param decided the concerns that the person decides about
 * @returns what became of them
 * @example
 * await replacePreferences(exchange, resolveConfiguration(policy, [{ from: 'update', concerns }]));
 */
export async function replacePreferences(
  exchange: Exchange,
  update: Configuration,
  decided: Decided = 'all',
): Promise<Replaced> {
  const { preferences } = exchange.connection;
  let session: SessionRead;
  let change: SessionRecord;
  try {
    session = await readSession(preferences);
    const concerns = { ...earlierValues(session, update), ...describeAccepted(update) };
    const before: SessionRecord = session.state === 'live' ? session.record : {};
    const hadWarnings = before.warnings !== undefined;
    change = { concerns, ...withoutModel(before, decided), ...(hadWarnings ? { warnings: [] } : {}) };
    if ((await updateSession(preferences, change)) === 'ended') return { state: 'ended' };
  } catch (cause) {
    return { state: 'failed', cause };
  }
  const record: SessionRecord = session.state === 'live' ? session.record : {};
  const { warnings: _replaced, ...kept } = record;
  const updated: SessionRead = { state: 'live', record: { ...kept, ...change } };
  const before = configure(exchange, { session, meta: false });
  const after = configure(exchange, { session: updated, meta: false });
  const { visible, changed } = await compareLists(exchange, before, after);
  const announced = CAPABILITIES.filter((each) => changed.has(each) && record.listChanged?.includes(each));
  return { state: 'replaced', after, visible, announced };
}

/** @returns the values of the session for concerns whose new value was not accepted: a typing error must not remove them */
function earlierValues(session: SessionRead, { notAccepted }: Configuration): HostConcerns {
  const earlier = session.state === 'live' ? session.record.concerns : undefined;
  const kept = Object.entries(earlier ?? {}).filter(([name]) => notAccepted.includes(name));
  return Object.fromEntries(kept);
}

/**
 * Answers a modern `updateConcerns`, which changes nothing for later requests. The answer contains the configuration that
 * the preferences would give and, in `_meta`, what the host must send with each request from then on.
 */
async function answerModern(
  exchange: Exchange,
  update: Configuration,
  accepted: HostConcerns,
): Promise<void> {
  const { policy, request, sender } = exchange;
  const params = { ...request.params, _meta: { ...(request.params?._meta as object), ...inMeta(accepted) } };
  const after = configure(
    { policy, sender, request: { ...request, params } },
    { session: { state: 'unknown' }, meta: true },
  );
  const { visible } = await compareLists(exchange, after, after);
  const warnings = [...update.warnings, ...after.warnings];
  exchange.reportConcerns(warnings, {}, after);
  exchange.reply({ concerns: describeConfiguration(after), warnings, visible, _meta: inMeta(accepted) });
}

const inMeta = (concerns: HostConcerns) => ({ [EXTENSION_ID]: { concerns } });
