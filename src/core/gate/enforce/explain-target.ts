import { configurationFor } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import { type Decision, evaluate } from '../../engine/evaluate.js';
import { itemAt } from '../../engine/item-at.js';
import { identityOf, type Mapping, mapPrimitive } from '../../engine/mapping.js';
import type { Lists, Target } from '../request/decision.js';
import { KINDS_OF } from '../table/routing.js';
import { barePrimitive } from './of-servers.js';
import { targetMatcher } from './visibility.js';

/** In characters. All variants of a longer URI take too long to compare, and a log would not contain it. */
const MAX_NAME = 1024;

/** A decision in words, and whether the server lists the primitive that it is about. */
export interface ExplainedTarget {
  readonly decision: Decision;
  readonly isListed: boolean;
}

/**
 * Explains the decision of an access check that was made, for a log, and tells which scopes it takes.
 *
 * @param lists the server's lists
 * @param target the primitive that a request names
 * @param configuration the values in effect
 * @param isHidden the decision of the access check
 * @param longest how long a name may be, in characters
 * @returns the decision in words, one that takes scopes first; `undefined` if no single primitive explains it, or the name is too long
 */
export function explainTarget(
  lists: Lists,
  { type, name }: Target,
  configuration: Configuration,
  isHidden: boolean,
  longest: number = MAX_NAME,
): ExplainedTarget | undefined {
  if (name.length > longest) return undefined;
  const { policy } = configuration;
  const effect = isHidden ? 'hide' : 'show';
  const explain = (mapping: Mapping, identity: string): Decision =>
    evaluate(mapping, configurationFor(configuration, mapping.kind, identity));
  let isListed = false;
  const decisions = KINDS_OF[type].flatMap((kind) => {
    const list = lists[kind];
    if (list === undefined) return [];
    const matches = targetMatcher(kind, name, lists.servers);
    return list.items.flatMap((item, position) => {
      const identity = identityOf(kind, item);
      if (!matches(identity)) return [];
      if (identity === name) isListed = true;
      return [explain(itemAt(list.classes, itemAt(list.classOf, position)), identity)];
    });
  });
  const [kind] = KINDS_OF[type];
  const bare = explain(mapPrimitive(policy, kind, barePrimitive(lists, kind, name)), name);
  const made = [...decisions, bare].filter((each) => each.effect === effect);
  const decision = made.find(({ reason }) => reason.code === 'scope-missing') ?? made[0];
  return decision === undefined ? undefined : { decision, isListed };
}

/** Returns the scopes that the caller lacks to use a visible primitive. */
export function scopesFor(lists: Lists, target: Target, configuration: Configuration): readonly string[] {
  if (!configuration.policy.asksForScopes) return [];
  const { reason } = explainTarget(lists, target, configuration, false, Infinity)?.decision ?? {};
  return reason?.code === 'scope-missing' ? reason.scopes : [];
}

/** Returns whether what a visible primitive contains is not for the caller, in whichever message it comes. */
export const lacksScope = (lists: Lists, uri: string, configuration: Configuration): boolean =>
  scopesFor(lists, { type: 'uri', name: uri }, configuration).length > 0;
