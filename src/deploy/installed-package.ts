import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

interface Manifest {
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package is not installed as it has to be. */
export class PackageError extends Error {
  readonly code = 'PACKAGE_UNUSABLE';
  override readonly name = 'PackageError';
}

/**
 * Copies an installed package with everything that it depends on, in the folders that npm gave them.
 *
 * @param name the package
 * @param root the folder whose `node_modules` has it
 * @param target the folder that gets a `node_modules`
 * @returns the package's program, relative to `target`
 * @throws {PackageError} if it is not installed, or has no program of its name
 * @example
 * copyPackage('@modelcontextprotocol/server-everything', '.', 'build/lambda');
 */
export function copyPackage(name: string, root: string, target: string): string {
  const base = resolve(root);
  const folder = findPackage(name, base, base);
  if (folder === undefined)
    throw new PackageError(`${name} is not installed here: run "npm install ${name}".`);
  const bin = binOf(name, readManifest(folder));
  const program = join(relative(base, folder), bin);

  const seen = new Set<string>();
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const nested = join(realpathSync(next), 'node_modules');
    // What the package has nested is copied when something depends on it.
    cpSync(realpathSync(next), join(target, relative(base, next)), {
      recursive: true,
      dereference: true,
      filter: (path) => path !== nested,
    });
    const { dependencies, optionalDependencies, peerDependencies } = readManifest(next);
    for (const needed of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
      const found = findPackage(needed, next, base);
      if (found !== undefined) waiting.push(found);
      else if (dependencies !== undefined && Object.hasOwn(dependencies, needed)) {
        throw new PackageError(
          `${needed}, which ${relative(base, next)} needs, is not installed; run "npm install".`,
        );
      }
    }
  }
  return program.replaceAll('\\', '/');
}

/** @returns where Node finds a package, looking upwards from a folder as far as `base` */
function findPackage(name: string, from: string, base: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (folder === base) return undefined;
  }
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function binOf(name: string, { bin = {} }: Manifest): string {
  if (typeof bin === 'string') return bin;
  const found = Object.entries(bin);
  const own = found.length === 1 ? found[0] : found.find(([command]) => command === name.split('/').at(-1));
  if (own !== undefined) return own[1];
  throw new PackageError(
    found.length === 0
      ? `${name} has no bin: it is not a server that can be started.`
      : `${name} has several bins, and none of its own name: ${found.map(([command]) => command).join(', ')}.`,
  );
}
