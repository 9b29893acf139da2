import { existsSync } from 'node:fs';
import { Option } from '@commander-js/extra-typings';
import { UsageError } from '../errors.js';
import { repeated } from './define-command.js';

/** @returns the option that names policies */
export const policyOption = (description = 'a policy file or a folder; several are merged') =>
  new Option('--policy <path>', description).argParser(repeated);

const NO_POLICY =
  'There is no policy. Pass --policy PATH, or write mcp-concerns.config.yaml; "mcp-concerns init" writes a first policy';

/**
 * Separates the policies of a command line: all paths of `--policy` are merged into one policy, and each path without the
 * option is a policy of its own. In both, the files of a folder are merged.
 *
 * @param command the name of the command, for messages
 * @param merged the values of `--policy`
 * @param separate the arguments without an option
 * @returns the paths of each policy, at least one policy
 * @throws {UsageError} if there is no policy
 * @example
 * policiesOf('check', ['common.yaml', 'own.yaml'], ['other.yaml']); // [['common.yaml', 'own.yaml'], ['other.yaml']]
 */
export function policiesOf(
  command: string,
  merged: readonly string[] | undefined,
  separate: readonly string[],
): readonly (readonly string[])[] {
  const policies = [
    ...(merged === undefined || merged.length === 0 ? [] : [merged]),
    ...separate.map((path) => [path]),
  ];
  if (policies.length === 0) throw new UsageError(command, NO_POLICY);
  return policies;
}

/**
 * @param command the name of the command, for messages
 * @param merged the values of `--policy`
 * @param separate the arguments without an option
 * @returns the paths of the only policy
 * @throws {UsageError} if there is no policy, or more than one
 * @example
 * onePolicyOf('list', undefined, ['policies/vault.yaml']); // ['policies/vault.yaml']
 */
export function onePolicyOf(
  command: string,
  merged: readonly string[] | undefined,
  separate: readonly string[] = [],
): readonly string[] {
  // A forgotten -- is more likely than a policy that does not exist.
  const missing = separate.find((path) => !existsSync(path));
  if (missing !== undefined) {
    throw new UsageError(
      command,
      `There is no policy "${missing}". Check its path; the command of a server is passed after --`,
    );
  }
  const [first, second] = policiesOf(command, merged, separate);
  if (first !== undefined && second === undefined) return first;
  throw new UsageError(
    command,
    `"${command}" takes one policy. To merge several files, pass --policy for each`,
  );
}
