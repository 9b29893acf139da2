import type { Settings } from '../../engine/policy.js';
import { panelMode } from '../table/routes.js';

const READ_ONLY =
  'The panel is read-only, so nothing can be changed here. To allow changes, set "panel: on" under "settings" in the policy. If the policy does not set it, run "mcp-concerns serve" with "--panel on".';

const SHADOW =
  'Under "enforcement: shadow" nothing is hidden, so nothing can be changed here. Set another "enforcement" under "settings" in the policy first.';

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
  return settings.panel === 'read-only' ? READ_ONLY : SHADOW;
}
