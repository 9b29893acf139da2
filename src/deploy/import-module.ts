import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Gives Node.js the code of one module. It keeps the URL of the module, so that the module finds its packages and its files
 * where it is.
 */
const HOOKS = `let given;
export const initialize = (data) => { given = data; };
export const load = (url, context, next) =>
  url === given.url ? { format: 'module', source: given.source, shortCircuit: true } : next(url, context);`;

/**
 * Imports a module of a project. TypeScript is read as in the bundle of a function, because Node.js 20 cannot read it, and
 * later versions do not find the file of `./tools.js` if it is `tools.ts`.
 *
 * @param path the module, relative to the working directory
 * @returns its exports
 * @example
 * const { createServer } = await importModule('src/server.ts');
 */
export async function importModule(path: string): Promise<unknown> {
  const { href: url } = pathToFileURL(resolve(path));
  if (/\.[cm]?tsx?$/.test(path)) {
    const { IN_MEMORY, loadEsbuild } = await import('./build-code.js');
    const { build } = await loadEsbuild();
    const { outputFiles } = await build({
      ...IN_MEMORY,
      entryPoints: [resolve(path)],
      target: 'node20',
      sourcemap: 'inline',
    }).catch((cause: Error) => {
      // Its first line only counts the errors.
      throw new Error(cause.message.split('\n').slice(1).join('\n'), { cause });
    });
    const data = { url, source: outputFiles.map(({ text }) => text).join('') };
    register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data });
  }
  return import(url);
}
