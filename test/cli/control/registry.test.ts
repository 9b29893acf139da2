import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type RegistryEntry,
  readRegistry,
  register,
  registryFolder,
  writeOpener,
} from '../../../src/cli/control/registry.js';

const entry = (pid: number, started = '2026-01-01T00:00:00Z'): RegistryEntry => ({
  format: 1,
  pid,
  url: 'http://127.0.0.1:1234',
  token: 'abc_-123',
  name: 'vault',
  policy: ['policy.yaml'],
  cwd: '/',
  started,
});

describe.skipIf(process.platform === 'win32')('the registry (skipped on Windows, which has no modes)', () => {
  let base = '';
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'registry-'));
  });
  afterEach(() => rmSync(base, { recursive: true }));
  const folder = (): string => registryFolder({ XDG_RUNTIME_DIR: base });

  it('creates a folder and files that only this user can read', () => {
    const unregister = register(folder(), entry(process.pid));
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder(), `${process.pid}.json`)).mode & 0o777).toBe(0o600);
    expect(statSync(writeOpener(folder(), entry(process.pid))).mode & 0o777).toBe(0o600);
    expect(readRegistry(folder())).toEqual([entry(process.pid)]);
    unregister();
    expect(readdirSync(folder())).toEqual([]);
  });

  it('refuses a folder that is open to others, a file, and a symbolic link', () => {
    const path = join(base, 'mcp-concerns');
    mkdirSync(path);
    chmodSync(path, 0o750);
    expect(folder).toThrow('is open to other users');
    rmSync(path, { recursive: true });
    writeFileSync(path, '');
    expect(folder).toThrow();
    rmSync(path);
    mkdirSync(join(base, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(base, 'elsewhere'), path);
    expect(folder).toThrow('is not a folder');
  });

  it.skipIf(process.getuid?.() !== 0)('refuses a folder of another user (skipped unless run by root)', () => {
    mkdirSync(join(base, 'mcp-concerns'), { mode: 0o700 });
    spawnSync('chown', ['65534', join(base, 'mcp-concerns')]);
    expect(folder).toThrow('belongs to another user');
  });

  it('ignores links, files that others can write, and files that are not entries', () => {
    const path = folder();
    const put = (name: string, value: unknown, mode = 0o600): void => {
      writeFileSync(join(path, name), JSON.stringify(value), { mode });
    };
    writeFileSync(join(base, 'target.json'), JSON.stringify(entry(process.pid)), { mode: 0o600 });
    symlinkSync(join(base, 'target.json'), join(path, '11.json'));
    put('12.json', entry(process.pid));
    chmodSync(join(path, '12.json'), 0o666);
    put('13.json', { ...entry(process.pid), url: 'https://attacker.example' });
    put('14.json', { ...entry(process.pid), url: 'http://127.0.0.1:1@attacker.example' });
    put('15.json', { ...entry(process.pid), token: '"><script>' });
    put('16.json', null);
    put('other.txt', entry(process.pid));
    expect(readRegistry(path)).toEqual([]);
  });

  it('removes the entry of a process that has ended', () => {
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    register(folder(), entry(ended, '2025-01-01T00:00:00Z'));
    register(folder(), entry(process.pid));
    expect(readRegistry(folder()).map(({ pid }) => pid)).toEqual([process.pid]);
    expect(existsSync(join(folder(), `${ended}.json`))).toBe(false);
  });
});
