import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const project = join(import.meta.dirname, '../..');
const page = readFileSync(join(project, 'docs/client.md'), 'utf8');

/** The package by its own name, from its source. */
const source = (path: string) => join(project, 'src', path);
const alias = {
  'mcp-concerns/client': source('client/index.ts'),
  'mcp-concerns/http': source('http/index.ts'),
  'mcp-concerns/policy': source('policy/index.ts'),
  'mcp-concerns': source('index.ts'),
};

it('prints what the page says', async () => {
  const [, example = '', output = ''] = /```ts\n([\s\S]*?)```\n\n((?: {4}.*\n)+)/.exec(page) ?? [];
  mkdirSync(join(project, 'build'), { recursive: true });
  const folder = mkdtempSync(join(project, 'build/client-'));
  try {
    const outfile = join(folder, 'example.mjs');
    await build({
      stdin: { contents: example, resolveDir: project, loader: 'ts' },
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      alias,
      outfile,
      logLevel: 'error',
    });
    const printed = execFileSync(process.execPath, [outfile], { cwd: project, encoding: 'utf8' });
    expect(printed).toBe(output.replace(/^ {4}/gm, ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('names everything that the module exports', () => {
  const index = readFileSync(source('client/index.ts'), 'utf8');
  const values = [...index.matchAll(/export \{([^}]*)\}/g)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  expect(values.length).toBeGreaterThan(5);
  const unnamed = values.filter((name) => !page.includes(name));
  expect(unnamed).toEqual([]);
});
