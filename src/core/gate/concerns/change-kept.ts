import type { Configuration } from '../../engine/configuration.js';
import type { SessionRecord } from '../../session/store.js';
import { CAPABILITIES, eraOf, read } from '../../wire/messages.js';
import { configure } from '../request/configure.js';
import { ask, type ResponseSteps } from '../request/decision.js';
import type { RequestFacts } from '../request/facts.js';
import { recordOf, type StoredPreferences, withChange } from '../request/kept-preferences.js';
import { compareLists, type ListComparison } from './compare-lists.js';

/** The fields to set in what is kept for the session and for the caller; where nothing is kept, there is no change. */
type KeptChange = { readonly [Place in 'session' | 'principal']?: SessionRecord };

/** What became of a change. */
export type Changed =
  | ({
      readonly state: 'changed';
      /** The values in effect afterwards. */
      readonly after: Configuration;
    } & ListComparison)
  | { readonly state: 'ended' }
  /**
   * The store failed. `kept` says whether the caller's own preferences had changed before that; `known` says whether the store
   * told afterwards that nothing else did.
   */
  | { readonly state: 'failed'; readonly kept: boolean; readonly known: boolean; readonly cause: unknown };

/** Says what a failed store means. What was to be stored is the subject of the sentence. */
export function notStored({ kept, known }: Extract<Changed, { state: 'failed' }>): string {
  if (!known)
    return 'may or may not have been stored: the store did not answer. List again to see what is in effect.';
  return kept
    ? 'were stored for the caller, but not for this session. Try again.'
    : 'could not be stored, so nothing changed. Try again.';
}

/**
 * Changes what is kept for the sender of a request, and announces the lists whose visible part changed, if the server announces
 * changes of these lists.
 *
 * @param facts a request of the sender
 * @param isSwitch whether a person or a model of the client switched: then the client has not listed again yet
 * @param changeOf returns the change, from what is kept now
 * @returns what became of it
 * @example
 * yield* changeKept(facts, true, () => ({ session: { model: { topic: 'news' } } }));
 */
export function* changeKept(
  facts: RequestFacts,
  isSwitch: boolean,
  changeOf: (before: StoredPreferences) => KeptChange,
): ResponseSteps<Changed> {
  let before: StoredPreferences;
  try {
    before = yield* ask({ need: 'kept' });
  } catch (cause) {
    return { state: 'failed', kept: false, known: true, cause };
  }
  if (before.session.state === 'ended') return { state: 'ended' };
  const change = changeOf(before);
  const { principal, session } = change;
  try {
    if (principal !== undefined) yield* ask({ need: 'keep', place: 'principal', change: principal });
    if (
      session !== undefined &&
      (yield* ask({ need: 'keep', place: 'session', change: session })) === 'ended'
    )
      return { state: 'ended' };
  } catch (cause) {
    // Only the answer of the store may be lost.
    const stored = yield* whereStored(change);
    const kept = principal !== undefined && stored.principal;
    if (!stored.principal || !stored.session) {
      // A read proves nothing about a write that may still arrive.
      const known = stored.known && read(cause, 'refused') === true;
      return { state: 'failed', kept, known, cause };
    }
  }
  const withSession = session === undefined ? before : withChange(before, 'session', session);
  const then = principal === undefined ? withSession : withChange(withSession, 'principal', principal);
  const after = configure(facts, then, { meta: false });
  const comparison = yield* compareLists(configure(facts, before, { meta: false }), after);
  const { listChanged } = recordOf(before.session);
  const capabilities = CAPABILITIES.filter(
    (each) => comparison.changed.has(each) && listChanged?.includes(each),
  );
  // A modern client hears of it only on its streams, however it was changed.
  yield* ask({ need: 'announce', capabilities, isSwitch: isSwitch || eraOf(facts.request) === 'modern' });
  return { state: 'changed', after, ...comparison };
}

/** Reads after a failed write where it arrived. `known` is false if that cannot be read either. */
function* whereStored(change: KeptChange) {
  try {
    const kept = yield* ask({ need: 'kept' });
    const has = (place: keyof KeptChange): boolean =>
      Object.entries(change[place] ?? {}).every(
        ([field, value]) => textOf(read(recordOf(kept[place]), field)) === textOf(value),
      );
    return { session: has('session'), principal: has('principal'), known: true };
  } catch {
    return { session: false, principal: false, known: false };
  }
}

/** Stores may return members in another order. */
const textOf = (values: unknown): string => JSON.stringify(Object.entries(Object(values)).sort());
