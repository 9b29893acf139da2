import { spawn } from 'node:child_process';

/**
 * Opens a file in the browser of the person.
 *
 * @param file the path of the file
 * @returns whether a program was started
 * @example
 * if (!(await openInBrowser(file))) process.stdout.write(`${file}\n`);
 */
export function openInBrowser(file: string): Promise<boolean> {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program ?? '', [...args, file], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
