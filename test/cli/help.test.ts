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
  'replay',
  'serve',
  'bundle',
  'switch',
  'open',
  'lsp',
  'docs',
  'completion',
];

it.each([['--help'], ['-h'], ['help']])('%s lists every command', async (flag) => {
  const { code, stdout, stderr } = await run(flag);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
});

it.each(COMMANDS)(
  '%s --help begins with a sentence, has an example and fits on a screen',
  async (command) => {
    const { code, stdout } = await run(command, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^[A-Z][a-z]+s [^]*?\\.\\n\\nUsage: mcp-concerns ${command} `));
    expect(stdout).toMatch(new RegExp(`Examples?:\n {2}mcp-concerns ${command}`));
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(30);
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

/** The options that most commands take. */
const OPTIONS = [
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

it.each(COMMANDS)(
  '%s takes the options of the other commands, or gives the reason in one line',
  async (command) => {
    const { stdout } = await run(command, '--help');
    const missing = OPTIONS.filter((option) => !stdout.includes(`--${option}`));
    const answers = await Promise.all(missing.map((option) => run(command, `--${option}`, 'a=b')));
    for (const [index, { code, stderr }] of answers.entries()) {
      // `fmt` also takes --policy, which its help does not mention.
      const taken = missing[index] === 'policy' && command === 'fmt';
      const sentence = taken
        ? /^mcp-concerns: a=b cannot be read/
        : new RegExp(`^mcp-concerns: "${command}" does not take --`);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
      expect(stderr).toMatch(/^.+\n$/);
    }
  },
);

it('passes --help after -- to the server', async () => {
  const { code, stderr } = await run('list', '--policy', 'policies/vault.yaml', '--', 'node', '--help');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^mcp-concerns: The server "node" /);
});

it('prints the version of the package with --version', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
