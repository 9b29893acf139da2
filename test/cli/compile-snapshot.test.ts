import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import { takeLists } from '../../src/core/http/known-lists/stub-server.js';
import { fixture, run } from './run.js';

const EVERYTHING = createRequire(import.meta.url)
  .resolve('@modelcontextprotocol/server-everything/package.json')
  .replace('package.json', 'dist/index.js');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'compile-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('compile with a server', () => {
  const files = () => ['-o', join(folder, 'policy.json'), '--snapshot', join(folder, 'catalog.json')];
  const written = () => JSON.parse(readFileSync(join(folder, 'catalog.json'), 'utf8'));

  it('writes the catalog of a module unchanged', async () => {
    const server = ['--server', 'build/vault/server.js'];
    const { code, stderr } = await run('compile', 'policies/vault.yaml', ...files(), ...server);
    expect(code).toBe(0);
    expect(stderr).toContain(`catalog.json: 24 tools, `);
    expect(JSON.stringify(written())).toBe(JSON.stringify(await takeLists(createVaultServer())));
  });

  it('writes the catalog of a command', async () => {
    const command = ['--', process.execPath, EVERYTHING, 'stdio'];
    const { code } = await run('compile', 'policies/everything.yaml', ...files(), ...command);
    expect(code).toBe(0);
    expect(written().prompts).toHaveLength(4);
  });

  it.each([
    [
      'a server without a file',
      ['--server', 'x.js'],
      'There is a server, but no file for its catalog. Pass --snapshot FILE',
    ],
    ['a file without a server', ['--snapshot', 'x.json'], 'There is no server'],
    [
      'two servers',
      ['--snapshot', 'x', '--server', 'x.js', '--url', 'http://localhost/'],
      'There are 2 inputs: --url and --server. Pass one',
    ],
  ])('rejects %s', async (_, args, message) => {
    const { code, stderr } = await run('compile', 'policies/vault.yaml', '-o', '-', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('writes nothing if the server fails', async () => {
    const { code, stderr } = await run(
      'compile',
      'policies/vault.yaml',
      '-o',
      '-',
      '--snapshot',
      '-',
      '--server',
      fixture('no-server.mjs'),
    );
    expect(code).toBe(2);
    expect(stderr).toContain('no-server.mjs');
  });
});
