import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyPackage } from '../../src/deploy/installed-package.js';

/** The first bytes of an ELF file: https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html */
function elf(machine: number): Buffer {
  const head = Buffer.alloc(64);
  head.write('\x7fELF\x02\x01\x01', 'latin1');
  head.writeUInt16LE(machine, 18);
  return head;
}
const X64 = elf(0x3e);
const ARM64 = elf(0xb7);
const MACOS = Buffer.from('cffaedfe0c000001000000000000000000000000', 'hex');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'native-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function install(name: string, manifest: object, files: Record<string, Buffer> = {}): void {
  const folder = join(root, 'node_modules', name);
  const all = { 'package.json': JSON.stringify({ name, version: '1.0.0', ...manifest }), ...files };
  for (const [file, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
}
const copy = (architecture: 'arm64' | 'x86_64') =>
  copyPackage('server', root, join(root, 'target'), architecture);
const copied = (scope: string) => readdirSync(join(root, 'target/node_modules', scope)).sort();

const SERVER = { bin: 'server.js', dependencies: { binding: '1.0.0' } };
const VARIANTS = {
  '@b/linux-x64-gnu': '1.0.0',
  '@b/linux-arm64-gnu': '1.0.0',
  '@b/linux-arm64-musl': '1.0.0',
};

describe('a package whose native code was built on this machine', () => {
  beforeEach(() => {
    install('server', SERVER, { 'server.js': Buffer.from('') });
    install('binding', {}, { 'build/Release/binding.node': X64 });
  });

  it('is copied if the function has the same architecture', () => {
    expect(copy('x86_64')).toBe('node_modules/server/server.js');
  });

  it('is refused otherwise, with what to do', () => {
    expect(() => copy('arm64')).toThrow(
      expect.objectContaining({
        code: 'ARCHITECTURE_MISMATCH',
        message:
          'binding (node_modules/binding) has native code for linux x86_64, but the function runs on linux arm64. It was built on this machine: run "npm ci" on Linux with arm64, for example "docker run --platform linux/arm64 -v .:/app -w /app node:24 npm ci", or set "architecture: x86_64".',
      }),
    );
  });
});

it('accepts a package that contains builds for many platforms', () => {
  install('server', SERVER, { 'server.js': Buffer.from('') });
  install(
    'binding',
    {},
    { 'prebuilds/darwin/b.node': MACOS, 'prebuilds/arm/b.node': ARM64, 'p/x.node': X64 },
  );
  expect(() => copy('arm64')).not.toThrow();
});

it('recognizes programs without an extension, and code for other systems', () => {
  install('server', { bin: 'server.js' }, { 'server.js': Buffer.from(''), 'bin/tool': MACOS });
  expect(() => copy('arm64')).toThrow('server (node_modules/server) has native code for macOS');
});

it('does not take text, short files or other architectures in names for native code', () => {
  const text = Buffer.from('x'.repeat(100));
  install(
    'server',
    { bin: 'server.js' },
    { 'server.js': text, LICENSE: text, 'x64.node': Buffer.from('ELF') },
  );
  expect(() => copy('arm64')).not.toThrow();
});

describe('a package with one package for each platform', () => {
  beforeEach(() => {
    install('server', SERVER, { 'server.js': Buffer.from('') });
    install('binding', { optionalDependencies: VARIANTS });
    install('@b/linux-x64-gnu', { cpu: ['x64'] }, { 'b.node': X64 });
  });

  it('is refused if only the one for this machine is installed, with the command that adds the other', () => {
    expect(() => copy('arm64')).toThrow('Run "npm install --no-save --force @b/linux-arm64-gnu@1.0.0"');
    expect(() => copy('x86_64')).not.toThrow();
  });

  it('needs only the one for the function, and copies only that', () => {
    install('@b/linux-arm64-gnu', { cpu: ['arm64'] }, { 'b.node': ARM64 });
    expect(() => copy('arm64')).not.toThrow();
    expect(copied('@b')).toEqual(['linux-arm64-gnu']);
  });
});

describe('a package that npm installed in a folder above the project', () => {
  it('is copied with what it depends on, to where Node.js finds them', () => {
    install(
      'server',
      { bin: 'server.js', dependencies: { helper: '1.0.0' } },
      { 'server.js': Buffer.from('') },
    );
    install('helper', {});
    const project = join(root, 'packages/endpoint');
    mkdirSync(project, { recursive: true });
    expect(copyPackage('server', project, join(project, 'target'), 'arm64')).toBe(
      'node_modules/server/server.js',
    );
    expect(readdirSync(join(project, 'target/node_modules')).sort()).toEqual(['helper', 'server']);
  });

  it('is found from a package of the project, which keeps its place below it', () => {
    install('helper', {});
    install('../packages/endpoint/node_modules/server', {
      bin: 'server.js',
      dependencies: { helper: '1.0.0' },
    });
    const project = join(root, 'packages/endpoint');
    const target = join(project, 'target');
    expect(copyPackage('server', project, target, 'arm64')).toBe(
      'packages/endpoint/node_modules/server/server.js',
    );
    expect(readdirSync(join(target, 'node_modules'))).toEqual(['helper']);
  });
});
