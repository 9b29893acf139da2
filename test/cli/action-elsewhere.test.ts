import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Job, runAction } from './action-runner.js';

const folder = mkdtempSync(join(tmpdir(), 'elsewhere-'));
const repository = join(folder, 'repository');
const action = join(folder, 'action');
const bin = join(folder, 'bin');
const manifest: { version: string; dependencies: Record<string, string> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
let base = '';

const git = (...args: string[]) =>
  execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
const script = (name: string, text: string) => {
  writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
};
const write = (name: string, text: string) => writeFileSync(join(repository, name), text);
const commit = (message: string): string => {
  git('add', '.');
  git('commit', '-qm', message);
  return git('rev-parse', 'HEAD');
};
let jobs = 0;
const use = (inputs: Job['with'], github: object = {}) =>
  runAction({
    action,
    repository,
    temp: join(folder, `job-${jobs++}`),
    with: inputs,
    github: { event_name: 'push', repository: 'o/r', ...github },
    // Without a registry: whatever the action runs must be in the tarball.
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, npm_config_offline: 'true' },
  });
const pullRequest = () => ({
  event_name: 'pull_request',
  event: { pull_request: { number: 7, base: { sha: base } } },
});

/** A repository that has only the tarball of this package, and the packages that npm would install with it. */
beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    encoding: 'utf8',
  }).trim();
  const modules = join(repository, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed), '-C', modules]);
  execFileSync('mv', [join(modules, 'package'), join(modules, 'mcp-concerns')]);
  symlinkSync('../mcp-concerns/dist/cli/main.js', join(modules, '.bin', 'mcp-concerns'));
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(realpathSync(resolve('node_modules', name)), join(modules, name));
  }
  mkdirSync(action);
  for (const name of ['action.yml', 'package.json']) copyFileSync(name, join(action, name));
  mkdirSync(bin);
  script('gh', `echo "$@" >> "${join(folder, 'gh.log')}"`);

  mkdirSync(join(repository, 'policies'));
  write('.gitignore', 'node_modules\n');
  write(
    'package.json',
    JSON.stringify({ devDependencies: { 'mcp-concerns': `file:${join(folder, packed)}` } }),
  );
  const policy = readFileSync('policies/vault.yaml', 'utf8');
  write('policies/vault.yaml', policy);
  write('policies/vault.catalog.json', readFileSync('policies/vault.catalog.json', 'utf8'));
  write(
    'policies/vault.test.yaml',
    'policy: vault.yaml\ncatalog: vault.catalog.json\ntests:\n  - name: all\n    concerns: none\n    tools: { count: 24 }\n',
  );
  git('init', '-q');
  base = commit('base');
  write(
    'policies/vault.yaml',
    policy.replace('listKeys: { security: [medium, high]', 'listKeys: { security: medium'),
  );
  commit('change');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the action in another repository', () => {
  it('checks, tests, compares and comments with the package of the tarball', () => {
    const { failed, steps, outputs, summary, log } = use({}, pullRequest());
    expect(failed, log).toBe(false);
    expect(Object.values(steps)).toEqual(['success', 'success', 'success', 'success', 'success']);
    expect(summary).toContain('### `policies/vault.yaml`: 1 tool no longer shown');
    expect(readFileSync(outputs.report ?? '', 'utf8')).toBe(summary);
    expect(outputs.tests).toBe('policy-tests.xml');
    expect(readFileSync(join(repository, 'policy-tests.xml'), 'utf8')).toContain('<testsuites');
    expect(readFileSync(join(folder, 'gh.log'), 'utf8')).toContain(
      '--method POST repos/o/r/issues/7/comments',
    );
  });

  // The real npx takes seconds for each call. From here on, a stub runs the same command.
  const withStub = () => script('npx', 'shift 2\nexec node_modules/.bin/mcp-concerns "$@"');

  it('leaves the comparison in the summary if the token cannot comment, and does not fail', () => {
    withStub();
    script('gh', 'echo "gh: Resource not accessible by integration (HTTP 403)" >&2; exit 1');
    const { failed, summary, log } = use({}, pullRequest());
    expect(failed, log).toBe(false);
    expect(summary).toContain('1 tool no longer shown');
    expect(log).toContain('::notice title=mcp-concerns::The comparison is in the summary of the job');
  });

  it('fails for a change that the workflow does not accept, and still reports it', () => {
    withStub();
    const { steps, summary } = use({ 'fail-on': 'hidden', comment: 'false' }, pullRequest());
    expect(steps).toMatchObject({
      'Test policies': 'success',
      'Compare policies': 'failure',
      'Comment on the pull request': 'skipped',
    });
    expect(summary).toContain('1 tool no longer shown');
  });

  it('fails if the folder of the policies does not exist', () => {
    withStub();
    const { failed, steps, outputs, log } = use({ policies: 'nowhere' });
    expect(failed).toBe(true);
    expect(steps).toMatchObject({ 'Check policies': 'failure', 'Compare policies': 'skipped' });
    expect(log).toContain('nowhere cannot be read');
    expect(outputs.report).toBe('');
  });

  it.each([
    ['the input', { version: '9.9.9' }, undefined, 'mcp-concerns@9.9.9'],
    [
      'package.json, if it is not installed',
      {},
      { dependencies: { 'mcp-concerns': '^1.2.0' } },
      'mcp-concerns@^1.2.0',
    ],
    ['the action itself, in a repository without it', {}, {}, `mcp-concerns@${manifest.version}`],
  ])('runs the version of %s', (_name, inputs, packageJson, expected) => {
    const elsewhere = join(folder, `other-${jobs}`);
    mkdirSync(elsewhere);
    if (packageJson !== undefined)
      writeFileSync(join(elsewhere, 'package.json'), JSON.stringify(packageJson));
    const called = join(elsewhere, 'npx.log');
    const stubs = join(elsewhere, 'bin');
    mkdirSync(stubs);
    writeFileSync(join(stubs, 'npx'), `#!/bin/bash\necho "$2" >> "${called}"\n`);
    chmodSync(join(stubs, 'npx'), 0o755);
    const env = { ...process.env, PATH: `${stubs}:${process.env.PATH}` };
    const temp = join(folder, `job-${jobs++}`);
    runAction({ action, repository: elsewhere, temp, with: inputs, github: { event_name: 'push' }, env });
    expect(new Set(readFileSync(called, 'utf8').trim().split('\n'))).toEqual(new Set([expected]));
  });
});
