import { type Policy, preparePolicy } from '../../engine/policy.js';
import { COMMON_HELP, COMMON_OPTIONS, type Common } from '../options/common.js';
import { INPUT_HELP, INPUT_OPTIONS } from '../options/input-options.js';
import { POLICY_OPTION } from '../options/policy-option.js';
import {
  type CallerConfiguration,
  PREFERENCE_HELP,
  PREFERENCE_OPTIONS,
  type PreferenceValues,
  readPreferences,
} from '../options/preferences.js';
import { FULL_CLIENT_CAPABILITIES } from './full-client-capabilities.js';
import { readPolicyInput } from './policy-input.js';

/** The options of `list` and `explain`: one policy, one configuration, one input. */
export const CONFIGURATION_OPTIONS = {
  ...POLICY_OPTION,
  format: { type: 'string' },
  ...PREFERENCE_OPTIONS,
  ...INPUT_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param policy the lines about the policy in the help of the command
 * @param format the line about `--format` in the help of the command
 * @returns the lines about all options
 */
export const configurationHelp = (policy: string, format: string): string => `Options:
${policy}
${PREFERENCE_HELP}
${format}
${COMMON_HELP}

${INPUT_HELP}`;

/**
 * Reads a policy, and the configuration that the command line describes. Warnings go to stderr.
 *
 * @param paths the files and folders of the policy
 * @param values the values of `CONFIGURATION_OPTIONS`
 * @param consequence what the command did not do if the policy has errors, for messages
 * @param common how the command writes its output
 * @returns the policy and the configuration
 * @throws {CliError} if the policy has errors, or a preference is not valid
 * @example
 * const { policy, resolved } = readPolicyAndConfiguration(paths, values, 'nothing was explained', common);
 */
export function readPolicyAndConfiguration(
  paths: readonly string[],
  values: PreferenceValues,
  consequence: string,
  { quiet, errors, note }: Common,
): { readonly policy: Policy; readonly resolved: CallerConfiguration } {
  const policy = preparePolicy(readPolicyInput(paths, { exitCode: 2, consequence }, quiet, errors));
  const resolved = readPreferences(policy, values, FULL_CLIENT_CAPABILITIES);
  for (const { message } of resolved.configuration.warnings) note(`warning: ${message}`);
  return { policy, resolved };
}
