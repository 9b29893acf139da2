import type { Settings } from '../../engine/policy.js';
import { panelMode } from '../table/routes.js';
import { READ_ONLY, SHADOW } from './generated/texts.js';

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
