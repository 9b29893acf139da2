import { UsageError } from '../errors.js';

/** The option that names policies, for `parseArgs`. */
export const POLICY_OPTION = { policy: { type: 'string', multiple: true } } as const;

/** The line about this option in the help of a command. */
export const POLICY_HELP = '  --policy PATH         a policy file or a folder; several are merged';

/**
 * @param command the name of the command, for messages
 * @param paths the values of `--policy`
 * @returns the paths
 * @throws {UsageError} if there is no path
 * @example
 * requirePolicy('list', ['policy.yaml']); // ['policy.yaml']
 */
export function requirePolicy(command: string, paths: readonly string[] | undefined): readonly string[] {
  if (paths !== undefined && paths.length > 0) return paths;
  throw new UsageError(command, 'There is no policy. Pass --policy PATH');
}
