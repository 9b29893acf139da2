import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../errors.js';
import type { Io } from '../terminal/output.js';
import { VERSION } from '../version.js';

/** The path of this program, which a host's file gets, and whether it will be there tomorrow. */
export interface OwnProgram {
  /** Node.js, and the path of this program. */
  readonly command: readonly string[];
  /** What has to be installed first, because it runs from a cache that npm empties. */
  readonly install?: Installation;
}

/** A copy of this program that stays. */
export interface Installation {
  /** The package in the cache of `npx`. */
  readonly from: string;
  /** The folder that gets the copy. */
  readonly to: string;
}

/**
 * Finds the program that a host can start tomorrow. `npx` runs a program from its cache, so that one is installed in the data
 * folder of the user.
 *
 * @param io what started this program, and the environment
 * @returns the command to write, and the folder to install it in if it is not there yet
 * @example
 * ownProgram(terminal).command; // ['/usr/bin/node', '/usr/lib/node_modules/mcp-concerns/dist/cli/main.js']
 */
export function ownProgram({ argv, env }: Pick<Io, 'argv' | 'env'>): OwnProgram {
  // The bundle of the command line is one file beside its parts.
  const own = fileURLToPath(new URL('./main.js', import.meta.url));
  const running = existsSync(own) ? own : resolve(argv[1] ?? '');
  if (!running.split(sep).includes('_npx')) return { command: [process.execPath, running] };
  const to = join(dataFolder(env), 'program', VERSION);
  const installed = join(to, 'node_modules', 'mcp-concerns', 'dist', 'cli', 'main.js');
  const command = [process.execPath, installed];
  const from = resolve(running, '..', '..', '..');
  return existsSync(installed) ? { command } : { command, install: { from, to } };
}

/**
 * Installs a copy of the running program with npm. The copy comes from the cache, so it is the program that the person started,
 * also if `npx` had it from a file or from another registry.
 *
 * @param installation what to copy, and where to
 * @param env the environment, in which `npx` says where npm is
 * @throws {CliError} if npm fails, with what it says
 */
export function installProgram({ from, to }: Installation, env: NodeJS.ProcessEnv): void {
  const args = ['install', '--prefix', to, '--install-links', '--no-audit', '--no-fund', from];
  const npm = env.npm_execpath;
  // On Windows, npm is a script of the shell.
  const options = {
    env,
    encoding: 'utf8',
    shell: npm === undefined && process.platform === 'win32',
  } as const;
  const done =
    npm === undefined
      ? spawnSync('npm', args, options)
      : spawnSync(process.execPath, [npm, ...args], options);
  if (done.status === 0) return;
  const said = done.error?.message ?? done.stderr.trim().split('\n').at(-1) ?? '';
  throw new CliError(
    `npm cannot install mcp-concerns ${VERSION} in ${to}: ${said}. Nothing was changed. Install it yourself with "npm install --global mcp-concerns", and run "mcp-concerns setup".`,
  );
}

/** The folder of the user for programs and data that stay. */
function dataFolder({ XDG_DATA_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  const data = process.platform === 'win32' ? LOCALAPPDATA : XDG_DATA_HOME;
  return join(data || join(homedir(), '.local', 'share'), 'mcp-concerns');
}
