import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { errorClass } from '../core/errors.js';
import { BundleError, buildCode } from './build-code.js';
import { ownFile } from './bundled/own-file.js';
import { entryOf } from './entry.js';
import type { Endpoint } from './generated/endpoint-schema.js';
import { copyPackage } from './installed-package.js';
import type { Architecture } from './native-code.js';
import { probeModule } from './probe-module.js';
import { copyFiles, projectFiles, resolveServer } from './project-files.js';
import { replaceFolder } from './replace-folder.js';
import { secretPackages } from './secrets.js';
import { FILES } from './templates/values.js';

type Server = NonNullable<Endpoint['server']>;
type Module = Extract<Server, { module: string }>;

const COMMAND = ownFile('dist/cli/main.js');

/** The function that a bundle is for. */
export interface BundleOptions {
  /** The folder of the project. */
  readonly root: string;
  /** The folder to make, relative to `root`. The metafile of esbuild is written to `<target>.meta.json`. */
  readonly target: string;
  readonly architecture: Architecture;
  /** Whether the service has a function that runs tasks. If that is not known, nothing is checked. */
  readonly worker?: boolean;
  /** Packages that the function needs because of its settings. They must be installed. By default, it keeps sessions. */
  readonly packages: readonly string[];
}

/** The folder that `serverless.yml` deploys. */
export const TARGET = 'build/lambda';

/**
 * Makes the folder that a function is deployed from: its code, split so that a cold start loads only what it needs, the
 * compiled policy, the server, and, with `catalog: snapshot`, a snapshot of what the server lists. The same input gives
 * the same bytes.
 *
 * Rejects with a `BundleError` if the policy has errors, or if the server cannot be bundled, tried or listed, with a
 * `PackageError` if the package of the server is not installed correctly, and with an `ArchitectureError` if its native
 * code does not run on the function.
 *
 * @param endpoint what the function serves: `endpoint.yml`, or `custom.endpoint` of `serverless.yml`
 * @param options the project and the function
 * @returns sentences for the log of the package, about what was left out
 * @example
 * await bundleFunction({ policy: 'policies/vault.yaml', server: { module: './src/server.ts' } });
 */
export async function bundleFunction(
  endpoint: Endpoint,
  {
    root = '.',
    target = TARGET,
    architecture = 'arm64',
    packages: needed = ['@aws-sdk/client-dynamodb'],
    worker,
  }: Partial<BundleOptions> = {},
): Promise<readonly string[]> {
  const { server, servers = {}, catalog } = endpoint;
  const notes: string[] = [];
  const files = projectFiles(endpoint.files ?? [], root);
  const all = server === undefined ? Object.values(servers) : [server];
  const packages = new Set(all.flatMap((each) => ('package' in each ? [each.package] : [])));
  await replaceFolder(root, target, async (draft) => {
    const bins = new Map([...packages].map((name) => [name, copyPackage(name, root, draft, architecture)]));
    const resolved = resolveServer(server, root);
    const meta = await buildCode({
      root,
      outdir: draft,
      entry: entryOf(resolved === undefined ? endpoint : { ...endpoint, server: resolved }, bins),
      // The entry imports it when a request needs it. Under its own name, `compile` can take a snapshot of its lists.
      beside:
        resolved !== undefined && 'module' in resolved ? { in: resolved.module, out: 'server' } : undefined,
      needed: [...needed, ...secretPackages(endpoint.secrets)],
      files,
      what: server !== undefined && 'module' in server ? server.module : 'The function',
    });
    copyFiles(files, root, draft);
    if (server !== undefined && 'module' in server) notes.push(...(await tryModule(server, draft)));
    if (worker === false && server !== undefined) checkTasks(server, meta, catalog);
    const policy = [...[endpoint.policy].flat(), '-o', join(draft, FILES.policy)];
    const snapshot =
      catalog === 'snapshot' && server !== undefined
        ? ['--snapshot', join(draft, FILES.catalog), ...inputArguments(server, draft, bins)]
        : [];
    await compile([...policy, ...snapshot], root);
    return meta;
  });
  return notes;
}

/** Tries the bundled module of a server, so that what cannot serve is not deployed. Returns what the log must say. */
async function tryModule({ module, sdk = 1, probe }: Module, folder: string): Promise<readonly string[]> {
  if (probe === 'off')
    return [`${module} was not tried while packaging, because "probe: off" is set in endpoint.yml.`];
  const result = await probeModule({ path: join(folder, FILES.server), name: module, sdk });
  if (result.state === 'serves') return [];
  const hint =
    result.state === 'failed'
      ? ' If it cannot run while packaging, set "probe: off" under server in endpoint.yml.'
      : '';
  throw new BundleError(`${result.problem}${hint}`);
}

/** @returns the arguments that tell the compilation which server to take a snapshot of */
function inputArguments(server: Server, folder: string, bins: ReadonlyMap<string, string>): string[] {
  if ('module' in server) return ['--server', join(folder, FILES.server)];
  if ('package' in server)
    return [
      '--',
      process.execPath,
      join(folder, bins.get(server.package) ?? ''),
      ...(server.arguments ?? []),
    ];
  const headers = Object.entries(server.headers ?? {});
  // Every user of a machine can read the command lines of processes, but not their environment.
  return ['--url', server.url, ...headers.flatMap(([name, from]) => ['--header-env', `${name}: ${from}`])];
}

/** Tasks need a function that runs them, unless the settings say that their tools run as plain calls. */
function checkTasks(server: Server, meta: string, catalog: Endpoint['catalog']): void {
  const { outputs }: Metafile = JSON.parse(meta);
  const found = Object.entries(outputs).find(([path]) => path.endsWith(`/${FILES.server}`));
  if (!('module' in server) || found?.[1].exports.includes('tasks') !== true) return;
  if (server.tasks !== 'plain') {
    throw new WorkerError(
      `${server.module} exports "tasks", but no function runs them. Deploy the serverless.yml that "init --lambda --variant http,tasks" writes, or set "tasks: plain" under server in endpoint.yml: then tools with support "optional" run as plain calls, and others are left out.`,
    );
  }
  if (catalog !== 'snapshot') return;
  throw new BundleError(
    'A snapshot contains tools that can only be called as tasks, which "tasks: plain" leaves out. Use "catalog: static", or deploy a worker.',
  );
}

/** A server has tasks, and the service has no function that runs them. */
class WorkerError extends errorClass('WorkerError', 'TASKS_WITHOUT_WORKER') {}

/** Runs the command line, so that its messages are those that operators know. */
async function compile(args: readonly string[], cwd: string): Promise<void> {
  try {
    const { stderr } = await promisify(execFile)(process.execPath, [COMMAND, 'compile', ...args], { cwd });
    // Warnings do not fail a bundle. What was written is not news.
    const warnings = stderr.split('\n').filter((line) => !line.startsWith('Wrote '));
    if (warnings.join('').trim() !== '') process.stderr.write(`${warnings.join('\n').trim()}\n`);
  } catch (cause) {
    // Node.js types the error of `execFile` as unknown.
    const { stderr = '', code } = cause as { stderr?: string; code?: unknown };
    throw new BundleError(stderr.trim() || `The compilation exited with ${String(code)}.`);
  }
}
