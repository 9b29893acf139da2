import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/** The parts of `src/cli`. Each part imports only itself and the parts before it. */
const LAYERS = [
  'errors',
  'version',
  'startup',
  'terminal',
  'options',
  'inputs',
  'serving',
  'reports',
  'commands',
  'main',
] as const;

/** @returns the position of a file, such as `src/cli/inputs/read-input.ts`, in the order of the parts */
const layerOf = (file: string): number =>
  LAYERS.findIndex((layer) => file === `src/cli/${layer}.ts` || file.startsWith(`src/cli/${layer}/`));

it('imports only in one direction between the folders of src/cli', () => {
  const files = readdirSync('src/cli', { recursive: true, encoding: 'utf8' })
    .map((file) => `src/cli/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts'));
  expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
  const imports = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)\.js'/g)].map(
      ([, target = '']) =>
        [file, `${normalize(join(dirname(file), target)).replaceAll('\\', '/')}.ts`] as const,
    ),
  );
  expect(imports.length).toBeGreaterThan(100);
  const wrong = imports.filter(
    ([file, target]) => target.startsWith('src/cli/') && layerOf(target) > layerOf(file),
  );
  expect(wrong).toEqual([]);
});
