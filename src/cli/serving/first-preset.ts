import { resolveConfiguration } from '../../core/engine/configuration.js';
import { evaluate } from '../../core/engine/evaluate.js';
import { mapPrimitive } from '../../core/engine/mapping.js';
import type { Policy } from '../../core/engine/policy.js';

/**
 * Chooses a preset as an example for a person who connects a host. Before the server has listed, only the policy tells what a preset
 * shows: one that hides every tool that the policy names is not a first example.
 *
 * @param policy the policy in force
 * @returns the name of the first preset that shows something; `undefined` if no preset does
 * @example
 * firstPreset(policy); // 'look'
 */
export function firstPreset(policy: Policy): string | undefined {
  const named = [...policy.entries.tools.keys()].map((name) => mapPrimitive(policy, 'tools', { name }));
  return [...policy.presets.keys()].find((preset) => {
    const configuration = resolveConfiguration(policy, [{ from: 'session', concerns: { preset } }]);
    return named.length === 0 || named.some((mapping) => evaluate(mapping, configuration).effect === 'show');
  });
}
