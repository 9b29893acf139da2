import type { RequestFacts } from '../request/facts.js';
import { canSwitch, mayWiden } from '../request/switching.js';
import { panelNames } from '../table/routes.js';
import { HOW_TO_WIDEN, NOT_KEPT, switchWithPrompt } from './generated/texts.js';
import { whyOnlyLook } from './read-only.js';

/**
 * Returns why nothing can be changed with a request, and what to do instead.
 *
 * @param facts the request
 * @returns `undefined` if a person can switch
 */
export function whyReadOnly(facts: RequestFacts): string | undefined {
  return canSwitch(facts) ? undefined : (whyOnlyLook(facts.policy.settings) ?? NOT_KEPT);
}

/** Says how a person can show more than a page in the client may, and than prompts and forms may under `panel: narrow`. */
export const howToWiden = (facts: RequestFacts): string =>
  mayWiden(facts) ? howToSwitch(facts) : HOW_TO_WIDEN;

/** Says how a person can change what is shown, or why nobody can. */
export function howToSwitch(facts: RequestFacts): string {
  const problem = whyReadOnly(facts);
  if (problem !== undefined) return problem;
  const { prompt, presetPrompt } = panelNames(facts.policy.settings);
  const presets = [...facts.policy.presets.keys()].map((name) => `${presetPrompt}${name}`);
  const others = presets.length === 0 ? '' : `, or one of the prompts ${presets.join(', ')}`;
  return switchWithPrompt({ prompt, others });
}
