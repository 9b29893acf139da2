import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ConcernsError } from '../errors.js';

interface Manifest {
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package, or one that it depends on, is not installed, or the package has no program. */
class PackageError extends ConcernsError {
  readonly code = 'PACKAGE_UNUSABLE';
  override readonly name = 'PackageError';
}

/**
 * Copies an installed package and everything that it depends on, into the same folders as in the project. Throws a
 * `PackageError` if the package is not installed, or if it has no program of its name.
 *
 * @param name the name of the package
 * @param root the folder whose `node_modules` has it
 * @param target the folder that gets a `node_modules`
 * @returns the program of the package, relative to `target`
 * @example
 * copyPackage('@modelcontextprotocol/server-everything', '.', 'build/lambda');
 */
export function copyPackage(name: string, root: string, target: string): string {
  const base = resolve(root);
  const folder = findPackage(name, base, base);
  if (folder === undefined)
    throw new PackageError(`${name} is not installed in this project. Run "npm install ${name}".`);
  const bin = binOf(name, readManifest(folder));
  const program = join(relative(base, folder), bin);

  const seen = new Set<string>();
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const nested = join(realpathSync(next), 'node_modules');
    // A nested package is copied when something depends on it.
    cpSync(realpathSync(next), join(target, relative(base, next)), {
      recursive: true,
      dereference: true,
      filter: (path) => path !== nested,
    });
    const { dependencies, optionalDependencies, peerDependencies } = readManifest(next);
    for (const needed of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
      const found = findPackage(needed, next, base);
      if (found !== undefined) pending.push(found);
      else if (dependencies !== undefined && Object.hasOwn(dependencies, needed)) {
        throw new PackageError(
          `${needed}, which ${relative(base, next)} needs, is not installed. Run "npm install".`,
        );
      }
    }
  }
  return program.replaceAll('\\', '/');
}

/** @returns the folder where Node.js finds a package, searching upwards from a folder as far as `base` */
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
      ? `${name} has no bin, so it cannot be started as a server.`
      : `${name} has several bins, but none has the name of the package: ${found.map(([command]) => command).join(', ')}.`,
  );
}
