import { spawn } from 'node:child_process';
import type { Terminal } from './output.js';

/** The programs of the platforms that do not have `xdg-open`. */
const OPENERS = new Map([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
]);

/**
 * Opens a file in the browser of the person.
 *
 * @param file the path of the file
 * @returns whether a program was started
 * @example
 * if (!(await openInBrowser(file))) terminal.print(`${file}\n`);
 */
export function openInBrowser(file: string): Promise<boolean> {
  const [program = 'xdg-open', ...args] = OPENERS.get(process.platform) ?? [];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, file], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/**
 * Does the same, and without a browser prints the address for the person.
 *
 * @param file the path of the file
 * @param terminal where the address is printed
 * @param address what the person opens, if it is not the file: it contains the key of a page
 */
export async function openOrPrint(
  file: string,
  { note, print }: Pick<Terminal, 'note' | 'print'>,
  address?: string,
): Promise<void> {
  if (await openInBrowser(file)) return;
  const what =
    address === undefined ? 'this file yourself' : 'this address yourself; it contains the key of the page';
  note(`No browser could be started. Open ${what}.`);
  print(`${address ?? file}\n`);
}
