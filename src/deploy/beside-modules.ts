import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, relative, resolve, sep } from 'node:path';
import type { Loader, Plugin } from 'esbuild';

/** The name of the plugin in errors of esbuild. */
const BESIDE_MODULES = 'beside-modules';

/** `new URL('note.txt', import.meta.url)` with a text that is known now. */
const URL_OF_FILE =
  /new\s+URL\(\s*(?:'([^'\n]+)'|"([^"\n]+)"|`([^`$\n]+)`)\s*,\s*import\.meta\.url\s*,?\s*\)/g;

const LOADERS: Readonly<Record<string, Loader>> = {
  '.js': 'js',
  '.mjs': 'js',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.tsx': 'tsx',
};

/**
 * An esbuild plugin for files that the modules of a project find beside themselves. In a bundle, modules are elsewhere, so it
 * leads such a URL to the copy of the file in the bundle, and refuses one of a file that has no copy: the function would only
 * fail when it reads the file. Packages are left as they are.
 *
 * @param files the files that are copied, relative to `root`
 * @param root the folder of the project
 * @returns the plugin
 */
export const besideModules = (files: readonly string[], root: string): Plugin => ({
  name: BESIDE_MODULES,
  setup({ onLoad }) {
    const copied = new Set(files);
    onLoad({ filter: /\.(?:[mc]?ts|tsx|m?js|jsx)$/ }, async ({ path, namespace }) => {
      if (namespace !== 'file' || path.includes(`${sep}node_modules${sep}`)) return undefined;
      const code = await readFile(path, 'utf8');
      if (!code.includes('import.meta.url')) return undefined;
      const errors: { text: string; location: { file: string; line: number } }[] = [];
      const contents = code.replace(URL_OF_FILE, (found, ...given) => {
        const [name] = given.slice(0, 3).filter((each) => each !== undefined);
        const file = resolve(dirname(path), decodeURIComponent(name));
        if (/^[a-z]+:/i.test(name) || !existsSync(file) || !statSync(file).isFile()) return found;
        const own = relative(root, file).replaceAll(sep, '/');
        if (copied.has(own)) return `new URL(${JSON.stringify(`./${own}`)}, import.meta.url)`;
        const line = code.slice(0, given[3]).split('\n').length;
        errors.push({
          text: `${own} is not in the bundle. Add it to "files" in endpoint.yml: files: [${own}]`,
          location: { file: relative(root, path), line },
        });
        return found;
      });
      return { contents, errors, loader: LOADERS[extname(path)] ?? 'ts' };
    });
  },
});
