import type { HostConcerns } from '../../session/store.js';
import type { ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { recordOf } from '../request/kept-preferences.js';
import { type Changed, changeKept } from './change-kept.js';

/**
 * Keeps values that a model sets beside the values of the person, and announces the lists that changed. They are kept as
 * they are: what they may do is decided for each request, under the policy and the preferences in force then.
 *
 * @param facts the call of the model
 * @param values accepted values of concerns that are open to the model, or the names of tools that it adds. `null` removes a
 *   value that narrows. For a concern with `model: free` it is kept: it replaces the person's value.
 * @returns what became of them
 * @example
 * yield* changeModelValues(facts, { topic: 'news' });
 */
export function changeModelValues(facts: Facts, values: HostConcerns): ResponseSteps<Changed> {
  const { concerns, indexOf } = facts.policy;
  const isFree = (name: string) => concerns[indexOf.get(name) ?? -1]?.model === 'free';
  return changeKept(facts, true, ({ session }) => {
    const merged = Object.entries({ ...recordOf(session).model, ...values });
    return {
      session: {
        model: Object.fromEntries(merged.filter(([name, value]) => value !== null || isFree(name))),
      },
    };
  });
}
