import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Editor } from './editor.js';
import { MAIN, startCopy } from './run.js';

/** A copy of the built package, as the workflow that publishes prepares it. */
const folder = mkdtempSync(join(tmpdir(), 'site-links-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const path of ['dist', 'package.json', 'scripts/name-repository.mjs'])
  cpSync(path, join(folder, path), { recursive: true });
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
writeFileSync(
  join(folder, 'policy.yaml'),
  'version: 1\nconcerns: { cost: { values: [low, high] } }\npresets: { cheap: { cost: none }, dear: { cost: much } }\n',
);
const page = 'https://owner.github.io/name/findings/unknown-value';

/** Returns what `check` writes behind its findings. */
const endOf = async (...args: string[]): Promise<string> =>
  (await startCopy(join(folder, MAIN), folder, 'check', 'policy.yaml', ...args).ended).stdout
    .split('\n\n')
    .at(-1) ?? '';

/** Returns where code scanning and an editor link the finding to. */
async function linksOf(main: string): Promise<unknown> {
  const { stdout } = await startCopy(main, folder, 'check', '--format', 'sarif', 'policy.yaml').ended;
  const [rule] = JSON.parse(stdout).runs[0].tool.driver.rules;
  const editor = new Editor(folder, 'policy.yaml', main);
  await editor.open();
  const [diagnostic] = await editor.diagnostics();
  await editor.close();
  return [rule.id, rule.helpUri, diagnostic?.code, diagnostic?.codeDescription?.href];
}

it('links findings to the documentation in a package that was published, and nowhere before', async () => {
  expect(await linksOf(MAIN)).toEqual(['unknown-value', undefined, 'unknown-value', undefined]);
  execFileSync(process.execPath, ['scripts/name-repository.mjs', 'https://github.com', 'Owner/name'], {
    cwd: folder,
  });
  const copy = join(folder, MAIN);
  expect(await linksOf(copy)).toEqual(['unknown-value', page, 'unknown-value', page]);
  expect(await endOf()).toBe(`2 errors in 1 policy, checked without a server.\n${page}\n`);
  expect(await endOf('--quiet')).not.toContain(page);
});

it('knows no documentation of a repository that is not on GitHub', async () => {
  execFileSync(process.execPath, ['scripts/name-repository.mjs', 'https://host.example', 'Owner/name'], {
    cwd: folder,
  });
  expect(await linksOf(join(folder, MAIN))).toEqual(['unknown-value', undefined, 'unknown-value', undefined]);
  expect(await endOf()).toBe('2 errors in 1 policy, checked without a server.\n');
});
