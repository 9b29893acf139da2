import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// The built command: each of its modules is loaded at least once in its own process.
import { runProcess as run } from './run.js';

const COMMANDS = [
  'setup',
  'init',
  'check',
  'test',
  'list',
  'explain',
  'diff',
  'tokens',
  'pin',
  'why',
  'serve',
  'bundle',
  'switch',
  'lsp',
];

it.each([['--help'], ['-h'], ['help']])('%s lists every command', async (flag) => {
  const { code, stdout, stderr } = await run(flag);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
});

it.each(COMMANDS)(
  '%s --help has its usage, a sentence and an example, in lines of 80 characters',
  async (command) => {
    const { code, stdout } = await run(command, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^Usage: mcp-concerns ${command} \\[options\\].*\\n\\n[A-Z][a-z]+s [^]*?\\.\\n`),
    );
    expect(stdout).toMatch(new RegExp(`Examples?:\n {2}mcp-concerns ${command}`));
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(60);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect((await run(command, '-h')).stdout).toBe(stdout);
  },
);

it('names every command if a command is unknown', async () => {
  const { stderr } = await run('no-such-command-at-all');
  expect(/The commands are (.*)\.\n$/.exec(stderr)?.[1]?.split(', ').sort()).toEqual([...COMMANDS].sort());
  const longest = Math.max(...(await run('--help')).stdout.split('\n').map(({ length }) => length));
  expect(longest).toBeLessThanOrEqual(80);
});

it('passes --help after -- to the server', async () => {
  const { code, stderr } = await run('list', '--policy', 'policies/vault.yaml', '--', 'node', '--help');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^mcp-concerns: The server "node" /);
});

it('prints the version of the package with --version', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
