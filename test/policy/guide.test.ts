import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const MAIN = resolve('dist/cli/main.js');
const guide = readFileSync('docs/guides/write-a-policy.md', 'utf8');
const steps = [...guide.matchAll(/^```(console|diff)\n([\s\S]*?)^```$/gm)].map(([, type, text = '']) => ({
  type,
  text,
}));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'guide-'));
  copyFileSync('policies/everything.catalog.json', join(folder, 'everything.catalog.json'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[]): string {
  const environment = { ...process.env, NO_COLOR: '1', COLUMNS: '80' };
  const { stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

it('docs/guides/write-a-policy.md shows the real output of each command', () => {
  expect(steps.map(({ type }) => type)).toEqual([
    'console',
    'console',
    'console',
    'console',
    'diff',
    'console',
  ]);
  for (const { type, text } of steps) {
    if (type === 'diff') {
      const [, before = '', after = ''] = /^-(.*)\n\+(.*)$/m.exec(text) ?? [];
      const policy = join(folder, 'policies/policy.yaml');
      const content = readFileSync(policy, 'utf8');
      expect(content).toContain(before);
      writeFileSync(policy, content.replace(before, after));
      continue;
    }
    const [, command = '', output = ''] = /^\$ npx mcp-concerns (.+)\n([\s\S]*)$/.exec(text) ?? [];
    const actual = run(command.split(' '));
    // A last line of three dots stands for the rest of the output.
    if (output.endsWith('…\n')) expect(actual).toContain(output.replace(/…\n$/, ''));
    else expect(actual).toBe(output);
  }
});
