import { spawn } from 'node:child_process';

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
 * if (!(await openInBrowser(file))) process.stdout.write(`${file}\n`);
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
