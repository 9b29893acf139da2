import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { openerTo } from '../control/local-page.js';
import { readCounted } from '../inputs/token-counter.js';
import { commandOf } from '../options/command-line.js';
import { openCommand } from '../options/generated/commands.js';
import { parseInput } from '../options/input-options.js';
import { type PlaygroundInput, playgroundDocument } from '../proposals/playground-document.js';
import { servePlayground } from '../proposals/playground-server.js';
import { aborted, interruptible } from '../terminal/interrupt.js';
import { openOrPrint } from '../terminal/open-in-browser.js';
import { plain, type Terminal } from '../terminal/output.js';

/**
 * @throws {CliError} if an argument is not valid, or a file or the input cannot be read
 * @example
 * await run(['--policy', 'policies/vault.yaml', '--no-open']);
 */
export const { definition, run } = commandOf(openCommand(), async (line) => {
  const { values, terminal } = line;
  const { policy: paths = [] } = values;
  const input = parseInput(line);

  // The build puts the page beside the command.
  let html = brotliDecompressSync(readFileSync(new URL('./playground.html.br', import.meta.url))).toString();
  if (input !== undefined || paths.length > 0) {
    const catalog = input ? await readCounted(input, terminal) : undefined;
    const shown = { paths, catalog, catalogFile: values.catalog };
    if (values.open && paths.length > 0) return openSaving(html, shown, terminal);
    html = withDocument(html, await playgroundDocument(shown));
  }
  const file = join(mkdtempSync(join(tmpdir(), 'mcp-concerns-')), 'playground.html');
  // A policy and a catalog can be confidential.
  writeFileSync(file, html, { mode: 0o600 });
  if (values.open) {
    terminal.note(`Opening ${file}`);
    await openOrPrint(file, terminal);
  } else terminal.print(`${file}\n`);
});

/** Serves the page until a signal, so that it can save. */
async function openSaving(html: string, input: PlaygroundInput, terminal: Terminal): Promise<number> {
  const { url, close } = await servePlayground(html, input);
  const folder = mkdtempSync(join(tmpdir(), 'mcp-concerns-'));
  try {
    return await interruptible(async (signal) => {
      const file = join(folder, 'open.html');
      writeFileSync(file, openerTo(url), { mode: 0o600 });
      terminal.note(`The page saves to ${input.paths.map(plain).join(', ')} until you press Ctrl-C.`);
      await openOrPrint(file, terminal, url);
      await aborted(signal);
      return 0;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await close();
  }
}

/** Puts a document in place of the examples. "<" would let a text end the script element. */
function withDocument(html: string, document: object): string {
  const json = JSON.stringify([document]).replaceAll('<', '\\u003c');
  return html.replace(
    /(<script type="application\/json" id="documents">)[^<]*/,
    (_whole, start: string) => start + json,
  );
}
