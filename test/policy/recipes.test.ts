import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runIn } from '../cli/run.js';

const RECIPES = join(import.meta.dirname, '../../docs/guides/recipes');
const pages = readdirSync(RECIPES).filter((name) => name !== 'README.md');
const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The blocks of a page, by their fence. */
const blocksOf = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...readFileSync(join(RECIPES, page), 'utf8').matchAll(/^```([^\n]+)\n([\s\S]*?)^```$/gm)].map(
      ([, fence = '', text = '']) => [fence, text],
    ),
  );

it('are ten, each in the table', () => {
  const table = readFileSync(join(RECIPES, 'README.md'), 'utf8');
  expect(pages).toHaveLength(10);
  for (const page of pages) expect(table).toContain(`](${page})`);
});

it.each(pages)('%s has a policy without findings, and its tests pass', async (page) => {
  const blocks = blocksOf(page);
  const tests = blocks.get('yaml tests') ?? '';
  const { policy, catalog } = parse(tests) as { policy: string; catalog: string };
  writeFileSync(join(folder, policy), blocks.get('yaml') ?? '');
  writeFileSync(join(folder, policy.replace('.yaml', '.test.yaml')), tests);
  writeFileSync(join(folder, catalog), blocksOf('README.md').get('json') ?? '');
  const checked = await runIn(folder, 'check', policy, '--catalog', catalog, '--deny-warnings');
  expect(checked.stdout).toContain('No findings');
  const tested = await runIn(folder, 'test', policy);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringMatching(/tests? passed/)]);
  const listed = await runIn(folder, 'list', policy, '--catalog', catalog, '--format', 'names');
  expect(listed.code).toBe(0);
});
