import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { byKind } from '../../../engine/policy.js';
import { read } from '../../../wire/messages.js';
import type { CatalogFile } from '../../inputs/catalog-file.js';
import { primitiveFacts } from '../../inputs/primitive-facts.js';
import { readInput } from '../../inputs/read-input.js';
import { ENCODING, readCounted } from '../../inputs/token-counter.js';
import { commandOf } from '../../options/command-line.js';
import { snapshotCommand } from '../../options/generated/commands.js';

import { requireInput } from '../../options/input-options.js';
import { catalogContents } from '../../terminal/quantities.js';
import { jsonText, writeOutput } from '../../terminal/write-output.js';

/**
 * @throws {CliError} if an argument is not valid, the input cannot be read, or the file cannot be written
 * @example
 * await run(['-o', 'catalog.json', '--', 'node', 'server.js']);
 */
export const { definition, run } = commandOf(snapshotCommand(), async (line) => {
  const { values, terminal } = line;
  const { output } = values;
  const input = requireInput(line);
  const [catalog, tokensOf] = values.facts
    ? await readCounted(input, terminal)
    : [await readInput(input, terminal), undefined];

  const { instructions, encoding } = catalog;
  const about = {
    server: values.facts ? nameOf(catalog.server) : catalog.server,
    source: catalog.source,
    license: catalog.license,
    capabilities: catalog.capabilities,
    unavailable: catalog.unavailable,
    unlisted: catalog.unlisted,
    leftOut: catalog.leftOut,
    // Facts contain no text of the author of the server.
    instructions: values.facts ? undefined : instructions,
    sdk: sdkOf(catalog, values.catalog !== undefined),
    encoding: tokensOf === undefined ? encoding : ENCODING,
  };
  const lists = byKind((kind) =>
    tokensOf === undefined
      ? catalog[kind]
      : catalog[kind]?.map((item) => primitiveFacts(kind, item, tokensOf(item))),
  );
  writeOutput(output, jsonText({ ...about, ...lists }), terminal);
  if (output !== '-') terminal.note(`Wrote ${output}: ${catalogContents(catalog)}.`);
});

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
