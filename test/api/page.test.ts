import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { blocksOf, createProject } from '../behavior/examples/pages.js';
import { barrels, valuesOf } from './barrels.js';

const API = 'docs/reference/api.md';
const ERRORS = 'docs/reference/errors.md';

/** The sections of the page by the subpath in their heading. */
const sections = new Map(
  readFileSync(API, 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => [/^`(.*)`$/m.exec(section)?.[1] ?? '', section]),
);

describe('the page of the API', () => {
  it('has a section for each subpath', () => {
    expect([...sections.keys()]).toEqual(barrels.map(({ specifier }) => specifier));
  });

  it.each(barrels)('names every value that $specifier exports, and nothing else', async (barrel) => {
    const named = namesIn(sections.get(barrel.specifier) ?? '');
    expect(named.toSorted()).toEqual(Object.keys(await valuesOf(barrel)).toSorted());
  });
});

const { folder: project } = createProject(API);

it('has examples that run and print what they show', async () => {
  const [policy = ''] = blocksOf(API, 'yaml');
  writeFileSync(join(project, 'policy.yaml'), policy);
  const examples = [API, ERRORS].flatMap((page) => blocksOf(page, 'ts'));
  expect(examples.length).toBeGreaterThan(10);
  for (const [index, example] of examples.entries()) writeFileSync(join(project, `${index}.mjs`), example);
  const lines = examples.map(
    (_, index) => `console.log('example ${index}'); await import('./${index}.mjs');`,
  );
  writeFileSync(join(project, 'all.mjs'), lines.join('\n'));

  // Without sessions, the Lambda function has nothing to warn about.
  const env = { ...process.env, MCP_CONCERNS_SESSIONS: 'none' };
  const running = promisify(execFile)(process.execPath, ['all.mjs'], { cwd: project, env });
  // The example of a stdio server ends with its input.
  running.child.stdin?.end();
  const { stdout } = await running;
  const shown = examples.map((example, index) =>
    [`example ${index}`, ...[...example.matchAll(/\/\/ (.*)$/gm)].map(([, line]) => line)].join('\n'),
  );
  expect(stdout.trim()).toBe(shown.join('\n'));
});

/** Returns the names at the beginning of the list items of a section, without arguments. */
function namesIn(section: string): string[] {
  return [...section.matchAll(/^- (.*)$/gm)].flatMap(([, item = '']) => {
    const [names = ''] = item.split('`: ');
    const isErrors = item.startsWith('[errors]');
    return [...(isErrors ? item : `${names}\``).matchAll(/`(?:new )?(\w+)[^`]*`/g)].map(
      ([, name = '']) => name,
    );
  });
}
