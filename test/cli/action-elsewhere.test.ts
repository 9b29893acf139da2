import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
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
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  });
const pullRequest = () => ({
  event_name: 'pull_request',
  event: { pull_request: { number: 7, base: { sha: base } } },
});

/** A repository, and a stub of npm that installs the tarball of this package and the packages that npm would add. */
beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    encoding: 'utf8',
  }).trim();
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed), '-C', modules]);
  execFileSync('mv', [join(modules, 'package'), join(modules, 'mcp-concerns')]);
  symlinkSync('../mcp-concerns/dist/cli/main.js', join(modules, '.bin', 'mcp-concerns'));
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(realpathSync(resolve('node_modules', name)), join(modules, name));
  }
  mkdirSync(bin);
  script('npm', `echo "$PWD $@" >> "${join(folder, 'npm.log')}"\nln -sfn "${modules}" node_modules`);
  mkdirSync(action);
  for (const name of ['action.yml', 'package.json']) copyFileSync(name, join(action, name));
  script('gh', `echo "$@" >> "${join(folder, 'gh.log')}"`);

  mkdirSync(join(repository, 'policies'), { recursive: true });
  // What a pull request would use to have its own program run.
  mkdirSync(join(repository, 'node_modules/.bin'), { recursive: true });
  write('node_modules/.bin/mcp-concerns', '#!/bin/bash\ntouch ran\n');
  chmodSync(join(repository, 'node_modules/.bin/mcp-concerns'), 0o755);
  write('package.json', JSON.stringify({ devDependencies: { 'mcp-concerns': 'file:./evil' } }));
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
    expect(readFileSync(outputs.tests ?? '', 'utf8')).toContain('<testsuites');
    expect(readFileSync(join(folder, 'gh.log'), 'utf8')).toContain(
      '--method POST repos/o/r/issues/7/comments',
    );
    expect(existsSync(join(repository, 'ran'))).toBe(false);
  });

  it('leaves the comparison in the summary if the token cannot comment, and does not fail', () => {
    script('gh', 'echo "gh: Resource not accessible by integration (HTTP 403)" >&2; exit 1');
    const { failed, summary, log } = use({}, pullRequest());
    expect(failed, log).toBe(false);
    expect(summary).toContain('1 tool no longer shown');
    expect(log).toContain('::notice title=mcp-concerns::The comparison is in the summary of the job');
  });

  it('fails for a change that the workflow does not accept, and still reports it', () => {
    const { steps, summary } = use({ 'fail-on': 'hidden', comment: 'false' }, pullRequest());
    expect(steps).toMatchObject({
      'Test policies': 'success',
      'Compare policies': 'failure',
      'Comment on the pull request': 'skipped',
    });
    expect(summary).toContain('1 tool no longer shown');
  });

  it('fails if the folder of the policies does not exist', () => {
    const { failed, steps, outputs, log } = use({ policies: 'nowhere' });
    expect(failed).toBe(true);
    expect(steps).toMatchObject({ 'Check policies': 'failure', 'Compare policies': 'skipped' });
    expect(log).toContain('nowhere cannot be read');
    expect(outputs.report).toBe('');
  });

  it.each([
    ['the input', { version: '9.9.9-beta.1' }, '9.9.9-beta.1'],
    ['the action, whatever package.json says', {}, manifest.version],
  ])('installs the version of %s, outside the repository', (_name, inputs, expected) => {
    rmSync(join(folder, 'npm.log'), { force: true });
    const place = join(folder, `job-${jobs}`, 'mcp-concerns');
    use(inputs);
    expect(readFileSync(join(folder, 'npm.log'), 'utf8')).toBe(
      `${place} install --prefix ${place} --no-save --no-audit --no-fund --ignore-scripts mcp-concerns@${expected}\n`,
    );
  });

  it.each(['npm:other@1', 'file:./evil', '^1.2.0', 'latest', '1.2.3\ncli=./evil', '1.2.3 --foo'])(
    'refuses the version %j',
    (version) => {
      const { steps, log } = use({ version });
      expect(log).toContain('The input "version" is not a version such as 1.2.3.');
      expect(new Set(Object.values(steps))).toEqual(new Set(['failure', 'skipped']));
    },
  );
});
