import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCompiledPolicy } from '../../src/core/policy/compile/compiled.js';
import { readPolicy } from '../../src/core/policy/compile/load.js';
import { fixture, run } from './run.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'compile-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('compile', () => {
  it('writes a compiled policy, and creates missing folders', async () => {
    const file = join(folder, 'build', 'lambda', 'policy.json');
    const { code, stdout, stderr } = await run('compile', 'policies/vault.yaml', '-o', file);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(`Wrote ${file}: 4 concerns, 32 entries, 4 patterns.\n`);
    const written: unknown = JSON.parse(readFileSync(file, 'utf8'));
    expect(written).toEqual(JSON.parse(JSON.stringify(readPolicy('policies/vault.yaml').compiled)));
    expect(openCompiledPolicy(written).concerns.map(({ name }) => name)).toContain('security');
  });

  it('writes the same bytes to stdout each time', async () => {
    const [one, other] = await Promise.all([
      run('compile', fixture('rules.yaml'), '--output', '-'),
      run('compile', fixture('rules.yaml'), '-o', '-'),
    ]);
    expect(one.stdout).toBe(other.stdout);
    expect(openCompiledPolicy(JSON.parse(one.stdout)).rules).toHaveLength(1);
    expect(one).toMatchObject({ code: 0, stderr: '' });
  });

  it('prints warnings, and writes the policy', async () => {
    const { code, stdout, stderr } = await run('compile', fixture('warned.yaml'), '-o', '-');
    expect(code).toBe(0);
    expect(stderr).toContain('warning  unused-ignore');
    expect(JSON.parse(stdout).format).toBe(2);
  });

  it('prints all findings of a policy with errors, and writes nothing', async () => {
    const file = join(folder, 'broken.json');
    const { code, stdout, stderr } = await run('compile', fixture('broken.yaml'), '-o', file);
    expect({ code, stdout, written: existsSync(file) }).toEqual({ code: 1, stdout: '', written: false });
    expect(stderr.match(/ {2}error {2}[a-z-]+ {2}/g)).toHaveLength(2);
    expect(stderr).toMatch(/The policy has 2 errors, so nothing was written\. Fix the errors above\.\n$/);
  });
});
