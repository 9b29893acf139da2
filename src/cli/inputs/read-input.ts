import type { PolicyCatalog } from '../../policy/check/check-catalog.js';
import type { Input } from '../options/input-options.js';
import { interruptible } from '../terminal/interrupt.js';
import { withProgress } from '../terminal/progress.js';
import { type CatalogFile, readCatalogFile } from './catalog-file.js';

/**
 * Reads the primitives of an input: a catalog file, a server over HTTP, or the command of
 * a server. Handles signals meanwhile, and shows progress on a terminal.
 *
 * @param input the input
 * @param quiet true to show no progress on stderr
 * @returns the catalog, and the facts about the server in the input
 * @throws {CliError} if the input cannot be read
 * @throws {Interrupted} if a signal interrupted it
 * @example
 * const { tools = [] } = await readInput({ from: 'catalog', path: 'policies/vault.catalog.json' }, false);
 */
export async function readInput(
  input: Input,
  quiet: boolean | undefined,
): Promise<PolicyCatalog & CatalogFile> {
  const catalog = input.from === 'catalog' ? readCatalogFile(input.path) : await listServer(input, quiet);
  if (catalog.isFiltered === true && quiet !== true) console.error(FILTERED);
  return catalog;
}

const FILTERED =
  'note: The server filters its lists with mcp-concerns, so what it does not list may exist. Pass the server without its filter to find entries that match nothing.';

async function listServer(input: Exclude<Input, { from: 'catalog' }>, quiet: boolean | undefined) {
  // The SDK is loaded only for servers.
  const { fetchCatalog } = await import('./fetch-catalog.js');
  const peer =
    input.from === 'url'
      ? (await import('./http-peer.js')).httpPeer(input.url, input.headers)
      : (await import('./child-peer.js')).childPeer(input.program, input.args);
  const { seconds } = input;
  return withProgress(`Listing ${input.from === 'url' ? input.url.host : input.program}`, quiet, () =>
    interruptible((signal) => fetchCatalog(peer, { seconds, signal })),
  );
}
