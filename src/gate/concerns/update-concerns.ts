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
} from '../../wire/messages.js';
import { configure } from '../request/configure.js';
import type { Exchange } from '../request/exchange.js';
import { type Kept, readKept, recordOf, strongestPlace } from '../request/kept-preferences.js';
import { storeWarning } from '../request/report.js';
import { updateSession } from '../request/session-preferences.js';
import { canKeep } from '../request/switching.js';
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
  const concerns = read(request.params, 'concerns');
  if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
    const message =
      'params.concerns must be an object of concern names and values. Send {} to remove all preferences.';
    return exchange.refuse(ERRORS.invalidParams, message);
  }
  const update = resolveConfiguration(policy, [{ from: 'update', concerns }]);
  const [invalid] = update.invalid;
  if (invalid !== undefined) return refuseValue(exchange, update, invalid);
  if (!canKeep(exchange)) {
    if (exchange.era === 'modern') return answerModern(exchange, update, describeAccepted(update));
    const message =
      'There is no session to keep concerns in. Send them with each request, in _meta, the Mcp-Concerns header or the URL.';
    return exchange.refuse(ERRORS.invalidRequest, message);
  }

  const outcome = await replacePreferences(exchange, update);
  if (outcome.state === 'failed') {
    exchange.report({ warnings: [storeWarning('written', outcome.cause)] });
    return exchange.refuse(ERRORS.internal, `The concerns ${notStored(outcome)}`);
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
  /** The store failed. `kept` says whether the caller's own preferences had changed before that. */
  | { readonly state: 'failed'; readonly kept: boolean; readonly cause: unknown };

/** Says what a failed store means for a person. The preferences are the subject of the sentence. */
export const notStored = ({ kept }: Extract<Replaced, { state: 'failed' }>): string =>
  kept
    ? 'were stored for the caller, but not for this session. Try again.'
    : 'could not be stored, so nothing changed. Try again.';

/**
 * Replaces the preferences of a session and, if they are kept per caller, those of the caller. Values that a model has set
 * are removed where the person decides now.
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
  const { preferences, principal } = exchange.connection;
  const isPerCaller = principal?.place === 'store';
  let before: Kept;
  let change: SessionRecord;
  let kept = false;
  try {
    before = await readKept(exchange);
    if (before.session.state === 'ended') return { state: 'ended' };
    const concerns = { ...earlierValues(before, update), ...describeAccepted(update) };
    const earlier = recordOf(before.session);
    change = {
      concerns,
      ...withoutModel(earlier, decided),
      ...(isPerCaller ? { acted: true } : {}),
      ...(earlier.warnings === undefined ? {} : { warnings: [] }),
    };
    if (isPerCaller) {
      await principal.store.update(principal.id, { concerns });
      kept = true;
    }
    if (exchange.era === 'legacy' && (await updateSession(preferences, change)) === 'ended') {
      return { state: 'ended' };
    }
  } catch (cause) {
    return { state: 'failed', kept, cause };
  }
  const record = recordOf(before.session);
  const { warnings: _replaced, ...rest } = record;
  const chosen: SessionRead = { state: 'live', record: { ...rest, ...change } };
  const then: Kept = { session: chosen, principal: isPerCaller ? chosen : undefined };
  const old = configure(exchange, before, { meta: false });
  const after = configure(exchange, then, { meta: false });
  const { visible, changed } = await compareLists(exchange, old, after);
  const announced = CAPABILITIES.filter((each) => changed.has(each) && record.listChanged?.includes(each));
  return { state: 'replaced', after, visible, announced };
}

/** @returns the earlier values of concerns whose new value was not accepted: a typing error must not remove them */
function earlierValues(before: Kept, { notAccepted }: Configuration): HostConcerns {
  const kept = Object.entries(recordOf(before[strongestPlace(before)]).concerns ?? {}).filter(([name]) =>
    notAccepted.includes(name),
  );
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
    { session: { state: 'unknown' }, principal: undefined },
    { meta: true },
  );
  const { visible } = await compareLists(exchange, after, after);
  const warnings = [...update.warnings, ...after.warnings];
  exchange.reportConcerns(warnings, {}, after);
  exchange.reply({ concerns: describeConfiguration(after), warnings, visible, _meta: inMeta(accepted) });
}

const inMeta = (concerns: HostConcerns) => ({ [EXTENSION_ID]: { concerns } });
