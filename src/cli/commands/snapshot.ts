import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { KINDS } from '../../engine/policy.js';
import { UsageError } from '../errors.js';
import type { CatalogFile } from '../inputs/catalog-file.js';
import { factsOf } from '../inputs/primitive-facts.js';
import { readSource, SOURCE_HELP, SOURCE_OPTIONS, splitCommand } from '../options/input-options.js';
import { ENCODING, readCounted } from '../inputs/token-counter.js';
import { readArguments } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { contents } from '../terminal/quantities.js';
import { writeOutput } from '../terminal/write-output.js';

export const help = `Usage: mcp-concerns snapshot [options] SOURCE

Writes what a server lists, and says of itself, as a catalog file, which all
commands take with --catalog. The same server gives the same bytes.

Options:
  -o, --output FILE     where to write, folders are made (default: stdout)
  --facts               only names, titles, MIME types, annotations, tags and
                        token counts: no text of somebody else, and all that
                        policies can read
${COMMON_HELP}

${SOURCE_HELP}

Exit codes: 0 written; 2 bad arguments, source or file.

Example:
  mcp-concerns snapshot --facts -o policies/playwright.catalog.json \\
      -- npx @playwright/mcp
`;

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  facts: { type: 'boolean' },
  ...SOURCE_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `snapshot`
 * @returns the exit code
 * @throws {CliError} if an argument or the source is no good, or the file cannot be written
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('snapshot', own, OPTIONS);
  const { note } = readCommon('snapshot', values);
  if (positionals[0] !== undefined) {
    throw new UsageError('snapshot', `"${positionals[0]}" is unexpected: the server's command goes after --`);
  }
  const { output = '-' } = values;
  const [catalog, tokensOf] = values.facts
    ? await readCounted(values, command, 'snapshot')
    : [await readSource(values, command, 'snapshot'), undefined];

  const { instructions, encoding } = catalog;
  const about = {
    server: values.facts ? nameOf(catalog.server) : catalog.server,
    source: catalog.source,
    license: catalog.license,
    capabilities: catalog.capabilities,
    // What a server says to a model is its author's text.
    instructions: values.facts ? undefined : instructions,
    sdk: sdkOf(catalog, values.catalog !== undefined),
    encoding: tokensOf === undefined ? encoding : ENCODING,
  };
  const lists = KINDS.flatMap((kind) => {
    const items = catalog[kind];
    if (items === undefined) return [];
    return [[kind, tokensOf === undefined ? items : items.map((item) => factsOf(item, tokensOf(item)))]];
  });
  const text = `${JSON.stringify({ ...about, ...Object.fromEntries(lists) }, null, 2)}\n`;
  writeOutput(output, text);
  if (output !== '-') note(`Wrote ${output}: ${contents(catalog)}.`);
  return 0;
}

/** A server's name and version, without what it tells of itself. */
function nameOf(server: unknown): unknown {
  if (typeof server !== 'object' || server === null) return server;
  const { name, title, version } = server as { name?: unknown; title?: unknown; version?: unknown };
  return { name, title, version };
}

/** Which client took the lists: another may be shown others. */
function sdkOf({ sdk }: CatalogFile, fromFile: boolean): unknown {
  if (fromFile) return sdk;
  const name = '@modelcontextprotocol/sdk';
  const entry = createRequire(import.meta.url).resolve(`${name}/types.js`);
  const folder = entry.replaceAll('\\', '/').split(`${name}/`, 1)[0] ?? '';
  const { version } = JSON.parse(readFileSync(`${folder}${name}/package.json`, 'utf8')) as {
    version: string;
  };
  return `${name} ${version}`;
}
