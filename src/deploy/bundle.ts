import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BuildFailure, BuildOptions as EsbuildOptions } from 'esbuild';
import { ConcernsError } from '../errors.js';
import type { Endpoint } from './endpoint.js';
import { entryOf, FILES } from './entry.js';
import { copyPackage } from './installed-package.js';
import { MISSING_PEERS, missingPeers } from './missing-peers.js';
import type { Architecture } from './native-code.js';
import { secretPackages } from './secret-statements.js';

const COMMAND = fileURLToPath(new URL('../cli/main.js', import.meta.url));

/** The bundle of a function could not be made. */
class BundleError extends ConcernsError {
  readonly code = 'BUNDLE_FAILED';
  override readonly name = 'BundleError';
}

/** The function that a bundle is for. */
export interface BundleOptions {
  /** The folder of the project. */
  readonly root: string;
  /** The folder to make, relative to `root`. The metafile of esbuild is written to `<target>.meta.json`. */
  readonly target: string;
  readonly architecture: Architecture;
  /** Whether the function keeps sessions in DynamoDB. If not, its client is not bundled. */
  readonly dynamodb: boolean;
  /** Packages that the function needs because of its settings. They must be installed. */
  readonly packages: readonly string[];
}

/** The folder that `serverless.yml` deploys. */
export const TARGET = 'build/lambda';

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
  metafile: true,
} as const satisfies EsbuildOptions;

/**
 * Makes the folder that a function is deployed from: its code, split so that a cold start loads only what it needs, the
 * compiled policy, the server, and, with `catalog: snapshot`, a snapshot of what the server lists. The same input gives
 * the same bytes. If the folder already has these bytes, it is not written again.
 *
 * Rejects with a `BundleError` if the policy has errors, or if the server cannot be bundled or listed, with a
 * `PackageError` if the package of the server is not installed correctly, and with an `ArchitectureError` if its native
 * code does not run on the function.
 *
 * @param endpoint what the function serves: `endpoint.yml`, or `custom.endpoint` of `serverless.yml`
 * @param options the project and the function
 * @example
 * await bundleFunction({ policy: 'policies/vault.yaml', server: { module: './src/server.ts' } });
 */
export async function bundleFunction(
  endpoint: Endpoint,
  {
    root = '.',
    target = TARGET,
    architecture = 'arm64',
    dynamodb = true,
    packages = [],
  }: Partial<BundleOptions> = {},
): Promise<void> {
  const { server, catalog } = endpoint;
  if (catalog === 'snapshot') checkHeaderVariables(server);
  const final = resolve(root, target);
  const draft = `${final}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    const bin = 'package' in server ? copyPackage(server.package, root, draft, architecture) : '';
    const meta = await bundleCode(endpoint, bin, {
      root: resolve(root),
      outdir: draft,
      dynamodb,
      packages,
    });
    const policy = [...[endpoint.policy].flat(), '-o', join(draft, FILES.policy), '--quiet'];
    const snapshot = ['--snapshot', join(draft, FILES.catalog), ...inputArguments(server, draft, bin)];
    await compile(catalog === 'snapshot' ? [...policy, ...snapshot] : policy, root);
    if (isSame(draft, final)) return;
    rmSync(final, { recursive: true, force: true });
    renameSync(draft, final);
    writeFileSync(`${final}.meta.json`, meta.replaceAll(`${target}.${process.pid}/`, `${target}/`));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @returns the metafile of esbuild, as JSON */
async function bundleCode(
  endpoint: Endpoint,
  bin: string,
  {
    root,
    outdir,
    dynamodb,
    packages,
  }: Omit<BundleOptions, 'target' | 'architecture'> & { readonly outdir: string },
): Promise<string> {
  const { server } = endpoint;
  // `src/server.ts` is a path if the file exists, and otherwise the name of a package.
  const module =
    'module' in server && existsSync(resolve(root, server.module)) ? resolve(root, server.module) : '';
  const resolved = module === '' ? server : { ...server, module };
  const contents = entryOf({ ...endpoint, server: resolved }, bin);
  const { build } = await loadEsbuild();
  try {
    const { metafile } = await build({
      ...ESBUILD,
      absWorkingDir: root,
      outdir,
      // The store imports its client dynamically, so an import that never runs may stay.
      external: dynamodb ? [] : ['@aws-sdk/client-dynamodb'],
      entryPoints: [
        { in: 'mcp-concerns:entry', out: 'index' },
        // The entry imports it when a request needs it. Under its own name, `compile` can take a snapshot of its lists.
        ...('module' in resolved ? [{ in: resolved.module, out: 'server' }] : []),
      ],
      plugins: [
        missingPeers([
          ...(dynamodb ? ['@aws-sdk/client-dynamodb'] : []),
          ...packages,
          ...secretPackages(endpoint.secrets),
        ]),
        {
          name: 'entry',
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^mcp-concerns:entry$/ }, ({ path }) => ({ path, namespace: 'generated' }));
            onLoad({ filter: /./, namespace: 'generated' }, () => ({ contents, resolveDir: root }));
          },
        },
      ],
    });
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
        {
          cause,
        },
      );
    }
    const what = 'module' in server ? `${server.module} cannot be bundled` : 'The function cannot be bundled';
    throw new BundleError(`${what}: ${firstOf(errors, cause)}`, { cause });
  }
}

/** Only projects that bundle need esbuild, so it is an optional peer dependency. */
async function loadEsbuild(): Promise<typeof import('esbuild')> {
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

/** @returns the arguments that tell `mcp-concerns compile` which server to take a snapshot of */
function inputArguments(server: Endpoint['server'], folder: string, bin: string): string[] {
  if ('module' in server) return ['--server', join(folder, FILES.server)];
  if ('package' in server) return ['--', process.execPath, join(folder, bin), ...(server.arguments ?? [])];
  const headers = Object.entries(server.headers ?? {});
  // Every user of a machine can read the command lines of processes, but not their environment.
  return ['--url', server.url, ...headers.flatMap(([name, from]) => ['--header-env', `${name}: ${from}`])];
}

function checkHeaderVariables(server: Endpoint['server']): void {
  const headers = 'url' in server ? Object.entries(server.headers ?? {}) : [];
  const [missing] = headers.filter(([, variable]) => !process.env[variable]?.trim());
  if (missing === undefined) return;
  const [header, variable] = missing;
  throw new BundleError(
    `The snapshot needs the header ${header} of the remote server, but the variable ${variable} is not set. Set it while packaging.`,
  );
}

/** Runs the command line, so that its messages are those that operators know. */
async function compile(args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [COMMAND, 'compile', ...args], { cwd });
  } catch (cause) {
    // Node.js types the error of `execFile` as unknown.
    const { stderr = '', code } = cause as { stderr?: string; code?: unknown };
    throw new BundleError(stderr.trim() || `"mcp-concerns compile" exited with ${String(code)}.`);
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
