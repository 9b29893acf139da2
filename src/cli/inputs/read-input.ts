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
  const { seconds } = input;
  // The SDK is loaded only for servers.
  if (input.from === 'url') {
    const { url, headers } = input;
    const { fetchFromUrl } = await import('./url-input.js');
    return withProgress(`Listing ${url.host}`, values.quiet, () =>
      interruptible((signal) => fetchFromUrl(url, headers, { seconds, signal })),
    );
  }
  const { program, args } = input;
  const { fetchFromCommand } = await import('./command-input.js');
  return withProgress(`Listing ${program}`, values.quiet, () =>
    interruptible((signal) => fetchFromCommand(program, args, { seconds, signal })),
  );
}
