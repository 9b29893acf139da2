import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const manifest: Record<'dependencies' | 'peerDependencies', Record<string, string>> = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

/** The declarations that the last build wrote. */
const declarations = readdirSync('dist', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.d.ts'))
  .map((file) => ({ file, code: readFileSync(`dist/${file}`, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '') }));

it('finds the declarations', () => {
  expect(declarations.length).toBeGreaterThan(50);
});

it('publishes no type of a development dependency', () => {
  const imports = declarations.flatMap(({ file, code }) =>
    [...code.matchAll(/(?:from|import\()\s*['"]([^'".][^'"]*)['"]/g)].map(([, target = '']) => ({
      file,
      target,
    })),
  );
  const wrong = imports.filter(
    ({ target }) => !installed.some((name) => target === name || target.startsWith(`${name}/`)),
  );
  expect(imports.length).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
});

it('publishes no global type of @types/node', () => {
  const names = /\bNodeJS\.|\bBuffer\b|\breference types=/;
  expect(declarations.filter(({ code }) => names.test(code)).map(({ file }) => file)).toEqual([]);
});
