import type { PolicyCatalog } from '../../policy/check/check-catalog.js';
import { type InputValues, parseInput } from '../options/input-options.js';
import { interruptible } from '../terminal/interrupt.js';
import { withProgress } from '../terminal/progress.js';
import { type CatalogFile, readCatalogFile } from './catalog-file.js';

/**
 * Reads the primitives of the one input that a command line names: a catalog file, a server over HTTP, or the command of
 * a server. Handles signals meanwhile, and shows progress on a terminal.
 *
 * @param values the values of `INPUT_OPTIONS`
 * @param command the arguments after `--`
 * @param name the name of our command, for messages
 * @returns the catalog, and the facts about the server in the input
 * @throws {UsageError} if there is no input, more than one, or one that is not valid
 * @throws {CliError} if the input cannot be read
 * @throws {Interrupted} if a signal interrupted it
 * @example
 * const { tools = [] } = await readInput({ catalog: 'policies/vault.catalog.json' }, [], 'check');
 */
export async function readInput(
  values: InputValues,
  command: readonly string[],
  name = '',
): Promise<PolicyCatalog & CatalogFile> {
  const input = parseInput(values, command, name);
  if (input.from === 'catalog') return readCatalogFile(input.path);
  // The SDK is loaded only for servers.
  const { fetchCatalog } = await import('./fetch-catalog.js');
  const peer =
    input.from === 'url'
      ? (await import('./http-peer.js')).httpPeer(input.url, input.headers)
      : (await import('./child-peer.js')).childPeer(input.program, input.args);
  const { seconds } = input;
  return withProgress(`Listing ${input.from === 'url' ? input.url.host : input.program}`, values.quiet, () =>
    interruptible((signal) => fetchCatalog(peer, { seconds, signal })),
  );
}
