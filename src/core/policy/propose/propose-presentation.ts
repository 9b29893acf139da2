import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Presentation } from '../../engine/policy.js';
import { annotationsOf, HARMLESS_HINTS } from '../../engine/present.js';
import { useName } from '../../engine/uses/use-name.js';
import type { ProposedActions } from './actions.js';
import type { ProposedEffect } from './effects.js';
import type { Effect } from './words/verbs.js';

/**
 * Drafts the title and the hints that a server does not give a tool. Directories of hosts want both on every tool. A doubt
 * never becomes a hint that promises less harm.
 *
 * @param tool the tool as the server lists it
 * @param proposed what the tool does
 * @param words the words of its name, without a prefix that all tools of the server have
 * @returns what is missing
 * @example
 * proposePresentation({ name: 'list_files' }, { effect: 'read-only', effectFrom: 'name' }, ['list', 'files']);
 * // { title: 'List files', annotations: { readOnlyHint: true } }
 */
export function proposePresentation(
  tool: Primitive,
  { effect, doubt }: ProposedEffect,
  words: readonly string[],
): Presentation {
  const own = annotationsOf(tool);
  const isTitled = typeof tool.title === 'string' || typeof own.title === 'string';
  const [first = '', ...rest] = words;
  const title = [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ');
  const isMild = effect !== 'destroys';
  const hints: readonly (readonly [hint: string, value: boolean, isHarmless: boolean])[] = [
    ['readOnlyHint', effect === 'read-only', effect === 'read-only'],
    ...(effect === 'read-only' ? [] : [['destructiveHint', !isMild, isMild] as const]),
  ];
  const missing = hints.filter(
    ([hint, , isHarmless]) => own[hint] === undefined && !(isHarmless && doubt !== undefined),
  );
  return {
    ...(isTitled || first === '' ? {} : { title }),
    ...(missing.length === 0 ? {} : { annotations: Object.fromEntries(missing) }),
  };
}

/** What `init` presents for one action of a tool. */
export interface PresentedAction {
  /** The name of the use, such as `projects(action=list)`. */
  readonly name: string;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** A list of actions that read and change something has the hint that both have, so what only reads has both. */
const HINTS_OF_ACTIONS: Readonly<Record<Effect, readonly string[]>> = {
  'read-only': ['readOnlyHint', 'destructiveHint'],
  changes: ['destructiveHint'],
  destroys: [],
};

/**
 * Drafts the hints that a tool has while only some of its actions are left. Without them, hosts would ask before each call of what only
 * reads, because the tool as a whole can delete something. Where the server says so, a verb such as "update" does not deny it.
 *
 * @param tool the tool as the server lists it
 * @param actions what its actions do
 * @returns the hints of the actions that do less than the worst, without those that the server gives
 * @example
 * presentActions({ name: 'projects' }, actions); // [{ name: 'projects(action=list)', annotations: { readOnlyHint: true, ... } }]
 */
export function presentActions(
  tool: Primitive,
  { argument, milder }: ProposedActions,
): readonly PresentedAction[] {
  const own = annotationsOf(tool);
  return milder.flatMap(({ value, effect }) => {
    const missing = HINTS_OF_ACTIONS[effect].flatMap((hint) => {
      const harmless = HARMLESS_HINTS.get(hint) === true;
      const isGiven = own[hint] === harmless || (effect !== 'read-only' && own[hint] !== undefined);
      return isGiven ? [] : [[hint, harmless] as const];
    });
    if (missing.length === 0) return [];
    const name = useName(identityOf('tools', tool), argument, value);
    return [{ name, annotations: Object.fromEntries(missing) }];
  });
}
