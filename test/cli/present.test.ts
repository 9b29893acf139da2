import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture, run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'present-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SERVER = ['--', process.execPath, fixture('changing-server.mjs')];
const shown = join(folder, 'shown.yaml');
writeFileSync(
  shown,
  'version: 1\npresent: { tools: { tree: { title: List a folder, description: Files. } } }\n',
);

describe('present', () => {
  it('is drafted by init from names and effects, and the policy passes its own check', async () => {
    const policy = join(folder, 'policy.yaml');
    expect(await run('init', '--present', '-o', policy, ...SERVER)).toMatchObject({ code: 0 });
    expect(readFileSync(policy, 'utf8')).toContain(
      [
        'present:',
        '  tools:',
        '    tree: { title: Tree }',
        '    send: { title: Send, annotations: { destructiveHint: false } }',
        '    read: { title: Read }',
        '    remove: { title: Remove, annotations: { destructiveHint: true } }',
      ].join('\n'),
    );
    expect(await run('check', '--deny-warnings', policy, ...SERVER)).toMatchObject({ code: 0 });
    expect(await run('init', '--present', '--update', '-o', policy, ...SERVER)).toMatchObject({ code: 2 });
  });

  it('is shown by explain', async () => {
    const { stdout } = await run('explain', 'tree', '--policy', shown, ...SERVER);
    expect(stdout).toContain('  the policy presents it:\n');
    expect(stdout).toContain('    title added: "List a folder"\n');
    expect(stdout).toContain('    description: "Get a tree view of all files of the folder." -> "Files."\n');
  });

  it('is counted by tokens', async () => {
    const count = async (policy: string) =>
      JSON.parse((await run('tokens', policy, '--format', 'json', ...SERVER)).stdout);
    const plain = join(folder, 'plain.yaml');
    writeFileSync(plain, 'version: 1\n');
    const [before, after] = [await count(plain), await count(shown)];
    expect(before.total - after.total).toBe(after.presentationSaves);
    expect(after.presentationSaves).not.toBe(0);
    const { stdout } = await run('tokens', shown, ...SERVER);
    expect(stdout).toMatch(/What the policy presents (saves|costs) \d+ tokens in all tools\./);
  });
});
