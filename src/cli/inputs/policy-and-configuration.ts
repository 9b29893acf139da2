import { type Policy, preparePolicy } from '../../engine/policy.js';
import { UsageError } from '../errors.js';
import { CAN_DO_ALL } from './full-client-capabilities.js';
import { SOURCE_HELP, SOURCE_OPTIONS } from '../options/input-options.js';
import { readPolicyInput } from './policy-input.js';
import { COMMON_HELP, COMMON_OPTIONS, type Common } from '../options/common.js';
import { ASK_HELP, ASK_OPTIONS, type Asked, type AskValues, readAsked } from '../options/preferences.js';

/** What `list` and `explain` ask of one policy, one host and one server, as options of `parseArgs`. */
export const QUESTION_OPTIONS = {
  policy: { type: 'string', multiple: true },
  format: { type: 'string' },
  ...ASK_OPTIONS,
  ...SOURCE_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/** What the help of a command says of `--policy`. */
export const POLICY_HELP = '  --policy PATH         a policy file or a folder of them; several are merged';

/**
 * @param format what the help of the command says of `--format`
 * @returns what it says of all options
 */
export const questionHelp = (format: string): string => `Options:
${POLICY_HELP}
${ASK_HELP}
${format}
${COMMON_HELP}

${SOURCE_HELP}`;

/**
 * @param name the command's name, for messages
 * @param paths what was given for `--policy`
 * @returns the same
 * @throws {UsageError} if there is none
 */
export function checkPaths(name: string, paths: readonly string[] | undefined): readonly string[] {
  if (paths === undefined || paths.length === 0) throw new UsageError(name, 'There is no --policy');
  return paths;
}

/**
 * Reads the policy, and what is asked of it; warnings go to stderr.
 *
 * @param paths the policy's files
 * @param values what was given for `QUESTION_OPTIONS`
 * @param undone what the command did not do if the policy has errors
 * @param common how to speak
 * @returns the policy, ready for evaluation, and the configuration
 * @throws {CliError} if the policy has errors, or an ask does not fit it
 * @example
 * const { policy, wish } = readQuestion(paths, values, 'nothing was explained', common);
 */
export function readQuestion(
  paths: readonly string[],
  values: AskValues,
  undone: string,
  { quiet, errors, note }: Common,
): { readonly policy: Policy; readonly wish: Asked } {
  const policy = preparePolicy(readPolicyInput(paths, { exitCode: 2, undone }, quiet, errors));
  const wish = readAsked(policy, values, CAN_DO_ALL);
  for (const { message } of wish.configuration.warnings) note(`warning: ${message}`);
  return { policy, wish };
}
