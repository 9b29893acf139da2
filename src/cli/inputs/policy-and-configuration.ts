import { type Policy, preparePolicy } from '../../engine/policy.js';
import type { InputValues } from '../options/input-options.js';
import { type CallerConfiguration, type PreferenceValues, readPreferences } from '../options/preferences.js';
import type { Terminal } from '../terminal/output.js';
import { FULL_CLIENT_CAPABILITIES } from './generated/client-capabilities.js';
import { readPolicyInput } from './policy-input.js';
import { knownServers } from './several/known-servers.js';

/**
 * Reads a policy, and the configuration that the command line describes. Warnings go to stderr.
 *
 * @param paths the files and folders of the policy
 * @param values the values of the options of `list` and `explain`
 * @param consequence what the command did not do if the policy has errors, for messages
 * @param terminal how the command writes its output
 * @returns the policy and the configuration
 * @throws {CliError} if the policy has errors, or a preference is not valid
 * @example
 * const { policy, resolved } = await readPolicyAndConfiguration(paths, values, 'nothing was explained', terminal);
 */
export async function readPolicyAndConfiguration(
  paths: readonly string[],
  values: PreferenceValues & Partial<Pick<InputValues, 'servers'>>,
  consequence: string,
  terminal: Terminal,
): Promise<{ readonly policy: Policy; readonly resolved: CallerConfiguration }> {
  const servers = await knownServers(values.servers);
  const policy = preparePolicy(readPolicyInput(paths, consequence, terminal, servers));
  const resolved = readPreferences(policy, values, FULL_CLIENT_CAPABILITIES);
  for (const { message } of resolved.configuration.warnings) terminal.note(`warning: ${message}`);
  return { policy, resolved };
}
