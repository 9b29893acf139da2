import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('loads no SDK and no module of Node', async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, '../../src/client/index.ts')],
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    format: 'esm',
    logLevel: 'error',
  });
  const [output] = Object.values(metafile.outputs);
  expect(output?.imports.map(({ path }) => path)).toEqual(['leven']);
  expect(output?.bytes).toBeLessThan(40_000);
});
