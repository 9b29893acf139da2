import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { MOCKING, SHARED } from '../../settings.js';

/** The folders of tests, those first that find a change soonest: the first test that fails ends the run of a change. */
const FOLDERS = [
  'gate',
  'wire',
  'engine',
  'policy',
  'http',
  'behavior',
  'fuzz',
  'property',
  'tasks',
] as const;

/** Begins with the tests that are named after the changed file, which Stryker gives as the file that tests are related to. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const changed = new Set(this.ctx.config.related?.map((path) => basename(path, '.ts')));
    const rank = ({ moduleId }: TestSpecification) =>
      changed.has(basename(moduleId, '.test.ts'))
        ? -1
        : FOLDERS.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
    return files.toSorted((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

const { name, exports }: { name: string; exports: Readonly<Record<string, string | { default: string }>> } =
  JSON.parse(readFileSync('package.json', 'utf8'));

/** The examples import this package by name: its sources, because mutants are not built. */
const alias = Object.entries(exports).flatMap(([subpath, target]) => {
  if (typeof target === 'string') return [];
  const source = target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
  return [{ find: new RegExp(`^${subpath.replace('.', name)}$`), replacement: resolve(source) }];
});

/**
 * The tests that Stryker runs against changed files of the engine, of the policy check and of the gate. They start no processes and
 * need no build. For a quick look at one file, `MUTATION_TESTS` takes a glob of fewer tests.
 */
export default defineConfig({
  resolve: { alias },
  test: {
    root: '.',
    include: [process.env.MUTATION_TESTS ?? `test/{${FOLDERS.join(',')}}/**/*.test.ts`],
    // Left out: tests that need modules of their own; tests in child processes, which load no changed file; slow tests of
    // documents and of messages; properties that count what they generate, which takes more than their second.
    exclude: [
      ...SHARED.exclude,
      ...MOCKING,
      'test/property/{name-finder,select}.test.ts',
      'test/policy/{yaml,docs,schema}.test.ts',
      'test/gate/fuzz.test.ts',
      'test/gate/panel/{foreign,narrow,pages}.test.ts',
      'test/behavior/{leaks/*,one-write,stdio-listen,examples/vault/lifecycle,store-faults/*,tokens/*}.test.ts',
      'test/tasks/{attach,lambda*,poll,recovery,replay,result,suite,walk,wire}.test.ts',
    ],
    // Left out by name: child processes of stdio mounts, ten seconds of single pages, times that counting each branch changes,
    // and a property that must find a hundred cases.
    testNamePattern: /^(?!.*(\blinear\b|\bstdio\b|more than 100 pages|every count, decision and change))/,
    setupFiles: ['./test/slow/mutation/limits.ts', './test/slow/mutation/coverage.ts'],
    testTimeout: 60_000,
    sequence: { sequencer: NearestFirst },
    // Loading modules once instead of once per file takes a third of the time. No test depends on the modules' state.
    isolate: false,
  },
});
