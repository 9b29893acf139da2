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

/** A page of the documentation, and a new project in which its commands run. */
export interface PageProject {
  readonly folder: string;
  /** The shell commands of the page, in order. */
  readonly commands: readonly string[];
  /** The indented output that the page shows. */
  readonly shownOutput: string;
  /** Returns the code blocks of one language. */
  blocks(language: string): string[];
  /** Returns the first command that matches. */
  command(pattern: RegExp): string;
  /**
   * Runs one command of the page with a shell, in the project.
   *
   * @param pattern selects the command
   * @returns what it writes to stdout
   */
  run(pattern: RegExp): Promise<string>;
}

/** Returns the code blocks of one language in a page. Words after the language are ignored. */
export function blocksOf(page: string, language: string): string[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, name, block = '']) => (name === language ? [block] : []));
}

/** Copies an example into a new project outside this repository. Call it outside of tests, so that it is removed. */
export function copyExample(name: string): PageProject {
  const project = createProject(join('examples', name, 'README.md'));
  cpSync(join('examples', name), project.folder, { recursive: true });
  return project;
}

/**
 * Creates a project for the commands of a page. Its packages are linked rather than installed, because tests do not use
 * the network. Call it outside of tests, so that the project is removed after them.
 */
export function createProject(page: string): PageProject {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  linkPackages(folder);
  const blocks = (language: string): string[] => blocksOf(page, language);
  const commands = blocks('sh').flatMap((block) => block.replaceAll('\\\n', ' ').trim().split('\n'));
  const command = (pattern: RegExp): string => {
    const found = commands.find((each) => pattern.test(each));
    if (found === undefined) throw new Error(`${page} has no command like ${pattern}.`);
    return found;
  };
  return {
    folder,
    commands,
    shownOutput: [...readFileSync(page, 'utf8').matchAll(/^ {4}(.*\n)/gm)].map(([, line]) => line).join(''),
    blocks,
    command,
    run: async (pattern) => {
      const env = { ...process.env, npm_config_offline: 'true' };
      const { stdout } = await promisify(execFile)('sh', ['-c', command(pattern)], { cwd: folder, env });
      return stdout;
    },
  };
}

/** Returns the packages that the page installs, other than this one. */
export function installedPackages({ commands }: PageProject): string[] {
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
