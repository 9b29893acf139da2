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
  /** Where it has to be installed first, because it runs from a cache that npm empties. */
  readonly install?: string;
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
  const install = join(dataFolder(env), 'program', VERSION);
  const installed = join(install, 'node_modules', 'mcp-concerns', 'dist', 'cli', 'main.js');
  const command = [process.execPath, installed];
  return existsSync(installed) ? { command } : { command, install };
}

/**
 * Installs this version with npm.
 *
 * @param folder where
 * @param env the environment, in which `npx` says where npm is
 * @throws {CliError} if npm fails, with what it says
 */
export function installProgram(folder: string, env: NodeJS.ProcessEnv): void {
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', `mcp-concerns@${VERSION}`];
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
    `npm cannot install mcp-concerns ${VERSION} in ${folder}: ${said}. Nothing was changed. Install it yourself with "npm install --global mcp-concerns", and run "mcp-concerns setup".`,
  );
}

/** The folder of the user for programs and data that stay. */
function dataFolder({ XDG_DATA_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  const data = process.platform === 'win32' ? LOCALAPPDATA : XDG_DATA_HOME;
  return join(data || join(homedir(), '.local', 'share'), 'mcp-concerns');
}
