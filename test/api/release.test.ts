import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const { jobs } = parse(readFileSync('.github/workflows/release.yml', 'utf8'));
const steps: readonly Step[] = jobs.release.steps;
const position = steps.findIndex(({ name }) => name?.startsWith('Write the address'));
const step = steps[position];

const folder = mkdtempSync(join(tmpdir(), 'release-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the workflow that publishes', () => {
  it('writes the address of its own repository before it publishes', () => {
    expect(step?.env?.SERVER).toMatch(/^\$\{\{ github\.server_url \}\}$/);
    expect(step?.env?.REPOSITORY).toMatch(/^\$\{\{ github\.repository \}\}$/);
    expect(steps.findIndex(({ run }) => run?.includes('changeset publish'))).toBe(position + 1);
    cpSync('package.json', join(folder, 'package.json'));
    cpSync('scripts/name-repository.mjs', join(folder, 'scripts/name-repository.mjs'));
    const env = { PATH: process.env.PATH, SERVER: 'https://github.com', REPOSITORY: 'Owner/name' };
    execFileSync('bash', ['-e', '-c', step?.run ?? ''], { cwd: folder, env });
    const { homepage, bugs, repository, ...rest } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    expect([homepage, bugs, repository]).toEqual([
      'https://owner.github.io/name/',
      { url: 'https://github.com/Owner/name/issues' },
      { type: 'git', url: 'git+https://github.com/Owner/name.git' },
    ]);
    expect(rest).toEqual(JSON.parse(readFileSync('package.json', 'utf8')));
  });

  it('changes nothing if the context has no address', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/name-repository.mjs', '', 'owner'], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, 'Pass the URL of the server and OWNER/NAME, not "" and "owner".\n']);
  });

  it('moves the tag of the major version to a release, and only to a release', () => {
    const move = steps.find(({ name }) => name === 'Move the tag of the major version')?.run ?? '';
    expect(steps.findIndex(({ run }) => run === move)).toBeGreaterThan(position + 1);
    const [clone, origin] = [join(folder, 'clone'), join(folder, 'origin.git')];
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@host.example'];
    const git = (...args: string[]) =>
      execFileSync('git', [...author, ...args], { cwd: clone, encoding: 'utf8', stdio: 'pipe' }).trim();
    const commit = (version: string) => {
      writeFileSync(join(clone, 'package.json'), JSON.stringify({ version }));
      git('add', '.');
      git('commit', '--quiet', '--message', version);
    };
    const run = () => execFileSync('bash', ['-e', '-c', move], { cwd: clone, stdio: 'pipe' });
    const moved = () => git('ls-remote', '--tags', 'origin', 'v0').split('\t')[0];
    execFileSync('git', ['init', '--quiet', '--bare', origin]);
    execFileSync('git', ['clone', '--quiet', origin, clone], { stdio: 'pipe' });
    commit('0.2.0');
    run();
    expect(moved()).toBe('');
    for (const version of ['0.2.0', '0.3.0']) {
      commit(`${version}-next`);
      commit(version);
      git('tag', `v${version}`);
      run();
      expect(moved()).toBe(git('rev-parse', 'HEAD'));
    }
  });

  it('uses no token of the registry, but the identity of the run', () => {
    const text = readFileSync('.github/workflows/release.yml', 'utf8');
    expect(jobs.release.permissions['id-token']).toBe('write');
    expect(text).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN|registry-url/);
  });

  it('is one of the workflows of which none names a registry', () => {
    for (const file of readdirSync('.github/workflows')) {
      expect(readFileSync(join('.github/workflows', file), 'utf8')).not.toMatch(/registry\.|npmjs\.org/);
    }
  });
});

it('describes the version in a changelog that a person reads in two minutes', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^(?=## )/m);
  const [, section = ''] = sections;
  expect(section).toMatch(new RegExp(`^## ${version}\\n`));
  expect(section.trim().split('\n').length).toBeLessThanOrEqual(60);
  for (const file of [
    'package-lock.json',
    'editors/vscode/package.json',
    'editors/vscode/package-lock.json',
  ]) {
    expect(JSON.parse(readFileSync(file, 'utf8')).version, file).toBe(version);
  }
});

it('npm accepts the package for publishing, with its docs and without pictures', () => {
  const args = ['publish', '--dry-run', '--json', '--ignore-scripts', '--tag', 'test', '--offline'];
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  expect([status, stderr.includes('npm error')]).toEqual([0, false]);
  const report = JSON.parse(stdout);
  const { name, files } = report['mcp-concerns'] ?? report;
  const paths = files.map(({ path }: { path: string }) => path);
  expect(name).toBe('mcp-concerns');
  expect(paths).toContain('docs/guides/choose.md');
  expect(paths.filter((path: string) => path.endsWith('.png'))).toEqual([]);
});
