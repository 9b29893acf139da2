import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { readCounted } from '../inputs/token-counter.js';
import { readArguments, refusePositionals } from '../options/arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from '../options/common.js';
import { hasInput, INPUT_HELP, INPUT_OPTIONS, parseInput, splitCommand } from '../options/input-options.js';
import { POLICY_HELP, POLICY_OPTION } from '../options/policy-option.js';
import { playgroundDocument } from '../proposals/playground-document.js';
import { openInBrowser } from '../terminal/open-in-browser.js';

export const help = `Opens the playground in a browser: edit a policy, and see what it shows.

Usage: mcp-concerns open [--policy PATH] [options] [INPUT]

The page is one file, which loads nothing and sends nothing. Without a policy,
it opens the policy that init would write for the input; without both, examples.
Without an input, it takes the catalog beside the policy (policy.catalog.json).
The page does not write your files: save what you keep.

Options:
${POLICY_HELP}
  --no-open             write the page, and print its path
${COMMON_HELP}

${INPUT_HELP}

Exit codes: 0 opened, or printed; 2 invalid arguments or input.

Examples:
  mcp-concerns open --policy policy.yaml
  mcp-concerns open -- npx @playwright/mcp
`;

const OPTIONS = {
  'no-open': { type: 'boolean' },
  ...POLICY_OPTION,
  ...INPUT_OPTIONS,
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv the arguments after `open`
 * @returns the exit code
 * @throws {CliError} if an argument is not valid, or a file or the input cannot be read
 * @example
 * await run(['--policy', 'policies/vault.yaml', '--no-open']);
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('open', own, OPTIONS);
  const { note } = readCommon('open', values);
  refusePositionals('open', positionals);
  const { policy: paths = [] } = values;
  const withInput = hasInput(values, command);
  if (withInput || values.header !== undefined) parseInput(values, command, 'open');

  // The build puts the page beside the command.
  let html = brotliDecompressSync(readFileSync(new URL('./playground.html.br', import.meta.url))).toString();
  if (withInput || paths.length > 0) {
    const catalog = withInput ? await readCounted(values, command, 'open') : undefined;
    const document = await playgroundDocument({ paths, catalog, catalogFile: values.catalog });
    html = withDocument(html, document);
  }
  const file = join(mkdtempSync(join(tmpdir(), 'mcp-concerns-')), 'playground.html');
  // A policy and a catalog can be confidential.
  writeFileSync(file, html, { mode: 0o600 });
  if (values['no-open'] !== true) {
    note(`Opening ${file}`);
    if (await openInBrowser(file)) return 0;
    note('No browser could be started. Open this file yourself.');
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
