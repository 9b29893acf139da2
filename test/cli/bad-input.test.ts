import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture, run } from './run.js';

const POLICY = ['--policy', 'policies/vault.yaml'] as const;
const list = (...args: string[]) => run('list', ...args);
const reply = (initialized: string, answer: object) =>
  list(...POLICY, '--', 'node', fixture('reply.mjs'), initialized, JSON.stringify(answer));

/** Bad input is one sentence on stderr and exit code 2, whatever it is. */
async function complaint(running: ReturnType<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
  return stderr.slice('mcp-concerns: '.length).trimEnd();
}

const VAULT = ['--server', 'build/vault/server.js', '--policy', 'policies/vault.yaml'];

describe.concurrent('arguments', () => {
  it.each([
    [['lst'], 'There is no command "lst"; did you mean "list"?'],
    [['--versio'], 'There is no option "--versio"; did you mean "--version"?'],
    [['list', ...POLICY], 'There is no server: its command goes after --'],
    [['list', ...POLICY, '--'], 'There is no server: its command goes after --'],
    [['list', ...POLICY, 'node', 'x.js'], '"node" is unexpected: the server\'s command goes after --'],
    [['list', '--', 'node'], 'There is no --policy; see "mcp-concerns list --help".'],
    [['list', '--polcy', 'x', '--', 'node'], 'There is no option --polcy (did you mean --policy?)'],
    [['list', '-x', '--', 'node'], 'There is no option -x;'],
    [['list', '--policy', '--format', 'json', '--', 'node'], '--policy needs a value'],
    [
      ['list', ...POLICY, '--format', 'jsn', '--', 'node'],
      '--format takes table, json, names, not "jsn" (did',
    ],
    [['list', ...POLICY, '--timeout', '0', '--', 'node'], '--timeout takes a number of seconds'],
    [['list', ...POLICY, '--timeout', 'soon', '--', 'node'], '--timeout takes a number of seconds'],
    [['list', '--policy', 'nowhere.yaml', '--', 'node'], 'nowhere.yaml cannot be read (it does not exist)'],
    [['serve', '--server', fixture('own-server.mjs')], 'needs --policy PATH'],
    [['serve', '--port', '70000'], '--port takes a number from 0 to 65535, not "70000"'],
    [['serve', 'x'], '"x" is unexpected'],
    [['serve', ...POLICY, '--header', 'A: b', '--', 'node'], '--header needs --url'],
    [['serve', ...POLICY, '--url', 'ftp://x'], '--url takes an address with http or https, not "ftp://x"'],
    [
      ['serve', ...POLICY, '--url', 'http://x', '--header', 'secret'],
      "--header takes 'Name: value', as HTTP",
    ],
    [
      ['serve', ...VAULT, '--concern', 'security=high'],
      '--concern needs --stdio: over HTTP the URL asks, as in /mcp?',
    ],
    [
      ['serve', ...VAULT, '--stdio', '--concern', 'security=hihg'],
      '"hihg" is no value of security (low, medium, high); did',
    ],
    [
      ['serve', ...VAULT.slice(0, 2), '--stdio', '--policy', fixture('rules.yaml'), '--concern', 'tier=pro'],
      'tier is set by the operator, so no host can ask for it',
    ],
    [
      ['check', 'policies', '--concern', 'a=b'],
      'check takes no --concern: it looks at all that hosts can ask for; see',
    ],
    [['serve', ...VAULT.slice(0, 2), '--policy', 'nowhere.yaml'], 'nowhere.yaml cannot be read'],
    [['serve', ...POLICY, '--server', 'nowhere.js'], 'nowhere.js cannot be imported: Cannot find module'],
    [['serve', ...POLICY, '--server', fixture('../run.js')], 'cannot be imported'],
    [
      ['serve', ...POLICY, '--server', 'dist/engine/match/glob.js'],
      'exports no function; its default export, or createServer',
    ],
    [['serve', ...POLICY, '--server', fixture('no-server.mjs')], 'makes no server; it has to return'],
    [['serve', ...POLICY, '--server', fixture('failing-server.mjs')], 'exports failed: No database'],
    [['compile'], 'There is no policy'],
    [['compile', 'policies/vault.yaml'], 'There is no -o FILE; -o - writes to stdout'],
    [['compile', 'nowhere.yaml', '-o', '-'], 'nowhere.yaml cannot be read'],
    [['compile', 'policies/vault.yaml', '-o', 'policies'], 'policies cannot be written (EISDIR)'],
  ])('%j', async (args, expected) => {
    expect(await complaint(run(...args))).toContain(expected);
  });

  it('of nothing at all is answered with the help, as an error', async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: mcp-concerns COMMAND/);
  });
});

describe.concurrent('concerns', () => {
  const rules = ['--policy', fixture('rules.yaml')];

  it.each([
    [
      'budgt=3',
      '"budgt" is no concern of this policy (tier, budget, topic, environment); did you mean "budget"?',
    ],
    ['constructor=3', '"constructor" is no concern of this policy (tier, budget, topic, environment).'],
    [
      'environment=prodution',
      '"prodution" is no value of environment (development, production); did you mean "production"?',
    ],
    ['environment=development,production', 'environment takes one value, not "development,production".'],
    ['topic=maps,chart', '"chart" is no value of topic (maps, charts, code); did you mean "charts"?'],
    ['budget=900', 'budget takes a number from 0 to 500, not "900".'],
    ['budget=', 'budget takes a number from 0 to 500, not "".'],
    ['preset=liv', '"liv" is no value of preset (live); did you mean "live"?'],
    ['live', 'A preset is given as --concern preset=live.'],
    [
      'environment',
      '--concern takes name=value; give environment one of its values (development, production).',
    ],
    ['nothing', '--concern takes name=value; "nothing" has no value.'],
  ])('%s', async (concern, expected) => {
    expect(await complaint(list(...rules, '--concern', concern, '--', 'node'))).toBe(expected);
  });

  it('take one value once', async () => {
    const twice = ['--concern', 'environment=production', '--concern', 'environment=development'];
    expect(await complaint(list(...rules, ...twice, '--', 'node'))).toBe(
      'environment is given twice, and takes one value.',
    );
  });
});

it('a bad policy: all findings, and nothing is started', async () => {
  const { code, stdout, stderr } = await list(
    '--policy',
    fixture('broken.yaml'),
    '--',
    'no-such-command-here',
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/broken\.yaml:6:14 {2}error {2}unknown-concern .*Did you mean "security"/);
  expect(stderr).toMatch(/broken\.yaml:7:23 {2}error {2}unknown-value .*Did you mean "high"/);
  expect(stderr).toMatch(/\nmcp-concerns: The policy has 2 errors, so the server was not asked\.\n$/);
});

it('a policy that is no YAML', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bad-input-'));
  try {
    const file = join(folder, 'policy.yaml');
    writeFileSync(file, 'version: 1\nconcerns: [\n');
    const [listed, compiled] = await Promise.all([
      list('--policy', file, '--', 'no-such-command-here'),
      run('compile', file, '-o', '-'),
    ]);
    expect([listed.code, compiled.code]).toEqual([2, 1]);
    for (const { stderr } of [listed, compiled]) expect(stderr).toMatch(/^\S+:\d+:\d+ {2}error {2}bad-yaml /);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe.concurrent('servers', () => {
  const server = (...command: string[]) => list(...POLICY, '--', ...command);
  const script = (code: string) => server('node', '-e', code);

  it.each([
    [
      'no such command',
      () => server('no-such-command-here'),
      /^no-such-command-here cannot be started: there is no such/,
    ],
    [
      'a file that is no program',
      () => server('./package.json'),
      /cannot be started: it may not be executed/,
    ],
    [
      'one that dies',
      () => script('console.error("once\\nthe last words"); process.exit(3)'),
      /^The server "node" ended with exit code 3 before it answered initialize: the last words$/,
    ],
    [
      'one that throws',
      () => script('throw new TypeError("boom")'),
      /ended with exit code 1 .*: TypeError: boom$/,
    ],
    [
      'one that says nothing',
      () => script(''),
      /exit code 0 before it answered initialize, without a word on stderr\.$/,
    ],
    [
      'one that is killed',
      () => script('process.kill(process.pid, "SIGKILL")'),
      /was ended by SIGKILL before/,
    ],
    [
      'one that dies while it lists',
      () => server('node', fixture('reply.mjs'), 'yes', 'no JSON'),
      /ended with exit code 1 before it answered tools\/list: SyntaxError/,
    ],
    [
      'one that babbles',
      () => script('for (;;) console.log("y")'),
      /answers what is no JSON-RPC message: y$/,
    ],
    [
      'one that sends too much in one line',
      () => script('process.stdout.write("x".repeat(11 * 2 ** 20)); setInterval(() => {}, 1000)'),
      /answers what is no JSON-RPC message: x+…$/,
    ],
    [
      'one that speaks another protocol',
      () => script('process.stdin.on("data", () => console.log(\'{"jsonrpc":"1.0","id":0}\'))'),
      /answers what is no JSON-RPC message: \{"jsonrpc":"1\.0","id":0\}$/,
    ],
    [
      'an empty initialize',
      () => reply('no', { result: {} }),
      /gave initialize an answer that MCP does not allow\.$/,
    ],
    [
      'a refusal',
      () => reply('yes', { error: { code: -32603, message: 'Out of\u001b[2J order' } }),
      /refused tools\/list: MCP error -32603: Out of\\u001b\[2J order$/,
    ],
    [
      'a list that is none',
      () => reply('yes', { result: { tools: 3 } }),
      /^The server answered tools\/list without a list of tools\.$/,
    ],
    [
      'pages without end',
      () => reply('yes', { result: { tools: [], nextCursor: 'again' } }),
      /^The server's pages of tools\/list never end: one cursor came twice\.$/,
    ],
    [
      'silence',
      () => list(...POLICY, '--timeout', '0.5', '--', 'node', '-e', 'setInterval(() => {}, 1000)'),
      /^The server "node" did not answer initialize within 0\.5 s; check that it is an MCP server over stdio/,
    ],
    [
      'a banner, then silence',
      () =>
        list(
          ...POLICY,
          '--timeout',
          '2',
          '--',
          'node',
          '-e',
          'console.log("hello"); setInterval(() => {}, 1000)',
        ),
      /did not answer initialize within 2 s, but wrote "hello"; check/,
    ],
  ])('%s', async (_, running, expected) => {
    expect(await complaint(running())).toMatch(expected);
  });
});
