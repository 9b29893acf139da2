import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { readCounted } from '../inputs/token-counter.js';
import { readCommandLine } from '../options/command-line.js';

import { defineInputCommand, parseInput } from '../options/input-options.js';
import { policyOption } from '../options/policy-option.js';
import { playgroundDocument } from '../proposals/playground-document.js';
import { openInBrowser } from '../terminal/open-in-browser.js';

export const definition = defineInputCommand(
  'open',
  `Opens the playground in a browser: edit a policy, and see what it shows.

The page is one file, which loads nothing and sends nothing. Without a policy,
it opens the policy that init would write for the input; without both, examples.
Without an input, it takes the catalog beside the policy (policy.catalog.json).
The page does not write your files: save what you keep.`,
  `Exit codes: 0 opened, or printed; 2 invalid arguments or input.

Examples:
  mcp-concerns open --policy policy.yaml
  mcp-concerns open -- npx -y @playwright/mcp`,
)
  .addOption(policyOption())
  .option('--no-open', 'write the page, and print its path');

/**
 * @param argv the arguments after `open`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, or a file or the input cannot be read
 * @example
 * await run(['--policy', 'policies/vault.yaml', '--no-open']);
 */
export async function run(argv: string[]): Promise<number> {
  const line = readCommandLine(definition, argv, false);
  const { values, terminal } = line;
  const { policy: paths = [] } = values;
  const input = parseInput(line);

  // The build puts the page beside the command.
  let html = brotliDecompressSync(readFileSync(new URL('./playground.html.br', import.meta.url))).toString();
  if (input !== undefined || paths.length > 0) {
    const catalog = input ? await readCounted(input, terminal.quiet) : undefined;
    const document = await playgroundDocument({ paths, catalog, catalogFile: values.catalog });
    html = withDocument(html, document);
  }
  const file = join(mkdtempSync(join(tmpdir(), 'mcp-concerns-')), 'playground.html');
  // A policy and a catalog can be confidential.
  writeFileSync(file, html, { mode: 0o600 });
  if (values.open) {
    terminal.note(`Opening ${file}`);
    if (await openInBrowser(file)) return 0;
    terminal.note('No browser could be started. Open this file yourself.');
  }
  process.stdout.write(`${file}\n`);
  return 0;
}

/** Puts a document in place of the examples. "<" would let a text end the script element. */
function withDocument(html: string, document: object): string {
  const json = JSON.stringify([document]).replaceAll('<', '\\u003c');
  return html.replace(
    /(<script type="application\/json" id="documents">)[^<]*/,
    (_whole, start: string) => start + json,
  );
}
