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

/**
 * Limits of single waits are the common ones of `test/patience.ts`. Random messages are sent for as long as the environment
 * says, and tests of `install` and `hosts` wait for networks and models.
 */
const OWN_LIMIT = /\btimeout: [\d_]{4,}|^\s*\}, [\d_]{4,}\);$|setDefaultTimeout\([\d_]+\)/m;
const MAY_HAVE_LIMITS = /^test\/(install|hosts|gate\/fuzz\.test\.ts|slow\/(runtime|mutation))/;

it('no test has a limit of its own, which is over sooner than its work on a busy machine', () => {
  const limited = files.filter((file) => /\.ts$/.test(file) && OWN_LIMIT.test(readFileSync(file, 'utf8')));
  expect(limited.filter((file) => !MAY_HAVE_LIMITS.test(file))).toEqual([]);
});
