import { existsSync } from 'node:fs';
import { UsageError } from '../errors.js';
import type { CommandLine } from './command-line.js';

const NO_POLICY =
  'There is no policy. Pass --policy PATH, or write mcp-concerns.config.yaml; "mcp-concerns init" writes a first policy';

/** The policies of a command line: the values of `--policy`, and the arguments without an option. */
type PolicyLine = Pick<
  CommandLine<unknown[], { readonly policy?: readonly string[] | undefined }>,
  'values' | 'policies'
>;

/**
 * Separates the policies of a command line: all paths of `--policy` are merged into one policy, and each path without the
 * option is a policy of its own. In both, the files of a folder are merged.
 *
 * @param line the command line
 * @returns the paths of each policy, at least one policy
 * @throws {UsageError} if there is no policy
 * @example
 * policiesOf({ values: { policy: ['common.yaml', 'own.yaml'] }, policies: ['other.yaml'] });
 * // [['common.yaml', 'own.yaml'], ['other.yaml']]
 */
export function policiesOf({
  values: { policy: merged = [] },
  policies: separate,
}: PolicyLine): readonly (readonly string[])[] {
  const policies = [...(merged.length === 0 ? [] : [merged]), ...separate.map((path) => [path])];
  if (policies.length === 0) throw new UsageError(NO_POLICY);
  return policies;
}

/**
 * @param line the command line
 * @returns the paths of the only policy
 * @throws {UsageError} if there is no policy, or more than one
 * @example
 * onePolicyOf({ values: {}, policies: ['policies/vault.yaml'] }); // ['policies/vault.yaml']
 */
export function onePolicyOf(line: PolicyLine): readonly string[] {
  // A forgotten -- is more likely than a policy that does not exist.
  const missing = line.policies.find((path) => !existsSync(path));
  if (missing !== undefined) {
    throw new UsageError(
      `There is no policy "${missing}". Check its path; the command of a server is passed after --`,
    );
  }
  const [first, second] = policiesOf(line);
  if (first !== undefined && second === undefined) return first;
  throw new UsageError('This command takes one policy. To merge several files, pass --policy for each');
}
