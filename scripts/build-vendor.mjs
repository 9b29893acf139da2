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
/** Installed, they take 816, 600 and 256 KB. */
const OF_LIBRARY = new Map([
  ['@noble/ciphers/aes.js', 'noble-ciphers.js'],
  ['@noble/hashes/hmac.js', 'noble-hashes.js'],
  ['@noble/hashes/sha2.js', 'noble-hashes.js'],
  ['@noble/hashes/utils.js', 'noble-hashes.js'],
  ['structured-headers', 'structured-headers.js'],
]);

const inputs = await bundle('mcp-server.js', SDK_V2.map((name) => `export * from '${name}';`).join('\n'));
const exported = [...shareBundles()].map(([module, names]) => ({
  file: OF_LIBRARY.get(module),
  line: `export { ${[...names].sort().join(', ')} } from '${module}';`,
}));
for (const file of new Set(OF_LIBRARY.values())) {
  const lines = exported.filter((each) => each.file === file).map(({ line }) => line);
  inputs.push(...(await bundle(file, lines.sort().join('\n'))));
}
writeLicenses(OUTPUT, inputs);

/** Makes the library import the bundles. Returns the names that it imports, by package. */
function shareBundles() {
  const imported = new Map();
  for (const name of readdirSync('dist', { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const file = join('dist', name);
    const code = readFileSync(file, 'utf8');
    const shared = code.replace(/^import \{ (.+) \} from "(.+)";$/gm, (statement, list, module) => {
      if (!OF_LIBRARY.has(module)) return statement;
      const names = list.split(', ').map((each) => each.split(' as ')[0]);
      imported.set(module, new Set([...(imported.get(module) ?? []), ...names]));
      const path = relative(dirname(file), join(OUTPUT, OF_LIBRARY.get(module))).replaceAll('\\', '/');
      return `import { ${list} } from "${path}";`;
    });
    if (shared !== code) writeFileSync(file, shared);
  }
  return imported;
}

/** Returns the files that were bundled. */
async function bundle(file, contents) {
  const { metafile } = await build({
    stdin: { contents, resolveDir: '.' },
    outfile: join(OUTPUT, file),
    metafile: true,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}
