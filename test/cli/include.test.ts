import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run, runIn } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'include-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
mkdirSync(join(folder, 'policies'));
write('secret', 'password: hunter2\n');
write('policies/own.yaml', 'version: 1\nconcerns: { security: { values: [low, high] } }\n');
symlinkSync('../secret', join(folder, 'policies/link.yaml'));
symlinkSync('own.yaml', join(folder, 'policies/inside.yaml'));
execFileSync('mkfifo', [join(folder, 'policies/pipe.yaml')]);
write('policies/huge.yaml', '');
truncateSync(join(folder, 'policies/huge.yaml'), 2 ** 40);

const check = (include: string) => {
  write('policies/policy.yaml', `version: 1\ninclude: [${include}]\n`);
  return run('check', join(folder, 'policies/policy.yaml'));
};
const OUTSIDE =
  'it is outside the folder of the policy: move it into this folder, or pass its path with that of the policy';

describe('a policy', () => {
  it.each([
    ['a file above its folder', '../secret', OUTSIDE],
    ['a symbolic link that leads out of its folder', 'link.yaml', OUTSIDE],
    ['the environment of the process', '../../../../../../../proc/self/environ', OUTSIDE],
    ['an endless device', '../../../../../../../dev/zero', OUTSIDE],
    ['a pipe', 'pipe.yaml', 'it is not a regular file'],
    ['a huge file', 'huge.yaml', 'it has 1099511627776 bytes, but a policy can have at most 262144'],
    ['a folder', '../policies', 'it is not a regular file'],
  ])('does not include %s', async (_what, include, problem) => {
    const { code, stdout, stderr } = await check(include);
    expect(stdout).toContain(`cannot be read (${problem}). Paths are relative to this file.`);
    expect(stdout).toContain('include-unreadable');
    expect(stdout + stderr).not.toMatch(/hunter2|PATH=/);
    expect(code).toBe(1);
  });

  it.each([
    ['a symbolic link that leads out of the folder', '../secret', OUTSIDE],
    ['a link to the environment of the process', '/proc/self/environ', OUTSIDE],
    ['a link to an endless device', '/dev/zero', OUTSIDE],
    ['a link to a pipe', '../policies/pipe.yaml', OUTSIDE],
    ['a pipe', undefined, 'it is not a regular file'],
  ])('is not read as a part of its folder, if it is %s', async (_what, target, problem) => {
    const parts = mkdtempSync(join(folder, 'parts-'));
    const part = join(parts, 'part.yaml');
    if (target === undefined) execFileSync('mkfifo', [part]);
    else symlinkSync(target, part);
    const { code, stdout, stderr } = await run('check', parts);
    expect(stderr).toBe(`mcp-concerns: ${part} cannot be read (${problem}); check the path of the policy.\n`);
    expect(stdout + stderr).not.toMatch(/hunter2|PATH=/);
    expect(code).toBe(2);
  });

  it('includes a file beside it, also through a symbolic link', async () => {
    expect((await check('inside.yaml')).stdout).toContain('No findings in 1 policy');
  });

  it('includes a file of another folder that the caller names, too', async () => {
    mkdirSync(join(folder, 'shared'));
    write('shared/common.yaml', 'version: 1\nconcerns: { cost: { values: [low, high] } }\n');
    write('policies/policy.yaml', 'version: 1\ninclude: [../shared/common.yaml]\n');
    const both = ['--policy', 'shared/common.yaml', '--policy', 'policies/policy.yaml'];
    expect((await runIn(folder, 'check', ...both)).stdout).toContain('No findings in 1 policy');
    expect((await runIn(join(folder, 'policies'), 'check', 'policy.yaml')).code).toBe(1);
  });
});
