import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BundleError } from './build-code.js';
import type { Endpoint } from './generated/endpoint-schema.js';

/**
 * Finds the module of a server: `src/server.ts` is a path if the file exists, and otherwise the name of a package.
 *
 * @param server the server of the endpoint
 * @param root the folder of the project
 * @returns the server, with the absolute path of a module that is a file
 */
export function resolveServer(server: Endpoint['server'], root: string): Endpoint['server'] {
  if (server === undefined || !('module' in server)) return server;
  const file = resolve(root, server.module);
  return existsSync(file) ? { ...server, module: file } : server;
}

/**
 * Finds the files of a project that a function needs beside its code.
 *
 * @param patterns paths in the project: a file, a folder, or a pattern in which `*` stands for characters of one name and `**`
 *   for any folders
 * @param root the folder of the project
 * @returns their paths, relative to `root`, in order
 *   Throws a `BundleError` if a pattern leads outside the project, or names no file
 * @example
 * projectFiles(['templates/**'], '.'); // ['templates/mail.html', 'templates/parts/footer.html']
 */
export function projectFiles(patterns: readonly string[], root: string): readonly string[] {
  const found = patterns.flatMap((pattern) => {
    const steps = pattern.split('/').filter((step) => step !== '' && step !== '.');
    if (pattern.startsWith('/') || steps.includes('..'))
      throw new BundleError(`"files" takes paths inside the project, not "${pattern}".`);
    // What is before the first wildcard is a path, so only its folder is read.
    const first = steps.findIndex((step) => step.includes('*'));
    const start = (first === -1 ? steps : steps.slice(0, first)).join('/');
    const matches = first === -1 ? () => true : matcherOf(steps.join('/'));
    const files = filesIn(root, start).filter(matches);
    if (files.length === 0) throw new BundleError(`"files" names "${pattern}", but there is no such file.`);
    return files;
  });
  return [...new Set(found)].sort();
}

function filesIn(root: string, path: string): string[] {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full).flatMap((name) => filesIn(root, path === '' ? name : `${path}/${name}`));
}

function matcherOf(pattern: string): (path: string) => boolean {
  const source = pattern
    .split(/(\*\*\/|\*\*|\*)/)
    .map((part) => WILDCARDS[part] ?? part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
    .join('');
  const expression = new RegExp(`^${source}$`);
  return (path) => expression.test(path);
}

const WILDCARDS: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' };

/**
 * Copies files of a project to the same paths in a bundle, where also `process.cwd()` leads to them on Lambda.
 *
 * @param files their paths, relative to `root`
 * @param root the folder of the project
 * @param target the folder of the bundle
 *   Throws a `BundleError` if the bundle has another file there
 */
export function copyFiles(files: readonly string[], root: string, target: string): void {
  for (const file of files) {
    const copy = join(target, file);
    if (existsSync(copy))
      throw new BundleError(`"files" names ${file}, but the bundle has a file of that name.`);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(root, file), copy);
  }
}
