/**
 * Bundles packages into `dist/vendor` that are large when they are installed, and small in use. The library then imports the
 * bundle. Needs what `tsc` writes to `dist`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { writeLicenses } from './licenses.mjs';

const OUTPUT = 'dist/vendor';
/** `serve`, and functions in front of any server, need SDK v2, which is an optional peer of the library. */
const SDK_V2 = ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'];
/** Installed, they take 600, 816 and 256 KB. */
const OF_LIBRARY = ['@noble/ciphers', '@noble/hashes', 'structured-headers'];
const fileOf = (name) => `${name.replace('@', '').replace('/', '-')}.js`;
const isOf = (name, module) => module === name || module.startsWith(`${name}/`);

const inputs = await bundle('mcp-server.js', SDK_V2.map((name) => `export * from '${name}';`).join('\n'));
const imported = shareBundles();
for (const name of OF_LIBRARY) {
  const lines = [...imported]
    .filter(([module]) => isOf(name, module))
    .map(([module, names]) => `export { ${[...names].sort().join(', ')} } from '${module}';`);
  inputs.push(...(await bundle(fileOf(name), lines.sort().join('\n'), 'neutral')));
}
writeLicenses(OUTPUT, inputs);

/** Makes the library import the bundles. Returns the names that it imports, by package. */
function shareBundles() {
  const imported = new Map();
  for (const path of readdirSync('dist', { recursive: true })) {
    if (!path.endsWith('.js')) continue;
    const file = join('dist', path);
    const code = readFileSync(file, 'utf8');
    const rewritten = code.replace(/^import \{ (.+) \} from "(.+)";$/gm, (statement, list, module) => {
      const name = OF_LIBRARY.find((each) => isOf(each, module));
      if (name === undefined) return statement;
      const imports = list.split(', ').map((each) => each.split(' as ')[0]);
      imported.set(module, new Set([...(imported.get(module) ?? []), ...imports]));
      const shared = relative(dirname(file), join(OUTPUT, fileOf(name)))
        .replaceAll('\\', '/')
        .replace(/^(?!\.)/, './');
      return `import { ${list} } from "${shared}";`;
    });
    if (rewritten !== code) writeFileSync(file, rewritten);
  }
  return imported;
}

/** Returns the files that were bundled. */
async function bundle(file, contents, platform = 'node') {
  const { metafile } = await build({
    stdin: { contents, resolveDir: '.' },
    outfile: join(OUTPUT, file),
    metafile: true,
    bundle: true,
    minify: true,
    platform,
    ...(platform === 'neutral' && { mainFields: ['module', 'main'] }),
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}
