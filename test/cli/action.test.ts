import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPolicyText } from '../../src/core/policy/language/read-yaml.js';
import { MAIN } from './run.js';

interface Step {
  readonly name: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const { data, findings } = readPolicyText(readFileSync('action.yml', 'utf8'), 'action.yml');
const action = data as Action;

let repository: string;
let stubs: string;
let base: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();

/** Runs a step as a runner does. `CLI` is the built command; the stub of `gh` answers from a file. */
function step(name: string, env: Readonly<Record<string, string>> = {}) {
  const script = action.runs.steps.find((each) => each.name === name)?.run ?? 'exit 99';
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
    {
      cwd: repository,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${stubs}:${process.env.PATH}`,
        RUNNER_TEMP: stubs,
        GITHUB_STEP_SUMMARY: join(stubs, 'summary'),
        GITHUB_OUTPUT: join(stubs, 'output'),
        POLICIES: 'policies',
        CLI: join(stubs, 'cli'),
        ...env,
      },
    },
  );
  return { status, stdout, stderr };
}

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  stubs = join(folder, 'stubs');
  repository = join(folder, 'repository');
  mkdirSync(stubs);
  mkdirSync(join(repository, 'policies'), { recursive: true });
  const script = (name: string, text: string) => {
    writeFileSync(join(stubs, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(stubs, name), 0o755);
  };
  script('cli', `exec "${process.execPath}" "${resolve(MAIN)}" "$@"`);
  script('npm', 'exit 0');
  script(
    'gh',
    `echo "$@" >> "${join(stubs, 'gh.log')}"
if [ "$2" = graphql ]; then jq "\${@: -1}" "${join(stubs, 'comments.json')}"; fi`,
  );
  const write = (name: string, text: string) => writeFileSync(join(repository, 'policies', name), text);
  const policy = readFileSync('policies/vault.yaml', 'utf8');
  write('vault.yaml', policy);
  for (const name of ['vault.test.yaml', 'vault.catalog.json']) {
    write(name, readFileSync(join('policies', name), 'utf8'));
  }
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'base');
  base = git('rev-parse', 'HEAD');
  write('vault.yaml', policy.replace('listKeys: { security: [medium, high]', 'listKeys: { security: medium'));
  write('new.yaml', 'version: 1\n');
  git('add', '.');
  git('commit', '-qm', 'change');
});
afterAll(() => rmSync(join(stubs, '..'), { recursive: true }));

describe('the GitHub Action', () => {
  it('has defaults that are strings, and documents every input', () => {
    expect(findings).toEqual([]);
    expect(action.runs.using).toBe('composite');
    const documented = readFileSync('docs/guides/github-action.md', 'utf8');
    for (const [name, input] of Object.entries(action.inputs)) {
      expect(typeof input.default).toBe('string');
      expect(documented).toContain(`\n| \`${name}\` | `);
    }
  });

  it('puts no value of a pull request into a script, and runs only this package', () => {
    for (const { run } of action.runs.steps) {
      expect(run).not.toContain('${{');
      expect(run).not.toContain('npx');
      for (const [call] of run.matchAll(/"\$CLI" .*/g)) expect(call).toContain('--no-project');
    }
  });

  it('checks the policies', () => {
    expect(step('Check policies')).toMatchObject({ status: 0 });
  });

  it('runs the tests, and writes JUnit XML', () => {
    const { status, stdout } = step('Test policies', { THRESHOLD: '100' });
    // The changed policy fails its tests.
    expect(status).toBe(1);
    expect(stdout).toContain('- listKeys');
    expect(readFileSync(join(stubs, 'policy-tests.xml'), 'utf8')).toContain('<failure message="');
  });

  it('compares each policy that the base has', () => {
    const run = (failOn: string) => {
      writeFileSync(join(stubs, 'summary'), '');
      const { status } = step('Compare policies', { BASE: base, FAIL_ON: failOn });
      return { status, summary: readFileSync(join(stubs, 'summary'), 'utf8') };
    };
    const { status, summary } = run('');
    expect(status).toBe(0);
    expect(summary).toContain('### `policies/vault.yaml`: 1 tool no longer shown');
    expect(summary).toContain('| Whenever security=high | `listKeys` |');
    expect(summary).not.toContain('new.yaml');
    expect(run('empty').status).toBe(0);
    expect(run('empty hidden').status).toBe(1);
  });

  /** The comments of a pull request, as GraphQL answers. */
  const comments = (...nodes: readonly object[]) =>
    writeFileSync(
      join(stubs, 'comments.json'),
      JSON.stringify({ data: { repository: { pullRequest: { comments: { nodes } } } } }),
    );
  const comment = () => {
    rmSync(join(stubs, 'gh.log'), { force: true });
    const { status } = step('Comment on the pull request', { REPOSITORY: 'o/r', NUMBER: '7', GH_TOKEN: 'x' });
    expect(status).toBe(0);
    return readFileSync(join(stubs, 'gh.log'), 'utf8');
  };

  it('writes one comment', () => {
    comments();
    expect(comment()).toContain('--method POST repos/o/r/issues/7/comments -F body=@');
    const body = readFileSync(join(stubs, 'policy-difference.md.body'), 'utf8');
    expect(body).toMatch(/^<!-- mcp-concerns -->\n### `policies\/vault\.yaml`/);
  });

  it('edits only a comment of its own author', () => {
    const body = '<!-- mcp-concerns --> approved by the maintainers';
    const strange = { databaseId: 1, body, viewerDidAuthor: false };
    comments(strange);
    expect(comment()).toContain('--method POST');
    comments(strange, { ...strange, databaseId: 2, viewerDidAuthor: true });
    const calls = comment();
    expect(calls).toContain('--method PATCH repos/o/r/issues/comments/2 ');
    expect(calls).not.toContain('--method POST');
  });

  it('follows no link of the pull request', () => {
    const install = () => step('Install mcp-concerns', { VERSION: '1.2.3' });
    expect(install()).toMatchObject({ status: 0 });
    for (const [name, target] of [
      ['secret.yaml', '/proc/self/environ'],
      ['secret.test.yaml', '../.git/config'],
      ['vault2.catalog.json', '/dev/zero'],
      ['dangling.yaml', '../nowhere'],
    ] as const) {
      symlinkSync(target, join(repository, 'policies', name));
      const { status, stdout } = install();
      expect(stdout).toContain(`policies/${name} is a link that leads out of the folder of the policies.`);
      expect(status).toBe(1);
      rmSync(join(repository, 'policies', name));
    }
    symlinkSync('/etc', join(repository, 'elsewhere'));
    expect(step('Install mcp-concerns', { VERSION: '1.2.3', POLICIES: 'elsewhere' }).status).toBe(1);
    const victim = join(stubs, 'victim');
    writeFileSync(victim, 'kept');
    symlinkSync(victim, join(repository, 'policy-tests.xml'));
    step('Test policies');
    expect(readFileSync(victim, 'utf8')).toBe('kept');
  });

  it('starts no server of the pull request', () => {
    const strange = `[touch, ${join(repository, 'ran')}]`;
    writeFileSync(
      join(repository, 'mcp-concerns.config.yaml'),
      `policy: policies/vault.yaml\nserver: ${strange}\n`,
    );
    const tests = join(repository, 'policies/strange.test.yaml');
    writeFileSync(
      tests,
      `policy: vault.yaml\nserver: ${strange}\ntests: [{ name: all, tools: { count: 1 } }]\n`,
    );
    for (const name of ['Check policies', 'Test policies', 'Compare policies']) step(name, { BASE: base });
    expect(existsSync(join(repository, 'ran'))).toBe(false);
    expect(step('Test policies').stderr).toContain('The server is not started (--no-servers).');
    step('Test policies', { SERVERS: 'true' });
    expect(existsSync(join(repository, 'ran'))).toBe(true);
    rmSync(tests);
    rmSync(join(repository, 'mcp-concerns.config.yaml'));
  });
});
