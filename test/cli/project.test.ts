import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { run, runIn } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'project-'));
afterAll(() => rmSync(folder, { recursive: true }));

const POLICY = `version: 1
concerns:
  security: { values: [low, high], match: at-most }
primitives:
  tools:
    alpha: { security: low }
    gone: { security: high }
`;
const CATALOG = JSON.stringify({ tools: [{ name: 'alpha', inputSchema: { type: 'object' } }] });
const CONFIG = `policy: policies/own.yaml
catalog: own.catalog.json
tests: policies
defaults:
  check: { deny-warnings: true }
  list: { format: names }
`;

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

beforeEach(() => {
  mkdirSync(join(folder, 'policies'), { recursive: true });
  write('policies/own.yaml', POLICY);
  write('own.catalog.json', CATALOG);
  write(
    'policies/own.test.yaml',
    'policy: own.yaml\ncatalog: ../own.catalog.json\ntests: [{ name: all, tools: { count: 1 } }]\n',
  );
  write('mcp-concerns.config.yaml', CONFIG);
});

describe('a project file', () => {
  it('names the policy, the input and the defaults of options', async () => {
    const { code, stdout } = await runIn(folder, 'check');
    expect(stdout).toContain('policies/own.yaml:7:5  warning  dead-entry');
    expect(stdout).toContain('1 warning in 1 policy, checked against 1 tool.');
    expect(code).toBe(1);
    expect(await runIn(folder, 'list')).toMatchObject({ code: 0, stdout: 'alpha\n' });
    expect((await runIn(folder, 'test')).stdout).toContain('1 test passed');
    expect((await runIn(folder, 'explain', 'alpha')).stdout).toContain('Tool alpha is shown');
    expect((await runIn(folder, 'compile', '-o', '-')).stdout).toContain('"alpha"');
  });

  it('is found above the working folder, with paths that are relative to it', async () => {
    const { stdout } = await runIn(join(folder, 'policies'), 'check');
    expect(stdout).toContain('own.yaml:7:5  warning  dead-entry');
  });

  it('starts the server that it names', async () => {
    const server = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
    write('mcp-concerns.config.yaml', `policy: policies/own.yaml\nserver: [node, ${server}, stdio]\n`);
    const { code, stdout } = await runIn(folder, 'list', '--format', 'names');
    expect(stdout).toContain('echo\n');
    expect(code).toBe(0);
  });

  it('leaves out its input if the command line names a policy', async () => {
    copyFileSync(join(folder, 'policies/own.yaml'), join(folder, 'other.yaml'));
    const { code, stdout } = await runIn(folder, 'check', 'other.yaml');
    expect(stdout).toBe('No findings in 1 policy, checked without a server.\n');
    expect(code).toBe(0);
    expect((await runIn(folder, 'list', 'other.yaml')).stderr).toContain('There is no server.');
  });

  it('works as the documentation shows it', async () => {
    const page = readFileSync('docs/reference/cli.md', 'utf8');
    const [, example = ''] = /^```yaml project\n([\s\S]*?)^```$/m.exec(page) ?? [];
    for (const file of ['vault.yaml', 'vault.catalog.json']) {
      copyFileSync(join('policies', file), join(folder, 'policies', file));
    }
    write('mcp-concerns.config.yaml', example);
    expect((await runIn(folder, 'check')).stdout).toContain(
      'No findings in 1 policy, checked against 24 tools',
    );
  });

  it('has the tests beside its policy, if it names none', async () => {
    mkdirSync(join(folder, 'mine'), { recursive: true });
    copyFileSync(join(folder, 'policies/own.yaml'), join(folder, 'mine/own.yaml'));
    const tests = '[{ name: all, tools: { count: 1 } }, { name: again, tools: { count: 1 } }]';
    write('mine/own.test.yaml', `policy: own.yaml\ncatalog: ../own.catalog.json\ntests: ${tests}\n`);
    write('mcp-concerns.config.yaml', 'policy: mine/own.yaml\n');
    expect((await runIn(folder, 'test')).stdout).toContain('2 tests passed');
  });

  it('gives way to the command line', async () => {
    const { stdout } = await runIn(folder, 'list', '--format', 'json');
    expect(JSON.parse(stdout)).toHaveProperty('tools');
  });

  it('is updated by init --update', async () => {
    const { stderr, code } = await runIn(folder, 'init', '--update');
    expect(stderr).toContain('policies/own.yaml');
    expect(code).toBe(0);
    expect((await runIn(folder, 'check')).stdout).toContain('No findings');
  });

  it.each([
    [
      'polcy: x.yaml',
      'error  unknown-key  "polcy" is not a valid key of a project file',
      'Did you mean "policy"?',
    ],
    ['catalog: a.json\nurl: http://x', 'error  duplicate', 'Only one of the keys catalog, server, url'],
    [
      'defaults: { check: { deny-warning: true } }',
      'defaults.check has "deny-warning"',
      'Did you mean "deny-warnings"?',
    ],
    [
      'defaults: { check: { fix: yes please } }',
      'a value for "fix" that is not true or false',
      'Correct the value',
    ],
  ])('reports what is wrong in %j', async (text, problem, advice) => {
    write('mcp-concerns.config.yaml', `${text}\n`);
    const { code, stderr } = await runIn(folder, 'check', 'policies/own.yaml');
    expect(stderr).toContain(problem);
    expect(stderr).toContain(advice);
    expect(code).toBe(2);
  });
});

describe('policies of a command line', () => {
  it('merges a folder, and all paths of --policy; separates all other paths', async () => {
    const parts = join(folder, 'parts');
    mkdirSync(parts, { recursive: true });
    const [concerns, entries] = [join(parts, 'a.yaml'), join(parts, 'b.yaml')];
    writeFileSync(concerns, 'version: 1\nconcerns:\n  security: { values: [low, high] }\n');
    writeFileSync(entries, 'version: 1\nprimitives: { tools: { alpha: { security: low } } }\n');
    expect((await run('check', parts)).stdout).toBe('No findings in 1 policy, checked without a server.\n');
    expect((await run('check', '--policy', concerns, '--policy', entries)).stdout).toContain('in 1 policy');
    const separate = await run('check', concerns, entries);
    expect(separate.stdout).toContain('b.yaml:2:33  error  unknown-concern');
    expect(separate.stdout).toContain('1 error in 2 policies');
    const options = ['--catalog', join(folder, 'own.catalog.json'), '--format', 'names'];
    expect((await run('list', parts, ...options)).stdout).toBe('alpha\n');
    const two = await run('list', concerns, entries, ...options);
    expect(two.stderr).toContain('"list" takes one policy. To merge several files, pass --policy for each.');
    expect(two.code).toBe(2);
  });

  it('says that the command of a server is passed after --', async () => {
    const { stderr, code } = await run('list', '--policy', 'policies/vault.yaml', 'node', 'server.js');
    expect(stderr).toContain(
      'There is no policy "node". Check its path; the command of a server is passed after --.',
    );
    expect(code).toBe(2);
  });
});
