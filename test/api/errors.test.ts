import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConcernsError } from '../../src/core/errors.js';
import { barrels, valuesOf } from './barrels.js';

const PAGE = readFileSync('docs/reference/errors.md', 'utf8');
const [published = '', internal = ''] = PAGE.split('## Codes without an exported class');

/** The first cells of each row of the tables in a text, without code quotes. */
const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.replaceAll('`', '').split(' | '));

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file: join('src', file), text: readFileSync(join('src', file), 'utf8') }));

/** Every error class of the package with its codes, as "class code", read from the source. */
const declared = sources.flatMap(({ text }) => [
  ...[
    ...text.matchAll(/^(?:export )?class (\w+) extends (?:ConcernsError|CliError) \{([\s\S]*?)^\}/gm),
  ].flatMap(([, name = '', body = '']) => codesOf(body, text).map((code) => `${name} ${code}`)),
  ...[...text.matchAll(/^[^*\n]*errorClass\(\s*'(\w+)',\s*'(\w+)',?\s*\)/gm)].map(
    ([, name, code]) => `${name} ${code}`,
  ),
]);

/** The error classes that each subpath exports, by class. */
const exported = new Map<string, string[]>();
for (const barrel of barrels) {
  for (const [name, value] of Object.entries(await valuesOf(barrel))) {
    if (typeof value !== 'function' || !(value.prototype instanceof ConcernsError)) continue;
    exported.set(name, [...(exported.get(name) ?? []), barrel.specifier]);
  }
}

describe('the page of errors', () => {
  it('lists every code of every error class, and no other', () => {
    const listed = rowsOf(PAGE).map(([name, code]) => `${name} ${code}`);
    expect(declared.length).toBeGreaterThan(15);
    expect(listed.toSorted()).toEqual(declared.toSorted());
  });

  it('lists no code twice', () => {
    const codes = rowsOf(PAGE).map(([, code]) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('names the subpaths that export each class', () => {
    const rows = rowsOf(published).map(([name = '', , subpaths = '']) => ({
      name,
      subpaths: subpaths.split(', ').map((subpath) => subpath.replace(/^\//, 'mcp-concerns/')),
    }));
    expect(rows).toEqual(rows.map(({ name }) => ({ name, subpaths: exported.get(name) })));
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(exported.keys()));
  });

  it('lists the classes that no subpath exports apart from the others', () => {
    expect(rowsOf(internal).filter(([name = '']) => exported.has(name))).toEqual([]);
  });
});

it('documents with @throws only classes that can be imported', () => {
  const thrown = sources
    .filter(({ file }) => !file.startsWith(join('src', 'cli')))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/@throws \{(\w+)\}/g)].map(([, name = '']) => ({ file, name })),
    );
  expect(thrown.length).toBeGreaterThan(10);
  expect(thrown.filter(({ name }) => !exported.has(name) && !(name in globalThis))).toEqual([]);
});

/** Returns the codes in the body of an error class: its own literal, or the members of the type of its `code`. */
function codesOf(body: string, text: string): string[] {
  const [, literal] = /\breadonly code(?:: string)? = '(\w+)'/.exec(body) ?? [];
  if (literal !== undefined) return [literal];
  const [, type = ''] = /\breadonly code: (\w+)/.exec(body) ?? [];
  const [, members = ''] = new RegExp(`^export type ${type} =([\\s\\S]*?);$`, 'm').exec(text) ?? [];
  return [...members.matchAll(/^ *\| '(\w+)'/gm)].map(([, code = '']) => code);
}
