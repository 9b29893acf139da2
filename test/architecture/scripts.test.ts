import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The files that name commands. */
function files(): string[] {
  const below = ['.ci', '.github', 'bench', 'docs', 'examples', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const beside = readdirSync('.').filter((name) => /\.(md|json|js|yml)$/.test(name));
  return [...below, ...beside].filter((file) => /\.(md|[cm]?[jt]s|yml|json)$|\.ci/.test(file));
}

it('has every npm script that a page, a comment or a workflow names', () => {
  const named = files().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(([, name = '']) => ({
      file,
      name,
    })),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
});

it('has so few npm scripts that a newcomer reads all of them', () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(16);
});
