/**
 * Builds the package in two calls of a bundler, and its declarations beside them: the library, whose packages stay imports,
 * and the command line, which has everything in it. So `npx` installs little, and a command starts with few files.
 * Both split where code imports a module when it needs it. Then comes the demo server, which tests start.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, transformSync } from 'esbuild';
import { writeLicenses } from './licenses.mjs';

const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const subpaths = Object.values(exports).filter((target) => typeof target !== 'string');
const LIBRARY = 'dist';
const COMMAND = 'dist/cli';

/** Names are kept and lines are short, so that stack traces stay readable. */
const CODE = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  charset: 'utf8',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  metafile: true,
  logLevel: 'warning',
};
const withSubpaths = (names) => names.flatMap((name) => [name, `${name}/*`]);

rmSync(LIBRARY, { recursive: true, force: true });
mkdirSync(COMMAND, { recursive: true });
declare();
const library = await build({
  ...CODE,
  entryPoints: [
    ...subpaths.map(({ default: file }) => file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
    // Tries the module of a server in a process of its own: `src/deploy/probe-module.ts`.
    'src/deploy/probe/probe-worker.ts',
  ],
  outdir: LIBRARY,
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  external: withSubpaths(Object.keys({ ...dependencies, ...peerDependencies })),
  plugins: [validatorOfSdk()],
});
const command = await build({
  ...CODE,
  // Functions use the SDKs beside the command if their project has none: `src/deploy/missing-peers.ts`.
  entryPoints: ['src/cli/main.ts', 'src/deploy/bundled/mcp-sdk.ts', 'src/deploy/bundled/mcp-server.ts'],
  entryNames: '[name]',
  outdir: COMMAND,
  external: withSubpaths(
    Object.keys(peerDependencies).filter((name) => !name.startsWith('@modelcontextprotocol/')),
  ),
  // A module for browsers can be bundled, and one that finds its parts when it runs cannot.
  mainFields: ['module', 'main'],
  plugins: [compressedTokens(), smallPackages()],
});
chmodSync(join(COMMAND, 'main.js'), 0o755);
for (const file of Object.keys(command.metafile.outputs).filter((name) => name.endsWith('.js'))) {
  // esbuild writes this where a package finds its parts when it runs. They are not in the bundle.
  if (readFileSync(file, 'utf8').includes('Dynamic require of'))
    throw new Error(`${file} requires files that are not in it. Bundle a package in another form.`);
}
writeLicenses(LIBRARY, Object.keys(library.metafile.inputs));
writeLicenses(COMMAND, Object.keys(command.metafile.inputs));
// Each is a file of its own: what is filled in decides what a function imports of them: `src/deploy/build-code.ts`.
await build({
  ...CODE,
  bundle: false,
  splitting: false,
  entryPoints: ['src/deploy/templates/*.ts'],
  outdir: `${LIBRARY}/deploy/templates`,
});
await build({
  entryPoints: ['examples/vault/server.ts', 'examples/vault/walkthrough.ts'],
  outdir: 'build/vault',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'warning',
});

/** Writes the declarations that a subpath leads to. Nobody can import what the others declare. */
function declare() {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) process.exit(status ?? 1);
  const reached = new Set(subpaths.map(({ types }) => normalize(types)));
  // A set that grows while it is read is read to its end.
  for (const file of reached) {
    const code = readFileSync(file, 'utf8');
    // In `from './policy.js'` and in `import('./policy.js').Policy`.
    for (const [, path] of code.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g))
      reached.add(join(dirname(file), `${path}.d.ts`));
  }
  for (const name of readdirSync(LIBRARY, { recursive: true })) {
    const file = join(LIBRARY, name);
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}

/** Tasks validate arguments with it, in a project of either SDK. The rest of SDK v1 stays an import. */
function validatorOfSdk() {
  const VALIDATOR = '@modelcontextprotocol/sdk/validation/ajv';
  return {
    name: 'validator-of-sdk',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^${VALIDATOR}$`) }, () => ({
        path: fileURLToPath(import.meta.resolve(VALIDATOR)),
      }));
    },
  };
}

/**
 * Some packages are CommonJS, and an ES module has no `require` for the modules of Node.js. The names inside packages are
 * shortened, because nobody reads their stack traces.
 */
function smallPackages() {
  // Errors of this one are called like their classes.
  const named = /node_modules[\\/]jose[\\/]/;
  const call = /\brequire\((["'])([^"']+)\1\)/g;
  return {
    name: 'small-packages',
    setup({ onLoad }) {
      onLoad({ filter: /node_modules.*\.[cm]?js$/ }, ({ path }) => {
        const code = readFileSync(path, 'utf8');
        // `search` and `replace` begin at the first character. `test` goes on where it stopped in the file before.
        const isCommonJs = code.search(call) !== -1 && !/^(?:import|export) /m.test(code);
        if (!isCommonJs && named.test(path)) return undefined;
        const builtins = (required, _quote, name) =>
          isBuiltin(name) ? `globalThis.process.getBuiltinModule('${name}')` : required;
        const contents = isCommonJs ? code.replace(call, builtins) : code;
        if (named.test(path)) return { contents };
        return {
          contents: transformSync(contents, { minify: true, format: isCommonJs ? 'cjs' : undefined }).code,
        };
      });
    },
  };
}

/** Stores the tokens of the encoding as compressed JSON. It has a third of the size of the original module and loads faster. */
function compressedTokens() {
  return {
    name: 'compressed-tokens',
    setup({ onLoad }) {
      onLoad({ filter: /gpt-tokenizer[\\/]esm[\\/]bpeRanks[\\/]\w+\.js$/ }, async ({ path }) => {
        const { default: tokens } = await import(pathToFileURL(path).href);
        const file = 'tokens.json.br';
        writeFileSync(join(COMMAND, file), compressed(JSON.stringify(tokens)));
        return {
          contents: `import { readFileSync } from 'node:fs';
            import { brotliDecompressSync } from 'node:zlib';
            export default JSON.parse(brotliDecompressSync(readFileSync(new URL('./${file}', import.meta.url))).toString());`,
        };
      });
    },
  };
}

/** As small as Brotli makes it: it takes seconds here, and milliseconds to read. */
function compressed(text) {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return brotliCompressSync(text, { params });
}
