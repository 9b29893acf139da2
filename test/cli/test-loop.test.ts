import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run, start, startIn } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'loop-'));
afterAll(() => rmSync(folder, { recursive: true }));

const policy = (security: string): string => `version: 1
concerns:
  security: { values: [low, high] }
primitives:
  tools:
    alpha: { security: ${security} }
    beta: { security: high }
`;
const TESTS = `policy: p.yaml
catalog: c.json
tests:
  # what most hosts see
  - name: low
    concerns: { security: low }
    tools: { includes: [alpha], excludes: [beta], count: 1 } # kept
  - name: high
    concerns: { security: high }
    tools:
      only: [beta]
  - name: high, with a comment
    concerns: { security: high }
    tools:
      # only one
      count: 1
`;
const at = (name: string): string => join(folder, name);
writeFileSync(at('c.json'), '{"tools":[{"name":"alpha"},{"name":"beta"}]}');

describe('test without a file', () => {
  const project = at('project');
  mkdirSync(project);
  const write = (name: string, text: string): void => writeFileSync(join(project, name), text);
  const tests = async () => startIn(project, 'test').ended;

  it('runs the tests of the current folder, where init writes them, or else of the folder policies', async () => {
    expect(await tests()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'There is no folder "policies" here, and no file that ends in .test.yaml. Name test files, or a folder of test files.',
      ),
    });
    write('p.yaml', policy('low'));
    write('c.json', '{"tools":[{"name":"alpha"},{"name":"beta"}]}');
    write('p.test.yaml', TESTS);
    expect(await tests()).toMatchObject({ code: 0, stdout: '3 tests passed\n' });
    mkdirSync(join(project, 'policies'));
    expect(await tests()).toMatchObject({ code: 2, stderr: expect.stringContaining('The folder policies') });
  });
});

describe('test --update', () => {
  it('shows how failed expectations differ, rewrites them, and keeps all other lines', async () => {
    writeFileSync(at('p.yaml'), policy('high'));
    writeFileSync(at('p.test.yaml'), TESTS);
    const { stdout, code } = await run('test', at('p.test.yaml'), '--update');
    expect(stdout).toContain(`low  ${at('p.test.yaml')}:7
  - tools: { includes: [alpha], excludes: [beta], count: 1 }
  + tools: { excludes: [beta, alpha], count: 0 }
`);
    expect(stdout).toContain('  - tools: { only: [beta] }\n  + tools: { only: [beta, alpha] }\n');
    expect(stdout).toContain('Not changed, because a comment inside it would be lost. Change it by hand.');
    expect(stdout).toContain('1 of 3 tests failed');
    expect(code).toBe(1);
    expect(readFileSync(at('p.test.yaml'), 'utf8')).toBe(
      TESTS.replace(
        '{ includes: [alpha], excludes: [beta], count: 1 }',
        '{ excludes: [beta, alpha], count: 0 }',
      ).replace('tools:\n      only: [beta]', 'tools: { only: [beta, alpha] }'),
    );
  });

  it('moves a primitive back, and changes nothing if all tests pass', async () => {
    writeFileSync(at('p.yaml'), policy('low'));
    expect((await run('test', at('p.test.yaml'), '--update', '--filter', 'low')).code).toBe(0);
    const text = readFileSync(at('p.test.yaml'), 'utf8');
    expect(text).toContain('tools: { includes: [alpha], excludes: [beta], count: 1 } # kept');
    expect(text).toContain('only: [beta, alpha]');
    await run('test', at('p.test.yaml'), '--update');
    const { stdout, code } = await run('test', at('p.test.yaml'), '--update');
    expect({ stdout, code }).toEqual({ stdout: '3 tests passed\n', code: 0 });
  });
});

describe('test --filter', () => {
  it('runs only the tests with a name, and says if there is none', async () => {
    writeFileSync(at('p.yaml'), policy('low'));
    writeFileSync(at('p.test.yaml'), TESTS);
    expect((await run('test', at('p.test.yaml'), '--filter', 'high')).stdout).toBe('2 tests passed\n');
    const none = await run('test', at('p.test.yaml'), '--filter', 'medium');
    expect(none.stderr).toBe('mcp-concerns: There is no test with "medium" in its name. Check --filter.\n');
    expect(none.code).toBe(2);
  });
});

describe('--watch', () => {
  it('checks again after a change of the policy or the catalog, until a signal', async () => {
    writeFileSync(at('p.yaml'), policy('low'));
    const { child, until, ended } = start('check', at('p.yaml'), '--catalog', at('c.json'), '--watch');
    await until('stderr', /Watching/);
    writeFileSync(at('p.yaml'), policy('hihg'));
    await until('stdout', /unknown-value {2}"hihg"/);
    await until('stderr', /(Watching[\s\S]*){2}/);
    writeFileSync(at('p.yaml'), policy('low'));
    writeFileSync(at('c.json'), '{"tools":[{"name":"alpha"}]}');
    await until('stdout', /dead-entry/);
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  });

  it('tests again after a change of the tests', async () => {
    writeFileSync(at('c.json'), '{"tools":[{"name":"alpha"},{"name":"beta"}]}');
    writeFileSync(at('p.yaml'), policy('low'));
    writeFileSync(at('p.test.yaml'), TESTS);
    const { child, until, ended } = start('test', at('p.test.yaml'), '--watch');
    await until('stderr', /Watching/);
    writeFileSync(at('p.test.yaml'), TESTS.replace('count: 1 }', 'count: 2 }'));
    await until('stdout', /1 of 3 tests failed/);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});
