import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { errorClass } from '../core/errors.js';
import { type Architecture, findNativeCode, type NativeCode } from './native-code.js';

interface Installed extends NativeCode {
  readonly folder: string;
  /** The folder of the package that depends on this one for one of several platforms. */
  readonly variantOf: string | undefined;
}

interface Manifest {
  readonly cpu?: readonly string[];
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package, or one that it depends on, is not installed, or the package has no program. */
class PackageError extends errorClass('PackageError', 'PACKAGE_UNUSABLE') {}

/** A package has native code, but none that runs on the function. */
class ArchitectureError extends errorClass('ArchitectureError', 'ARCHITECTURE_MISMATCH') {}

/**
 * Copies an installed package and everything that it depends on, into the same folders as in the project. Throws a
 * `PackageError` if the package is not installed, or if it has no program of its name, and an `ArchitectureError` if
 * native code does not run on the architecture.
 *
 * @param name the name of the package
 * @param root the folder of the project, whose `node_modules`, or that of a folder above, has it
 * @param target the folder that gets a `node_modules`
 * @param architecture the architecture of the function
 * @returns the program of the package, relative to `target`
 * @example
 * copyPackage('@modelcontextprotocol/server-everything', '.', 'build/lambda', 'arm64');
 */
export function copyPackage(name: string, root: string, target: string, architecture: Architecture): string {
  const project = resolve(root);
  const folder = findPackage(name, project);
  if (folder === undefined)
    throw new PackageError(`${name} is not installed in this project. Run "npm install ${name}".`);
  const packages = installedPackages(folder, project, architecture);
  const base = baseOf(packages, project);
  const program = join(relative(base, folder), binOf(name, readManifest(folder)));
  const covered = new Set(packages.filter(({ runs }) => runs).map(({ variantOf }) => variantOf));
  // Of the packages for one platform each, one that runs is enough. Those for other platforms only make the zip larger.
  const unused = packages.filter(({ platforms, runs }) => platforms.length > 0 && !runs);
  const wrong = unused.find(({ variantOf }) => variantOf === undefined || !covered.has(variantOf));
  if (wrong !== undefined) throw wrongArchitecture(wrong, base, architecture);
  for (const { folder: from } of packages.filter((each) => !unused.includes(each))) {
    const nested = join(realpathSync(from), 'node_modules');
    // A nested package is copied when something depends on it.
    cpSync(realpathSync(from), join(target, relative(base, from)), {
      recursive: true,
      dereference: true,
      filter: (path) => path !== nested,
    });
  }
  return program.replaceAll('\\', '/');
}

/**
 * npm installs the packages of a workspace in the folder of the whole repository. Node.js finds them upwards also in the
 * folder of the function, if all folders from there on keep their places.
 */
function baseOf(packages: readonly Installed[], project: string): string {
  const steps = packages.map(({ folder }) => relative(project, folder).split(sep).lastIndexOf('..') + 1);
  return resolve(project, ...Array.from({ length: Math.max(...steps) }, () => '..'));
}

/** @returns a package and all that it depends on */
function installedPackages(first: string, project: string, architecture: Architecture): Installed[] {
  const found = new Map<string, Installed>();
  const pending: Pick<Installed, 'folder' | 'variantOf'>[] = [{ folder: first, variantOf: undefined }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { folder } = next;
    if (found.has(folder)) continue;
    found.set(folder, { ...next, ...findNativeCode(realpathSync(folder), architecture) });
    const { dependencies = {}, optionalDependencies = {}, peerDependencies } = readManifest(folder);
    for (const name of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
      const needed = findPackage(name, folder);
      if (needed === undefined) {
        if (!Object.hasOwn(dependencies, name)) continue;
        throw new PackageError(
          `${name}, which ${relative(project, folder)} needs, is not installed. Run "npm install".`,
        );
      }
      // A package for one platform, of which npm installs the one that fits this machine.
      const isVariant = Object.hasOwn(optionalDependencies, name) && readManifest(needed).cpu !== undefined;
      pending.push({ folder: needed, variantOf: isVariant ? folder : undefined });
    }
  }
  return [...found.values()];
}

function wrongArchitecture(
  { folder, variantOf, platforms }: Installed,
  base: string,
  architecture: Architecture,
): ArchitectureError {
  const name = folder.slice(folder.lastIndexOf('node_modules') + 13).replaceAll('\\', '/');
  const variants = variantOf === undefined ? [] : variantsFor(architecture, readManifest(variantOf));
  const image = architecture === 'arm64' ? 'arm64' : 'amd64';
  const advice =
    variants.length > 0
      ? `Run "npm install --no-save --force ${variants.join(' ')}"`
      : `It was built on this machine: run "npm ci" on Linux with ${architecture}, for example "docker run --platform linux/${image} -v .:/app -w /app node:24 npm ci"`;
  const other = platforms.find((platform) => platform.startsWith('linux '))?.slice('linux '.length);
  const instead = other === undefined ? '' : `, or set "architecture: ${other}"`;
  return new ArchitectureError(
    `${name} (${relative(base, folder)}) has native code for ${platforms.join(', ')}, but the function runs on linux ${architecture}. ${advice}${instead}.`,
  );
}

/**
 * Names do not follow one rule: `@img/sharp-linux-arm64`, `@libsql/linux-x64-gnu`, `lightningcss-linux-arm64-gnu`. Lambda has
 * the C library of GNU, not musl.
 */
function variantsFor(architecture: Architecture, { optionalDependencies = {} }: Manifest): string[] {
  const cpu = architecture === 'arm64' ? /arm64|aarch64/ : /x64|x86_64|amd64/;
  return Object.entries(optionalDependencies)
    .filter(([name]) => name.includes('linux') && cpu.test(name) && !name.includes('musl'))
    .map(([name, version]) => `${name}@${version}`);
}

/** @returns the folder where Node.js finds a package, searching upwards from a folder */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (folder === dirname(folder)) return undefined;
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
