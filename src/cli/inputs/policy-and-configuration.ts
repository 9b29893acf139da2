import { type Policy, preparePolicy } from '../../core/engine/policy.js';
import type { CommandLine } from '../options/command-line.js';
import type { Options } from '../options/generated/commands.js';
import { onePolicyOf } from '../options/policy-option.js';
import { type CallerConfiguration, readPreferences } from '../options/preferences.js';
import { FULL_CLIENT_CAPABILITIES } from './generated/client-capabilities.js';
import { readPolicyInput } from './policy-input.js';
import { knownServers } from './several/known-servers.js';

/** A policy, and the configuration that a command line describes. */
export interface PolicyAndConfiguration {
  /** The files and folders of the policy. */
  readonly paths: readonly string[];
  readonly policy: Policy;
  readonly resolved: CallerConfiguration;
}

/**
 * Reads a policy, and the configuration that the command line describes. Warnings go to stderr.
 *
 * @param line the command line of `list` or `explain`
 * @param consequence what the command did not do if the policy has errors, for messages
 * @throws {CliError} if there is not exactly one policy, it has errors, or a preference is not valid
 * @example
 * const { policy, resolved } = await readPolicyAndConfiguration(line, 'nothing was explained');
 */
export async function readPolicyAndConfiguration(
  line: CommandLine<unknown[], Options['configuration']>,
  consequence: string,
): Promise<PolicyAndConfiguration> {
  const { values, terminal } = line;
  const paths = onePolicyOf(line);
  const servers = await knownServers(values.servers, terminal.env);
  const policy = preparePolicy(readPolicyInput(paths, consequence, terminal, servers));
  const resolved = readPreferences(policy, values, FULL_CLIENT_CAPABILITIES);
  for (const { message } of resolved.configuration.warnings) terminal.note(`warning: ${message}`);
  return { paths, policy, resolved };
}
