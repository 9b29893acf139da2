/**
 * Bundles the command line into `dist/cli`. The modules of the library, dependencies and peers stay imports; every other
 * package is bundled, and its license is copied to `dist/cli/THIRD-PARTY-LICENSES.txt`. `gpt-tokenizer` is bundled because
 * it installs 30 MB of encodings, of which the command line uses one. Needs what `tsc` writes to `dist`, and joins its modules.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, transformSync } from 'esbuild';
import { joinModules } from './join-modules.mjs';
import { writeLicenses } from './licenses.mjs';

const OUTPUT = 'dist/cli';
const BUNDLE = {
  entryPoints: ['src/cli/main.ts'],
  outdir: OUTPUT,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  metafile: true,
};
const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Stores the tokens of the encoding as compressed JSON. It has a third of the size of the original module and loads faster. */
const compressTokens = {
  name: 'compress-tokens',
  setup({ onLoad }) {
    onLoad({ filter: /gpt-tokenizer[\\/]esm[\\/]bpeRanks[\\/]\w+\.js$/ }, async ({ path }) => {
      const { default: tokens } = await import(pathToFileURL(path).href);
      const file = 'tokens.json.br';
      writeFileSync(join(OUTPUT, file), compressed(JSON.stringify(tokens)));
      return {
        contents: `import { readFileSync } from 'node:fs';
          import { brotliDecompressSync } from 'node:zlib';
          export default JSON.parse(brotliDecompressSync(readFileSync(new URL('./${file}', import.meta.url))).toString());`,
      };
    });
  },
};

/**
 * These packages are CommonJS, and an ES module has no `require` for the modules of Node.js. Their own names are shortened,
 * because nobody reads their stack traces.
 */
const builtinsOfCommonJs = {
  name: 'builtins-of-common-js',
  setup({ onLoad }) {
    onLoad(
      { filter: /(?:commander|vscode-(?:jsonrpc|languageserver)[^\\/]*)[\\/]lib[\\/].*\.js$/ },
      ({ path }) => {
        const contents = readFileSync(path, 'utf8');
        const replace = (call, _quote, name) =>
          isBuiltin(name) ? `globalThis.process.getBuiltinModule('${name}')` : call;
        const format = path.includes(join('lib', 'esm')) ? 'esm' : 'cjs';
        const replaced = contents.replace(/\brequire\((["'])([^"']+)\1\)/g, replace);
        return { contents: transformSync(replaced, { format, minify: true }).code };
      },
    );
  },
};

const fileOf = await joinModules();

const SDK_V2 = /^@modelcontextprotocol\/server(\/stdio)?$/;

/** `dist/vendor` has SDK v2, which most projects do not install, and functions need it too. */
const sharedSdk = {
  name: 'shared-sdk',
  setup({ onResolve }) {
    onResolve({ filter: SDK_V2 }, () => ({ path: '../vendor/mcp-server.js', external: true }));
  },
};

/**
 * The command line imports the modules of the library instead of a copy. It has copies of what is not in `dist` otherwise,
 * and of what leads to SDK v2: in the library, that is the peer, and here `dist/vendor`.
 */
const sharedLibrary = {
  name: 'shared-library',
  async setup({ onResolve }) {
    const { metafile } = await build({ ...BUNDLE, packages: 'external', write: false, logLevel: 'silent' });
    const leadsToSdkV2 = leadingTo(metafile.inputs, SDK_V2);
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
      if (importer.includes('node_modules')) return undefined;
      const module = relative('src', join(dirname(importer), path)).replaceAll('\\', '/');
      const isCopied =
        /^(?:cli|vendor)\//.test(module) ||
        leadsToSdkV2.has(module) ||
        !existsSync(join('dist', fileOf(module)));
      return isCopied ? undefined : { path: `../${fileOf(module)}`, external: true };
    });
  },
};

/** Returns the modules that import what fits the pattern, directly or not, as their paths in `dist`. */
function leadingTo(inputs, pattern) {
  const found = new Set();
  const leads = ({ path, external }) => (external ? pattern.test(path) : found.has(path));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [file, { imports }] of Object.entries(inputs)) if (imports.some(leads)) found.add(file);
  }
  return new Set([...found].map((file) => file.replace(/^src\/(.*)\.tsx?$/, '$1.js')));
}

mkdirSync(OUTPUT, { recursive: true });
const { metafile } = await build({
  ...BUNDLE,
  // Without it, every non-ASCII character of the encoding becomes an escape sequence.
  charset: 'utf8',
  // Identifiers are kept and lines are short, so that stack traces stay readable.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  external: Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => [name, `${name}/*`]),
  plugins: [sharedLibrary, sharedSdk, compressTokens, builtinsOfCommonJs],
  logLevel: 'warning',
});
chmodSync(join(OUTPUT, 'main.js'), 0o755);
writeLicenses(OUTPUT, Object.keys(metafile.inputs));

/** As small as Brotli makes it: it takes seconds here, and milliseconds to read. */
function compressed(text) {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return brotliCompressSync(text, { params });
}
