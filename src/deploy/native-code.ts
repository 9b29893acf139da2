import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The architectures of Lambda, by their names in CloudFormation. */
export const ARCHITECTURES = ['arm64', 'x86_64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** `e_machine` of ELF files: https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html */
const MACHINES: ReadonlyMap<number, Architecture> = new Map([
  [0x3e, 'x86_64'],
  [0xb7, 'arm64'],
]);

/** Files that can contain machine code. Programs for Linux often have no extension. */
const CANDIDATES: ReadonlySet<string> = new Set(['', '.node', '.dylib', '.dll', '.exe']);

/** What the native code in a folder runs on. */
export interface NativeCode {
  /** For example `linux arm64`, `macOS`, `Windows`; sorted. Empty without native code. */
  readonly platforms: readonly string[];
  /** Whether some of it runs on Lambda with the architecture. Packages can contain builds for many platforms. */
  readonly runs: boolean;
}

/**
 * Finds native code in the folder of a package, by the first bytes of its files.
 *
 * @param folder the folder; nested `node_modules` are other packages
 * @param architecture the architecture of the function
 * @returns what its native code runs on
 */
export function findNativeCode(folder: string, architecture: Architecture): NativeCode {
  const platforms = new Set(filesOf(folder).flatMap((file) => platformOf(file) ?? []));
  return { platforms: [...platforms].sort(), runs: platforms.has(`linux ${architecture}`) };
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesOf(path);
    return CANDIDATES.has(extname(entry.name)) || /\.so(\.\d+)*$/.test(entry.name) ? [path] : [];
  });
}

function platformOf(file: string): string | undefined {
  const head = Buffer.alloc(20);
  const descriptor = openSync(file, 'r');
  const read = readSync(descriptor, head, 0, head.length, 0);
  closeSync(descriptor);
  if (read < head.length) return undefined;
  if (head.toString('latin1', 0, 4) === '\x7fELF') {
    const machine = MACHINES.get(head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18));
    return machine === undefined ? 'another Linux' : `linux ${machine}`;
  }
  // Mach-O of one architecture, 32 and 64 bits. A universal file has the magic number of Java classes, which are not native.
  if ([0xfeedface, 0xfeedfacf].includes(head.readUInt32LE(0))) return 'macOS';
  if (head.toString('latin1', 0, 2) === 'MZ') return 'Windows';
  return undefined;
}
