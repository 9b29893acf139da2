/**
 * Bundles the command line into `dist/cli`. Dependencies and peers stay imports; every other package is bundled, and
 * its license is copied to `dist/cli/THIRD-PARTY-LICENSES.txt`. `gpt-tokenizer` is bundled because it installs
 * 30 MB of encodings, of which the command line uses one.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { writePlayground } from './playground.mjs';

const OUTPUT = 'dist/cli';
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

/** These packages are CommonJS, and an ES module has no `require` for the modules of Node.js. */
const builtinsOfCommonJs = {
  name: 'builtins-of-common-js',
  setup({ onLoad }) {
    onLoad(
      { filter: /(?:commander|vscode-(?:jsonrpc|languageserver)[^\\/]*)[\\/]lib[\\/].*\.js$/ },
      ({ path }) => {
        const contents = readFileSync(path, 'utf8');
        const replace = (call, _quote, name) =>
          isBuiltin(name) ? `globalThis.process.getBuiltinModule('${name}')` : call;
        return { contents: contents.replace(/\brequire\((["'])([^"']+)\1\)/g, replace) };
      },
    );
  },
};

/** `dist/vendor` has the fronts of the modern era for functions, too. */
const sharedSdk = {
  name: 'shared-sdk',
  setup({ onResolve }) {
    onResolve({ filter: /^@modelcontextprotocol\/server(\/stdio)?$/ }, () => ({
      path: '../vendor/mcp-server.js',
      external: true,
    }));
  },
};

mkdirSync(OUTPUT, { recursive: true });
const { metafile } = await build({
  entryPoints: ['src/cli/main.ts'],
  outdir: OUTPUT,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Without it, every non-ASCII character of the encoding becomes an escape sequence.
  charset: 'utf8',
  // Identifiers are kept and lines are short, so that stack traces stay readable.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  external: Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => [name, `${name}/*`]),
  plugins: [sharedSdk, compressTokens, builtinsOfCommonJs],
  metafile: true,
  logLevel: 'warning',
});
chmodSync(join(OUTPUT, 'main.js'), 0o755);
// `serve`, and functions in front of any server, need the fronts of SDK v2, which their projects rarely install. They are
// bundled, so that an installation does not grow by the whole SDK.
const vendor = await build({
  stdin: {
    contents:
      "export * from '@modelcontextprotocol/server'; export * from '@modelcontextprotocol/server/stdio';",
    resolveDir: '.',
  },
  outfile: 'dist/vendor/mcp-server.js',
  metafile: true,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
});
const playground = await writePlayground();
writeFileSync(join(OUTPUT, 'playground.html.br'), compressed(playground.html));
writeFileSync(
  join(OUTPUT, 'THIRD-PARTY-LICENSES.txt'),
  licenses(bundledPackages([...Object.keys(metafile.inputs), ...playground.inputs])),
);

writeFileSync(
  'dist/vendor/THIRD-PARTY-LICENSES.txt',
  licenses(bundledPackages(Object.keys(vendor.metafile.inputs))),
);

/** As small as Brotli makes it: it takes seconds here, and milliseconds to read. */
function compressed(text) {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return brotliCompressSync(text, { params });
}

/** Returns the folders of the packages that the inputs belong to. */
function bundledPackages(inputs) {
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []);
  return [...new Set(folders)].sort();
}

/** Returns the license text of each package. Throws an Error if a package has none. */
function licenses(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} has no license file, so it must not be bundled.`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `The files in this folder contain code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
