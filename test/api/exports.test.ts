import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { barrels, valuesOf } from './barrels.js';

/**
 * `exports.txt` lists every exported name of every subpath. A change of it is a change of the public API, and needs a
 * changeset. `npx vitest run test/api -u` writes it again.
 */
describe('the public API', () => {
  it('has the names that exports.txt lists', async () => {
    const sections = await Promise.all(
      barrels.map(async (barrel) => {
        const { specifier, file } = barrel;
        const values = Object.keys(await valuesOf(barrel)).sort();
        const types = typesOf(file)
          .filter((name) => !values.includes(name))
          .sort()
          .map((name) => `type ${name}`);
        return `${specifier}\n${[...values, ...types].map((name) => `  ${name}\n`).join('')}`;
      }),
    );
    await expect(sections.join('\n')).toMatchFileSnapshot('exports.txt');
  });

  it('has at most nineteen subpaths', () => {
    expect(barrels.length).toBeLessThanOrEqual(19);
  });

  it.each(barrels)('names each export of $specifier, so that nothing is exported by accident', ({ file }) => {
    expect(readFileSync(file, 'utf8')).not.toMatch(/^export \*/m);
  });
});

/** Returns the names that a source file exports: interfaces, types, and what it re-exports from other files. */
function typesOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const declared = [...text.matchAll(/^export (?:declare )?(?:interface|type|class) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(','),
  );
  const listed = lists.map((each) =>
    each
      .trim()
      .replace(/^type /, '')
      .replace(/^.* as /, ''),
  );
  return [...declared, ...listed].filter((name) => name !== '');
}
