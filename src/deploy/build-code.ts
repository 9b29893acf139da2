import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { BuildFailure, BuildOptions, OutputFile, Plugin } from 'esbuild';
import { type ErrorClass, errorClass } from '../core/errors.js';
import { besideModules } from './beside-modules.js';
import { ownFile } from './bundled/own-file.js';
import type { Entry } from './entry.js';
import { MISSING_PEERS, missingPeers } from './missing-peers.js';

const BundleErrorBase: ErrorClass<'BundleError', 'BUNDLE_FAILED'> = errorClass(
  'BundleError',
  'BUNDLE_FAILED',
);

/** The bundle of a function could not be made. */
export class BundleError extends BundleErrorBase {}

/** Packages in CommonJS call `require`, which modules do not have. */
const REQUIRE = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

const ESBUILD = {
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  banner: { js: REQUIRE },
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
  // Files of this package import others for their order. Nothing is lost without such an import.
  logOverride: { 'ignored-bare-import': 'silent' },
  metafile: true,
} as const satisfies BuildOptions;

/**
 * The clients that an endpoint imports when a request needs them, so that a bundle can leave their imports as they are. An
 * endpoint whose tasks run in a durable function needs both.
 */
export const AWS_CLIENTS: readonly string[] = ['@aws-sdk/client-dynamodb', '@aws-sdk/client-lambda'];

/** What to bundle. */
export interface Code {
  /** The folder of the project. */
  readonly root: string;
  /** The folder to write. */
  readonly outdir: string;
  /** The module that the function starts with. */
  readonly entry: Entry;
  /** The text of modules that are not files, by their names. Templates import them as `mcp-concerns:NAME`. */
  readonly modules?: Readonly<Record<string, string>>;
  /** A module of the project that is also in the bundle under a name of its own. */
  readonly beside?: { readonly in: string; readonly out: string } | undefined;
  /** Packages that this function needs, beside those that every function imports. */
  readonly needed: readonly string[];
  /** Files that are copied into the bundle, relative to `root`. */
  readonly files?: readonly string[];
  /** What cannot be bundled if something is wrong, for messages. */
  readonly what: string;
}

/**
 * Bundles code for Lambda, split so that a cold start loads only what it needs. Rejects with a `BundleError`.
 *
 * @param code what to bundle
 * @returns the metafile of esbuild, as JSON
 */
export async function buildCode({
  root,
  outdir,
  entry,
  modules,
  beside,
  needed,
  files = [],
  what,
}: Code): Promise<string> {
  const { build } = await loadEsbuild();
  try {
    const { metafile, outputFiles } = await build({
      ...ESBUILD,
      write: false,
      absWorkingDir: resolve(root),
      outdir,
      external: AWS_CLIENTS.filter((name) => !needed.includes(name)),
      entryPoints: [
        { in: `${TEMPLATES}:${entry.template}`, out: 'index' },
        ...(beside === undefined ? [] : [beside]),
      ],
      plugins: [
        missingPeers(needed),
        besideModules(files, resolve(root)),
        templates(resolve(root), entry.values, modules),
      ],
    });
    await Promise.all(outputFiles.map(writeOutputFile));
    return JSON.stringify(metafile, null, 1);
  } catch (cause) {
    // esbuild rejects with a `BuildFailure`; any other error has no `errors`.
    const { errors = [] } = cause as Partial<BuildFailure>;
    const missing = errors.filter(({ pluginName }) => pluginName === MISSING_PEERS);
    if (missing.length > 0) {
      // A package has one error for each file that imports it.
      const names = [...new Set(missing.map(({ detail }) => detail))].join(' ');
      throw new BundleError(
        `The function needs packages that are not installed. Run "npm install ${names}".`,
        { cause },
      );
    }
    throw new BundleError(`${what} cannot be bundled: ${firstOf(errors, cause)}`, { cause });
  }
}

/** The name of the plugin for templates, and of the namespace of their imports. */
const TEMPLATES = 'mcp-concerns';

/**
 * An esbuild plugin for the modules in `templates`. Fills in `MCP_CONCERNS_FUNCTION.catalog` and the other values, and leaves out
 * what is in a branch that is not taken. What the modules import is found from the project, as if they were in it.
 */
const templates = (root: string, values: Entry['values'], modules: Code['modules'] = {}): Plugin => ({
  name: TEMPLATES,
  setup({ onResolve, onLoad, esbuild: { transform } }) {
    // Not those of the bundle: values that are objects would be imported by every file in it.
    const define = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        `MCP_CONCERNS_FUNCTION.${name}`,
        JSON.stringify(value) ?? 'undefined',
      ]),
    );
    onResolve({ filter: new RegExp(`^${TEMPLATES}:`) }, ({ path }) => ({
      path: path.slice(TEMPLATES.length + 1),
      namespace: TEMPLATES,
    }));
    onResolve({ filter: /^\.\//, namespace: TEMPLATES }, ({ path }) => {
      const name = basename(path, '.js');
      return existsSync(templateFile(name)) ? { path: name, namespace: TEMPLATES } : undefined;
    });
    onLoad({ filter: /./, namespace: TEMPLATES }, async ({ path }) => {
      const text = modules[path] ?? (await readFile(templateFile(path), 'utf8'));
      const { code } = await transform(text, { define, minifySyntax: true, target: 'node20' });
      return { contents: code, resolveDir: root };
    });
  },
});

const templateFile = (name: string): string => ownFile(`dist/deploy/templates/${name}.js`);

/** Without the banner where nothing uses it: 65 of 69 chunks would carry it, which is 3 KB of the zip. */
async function writeOutputFile({ path, text, contents }: OutputFile): Promise<void> {
  const code = text.startsWith(REQUIRE) ? text.slice(REQUIRE.length).trimStart() : text;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code === text || /\brequire\b/.test(code) ? contents : code);
}

type InMemory = BuildOptions & { readonly write: false };

/** A module of a project with the files that it imports, but without its packages, in memory. */
export const IN_MEMORY: InMemory = {
  bundle: true,
  write: false,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'silent',
};

/** Only projects that bundle or have TypeScript need esbuild, so it is an optional peer dependency. */
export async function loadEsbuild(): Promise<typeof import('esbuild')> {
  try {
    return await import('esbuild');
  } catch (cause) {
    throw new BundleError('esbuild cannot be loaded. Run "npm install --save-dev esbuild".', { cause });
  }
}

function firstOf([error]: BuildFailure['errors'], cause: unknown): string {
  if (error === undefined) return cause instanceof Error ? cause.message : String(cause);
  const { text, location } = error;
  return location === null ? text : `${text} (${location.file}:${location.line})`;
}
