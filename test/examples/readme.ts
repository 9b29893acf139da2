import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

/** An example, copied into a project of its own. */
export interface Example {
  readonly folder: string;
  /** The shell commands of its README, in order. */
  readonly commands: readonly string[];
  /** The output that its README shows. */
  readonly shownOutput: string;
  /**
   * Runs one command of the README, as a shell in the example's folder does.
   *
   * @param pattern selects the command
   * @returns what it writes to stdout
   */
  run(pattern: RegExp): Promise<string>;
  /** Returns the command of the README that matches. */
  command(pattern: RegExp): string;
}

/**
 * Copies an example into a new project outside this repository. Its packages are linked rather than installed, because
 * tests do not use the network.
 */
export function copyExample(name: string): Example {
  const folder = mkdtempSync(join(tmpdir(), `example-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join('examples', name), folder, { recursive: true });
  linkPackages(folder);

  const readme = readFileSync(join('examples', name, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.replaceAll('\\\n', ' ').trim().split('\n'),
  );
  const command = (pattern: RegExp): string => {
    const found = commands.find((each) => pattern.test(each));
    if (found === undefined) throw new Error(`The README of ${name} has no command like ${pattern}.`);
    return found;
  };
  return {
    folder,
    commands,
    shownOutput: [...readme.matchAll(/^ {4}(.*\n)/gm)].map(([, line]) => line).join(''),
    command,
    run: async (pattern) => {
      const env = { ...process.env, npm_config_offline: 'true' };
      const { stdout } = await promisify(execFile)('sh', ['-c', command(pattern)], { cwd: folder, env });
      return stdout;
    },
  };
}

/** Returns the packages that the README installs, other than this one. */
export function installedPackages({ commands }: Example): string[] {
  return commands
    .filter((command) => command.startsWith('npm install '))
    .flatMap((command) => command.split(' ').slice(2))
    .filter((name) => !name.startsWith('-') && name !== 'mcp-concerns');
}

/** Returns whether this repository has a package, perhaps under an alias. */
export const isAvailable = (name: string): boolean =>
  existsSync(join('node_modules', name)) || existsSync(join('node_modules/.bin', name));

function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  const bin = join(modules, '.bin');
  mkdirSync(bin, { recursive: true });
  for (const name of readdirSync('node_modules')) {
    if (!name.startsWith('.')) symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  for (const name of readdirSync('node_modules/.bin')) {
    symlinkSync(resolve('node_modules/.bin', name), join(bin, name));
  }
  symlinkSync(resolve('.'), join(modules, 'mcp-concerns'));
  symlinkSync(resolve('dist/cli/main.js'), join(bin, 'mcp-concerns'));
}
