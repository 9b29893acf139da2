/**
 * Joins most modules of a folder of the library into one file, for example those of `dist/gate` into `dist/gate.js`. To find
 * and read a small file takes Node.js half a millisecond, and `serve` loads 250 of them before it answers its host.
 *
 * A module stays a file of its own if
 *
 * - the package exports it, or the library imports it only when it is needed;
 * - it imports a package or a module of Node.js, which an application would then load for every other module of the folder;
 * - another module of the folder exports the same name.
 *
 * Declarations stay as they are. What other files import is rewritten.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

const FOLDERS = ['analysis', 'engine', 'gate', 'policy', 'upstream', 'wire'];
const OPTIONS = {
  absWorkingDir: join(process.cwd(), 'dist'),
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'es2023',
  format: 'esm',
  charset: 'utf8',
  logLevel: 'warning',
};
const folderOf = (module) => module.split('/')[0];

/** Joins the modules in `dist`. Returns a function that says in which file of `dist` a module is. */
export async function joinModules() {
  const modules = readdirSync('dist', { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.js') && !/^(?:cli|vendor)\//.test(file));
  const joined = await joinable(modules);
  const fileOf = (module) => (joined.has(module) ? `${folderOf(module)}.js` : module);
  for (const folder of FOLDERS) {
    const lines = [...joined]
      .filter(([module]) => folderOf(module) === folder)
      .map(([module, names]) => `export { ${names.join(', ')} } from './${module}';`);
    await build({
      ...OPTIONS,
      stdin: { contents: lines.join('\n'), resolveDir: 'dist' },
      outfile: `${folder}.js`,
      plugins: [importsFrom(fileOf, `${folder}.js`)],
    });
  }
  const left = modules.filter((module) => !joined.has(module));
  await build({
    ...OPTIONS,
    entryPoints: left,
    outdir: '.',
    outbase: '.',
    allowOverwrite: true,
    plugins: [importsFrom(fileOf)],
  });
  for (const module of joined.keys()) rmSync(join('dist', module));
  return fileOf;
}

/** Returns the modules that can be joined, with the names that they export. */
async function joinable(modules) {
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: modules,
    outdir: '.',
    outbase: '.',
    write: false,
    allowOverwrite: true,
    metafile: true,
    plugins: [importsFrom((module) => module)],
  });
  const outputs = Object.entries(metafile.outputs);
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const alone = new Set(Object.values(exports).map(({ default: file }) => file?.replace('./dist/', '')));
  for (const [module, { imports }] of outputs) {
    for (const { path, kind } of imports) {
      if (kind === 'dynamic-import') alone.add(join(dirname(module), path).replaceAll('\\', '/'));
      if (!path.startsWith('.')) alone.add(module);
    }
  }
  const joined = new Map();
  const taken = new Set();
  for (const [module, { exports: names }] of outputs) {
    const named = names.map((name) => `${folderOf(module)} ${name}`);
    if (!FOLDERS.includes(folderOf(module)) || alone.has(module)) continue;
    if (named.some((name) => taken.has(name))) continue;
    for (const name of named) taken.add(name);
    joined.set(module, names);
  }
  return joined;
}

/**
 * Makes each module import others from the files that they are in.
 *
 * @param fileOf says in which file a module is
 * @param own the file that is written, if it is one for several modules
 */
function importsFrom(fileOf, own) {
  return {
    name: 'imports-from',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, importer, kind, resolveDir }) => {
        if (kind === 'entry-point') return undefined;
        const from = relative('dist', importer || resolveDir).replaceAll('\\', '/');
        const module = relative('dist', join(resolveDir, path)).replaceAll('\\', '/');
        const file = fileOf(module);
        if (own !== undefined && file === own) return undefined;
        const target = relative(dirname(own ?? from), file).replaceAll('\\', '/');
        return { path: target.startsWith('.') ? target : `./${target}`, external: true };
      });
    },
  };
}
