import type { Command, OptionValues } from '@commander-js/extra-typings';
import { type Policy, preparePolicy } from '../../engine/policy.js';
import { writesText } from '../options/define-command.js';
import { takesInput } from '../options/input-options.js';
import { policyOption } from '../options/policy-option.js';
import {
  type CallerConfiguration,
  type PreferenceValues,
  readPreferences,
  takesPreferences,
} from '../options/preferences.js';
import type { Terminal } from '../options/terminal.js';
import { FULL_CLIENT_CAPABILITIES } from './full-client-capabilities.js';
import { readPolicyInput } from './policy-input.js';

/** Adds the options of `list` and `explain`: one policy, one configuration, one input. */
export const describesConfiguration = <A extends unknown[], O extends OptionValues, G extends OptionValues>(
  command: Command<A, O, G>,
) => takesInput(writesText(takesPreferences(command.addOption(policyOption()))));

/**
 * Reads a policy, and the configuration that the command line describes. Warnings go to stderr.
 *
 * @param paths the files and folders of the policy
 * @param values the values of the options that `describesConfiguration` adds
 * @param consequence what the command did not do if the policy has errors, for messages
 * @param terminal how the command writes its output
 * @returns the policy and the configuration
 * @throws {CliError} if the policy has errors, or a preference is not valid
 * @example
 * const { policy, resolved } = readPolicyAndConfiguration(paths, values, 'nothing was explained', terminal);
 */
export function readPolicyAndConfiguration(
  paths: readonly string[],
  values: PreferenceValues,
  consequence: string,
  terminal: Terminal,
): { readonly policy: Policy; readonly resolved: CallerConfiguration } {
  const policy = preparePolicy(readPolicyInput(paths, consequence, terminal));
  const resolved = readPreferences(policy, values, FULL_CLIENT_CAPABILITIES);
  for (const { message } of resolved.configuration.warnings) terminal.note(`warning: ${message}`);
  return { policy, resolved };
}
