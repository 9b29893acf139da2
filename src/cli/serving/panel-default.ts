import type { CompiledPolicy, Settings } from '../../engine/policy.js';

/**
 * Sets `settings.panel` of a policy that does not set it. A policy that is only tried on this machine needs no setting to
 * be switched in a conversation; one that is deployed does.
 *
 * @param compiled the policy
 * @param panel the setting
 * @returns the policy with the setting
 * @example
 * preparePolicy(withPanel(compiled, 'on'));
 */
export const withPanel = (
  compiled: CompiledPolicy,
  panel: NonNullable<Settings['panel']>,
): CompiledPolicy => ({ ...compiled, settings: { panel, ...compiled.settings } });
