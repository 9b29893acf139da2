import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export const MANIFEST: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const TOOLS = { pnpm: '10.34.9', yarn: '1.22.22' };

/** How a package manager adds packages to the project in the working directory. */
export interface Manager {
  readonly name: string;
  add(packages: readonly string[]): readonly string[];
}

const tool = (folder: string, file: string) => [process.execPath, join(folder, 'tools/node_modules', file)];
const npm = (...options: string[]) => [
  'npm',
  'install',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  ...options,
];

/** Returns the package managers that are tried. Their programs are in the folder `tools` of the workspace. */
export function managersOf(workspace: string): readonly Manager[] {
  return [
    { name: 'npm', add: (packages) => npm(...packages) },
    {
      name: 'npm --install-strategy=linked',
      add: (packages) => npm('--install-strategy=linked', ...packages),
    },
    {
      name: 'pnpm without hoisting',
      add: (packages) => [
        ...tool(workspace, 'pnpm/bin/pnpm.cjs'),
        'add',
        '--config.hoist=false',
        '--config.public-hoist-pattern=',
        `--store-dir=${join(workspace, 'pnpm-store')}`,
        ...packages,
      ],
    },
    {
      name: 'yarn',
      add: (packages) => [
        ...tool(workspace, 'yarn/bin/yarn.js'),
        'add',
        '--non-interactive',
        // Yarn would take a tarball of the same name and version from its shared cache.
        `--cache-folder=${join(workspace, 'yarn-cache')}`,
        // The SDK of durable functions, an optional peer, wants Node 22. Other package managers only warn.
        '--ignore-engines',
        ...packages,
      ],
    },
  ];
}

/** A temporary folder with the packed package and the programs of the package managers. */
export class Workspace {
  private constructor(
    readonly folder: string,
    readonly tarball: string,
  ) {}

  static async create(): Promise<Workspace> {
    const folder = mkdtempSync(join(tmpdir(), 'install-'));
    const packed = await run(
      ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      resolve('.'),
    );
    const [{ filename }] = Object.values(JSON.parse(packed)) as [{ filename: string }];
    const tools = join(folder, 'tools');
    mkdirSync(tools);
    writeFileSync(join(tools, 'package.json'), '{}');
    await run(npm(...Object.entries(TOOLS).map(([name, version]) => `${name}@${version}`)), tools);
    return new Workspace(folder, join(folder, filename));
  }

  /** Creates an empty project. */
  project(name: string): string {
    const folder = join(this.folder, name.replaceAll(/\W+/g, '-'));
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
    );
    return folder;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Runs a program and returns what it writes to its standard output.
 *
 * @throws Error with the whole output, if the program fails
 */
export async function run(
  [program = '', ...args]: readonly string[],
  cwd: string,
  added: Readonly<Record<string, string>> = {},
): Promise<string> {
  // `npm run` passes settings of its own down, such as the folder that it runs in.
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...added }).filter(
      ([name]) => !/^npm_(package|lifecycle|command|config_(local_|global_)?prefix)/i.test(name),
    ),
  );
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${[program, ...args].join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, {
      cause: error,
    });
  }
}

/** Returns why the npm registry cannot be used, or undefined if it answers. */
export async function unreachableRegistry(): Promise<string | undefined> {
  const registry = (await run(['npm', 'config', 'get', 'registry'], tmpdir())).trim();
  try {
    const { ok, status } = await fetch(new URL('zod/latest', registry), {
      signal: AbortSignal.timeout(10_000),
    });
    return ok ? undefined : `${registry} answered ${status}`;
  } catch (error) {
    return `${registry} does not answer (${error instanceof Error ? error.message : error})`;
  }
}
