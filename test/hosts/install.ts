import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { read } from '../../src/core/wire/messages.js';
import type { Host } from './host.js';

/** Outside of the project, and kept: the six hosts are about 1.5 GB. */
const FOLDER = join(tmpdir(), 'mcp-concerns-hosts');

/** An installed host. */
export interface Installed {
  readonly program: string;
  readonly version: string;
}

/**
 * Installs a host with npm, unless it is already there.
 *
 * @param host the host
 * @param wanted a version, or `latest`
 * @throws {Error} if npm cannot install it
 */
export function install({ id, package: name, program }: Host, wanted: string): Installed {
  const folder = join(FOLDER, id);
  const path = join(folder, 'node_modules/.bin', program);
  const version = (): string => {
    const file = join(folder, 'node_modules', name, 'package.json');
    const found = existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8')), 'version') : undefined;
    return typeof found === 'string' ? found : 'none';
  };
  if (!existsSync(path) || (wanted !== 'installed' && version() !== wanted)) {
    mkdirSync(folder, { recursive: true });
    const tag = wanted === 'installed' ? 'latest' : wanted;
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
    const { status } = spawnSync('npm', [...args, `${name}@${tag}`], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`npm could not install ${name}@${tag}: it ended with ${status}.`);
  }
  return { program: path, version: version() };
}

/**
 * Installs servers from npm, unless they are already there.
 *
 * @param names their packages, each with one program
 * @returns the folder, and the path of the program of each package
 * @throws {Error} if npm cannot install them
 */
export function installPackages(names: readonly string[]) {
  const folder = join(FOLDER, 'servers');
  const packageOf = (name: string): string => join(folder, 'node_modules', name, 'package.json');
  if (names.some((name) => !existsSync(packageOf(name)))) {
    mkdirSync(folder, { recursive: true });
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...names];
    const { status } = spawnSync('npm', args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`npm could not install ${names.join(', ')}: it ended with ${status}.`);
  }
  const programs = names.map((name): [string, string] => {
    const bin = read(JSON.parse(readFileSync(packageOf(name), 'utf8')), 'bin');
    const [program] = typeof bin === 'string' ? [bin] : Object.values(bin ?? {});
    return [name, join(folder, 'node_modules', name, String(program))];
  });
  return { folder, programs: new Map(programs) };
}
