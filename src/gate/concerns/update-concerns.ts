import {
  type Configuration,
  describeAccepted,
  describeConfiguration,
  resolveConfiguration,
} from '../../engine/configuration.js';
import type { Kind } from '../../engine/policy.js';
import type { HostConcerns, SessionRead, SessionRecord } from '../../session/store.js';
import { type Capability, ERRORS, read } from '../../wire/messages.js';
import { configure } from '../request/configure.js';
import { ask, type Outcome, refuse, refuseValue, reply, type Settling } from '../request/decision.js';
import type { RequestFacts } from '../request/facts.js';
import {
  MAYBE_STORED,
  NO_CONCERNS,
  NO_PREFERENCES_KEPT,
  NOT_STORED,
  SEND_PREFERENCES,
  SESSION_ENDED,
  STORED_FOR_CALLER,
} from '../request/generated/texts.js';
import {
  type Decided,
  type Kept,
  recordOf,
  strongestPlace,
  withoutModel,
} from '../request/kept-preferences.js';
import { describeConcerns, storeWarning } from '../request/report.js';
import { canKeep } from '../request/switching.js';
import { compareLists } from './compare-lists.js';
import { announcedOf } from './model-values.js';

/**
 * Answers `updateConcerns`: replaces the host's preferences, and acknowledges them only after they are stored. Before the
 * answer, it announces the lists whose visible part changed, if the server announces changes of these lists.
 *
 * @param facts the request
 */
export function* updateConcerns(facts: RequestFacts): Settling<Outcome> {
  const { request, policy } = facts;
  // It is not declared here either. A list must not change as a side effect of another request (MCP 2026-07-28, Tools),
  // unless the operator chose to keep preferences.
  if (!canKeep(facts)) return refuse(ERRORS.methodNotFound, NO_PREFERENCES_KEPT, { hint: SEND_PREFERENCES });
  const concerns = read(request.params, 'concerns');
  if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
    return refuse(ERRORS.invalidParams, NO_CONCERNS);
  }
  const update = resolveConfiguration(policy, [{ from: 'update', concerns }]);
  const [invalid] = update.invalid;
  if (invalid !== undefined) return refuseValue(facts, invalid);
  const outcome = yield* replacePreferences(facts, update);
  if (outcome.state === 'failed') {
    const warnings = [storeWarning('written', outcome.cause)];
    return refuse(ERRORS.internal, `The concerns ${notStored(outcome)}`, undefined, () => [{ warnings }]);
  }
  if (outcome.state === 'ended') return refuse(ERRORS.invalidRequest, SESSION_ENDED);
  const { after, visible, announced } = outcome;
  yield* ask({ need: 'announce', capabilities: announced, isSwitch: false });
  const warnings = [...update.warnings, ...after.warnings];
  return reply({ concerns: describeConfiguration(after), warnings, visible }, () => [
    describeConcerns(after, warnings),
  ]);
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
  /**
   * The store failed. `kept` says whether the caller's own preferences had changed before that; `known` says whether the store
   * told afterwards that nothing else did.
   */
  | { readonly state: 'failed'; readonly kept: boolean; readonly known: boolean; readonly cause: unknown };

/** Says what a failed store means for a person. The preferences are the subject of the sentence. */
export function notStored({ kept, known }: Extract<Replaced, { state: 'failed' }>): string {
  if (!known) return MAYBE_STORED;
  return kept ? STORED_FOR_CALLER : NOT_STORED;
}

/**
 * Replaces the preferences of a session and, if they are kept per caller, those of the caller. Values that a model has set
 * are removed where the person decides now.
 *
 * @param facts a request of the session
 * @param update the new preferences, resolved without any other source
 * @param decided the concerns that the person decides about
 * @param besides what is kept beside them: the names of tools that the person switched one by one, values that stay lost
 * @returns what became of them
 * @example
 * yield* replacePreferences(facts, resolveConfiguration(policy, [{ from: 'update', concerns }]));
 */
export function* replacePreferences(
  facts: RequestFacts,
  update: Configuration,
  decided: Decided = 'all',
  besides: HostConcerns = {},
): Settling<Replaced> {
  const isPerCaller = facts.keeps.caller;
  const isPerSession = facts.keeps.session;
  let before: Kept;
  try {
    before = yield* ask({ need: 'kept' });
  } catch (cause) {
    return { state: 'failed', kept: false, known: true, cause };
  }
  if (before.session.state === 'ended') return { state: 'ended' };
  const concerns = { ...earlierValues(before, update), ...describeAccepted(update), ...besides };
  const earlier = recordOf(before.session);
  const change: SessionRecord = {
    concerns,
    ...withoutModel(facts.policy, earlier, decided),
    ...(isPerCaller ? { acted: true } : {}),
    ...(earlier.warnings === undefined ? {} : { warnings: [] }),
  };
  try {
    if (isPerCaller) yield* ask({ need: 'keep', place: 'principal', change: { concerns } });
    if (isPerSession && (yield* ask({ need: 'keep', place: 'session', change })) === 'ended')
      return { state: 'ended' };
  } catch (cause) {
    // Only the answer of the store may be lost.
    const { caller, session, known } = yield* whereStored(concerns);
    const isStored = (!isPerCaller || caller) && (!isPerSession || session);
    if (!isStored) return { state: 'failed', kept: isPerCaller && caller, known, cause };
  }
  const record = recordOf(before.session);
  const { warnings: _replaced, ...rest } = record;
  const chosen: SessionRead = { state: 'live', record: { ...rest, ...change } };
  const then: Kept = { session: chosen, principal: isPerCaller ? chosen : undefined };
  const old = configure(facts, before, { meta: false });
  const after = configure(facts, then, { meta: false });
  const { visible, changed } = yield* compareLists(old, after);
  return { state: 'replaced', after, visible, announced: announcedOf(record, changed) };
}

/** Reads after a failed write where it arrived. `known` is false if that cannot be read either. */
function* whereStored(concerns: HostConcerns) {
  const wanted = textOf(concerns);
  try {
    const { session, principal } = yield* ask({ need: 'kept' });
    const has = (kept: SessionRead | undefined): boolean => textOf(recordOf(kept).concerns) === wanted;
    return { session: has(session), caller: has(principal), known: true };
  } catch {
    return { session: false, caller: false, known: false };
  }
}

/** Stores may return members in another order. */
const textOf = (concerns: HostConcerns = {}): string => JSON.stringify(Object.entries(concerns).sort());

/** @returns the earlier values of concerns whose new value was not accepted: a typing error must not remove them */
function earlierValues(before: Kept, { notAccepted }: Configuration): HostConcerns {
  const kept = Object.entries(recordOf(before[strongestPlace(before)]).concerns ?? {}).filter(([name]) =>
    notAccepted.includes(name),
  );
  return Object.fromEntries(kept);
}
