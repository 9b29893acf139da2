import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BuildFailure, type BuildOptions, build } from 'esbuild';
import type { Endpoint } from './endpoint.js';
import { entryOf, FILES } from './entry.js';
import { copyPackage } from './installed-package.js';

const COMMAND = fileURLToPath(new URL('../cli/main.js', import.meta.url));

/** The function cannot be made of what was asked for. */
export class BundleError extends Error {
  readonly code = 'BUNDLE_FAILED';
  override readonly name = 'BundleError';
}

/** What of packages is in CommonJS asks for `require`, which modules have not. */
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
  metafile: true,
} as const satisfies BuildOptions;

/**
 * Makes the folder that a function is deployed from: its code in one file, with what is not needed at once in others,
 * the compiled policy, the server, and a snapshot of its lists if one is wanted. Same input, same bytes.
 *
 * A folder that has the same already stays as it is.
 *
 * @param endpoint what the function serves, as `custom.endpoint` of `serverless.yml` says
 * @param root the project's folder
 * @param target the folder to make, in `root`; beside it lies `<target>.meta.json`, esbuild's account of it
 * @throws {BundleError} if the policy has errors, or its server cannot be bundled or listed
 * @throws {PackageError} if the server's package is not installed as it has to be
 * @example
 * await bundleFunction({ policy: 'policies/vault.yaml', server: { module: './src/server.ts' } });
 */
export async function bundleFunction(endpoint: Endpoint, root = '.', target = 'build/lambda'): Promise<void> {
  const { server, catalog } = endpoint;
  const final = resolve(root, target);
  const made = `${final}.${process.pid}`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  try {
    const bin = 'package' in server ? copyPackage(server.package, root, made) : '';
    const meta = await bundleCode(endpoint, bin, resolve(root), made);
    const policy = [...[endpoint.policy].flat(), '-o', join(made, FILES.policy), '--quiet'];
    const snapshot = ['--snapshot', join(made, FILES.catalog), ...sourceOf(server, made, bin)];
    await compile(catalog === 'snapshot' ? [...policy, ...snapshot] : policy, root);
    if (isSame(made, final)) return;
    rmSync(final, { recursive: true, force: true });
    renameSync(made, final);
    writeFileSync(`${final}.meta.json`, meta.replaceAll(`${target}.${process.pid}/`, `${target}/`));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** @returns esbuild's account of what went where, as JSON */
async function bundleCode(endpoint: Endpoint, bin: string, root: string, outdir: string): Promise<string> {
  const { server } = endpoint;
  // A path without a dot is one if there is such a file, and the name of a package if not.
  const module =
    'module' in server && existsSync(resolve(root, server.module)) ? resolve(root, server.module) : '';
  const settled = module === '' ? server : { ...server, module };
  const contents = entryOf({ ...endpoint, server: settled }, bin);
  try {
    const { metafile } = await build({
      ...ESBUILD,
      absWorkingDir: root,
      outdir,
      entryPoints: [
        { in: 'mcp-concerns:entry', out: 'index' },
        // The entry imports it when it is needed; by a name of its own a snapshot is taken of it.
        ...('module' in settled ? [{ in: settled.module, out: 'server' }] : []),
      ],
      plugins: [
        {
          name: 'entry',
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^mcp-concerns:entry$/ }, ({ path }) => ({ path, namespace: 'written' }));
            onLoad({ filter: /./, namespace: 'written' }, () => ({ contents, resolveDir: root }));
          },
        },
      ],
    });
    return JSON.stringify(metafile, null, 1);
  } catch (cause) {
    const what = 'module' in server ? `${server.module} cannot be bundled` : 'The function cannot be bundled';
    throw new BundleError(`${what}: ${firstOf(cause)}`, { cause });
  }
}

function firstOf(cause: unknown): string {
  const [error] = (cause as Partial<BuildFailure>).errors ?? [];
  if (error === undefined) return cause instanceof Error ? cause.message : String(cause);
  const { text, location } = error;
  return location === null ? text : `${text} (${location.file}:${location.line})`;
}

/** What tells the command where to take a snapshot. */
function sourceOf(server: Endpoint['server'], folder: string, bin: string): string[] {
  if ('module' in server) return ['--server', join(folder, FILES.server)];
  if ('package' in server) return ['--', process.execPath, join(folder, bin), ...(server.arguments ?? [])];
  const headers = Object.entries(server.headers ?? {});
  return [
    '--url',
    server.url,
    ...headers.flatMap(([name, from]) => ['--header', `${name}: ${process.env[from] ?? ''}`]),
  ];
}

/** The command is what operators know from elsewhere, and so are its messages. */
async function compile(args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [COMMAND, 'compile', ...args], { cwd });
  } catch (cause) {
    // The failure itself holds the command line, and with it the headers of a remote server.
    const { stderr = '', code } = cause as { stderr?: string; code?: unknown };
    throw new BundleError(stderr.trim() || `"mcp-concerns compile" ended with ${String(code)}.`);
  }
}

/** @returns whether two folders have the same files with the same bytes */
function isSame(one: string, other: string): boolean {
  if (!existsSync(other)) return false;
  const files = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort();
  const names = files(one);
  return (
    names.join('\n') === files(other).join('\n') &&
    names.every((name) => readFileSync(join(one, name)).equals(readFileSync(join(other, name))))
  );
}
