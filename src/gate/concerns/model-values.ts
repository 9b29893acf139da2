import type { HostConcerns, SessionRead, SessionRecord } from '../../session/store.js';
import { CAPABILITIES, type Capability } from '../../wire/messages.js';
import { configure } from '../request/configure.js';
import { ask, type Settling } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { type Kept, recordOf } from '../request/kept-preferences.js';
import { compareLists, type ListComparison } from './compare-lists.js';

/** What became of values that a model set. */
export type ModelChange =
  | ({ readonly state: 'changed' } & ListComparison)
  | { readonly state: 'ended' }
  /** The store failed. The values may have been stored. */
  | { readonly state: 'failed'; readonly cause: unknown };

/**
 * Keeps values that a model sets beside the values of the person, and announces the lists that changed. They are kept as
 * they are: what they may do is decided for each request, under the policy and the preferences in force then.
 *
 * @param facts the call of the model
 * @param values accepted values of concerns that are open to the model, or the names of tools that it adds
 * @returns what became of them
 * @example
 * yield* changeModelValues(facts, { topic: 'news' });
 */
export function* changeModelValues(facts: Facts, values: HostConcerns): Settling<ModelChange> {
  let kept: Kept;
  let model: HostConcerns;
  try {
    kept = yield* ask({ need: 'kept' });
    const { session } = kept;
    if (session.state === 'ended') return { state: 'ended' };
    model = mergedValues(facts, session, values);
    if ((yield* ask({ need: 'keep', place: 'session', change: { model } })) === 'ended')
      return { state: 'ended' };
  } catch (cause) {
    return { state: 'failed', cause };
  }
  const record = recordOf(kept.session);
  const session: SessionRead = { state: 'live', record: { ...record, model } };
  const comparison = yield* compareLists(
    configure(facts, kept, { meta: false }),
    configure(facts, { ...kept, session }, { meta: false }),
  );
  yield* ask({ need: 'announce', capabilities: announcedOf(record, comparison.changed), isSwitch: true });
  return { state: 'changed', ...comparison };
}

/** Returns the capabilities whose lists changed, and whose changes the server announces to the session. */
export const announcedOf = (record: SessionRecord, changed: ReadonlySet<Capability>): readonly Capability[] =>
  CAPABILITIES.filter((each) => changed.has(each) && record.listChanged?.includes(each));

/** `null` removes a value that narrows. For a concern with `model: free` it is kept: it replaces the person's value. */
function mergedValues({ policy }: Facts, session: SessionRead, values: HostConcerns): HostConcerns {
  const earlier = session.state === 'live' ? session.record.model : undefined;
  const isFree = (name: string) => policy.concerns[policy.indexOf.get(name) ?? -1]?.model === 'free';
  const merged = Object.entries({ ...earlier, ...values });
  return Object.fromEntries(merged.filter(([name, value]) => value !== null || isFree(name)));
}
