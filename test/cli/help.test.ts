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

it('knows all commands here', async () => {
  const { stderr } = await run('no-such-command-at-all');
  expect(/the commands are (.*)\.\n$/.exec(stderr)?.[1]?.split(', ').sort()).toEqual([...COMMANDS].sort());
  const longest = Math.max(...(await run('--help')).stdout.split('\n').map(({ length }) => length));
  expect(longest).toBeLessThanOrEqual(80);
});

/** What most commands take; who does not says why. */
const FLAGS = [
  'policy',
  'catalog',
  'url',
  'header',
  'timeout',
  'concern',
  'claim',
  'format',
  'color',
  'quiet',
];

it.each(COMMANDS)('%s has the flags of the others, or says in one sentence why not', async (command) => {
  const { stdout } = await run(command, '--help');
  const missing = FLAGS.filter((flag) => !stdout.includes(`--${flag}`));
  const answers = await Promise.all(missing.map((flag) => run(command, `--${flag}`, 'a=b')));
  for (const [index, { code, stderr }] of answers.entries()) {
    // `check` and `fmt` take --policy as everybody does, though nobody has to write it.
    const taken = missing[index] === 'policy' && ['check', 'fmt'].includes(command);
    const sentence = taken
      ? /^mcp-concerns: a=b cannot be read/
      : new RegExp(`^mcp-concerns: ${command} takes no --`);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
    expect(stderr).toMatch(/^.+\n$/);
  }
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
