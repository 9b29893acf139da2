import { execFileSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
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
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { MAIN, run, runIn } from './run.js';
import { inTerminal } from './shown.js';

const folder = mkdtempSync(join(tmpdir(), 'project-'));
execFileSync('git', ['init', '-q', folder]);
// Commands remember here which files a person trusts.
process.env.XDG_STATE_HOME = join(folder, 'state');
afterAll(() => rmSync(folder, { recursive: true }));
const able = (await inTerminal(80, 'true')) !== undefined;

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
  it('names the policy and the input', async () => {
    const { code, stdout } = await runIn(folder, 'check', '--deny-warnings');
    expect(stdout).toContain('policies/own.yaml:7:5  warning  dead-entry');
    expect(stdout).toContain('1 warning in 1 policy, checked against 1 tool.');
    expect(code).toBe(1);
    expect(await runIn(folder, 'list', '--format', 'names')).toMatchObject({ code: 0, stdout: 'alpha\n' });
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
    const { code, stdout } = await runIn(folder, 'list', '--format', 'names', '--trust');
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

  it('adds its catalog if the command line names its own policy', async () => {
    const names = ['--format', 'names'];
    expect(await runIn(folder, 'list', 'policies/own.yaml', ...names)).toMatchObject({ stdout: 'alpha\n' });
    expect(await runIn(folder, 'list', '--policy', './policies/own.yaml', ...names)).toMatchObject({
      stdout: 'alpha\n',
    });
    expect((await runIn(folder, 'explain', 'policies/own.yaml', 'alpha')).stdout).toContain(
      'Tool alpha is shown',
    );
    // Merged with another file, it is another policy.
    write('other.yaml', 'version: 1\n');
    const merged = await runIn(
      folder,
      'list',
      '--policy',
      'policies/own.yaml',
      '--policy',
      'other.yaml',
      ...names,
    );
    expect(merged.stderr).toContain('There is no server.');
  });

  it('has a catalog beside its server, which only what needs the server asks', async () => {
    write('mcp-concerns.config.yaml', `${CONFIG}server: ${STRANGE}\n`);
    rmSync(join(folder, 'ran'), { force: true });
    const asks = async (...args: string[]) => (await runIn(folder, ...args)).stderr.includes('not trusted');
    for (const args of [
      ['check'],
      ['check', 'policies/own.yaml'],
      ['list'],
      ['tokens'],
      ['explain', 'alpha'],
      ['diff', 'policies/own.yaml', 'policies/own.yaml'],
      ['compile', '-o', '-'],
    ])
      expect([args, await asks(...args)]).toEqual([args, false]);
    for (const args of [
      ['pin'],
      ['pin', 'policies/own.yaml'],
      ['list', '--save', '-'],
      ['list', '--unused', '30d'],
      ['serve', '--stdio'],
      ['init', '--update'],
      ['compile', '-o', '-', '--snapshot', 'snapshot.json'],
    ])
      expect([args, await asks(...args)]).toEqual([args, true]);
    expect(ran()).toBe(false);
  });

  it('is asked about its server only by commands that need it, if the command line names its policy', async () => {
    write('mcp-concerns.config.yaml', `policy: policies/own.yaml\nserver: ${STRANGE}\n`);
    expect(await runIn(folder, 'check', 'policies/own.yaml')).toMatchObject({ code: 0 });
    expect((await runIn(folder, 'pin', 'policies/own.yaml')).stderr).toContain('not trusted');
  });

  it('is written by init, so that commands need no arguments', async () => {
    const home = mkdtempSync(join(folder, 'first-'));
    execFileSync('git', ['init', '-q', home]);
    writeFileSync(join(home, 'server.json'), readFileSync('policies/vault.catalog.json', 'utf8'));
    const { stderr } = await runIn(home, 'init', '-o', 'policies/vault.yaml', '--catalog', 'server.json');
    expect(stderr).toContain('Wrote mcp-concerns.config.yaml: commands in this folder use these files');
    const config = readFileSync(join(home, 'mcp-concerns.config.yaml'), 'utf8');
    expect(config).toMatch(/^policy: "policies\/vault\.yaml"\ncatalog: server\.json\n$/m);
    expect((await runIn(home, 'check')).stdout).toContain('checked against 24 tools');
    for (const args of [['list'], ['tokens'], ['explain', 'listKeys'], ['test']])
      expect([args, (await runIn(home, ...args)).code]).toEqual([args, 0]);
    const lambda = await runIn(home, 'init', '--lambda', '--url', 'https://mcp.example/mcp');
    expect(lambda).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, 'endpoint.yml'), 'utf8')).toContain('policy: policies/vault.yaml');
  });

  it('stays as it is if init writes another policy', async () => {
    const { stderr } = await runIn(folder, 'init', '-o', 'second.yaml', '--catalog', 'own.catalog.json');
    expect(stderr).toContain('mcp-concerns.config.yaml stays as it is.');
    expect(readFileSync(join(folder, 'mcp-concerns.config.yaml'), 'utf8')).toBe(CONFIG);
  });

  it('is not written for a policy elsewhere', async () => {
    const home = mkdtempSync(join(folder, 'elsewhere-'));
    execFileSync('git', ['init', '-q', home]);
    const { code } = await runIn(home, 'init', '-o', '../third.yaml', '--catalog', '../own.catalog.json');
    expect(code).toBe(0);
    expect(existsSync(join(home, 'mcp-concerns.config.yaml'))).toBe(false);
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
    write('other.catalog.json', '{"tools":[{"name":"beta"}]}');
    const { stdout } = await runIn(folder, 'list', '--format', 'names', '--catalog', 'other.catalog.json');
    expect(stdout).toBe('beta\n');
  });

  it('is updated by init --update', async () => {
    const { stderr, code } = await runIn(folder, 'init', '--update');
    expect(stderr).toContain('policies/own.yaml');
    expect(code).toBe(0);
    // The entry stays, because it hides what the server may add again.
    expect((await runIn(folder, 'check')).stdout).toContain('1 warning in 1 policy');
  });

  it.each([
    [
      'polcy: x.yaml',
      'error  unknown-key  "polcy" is not a valid key of a project file',
      'Did you mean "policy"?',
    ],
    ['server: a\nurl: http://x', 'error  duplicate', 'Only one of the keys server, servers, url'],
  ])('reports what is wrong in %j', async (text, problem, advice) => {
    write('mcp-concerns.config.yaml', `${text}\n`);
    const { code, stderr } = await runIn(folder, 'check', 'policies/own.yaml');
    expect(stderr).toContain(problem);
    expect(stderr).toContain(advice);
    expect(code).toBe(2);
  });
});

/** A command that leaves a file behind, as the server of somebody else's project would. */
const STRANGE = `"node -e 'fs.writeFileSync(\`ran\`,String())'"`;
const ran = (where = folder): boolean => existsSync(join(where, 'ran'));

describe('a project file of a stranger', () => {
  beforeEach(() => rmSync(join(folder, 'ran'), { force: true }));
  const serving = `policy: policies/own.yaml\nserver: ${STRANGE}\n`;

  it.each([
    ['check'],
    ['list'],
    ['explain', 'alpha'],
    ['tokens'],
    ['list', '--save', '-'],
    ['serve', '--stdio'],
  ])('does not run its command for %s', async (...args) => {
    write('mcp-concerns.config.yaml', serving);
    const { code, stderr } = await runIn(folder, ...args);
    expect(ran()).toBe(false);
    expect(stderr).toContain('mcp-concerns: mcp-concerns.config.yaml starts "node -e fs.writeFileSync');
    expect(stderr).toContain(
      ', and you have not trusted this file. Read it, then answer "y" on a terminal, or pass --trust. --no-project ignores it.\n',
    );
    expect(code).toBe(2);
  });

  it('runs its command with --trust, which is not remembered, and is ignored with --no-project', async () => {
    write('mcp-concerns.config.yaml', serving);
    await runIn(folder, 'check', '--trust');
    expect(ran()).toBe(true);
    rmSync(join(folder, 'ran'));
    expect((await runIn(folder, 'check')).stderr).toContain('not trusted');
    expect((await runIn(folder, 'check', '--no-project')).stderr).toContain('There is no policy.');
    expect(ran()).toBe(false);
  });

  it.runIf(able)('is trusted by an answer on a terminal, until it changes', async () => {
    write('mcp-concerns.config.yaml', serving);
    const answer = (text: string) =>
      inTerminal(400, `cd '${folder}'; echo ${text} | '${process.execPath}' '${resolve(MAIN)}' check; true`);
    const typed = (text: string) =>
      inTerminal(400, `cd '${folder}'; '${process.execPath}' '${resolve(MAIN)}' check; true`, `${text}\n`);
    // A pipe is not a person.
    expect(await answer('y')).toContain('you have not trusted this file');
    expect(await typed('no')).toContain('Trust this file, as it is now? [y/N]');
    expect(ran()).toBe(false);
    await typed('y');
    expect(ran()).toBe(true);
    rmSync(join(folder, 'ran'));
    expect((await runIn(folder, 'check')).stderr).not.toContain('trusted');
    expect(ran()).toBe(true);
    rmSync(join(folder, 'ran'));
    write('mcp-concerns.config.yaml', `${serving}tests: other\n`);
    expect((await runIn(folder, 'check')).stderr).toContain('not trusted');
    expect(ran()).toBe(false);
  });

  it('is not found above the repository, nor outside a repository above the folder', async () => {
    write('mcp-concerns.config.yaml', CONFIG);
    const clone = join(folder, 'clone');
    execFileSync('git', ['init', '-q', clone]);
    expect((await runIn(clone, 'check')).stderr).toContain('There is no policy.');
    const plain = mkdtempSync(join(tmpdir(), 'plain-'));
    writeFileSync(join(plain, 'mcp-concerns.config.yaml'), 'policy: own.yaml\n');
    mkdirSync(join(plain, 'below'));
    expect((await runIn(join(plain, 'below'), 'check')).stderr).toContain('There is no policy.');
    rmSync(plain, { recursive: true });
  });

  it.runIf(process.getuid?.() === 0)('is refused if another user owns it', async () => {
    write('mcp-concerns.config.yaml', CONFIG);
    chownSync(join(folder, 'mcp-concerns.config.yaml'), 12_345, 12_345);
    const { code, stderr } = await runIn(folder, 'check');
    expect(stderr).toContain('mcp-concerns.config.yaml belongs to another user (uid 12345)');
    expect(code).toBe(2);
    expect((await runIn(folder, 'check', '--trust')).stdout).toContain('1 warning in 1 policy');
    rmSync(join(folder, 'mcp-concerns.config.yaml'));
  });

  it('does not run the command of a test file that was found', async () => {
    rmSync(join(folder, 'mcp-concerns.config.yaml'));
    const tests = `policy: own.yaml\nserver: ${STRANGE}\ntests: [{ name: all, tools: { count: 1 } }]\n`;
    write('policies/own.test.yaml', tests);
    const untrusted = 'policies/own.test.yaml starts "node -e fs.writeFileSync(`ran`,String())"';
    for (const config of [undefined, 'tests: policies\n', 'policy: policies/own.yaml\n']) {
      if (config !== undefined) write('mcp-concerns.config.yaml', config);
      const { code, stderr } = await runIn(folder, 'test');
      expect(stderr).toContain(`${untrusted}, and you have not trusted this file.`);
      expect(code).toBe(2);
    }
    expect((await runIn(folder, 'test', 'policies')).stderr).toContain(untrusted);
    expect(ran()).toBe(false);
    expect((await runIn(folder, 'test', '--no-servers')).stderr).toContain('(--no-servers)');
    await runIn(folder, 'test', 'policies', '--trust');
    expect(ran()).toBe(true);
    rmSync(join(folder, 'ran'));
    // A file that the person names is the person's word.
    await runIn(folder, 'test', 'policies/own.test.yaml');
    expect(ran()).toBe(true);
  });

  it('shows nothing of files elsewhere', async () => {
    write('secret', 'password: hunter2\n');
    const inside = join(folder, 'clone');
    mkdirSync(join(inside, 'policies'), { recursive: true });
    const put = (name: string, text: string) => writeFileSync(join(inside, name), text);
    const shown = async (...args: string[]) => {
      const { stdout, stderr } = await runIn(inside, ...args);
      expect(stdout + stderr).not.toMatch(/hunter2|PATH=/);
      return stderr;
    };
    for (const policy of ['../secret', '/proc/self/environ', 'policies/link.yaml']) {
      put('mcp-concerns.config.yaml', `policy: ${policy}\n`);
      rmSync(join(inside, 'policies/link.yaml'), { force: true });
      symlinkSync('../../secret', join(inside, 'policies/link.yaml'));
      expect(await shown('check')).toContain(
        `mcp-concerns.config.yaml reads "${policy}", and you have not trusted`,
      );
    }
    put('policies/link.test.yaml', 'policy: ../../secret\ntests: []\n');
    put('mcp-concerns.config.yaml', 'tests: policies\n');
    expect(await shown('test')).toContain('policies/link.test.yaml reads "../secret", and you have not');
    rmSync(join(inside, 'policies/link.test.yaml'));
    symlinkSync('../../secret', join(inside, 'policies/link.test.yaml'));
    expect(await shown('test')).toContain('policies/link.test.yaml cannot be read (it is outside the folder');
    rmSync(join(inside, 'mcp-concerns.config.yaml'));
    symlinkSync('../secret', join(inside, 'mcp-concerns.config.yaml'));
    expect(await shown('check')).toContain('mcp-concerns.config.yaml is a link that leads out of its folder');
    rmSync(inside, { recursive: true });
  });

  it('is refused if it is not a file', async () => {
    rmSync(join(folder, 'mcp-concerns.config.yaml'));
    execFileSync('mkfifo', [join(folder, 'mcp-concerns.config.yaml')]);
    expect((await runIn(folder, 'check')).stderr).toContain(
      'mcp-concerns.config.yaml is not a file. Remove it, or pass --no-project.',
    );
    rmSync(join(folder, 'mcp-concerns.config.yaml'));
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
    expect(two.stderr).toContain(
      'This command takes one policy. To merge several files, pass --policy for each.',
    );
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

describe('a folder without a project file', () => {
  beforeEach(() => {
    rmSync(join(folder, 'mcp-concerns.config.yaml'));
    rmSync(join(folder, 'policy.yaml'), { force: true });
  });
  const initialize = async () => {
    const ended = await runIn(folder, 'init', '--catalog', 'own.catalog.json', '--force');
    rmSync(join(folder, 'mcp-concerns.config.yaml'));
    return ended;
  };

  it('has the policy that init wrote, for all commands that read one', async () => {
    expect((await initialize()).code).toBe(0);
    const input = '--catalog own.catalog.json';
    const lines = ['check', 'compile -o own.json', `list ${input}`, `explain alpha ${input}`];
    for (const line of lines) {
      expect((await runIn(folder, ...line.split(' '))).code, line).toBe(0);
    }
  });

  it('has no policy for a command that names another one, or that must not look for files', async () => {
    await initialize();
    expect(
      (await runIn(folder, 'list', 'policies/own.yaml', '--catalog', 'own.catalog.json')).stdout,
    ).toContain('security');
    const { code, stderr } = await runIn(folder, 'check', '--no-project');
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no policy. Pass --policy PATH')]);
  });

  it.runIf(process.getuid?.() === 0)('has no policy of another user', async () => {
    await initialize();
    chownSync(join(folder, 'policy.yaml'), 12345, 12345);
    const { code, stderr } = await runIn(folder, 'check');
    expect([code, stderr]).toEqual([2, expect.stringContaining('policy.yaml belongs to another user')]);
  });
});
