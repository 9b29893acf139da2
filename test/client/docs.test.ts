import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import { serveLocally } from '../../src/core/http/local.js';
import { loadPolicy } from '../../src/core/policy/index.js';
import { createMemoryStore } from '../../src/core/session/memory.js';

const project = join(import.meta.dirname, '../..');
const guide = readFileSync(join(project, 'docs/guides/host-integration.md'), 'utf8');
const reference = readFileSync(join(project, 'docs/reference/client.md'), 'utf8');
const index = join(project, 'src/client/index.ts');

it('prints what the guide shows', async () => {
  const [, example = '', output = ''] = /```ts\n([\s\S]*?)```\n\n[^\n]*\n\n((?: {4}.*\n)+)/.exec(guide) ?? [];
  mkdirSync(join(project, 'build'), { recursive: true });
  const folder = mkdtempSync(join(project, 'build/client-'));
  const endpoint = await serveLocally({
    server: () => createVaultServer(),
    policy: loadPolicy(join(project, 'policies/vault.yaml')),
    store: createMemoryStore(),
  });
  try {
    const outfile = join(folder, 'example.mjs');
    await build({
      stdin: { contents: example, resolveDir: project, loader: 'ts' },
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      // The package by its own name, from its source.
      alias: { 'mcp-concerns/client': index },
      outfile,
      logLevel: 'error',
    });
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, endpoint.url]);
    expect(stdout).toBe(output.replace(/^ {4}/gm, ''));
  } finally {
    await endpoint.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('has every exported function and error in the reference', () => {
  const values = [...readFileSync(index, 'utf8').matchAll(/export \{([^}]*)\}/g)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  expect(values.length).toBeGreaterThan(5);
  expect(values.filter((name) => !reference.includes(name))).toEqual([]);
});
