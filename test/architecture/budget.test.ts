import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linesOfCode } from './lines-of-code.js';

/** The lines of code that each folder of `src` may have. `src` is what lies beside the folders. */
const budget: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('budget.json', import.meta.url), 'utf8'),
);

const linesPerFolder = (): Map<string, number> => {
  const lines = new Map<string, number>();
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file) || file.includes('generated')) continue;
    const [folder = ''] = file.includes('/') ? file.split('/') : ['src'];
    lines.set(folder, (lines.get(folder) ?? 0) + linesOfCode(readFileSync(join('src', file), 'utf8')));
  }
  return lines;
};

it('keeps each folder of src within its budget of lines of code', () => {
  const lines = linesPerFolder();
  const table = [...lines].sort().map(([folder, count]) => `${folder}: ${count} of ${budget[folder] ?? 0}`);
  const over = [...lines]
    .filter(([folder, count]) => count > (budget[folder] ?? 0))
    .map(([folder]) => folder);
  expect(over, `Remove code, or raise the budget as CONTRIBUTING.md says.\n${table.join('\n')}`).toEqual([]);
});

it('has no budget for a folder that does not exist', () => {
  expect(Object.keys(budget).filter((folder) => !linesPerFolder().has(folder))).toEqual([]);
});

it('counts neither blank lines nor comments nor imports as code', () => {
  const text = [
    "import { one } from 'one';",
    'import {',
    '  two,',
    "} from 'two';",
    "export { three } from 'three';",
    'export type {',
    '  two,',
    '};',
    '',
    '/** A sum. */',
    '// A reason.',
    '/*',
    ' * More reasons.',
    ' */',
    'export const sum = (a: number) =>',
    '  a + one; // A reason beside code.',
  ];
  expect(linesOfCode(text.join('\n'))).toBe(2);
});
