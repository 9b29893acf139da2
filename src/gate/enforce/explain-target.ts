import type { Configuration } from '../../engine/configuration.js';
import { type Decision, evaluate } from '../../engine/evaluate.js';
import { itemAt } from '../../engine/item-at.js';
import { IDENTITY, identityOf, type Mapping, mapPrimitive } from '../../engine/mapping.js';
import { KINDS_OF, type RequestTarget } from './targets.js';
import { type Lists, targetMatcher } from './visibility.js';

/** The decision of an access check in words, and whether the server lists the target. */
export interface ExplainedTarget {
  readonly decision: Decision;
  readonly isListed: boolean;
}

/** In characters. All variants of a longer URI take too long to compare, and a log would not contain it. */
const MAX_NAME = 1024;

/**
 * Explains the decision of an access check, for a log. It is not used to decide.
 *
 * @param lists the server's lists
 * @param target the primitive that a request names
 * @param configuration the values in effect
 * @param isHidden the decision of the access check
 * @returns the decision in words; `undefined` if no single primitive explains it, or the name is too long
 */
export function explainTarget(
  lists: Lists,
  { type, name }: Pick<RequestTarget, 'type' | 'name'>,
  configuration: Configuration,
  isHidden: boolean,
): ExplainedTarget | undefined {
  if (name.length > MAX_NAME) return undefined;
  const { policy } = configuration;
  const effect = isHidden ? 'hide' : 'show';
  const explain = (mapping: Mapping): Decision => evaluate(mapping, configuration);
  let isListed = false;
  const decisions = KINDS_OF[type].flatMap((kind) => {
    const list = lists[kind];
    if (list === undefined) return [];
    const matches = targetMatcher(kind, name);
    return list.items.flatMap((item, position) => {
      const identity = identityOf(kind, item);
      if (!matches(identity)) return [];
      if (identity === name) isListed = true;
      return [explain(itemAt(list.classes, itemAt(list.classOf, position)))];
    });
  });
  const [kind] = KINDS_OF[type];
  const bare = explain(mapPrimitive(policy, kind, { [IDENTITY[kind]]: name }));
  const decision = [...decisions, bare].find((each) => each.effect === effect);
  return decision === undefined ? undefined : { decision, isListed };
}
