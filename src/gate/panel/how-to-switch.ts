import { CONCERNS_PARAMETER } from '../../wire/messages.js';
import type { RequestFacts } from '../request/facts.js';
import { canSwitch, mayWiden } from '../request/switching.js';
import { panelNames } from '../table/routes.js';
import { whyOnlyLook } from './read-only.js';

/** Why nothing can be changed if there is no place to keep a change. */
const NOT_KEPT = `This connection keeps no preferences. Put them into the URL of the server, for example ?${CONCERNS_PARAMETER}=NAME:VALUE.`;

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
  mayWiden(facts) ? howToSwitch(facts) : 'A person can show more with "mcp-concerns switch".';

/** Says how a person can change what is shown, or why nobody can. */
export function howToSwitch(facts: RequestFacts): string {
  const problem = whyReadOnly(facts);
  if (problem !== undefined) return problem;
  const { prompt, presetPrompt } = panelNames(facts.policy.settings);
  const presets = [...facts.policy.presets.keys()].map((name) => `${presetPrompt}${name}`);
  const others = presets.length === 0 ? '' : `, or one of the prompts ${presets.join(', ')}`;
  return `A person can change what is shown with the prompt "${prompt}"${others}.`;
}
