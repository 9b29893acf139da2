import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { configDefaults } from 'vitest/config';
import { MOCKING } from '../settings.js';

/** Installed packages are below `test/runtimes` after `npm run conformance`. They are not searched here either. */
const files = ['vitest.config.ts', ...filesOf('test')];

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return entry.name === 'node_modules' ? [] : filesOf(path);
  });
}

interface Collecting {
  readonly setupFiles?: readonly string[];
  readonly exclude?: readonly string[];
  readonly projects?: readonly { readonly test: Collecting }[];
}

it.each(files.filter((file) => file.endsWith('vitest.config.ts')))(
  '%s does not collect the tests of installed packages',
  async (file) => {
    const { test }: { test: Collecting } = (await import(resolve(file))).default;
    for (const { exclude = test.exclude } of [test, ...(test.projects ?? []).map((each) => each.test)])
      expect(exclude ?? configDefaults.exclude).toContain('**/node_modules/**');
  },
);

it.each(files.filter((file) => file.endsWith('vitest.config.ts')))(
  'every setup file that %s names exists',
  async (file) => {
    const { test }: { test: Collecting } = (await import(resolve(file))).default;
    const named = [test, ...(test.projects ?? []).map((each) => each.test)].flatMap(
      (each) => each.setupFiles ?? [],
    );
    expect(named.filter((each) => !existsSync(each))).toEqual([]);
  },
);

it('every test that replaces modules with vi.mock runs with modules of its own', () => {
  const replacing = files.filter(
    (file) => file.endsWith('.test.ts') && /^vi\.mock\(/m.test(readFileSync(file, 'utf8')),
  );
  expect([...MOCKING].sort()).toEqual(replacing.sort());
});
