import { panelMode } from '../../messages/panel-routes.js';
import { CONCERNS_PARAMETER } from '../../messages/wire.js';
import type { Exchange } from '../../request/exchange.js';
import { canSwitch } from '../../request/switching.js';

/** Why a page in a client cannot change anything, if there is no place to keep a change. */
const NOT_KEPT = `This connection keeps no preferences. Put them into the URL of the server, for example ?${CONCERNS_PARAMETER}=NAME:VALUE.`;

const READ_ONLY =
  'Nothing can be changed here: the panel is read-only. To allow changes, set "panel: on" under "settings" in the policy, or start "mcp-concerns serve" with --panel on.';

const SHADOW =
  'Nothing can be changed here: under "enforcement: shadow" nothing is hidden. Change "enforcement" in the policy first.';

/**
 * Returns why nothing can be changed with a request, and what to do instead.
 *
 * @param exchange the request
 * @returns `undefined` if a person can switch
 */
export function whyReadOnly(exchange: Exchange): string | undefined {
  if (canSwitch(exchange)) return undefined;
  const { settings } = exchange.policy;
  if (panelMode(settings) === 'on') return NOT_KEPT;
  return settings.panel === 'on' ? SHADOW : READ_ONLY;
}

/** Says how a person can change what is shown, or why nobody can. */
export function howToSwitch(exchange: Exchange): string {
  const problem = whyReadOnly(exchange);
  if (problem !== undefined) return problem;
  const presets = [...exchange.policy.presets.keys()].map((name) => `concerns-${name}`);
  const others = presets.length === 0 ? '' : `, or one of the prompts ${presets.join(', ')}`;
  return `A person can change what is shown with the prompt "concerns"${others}.`;
}
