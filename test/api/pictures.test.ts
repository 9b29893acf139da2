import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';

const PAGES = { 'README.md': 'docs/', 'docs/guides/switch.md': '../', 'docs/guides/playground.md': '../' };

it.each(Object.entries(PAGES))(
  '%s shows one picture, in a version for light and for dark themes',
  (page, root) => {
    const text = readFileSync(page, 'utf8');
    const [, alt = '', light = ''] = /<img alt="([^"]+)" src="([^"]+)"/.exec(text) ?? [];
    const [, dark = ''] = /<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">/.exec(text) ?? [];
    expect(alt.length).toBeGreaterThan(30);
    expect(text.match(/<picture>/g)).toHaveLength(1);
    const files = readdirSync('docs/pictures').map((file) => `${root}pictures/${file}`);
    expect(files).toEqual(expect.arrayContaining([light, dark]));
    expect(dark).toBe(light.replace('-light', '-dark'));
  },
);

it('each picture of the documentation is smaller than 120 kB', () => {
  const sizes = readdirSync('docs/pictures').map((file) => statSync(`docs/pictures/${file}`).size);
  expect(sizes).toHaveLength(2 * Object.keys(PAGES).length);
  expect(Math.max(...sizes)).toBeLessThan(120_000);
});
