/**
 * Joins modules of the library: those of one folder that load the same packages become one file. To find and read a small
 * file takes Node.js half a millisecond, and `serve` loaded 240 of them before it answered its host.
 *
 * Because they load the same packages, nobody loads a package for a module that does not need it, and the files import each
 * other in no circle. What the package exports, and what the library imports only when it is needed, stays where it is.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** Those with many small modules that are loaded together. */
const FOLDERS = ['analysis', 'engine', 'gate', 'policy', 'upstream'];
const DIST = resolve('dist');
const OPTIONS = {
  absWorkingDir: DIST,
  outdir: '.',
  outbase: '.',
  allowOverwrite: true,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'es2023',
  format: 'esm',
  charset: 'utf8',
  logLevel: 'warning',
};

/** Joins the modules in `dist`. Returns a function that says in which file of `dist` a module is. */
export async function joinModules() {
  const files = readdirSync(DIST, { recursive: true }).map((file) => file.replaceAll('\\', '/'));
  const modules = await readModules(files.filter((file) => /^(?!(?:cli|vendor)\/).*\.js$/.test(file)));
  const groups = groupsOf(modules);
  const homes = new Map([...groups].flatMap(([home, group]) => group.map((module) => [module, home])));
  const fileOf = (module) => homes.get(module) ?? module;
  for (const [home, group] of groups) {
    const lines = group.map(
      (module) => `export { ${modules.get(module).names.join(', ')} } from './${module}';`,
    );
    await build({
      ...OPTIONS,
      outdir: undefined,
      outfile: home,
      stdin: { contents: lines.join('\n'), resolveDir: DIST },
      plugins: [importsFrom(fileOf, home)],
    });
  }
  const entryPoints = [...modules.keys()].filter((module) => !homes.has(module));
  await build({ ...OPTIONS, entryPoints, plugins: [importsFrom(fileOf)] });
  for (const module of homes.keys()) rmSync(join(DIST, module));
  return fileOf;
}

/** Returns what each module exports and imports. */
async function readModules(entryPoints) {
  const plugins = [importsFrom((module) => module)];
  const { metafile } = await build({ ...OPTIONS, entryPoints, plugins, write: false, metafile: true });
  return new Map(
    Object.entries(metafile.outputs).map(([module, { exports, imports }]) => {
      const to = (isDynamic) =>
        imports
          .filter(({ kind }) => (kind === 'dynamic-import') === isDynamic)
          .map(({ path }) =>
            path.startsWith('.') ? join(dirname(module), path).replaceAll('\\', '/') : path,
          );
      return [module, { names: exports, imports: to(false), later: to(true) }];
    }),
  );
}

/** Returns the modules that become one file each time, by the name of that file. */
function groupsOf(modules) {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const alone = new Set([
    ...Object.values(exports).map(({ default: file }) => file?.replace('./dist/', '')),
    ...[...modules.values()].flatMap(({ later }) => later),
    // Whoever bundles a module of a joined file would get json-logic-js with it, used or not, because it is CommonJS.
    'engine/expression/apply.js',
  ]);
  const found = new Map();
  for (const [module, { names }] of modules) {
    const [folder] = module.split('/');
    if (!FOLDERS.includes(folder) || alone.has(module)) continue;
    const key = [folder, ...packagesOf(module, modules)].join();
    const { members, taken } = found.get(key) ?? { members: [], taken: new Set() };
    found.set(key, { members, taken });
    // Two functions of one name cannot be exported by one file.
    if (names.some((name) => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    members.push(module);
  }
  const groups = [...found.values()].map(({ members }) => members).filter(({ length }) => length > 1);
  // A joined file is called after its first module, so that a stack trace says where to look.
  return new Map(groups.map((members) => [members[0].replace(/\.js$/, '-and-others.js'), members]));
}

/** Returns the packages, modules of Node.js and bundles of `dist/vendor` that are loaded with a module. */
function packagesOf(module, modules) {
  const reached = new Set([module]);
  // A set that grows while it is read is read to its end.
  for (const each of reached) for (const next of modules.get(each)?.imports ?? []) reached.add(next);
  return [...reached].filter((each) => !modules.has(each)).sort();
}

/**
 * Makes modules import others from the files that they are in.
 *
 * @param fileOf says in which file a module is
 * @param home the file that is written, if it is one for several modules
 */
function importsFrom(fileOf, home) {
  return {
    name: 'imports-from',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, importer, kind, resolveDir }) => {
        if (kind === 'entry-point') return undefined;
        const file = fileOf(relative(DIST, join(resolveDir, path)).replaceAll('\\', '/'));
        if (file === home) return undefined;
        const target = relative(dirname(home ?? relative(DIST, importer)), file).replaceAll('\\', '/');
        return { path: target.startsWith('.') ? target : `./${target}`, external: true };
      });
    },
  };
}
