import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, MAIN, run } from './run.js';

const TYPED = fixture('typed/server.ts');
const POLICY = `version: 1
concerns:
  effect: { values: [read, write], match: at-most }
primitives:
  tools:
    read_note: { effect: read }
    write_note: { effect: write }
`;

let folder: string;
let policy: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'module-'));
  policy = join(folder, 'policy.yaml');
  writeFileSync(policy, POLICY);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a server in TypeScript, with an import of "./tools.js" that is a file "tools.ts"', () => {
  it('is served with --server', async () => {
    const args = [
      MAIN,
      'serve',
      '--stdio',
      '--policy',
      policy,
      '--concern',
      'effect=read',
      '--server',
      TYPED,
    ];
    const client = new Client({ name: 'host', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(client.getServerVersion()?.name).toBe('typed');
    await client.close();
    expect(names).toContain('read_note');
    expect(names).not.toContain('write_note');
  });

  it('is listed with --server', async () => {
    const args = ['--policy', policy, '--concern', 'effect=read', '--format', 'names', '--server', TYPED];
    expect(await run('list', ...args)).toEqual({ code: 0, stdout: 'read_note\n', stderr: '' });
  });

  it('is checked against with --server', async () => {
    writeFileSync(join(folder, 'old.yaml'), POLICY.replace('write_note', 'delete_note'));
    const { code, stdout } = await run(
      'check',
      join(folder, 'old.yaml'),
      '--deny-warnings',
      '--server',
      TYPED,
    );
    expect(code).toBe(1);
    expect(stdout).toContain('delete_note');
  });

  it('is saved by snapshot with --server', async () => {
    const file = join(folder, 'catalog.json');
    const { code, stderr } = await run('list', '--save', file, '--server', TYPED);
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 tools')]);
    expect(JSON.parse(readFileSync(file, 'utf8')).server).toEqual({ name: 'typed', version: '1.0.0' });
  });

  it('names the line of a mistake in it', async () => {
    const broken = join(folder, 'broken.ts');
    writeFileSync(broken, 'export const createServer = (:number) => 1;\n');
    const { code, stderr } = await run('list', '--policy', policy, '--server', broken);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/cannot be imported: .*broken\.ts:1:\d+: ERROR/),
    ]);
  });
});

it('a module that never answers is given up after --timeout', async () => {
  const silent = join(folder, 'silent.mjs');
  writeFileSync(silent, 'export default () => ({ connect: async () => {}, close: async () => {} });\n');
  const { code, stderr } = await run('list', '--policy', policy, '--timeout', '1', '--server', silent);
  expect([code, stderr]).toEqual([2, expect.stringContaining('did not answer initialize within 1 s')]);
});
