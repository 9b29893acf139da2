import { expect, it } from 'vitest';
import { copyExample, installedPackages, isAvailable } from './pages.js';

const example = copyExample('stdio');

it('installs only packages that exist', () => {
  expect(installedPackages(example).filter((name) => !isAvailable(name))).toEqual([]);
});

it('prints what the README shows', async () => {
  await example.run(/^npx esbuild/);
  expect(await example.run(/^node client/)).toBe(example.shownOutput);
});

it('lists the visible tools with the command of the README', async () => {
  const report = await example.run(/^npx mcp-concerns list/);
  expect(report).toMatch(/list_notes[\s\S]*read_note[\s\S]*write_note/);
  expect(report).toContain('2 of 3');
});
