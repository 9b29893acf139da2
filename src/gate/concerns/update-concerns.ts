import {
  type Configuration,
  describeAccepted,
  describeConfiguration,
  resolveConfiguration,
} from '../../engine/configuration.js';
import type { Kind } from '../../engine/policy.js';
import type { HostConcerns, SessionRead, SessionRecord } from '../../session/store.js';
import { type Capability, ERRORS, EXTENSION_ID, read } from '../../wire/messages.js';
import { configure } from '../request/configure.js';
import {
  announce,
  keep,
  keptNow,
  type Outcome,
  refuse,
  refuseValue,
  reply,
  type Settling,
} from '../request/decision.js';
import type { RequestFacts } from '../request/facts.js';
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

const ENDED = 'The session has ended. Initialize a new one.';

/**
 * Answers `updateConcerns`: replaces the host's preferences, and acknowledges them only after they are stored. Before the
 * answer, it announces the lists whose visible part changed, if the server announces changes of these lists.
 *
 * @param facts the request
 */
export function* updateConcerns(facts: RequestFacts): Settling<Outcome> {
  const { request, policy } = facts;
  const concerns = read(request.params, 'concerns');
  if (typeof concerns !== 'object' || concerns === null || Array.isArray(concerns)) {
    const message =
      'params.concerns must be an object of concern names and values. Send {} to remove all preferences.';
    return refuse(ERRORS.invalidParams, message);
  }
  const update = resolveConfiguration(policy, [{ from: 'update', concerns }]);
  const [invalid] = update.invalid;
  if (invalid !== undefined) return refuseValue(facts, invalid);
  if (!canKeep(facts)) {
    if (facts.era === 'modern') return yield* answerModern(facts, update, describeAccepted(update));
    const message =
      'There is no session to keep concerns in. Send them with each request, in _meta, the Mcp-Concerns header or the URL.';
    return refuse(ERRORS.invalidRequest, message);
  }

  const outcome = yield* replacePreferences(facts, update);
  if (outcome.state === 'failed') {
    const warnings = [storeWarning('written', outcome.cause)];
    const error = ERRORS.internal;
    return refuse(error, `The concerns ${notStored(outcome)}`, undefined, () => [{ warnings, error }]);
  }
  if (outcome.state === 'ended') return refuse(ERRORS.invalidRequest, ENDED);
  const { after, visible, announced } = outcome;
  yield* announce(announced, false);
  return updated(update, after, { visible });
}

/** Answers with the values in effect after an update. */
function updated(update: Configuration, after: Configuration, members: object): Outcome {
  const warnings = [...update.warnings, ...after.warnings];
  return reply({ concerns: describeConfiguration(after), warnings, ...members }, () => [
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
 * @param facts a request of the session
 * @param update the new preferences, resolved without any other source
 * @param decided the concerns that the person decides about
 * @returns what became of them
 * @example
 * yield* replacePreferences(facts, resolveConfiguration(policy, [{ from: 'update', concerns }]));
 */
export function* replacePreferences(
  facts: RequestFacts,
  update: Configuration,
  decided: Decided = 'all',
): Settling<Replaced> {
  const isPerCaller = facts.keeps.caller;
  let before: Kept;
  let change: SessionRecord;
  let kept = false;
  try {
    before = yield* keptNow();
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
      yield* keep('principal', { concerns });
      kept = true;
    }
    if (facts.era === 'legacy' && (yield* keep('session', change)) === 'ended') {
      return { state: 'ended' };
    }
  } catch (cause) {
    return { state: 'failed', kept, cause };
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
function* answerModern(
  { policy, request, sender }: RequestFacts,
  update: Configuration,
  accepted: HostConcerns,
): Settling<Outcome> {
  const params = { ...request.params, _meta: { ...(request.params?._meta as object), ...inMeta(accepted) } };
  const after = configure(
    { policy, sender, request: { ...request, params } },
    { session: { state: 'unknown' }, principal: undefined },
    { meta: true },
  );
  const { visible } = yield* compareLists(after, after);
  return updated(update, after, { visible, _meta: inMeta(accepted) });
}

const inMeta = (concerns: HostConcerns) => ({ [EXTENSION_ID]: { concerns } });
