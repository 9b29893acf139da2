import { isForPages } from '../../core/engine/companions.js';
import type { Primitive } from '../../core/engine/mapping.js';
import type { TokenCounter } from '../inputs/token-counter.js';

/**
 * Counts what a host sends again when its list of tools changes. The tools are the beginning of the prompt, and prompt
 * caches keep a beginning only up to the first difference. Everything after the list is sent again too, but is not known
 * here.
 *
 * @param before the tools of the list before the change
 * @param after the tools of the list after the change
 * @param billedOf counts the tokens that a model is billed for
 * @returns the tokens of the new list from the first difference on; 0 if the lists are the same
 * @example
 * resentAfter([a, b, c], [a, c], billedOf); // the tokens of c
 */
export function resentAfter(
  before: readonly Primitive[],
  after: readonly Primitive[],
  billedOf: TokenCounter,
): number {
  const inPrompt = (tools: readonly Primitive[]) => tools.filter((tool) => !isForPages(tool));
  const [old, now] = [inPrompt(before), inPrompt(after)];
  const same = (at: number): boolean =>
    old[at] === now[at] || JSON.stringify(old[at]) === JSON.stringify(now[at]);
  let kept = 0;
  while (kept < Math.min(old.length, now.length) && same(kept)) kept++;
  return now.slice(kept).reduce((sum, tool) => sum + billedOf(tool), 0);
}
