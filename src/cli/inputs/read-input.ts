import { KINDS } from '../../core/engine/policy.js';
import { KIND_NAMES } from '../../core/policy/language/kind-names.js';
import type { Input, ServerInput } from '../options/input-options.js';
import { interruptible } from '../terminal/interrupt.js';
import { plain, type Terminal } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { type CatalogFile, readCatalogFile } from './catalog-file.js';

/**
 * Reads the primitives of an input: a catalog file, a server over HTTP, a module, or the
 * command of a server. Handles signals meanwhile, and shows progress on a terminal.
 *
 * @param input the input
 * @param terminal where progress and warnings are shown
 * @returns the catalog, and the facts about the server in the input
 * @throws {CliError} if the input cannot be read
 * @throws {Interrupted} if a signal interrupted it
 * @example
 * const { tools = [] } = await readInput({ from: 'catalog', path: 'policies/vault.catalog.json' }, terminal);
 */
export async function readInput(input: Input, terminal: Terminal): Promise<CatalogFile> {
  const catalog = input.from === 'catalog' ? readCatalogFile(input.path) : await listServer(input, terminal);
  for (const kind of KINDS) {
    const reason = catalog.unlisted?.[kind];
    if (reason !== undefined)
      terminal.warn(
        `warning: ${plain(reason)}. Its ${KIND_NAMES[kind][1]} are not known, so nothing says that one is missing.`,
      );
  }
  if (catalog.isFiltered === true && !terminal.quiet) terminal.warn(FILTERED);
  return catalog;
}

const FILTERED =
  'note: The server filters its lists with mcp-concerns, so what it does not list may exist. Pass the server without its filter to find entries that match nothing.';

async function listServer(input: ServerInput, terminal: Terminal): Promise<CatalogFile> {
  // The SDK is loaded only for servers.
  const [{ openServer }, { WholeListTransport }, { fetchCatalog }] = await Promise.all([
    import('./open-server.js'),
    import('./listing/whole-list-transport.js'),
    import('./listing/fetch-catalog.js'),
  ]);
  const unavailable: Record<string, string> = {};
  const missing = (server: string, reason: string): void => {
    unavailable[server] = reason;
    terminal.warn(`note: The server ${server} is left out: ${plain(reason)}.`);
  };
  const opened = await openServer(input, terminal, WholeListTransport);
  await interruptible(async (signal) => opened.signIn?.(signal));
  const catalog = await withProgress(`Listing ${plain(opened.name)}`, terminal, () =>
    interruptible((signal) => fetchCatalog(opened, { ...input, signal, missing })),
  );
  return { ...catalog, ...(Object.keys(unavailable).length === 0 ? {} : { unavailable }) };
}
