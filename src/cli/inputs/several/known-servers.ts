/**
 * Returns the names of the servers of a host's file, also of those that do not start.
 *
 * @param path the value of `--servers`
 * @param left the keys of the servers that are left out
 * @returns `undefined` without a file
 * @throws {CliError} if the file cannot be used
 * @example
 * await knownServers('.mcp.json'); // ['files', 'git']
 */
export async function knownServers(
  path: string | undefined,
  env: NodeJS.ProcessEnv,
  left: readonly string[] = [],
): Promise<readonly string[] | undefined> {
  if (path === undefined) return undefined;
  // The SDK is loaded only for servers.
  const { readServersFile } = await import('./servers-file.js');
  return [...(await readServersFile(path, env, left)).keys()];
}
