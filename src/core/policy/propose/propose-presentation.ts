import type { Primitive } from '../../engine/mapping.js';
import type { Presentation } from '../../engine/policy.js';
import { annotationsOf } from '../../engine/present.js';
import type { ProposedEffect } from './effects.js';

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
