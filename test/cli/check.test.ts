import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from './run.js';
import { PLAYWRIGHT, shown } from './shown.js';

const FIXTURES = 'test/cli/fixtures';
const folder = mkdtempSync(join(tmpdir(), 'check-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.concurrent('check', () => {
  it('reports every problem, and their number in the last line', async ({ expect }) => {
    await expect(
      await shown('check', `${FIXTURES}/broken.yaml`, `${FIXTURES}/rules.yaml`),
    ).toMatchFileSnapshot('snapshots/check-broken.txt');
  });

  it('reports more with an input', async ({ expect }) => {
    const args = [`${FIXTURES}/rules.yaml`, '--catalog', `${FIXTURES}/small.catalog.json`];
    await expect(await shown('check', ...args)).toMatchFileSnapshot('snapshots/check-catalog.txt');
  });

  it('finds no errors in the policy of a real server', async () => {
    const { code, stdout, stderr } = await run('check', 'policies/playwright.yaml', '--', ...PLAYWRIGHT);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ in 1 policy, checked against 72 tools\.\n$/);
    expect(stdout).not.toContain('dead-entry');
  });

  it('reports the findings of an included file once', async () => {
    writeFileSync(join(folder, 'common.yml'), 'version: 1\nconcerns: { cost: { values: [] } }\n');
    for (const name of ['a.yaml', 'b.yaml', 'b.test.yaml']) {
      writeFileSync(join(folder, name), 'version: 1\ninclude: [common.yml]\n');
    }
    const policies = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
    const { code, stdout } = await run('check', ...policies, '--format', 'json');
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout) as { findings: { code: string; file: string }[] };
    expect(findings.filter(({ file }) => file.endsWith('common.yml'))).toHaveLength(1);
    const { stdout: pretty } = await run('check', ...policies);
    expect(pretty).toMatch(/ in 2 policies, /);
  });

  it('fails for warnings with --deny-warnings', async () => {
    const warned = `${FIXTURES}/warned.yaml`;
    expect((await run('check', warned)).code).toBe(0);
    expect((await run('check', warned, '--deny-warnings')).code).toBe(1);
    expect((await run('check', 'policies/vault.yaml', '--deny-warnings')).code).toBe(0);
  });

  it('writes formats for programs', async () => {
    const broken = `${FIXTURES}/broken.yaml`;
    const [github, sarif, json] = await Promise.all(
      ['github', 'sarif', 'json'].map((format) => run('check', broken, '--format', format)),
    );
    expect(github?.stdout).toMatch(/^::error file=test\/cli\/fixtures\/broken\.yaml,line=6,col=14,/);
    expect(github?.stderr).toBe('2 errors in 1 policy, checked without a server.\n');
    expect(JSON.parse(sarif?.stdout ?? '')).toMatchObject({ version: '2.1.0' });
    expect(JSON.parse(json?.stdout ?? '').findings).toHaveLength(2);
    expect([github?.code, sarif?.code, json?.code]).toEqual([1, 1, 1]);
  });

  it('writes the same text with and without colors', async () => {
    const broken = `${FIXTURES}/broken.yaml`;
    const [plain, painted, never] = await Promise.all([
      run('check', broken),
      run('check', broken, '--color', 'always'),
      run('check', broken, '--color', 'never'),
    ]);
    expect(painted.stdout).toContain('\u001b[31m');
    expect(stripVTControlCharacters(painted.stdout)).toBe(plain.stdout);
    expect(never.stdout).toBe(plain.stdout);
  });

  it('prints only findings with --quiet', async () => {
    expect(await run('check', 'policies/vault.yaml', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
    const { stdout } = await run('check', `${FIXTURES}/broken.yaml`, '--quiet');
    expect(stdout).toContain('unknown-concern');
    expect(stdout).not.toContain('2 errors');
  });

  it.each([
    [[], 'There is no policy. Pass --policy PATH'],
    [['nowhere.yaml'], 'nowhere.yaml cannot be read (it does not exist); check the path of the policy.'],
    [[FIXTURES, '--format', 'sarf'], 'Allowed choices are pretty, json, github, sarif.'],
    [['policies', '--color', 'sometimes'], 'Allowed choices are auto, always, never.'],
    [['policies', '--catalog', 'nowhere.json'], 'nowhere.json cannot be read (it does not exist)'],
  ])('%j ends with one line and exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await run('check', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
    expect(stderr).toContain(expected);
  });

  it('reports a folder without policies', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    cpSync(`${FIXTURES}/small.catalog.json`, join(empty, 'catalog.json'));
    expect((await run('check', empty)).stderr).toContain('does not contain a .yaml file');
  });
});
