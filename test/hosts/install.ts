import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { read } from '../../src/wire/messages.js';
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
