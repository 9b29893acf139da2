import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, run, runIn } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  const policies = resolve('policies');
  writeFileSync(
    join(folder, 'mcp-concerns.config.yaml'),
    `policy: ${policies}/vault.yaml\ncatalog: ${policies}/vault.catalog.json\n`,
  );
  writeFileSync(
    join(folder, 'mcp-concerns'),
    `#!/bin/sh\nexec "${process.execPath}" "${resolve(MAIN)}" "$@"\n`,
  );
  chmodSync(join(folder, 'mcp-concerns'), 0o755);
});

/** Completes a line as bash does when a person presses Tab. */
async function inBash(line: string): Promise<string[]> {
  const { stdout: script } = await run('completion', 'bash');
  const command = `${script}
COMP_LINE="$1" COMP_POINT=\${#1}
_mcp_concerns 2>/dev/null
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['--norc', '-c', command, 'bash', line], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  });
  return stdout.trim().split('\n');
}

describe('completion', () => {
  it('completes commands and names of tools in bash', async () => {
    expect(await inBash('mcp-concerns che')).toEqual(['check']);
    expect(await inBash('mcp-concerns explain enc')).toEqual(['encryptData']);
  });

  it('removes the part before "=" in bash, which splits words there', async () => {
    expect(await inBash('mcp-concerns list --concern security=')).toEqual(['low', 'medium', 'high']);
  });

  it.each([
    ['mcp-concerns check --deny', ['--deny-warnings']],
    ['mcp-concerns diff a b --fail-on ', ['hidden', 'shown', 'empty']],
    ['mcp-concerns list --concern ', ['preset=', 'security=', 'cost=', 'access=', 'environment=']],
    ['mcp-concerns switch sa', ['safe']],
    ['mcp-concerns list --catalog ', []],
    ['mcp-concerns list -- node ser', []],
  ])('offers what can follow %j', async (line, words) => {
    const { stdout, code } = await runIn(folder, 'completion', '--line', line);
    expect(stdout.split('\n').filter(Boolean)).toEqual(words);
    expect(code).toBe(0);
  });

  it('says which shells there are', async () => {
    const { stderr, code } = await run('completion', 'zhs');
    expect(stderr).toContain('Allowed choices are bash, zsh, fish.');
    expect(code).toBe(2);
  });
});

describe('docs', () => {
  it('escapes names', async () => {
    const policy = join(folder, 'p.yaml');
    writeFileSync(
      policy,
      `version: 1
concerns: { level: { description: "<b>how</b>", values: [{ low: "a | b" }, high] } }
primitives: { tools: { "<x>": { level: low } } }
`,
    );
    writeFileSync(join(folder, 'c.json'), '{"tools":[{"name":"<x>"}]}');
    const input = ['--catalog', join(folder, 'c.json')];
    const page = await run('docs', policy, ...input);
    expect(page.stdout).toContain('| low | a \\| b | 1 of 1 |');
    const markdown = await run('docs', policy);
    expect(markdown.stdout).toContain('| low | a \\| b |\n| high |  |\n');
    expect(markdown.stdout).toContain('\\<b\\>how');
  });
});
