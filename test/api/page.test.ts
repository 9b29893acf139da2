import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProject } from '../behavior/examples/pages.js';
import { barrels, valuesOf } from './barrels.js';
import { API, examples, isWaiting, runExamples } from './examples.js';

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

const { folder } = createProject(API);

it('has examples that run and print what they show', async () => {
  const quick = examples.filter((example) => !isWaiting(example));
  expect(quick.length).toBeGreaterThan(10);
  const { printed, shown } = await runExamples(folder, quick);
  expect(printed).toBe(shown);
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
