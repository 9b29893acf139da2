import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { run } from './run.js';

const COMMANDS = [
  'init',
  'check',
  'test',
  'list',
  'explain',
  'diff',
  'tokens',
  'snapshot',
  'fmt',
  'compile',
  'serve',
];

it.each([['--help'], ['-h'], ['help']])('%s tells of every command', async (flag) => {
  const { code, stdout, stderr } = await run(flag);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
});

it.each(COMMANDS)('%s --help fits a screen and has an example', async (command) => {
  const { code, stdout } = await run(command, '--help');
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^Usage: mcp-concerns ${command} `));
  expect(stdout).toMatch(new RegExp(`Examples?:\n {2}mcp-concerns ${command}`));
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(30);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect((await run(command, '-h')).stdout).toBe(stdout);
});

it("leaves a server's own flags to the server", async () => {
  const { code, stderr } = await run('list', '--policy', 'policies/vault.yaml', '--', 'node', '--help');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^mcp-concerns: The server "node" /);
});

it('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
