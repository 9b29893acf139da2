import type { Settings } from '../../engine/policy.js';
import type { RequestFacts } from '../request/facts.js';
import { canSwitch, mayWiden } from '../request/switching.js';
import { panelMode, panelNames } from '../table/routes.js';

/**
 * Returns why people can only look: it holds for the page, `mcp-concerns switch`, the prompts and the tool alike.
 *
 * @param settings the settings of the policy in force
 * @returns a sentence that says what to do instead; `undefined` if people may switch
 * @example
 * whyOnlyLook({ ...settings, panel: 'read-only' });
 */
export function whyOnlyLook(settings: Settings): string | undefined {
  if (panelMode(settings) !== 'read-only') return undefined;
  return settings.panel === 'read-only'
    ? 'The panel is read-only, so nothing can be changed here. To allow changes, set "panel: on" under "settings" in the policy. If the policy does not set it, run "mcp-concerns serve" with "--panel on".'
    : 'Under "enforcement: shadow" nothing is hidden, so nothing can be changed here. Set another "enforcement" under "settings" in the policy first.';
}

/**
 * Returns why nothing can be changed with a request, and what to do instead.
 *
 * @param facts the request
 * @returns `undefined` if a person can switch
 */
export function whyReadOnly(facts: RequestFacts): string | undefined {
  return canSwitch(facts)
    ? undefined
    : (whyOnlyLook(facts.policy.settings) ??
        'This connection keeps no preferences. Put them into the URL of the server, for example ?concerns=NAME:VALUE.');
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
