import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { byKind } from '../../core/engine/policy.js';
import { read } from '../../core/wire/messages.js';
import type { Input } from '../options/input-options.js';
import type { Terminal } from '../terminal/output.js';
import { catalogContents } from '../terminal/quantities.js';
import { jsonText, writeOutput } from '../terminal/write-output.js';
import type { CatalogFile } from './catalog-file.js';
import { primitiveFacts } from './primitive-facts.js';
import { readInput } from './read-input.js';
import { ENCODING, readCounted } from './token-counter.js';

/**
 * Saves the catalog of an input to a file, for `--catalog`. The same server always gives the same bytes.
 *
 * @param input what is listed
 * @param output the file, whose missing folders are created; `-` is stdout
 * @param onlyFacts whether to write only what policies can read, and token counts
 * @param terminal how the command reads and writes
 * @throws {CliError} if the input cannot be read, or the file cannot be written
 * @example
 * await saveCatalog(input, 'catalog.json', false, terminal);
 */
export async function saveCatalog(
  input: Input,
  output: string,
  onlyFacts: boolean,
  terminal: Terminal,
): Promise<void> {
  const [catalog, tokensOf] = onlyFacts
    ? await readCounted(input, terminal)
    : [await readInput(input, terminal), undefined];
  const { instructions, encoding } = catalog;
  const about = {
    server: onlyFacts ? nameOf(catalog.server) : catalog.server,
    source: catalog.source,
    license: catalog.license,
    capabilities: catalog.capabilities,
    unavailable: catalog.unavailable,
    unlisted: catalog.unlisted,
    leftOut: catalog.leftOut,
    // Facts contain no text of the author of the server.
    instructions: onlyFacts ? undefined : instructions,
    sdk: sdkOf(catalog, input.from === 'catalog'),
    encoding: tokensOf === undefined ? encoding : ENCODING,
  };
  const lists = byKind((kind) =>
    tokensOf === undefined
      ? catalog[kind]
      : catalog[kind]?.map((item) => primitiveFacts(kind, item, tokensOf(item))),
  );
  writeOutput(output, jsonText({ ...about, ...lists }), terminal);
  if (output !== '-') terminal.note(`Wrote ${output}: ${catalogContents(catalog)}.`);
}

/** @returns the name, title and version of a server */
function nameOf(server: unknown): unknown {
  if (typeof server !== 'object' || server === null) return server;
  return { name: read(server, 'name'), title: read(server, 'title'), version: read(server, 'version') };
}

/** @returns the SDK that fetched the catalog, because servers may list other primitives to other clients */
function sdkOf({ sdk }: CatalogFile, fromFile: boolean): unknown {
  if (fromFile) return sdk;
  const name = '@modelcontextprotocol/sdk';
  const entry = createRequire(import.meta.url).resolve(`${name}/types.js`);
  const folder = entry.replaceAll('\\', '/').split(`${name}/`, 1)[0] ?? '';
  const version = read(JSON.parse(readFileSync(`${folder}${name}/package.json`, 'utf8')), 'version');
  return `${name} ${version}`;
}
