import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { fixture, run, runProcess } from './run.js';

const POLICY = ['--policy', 'policies/vault.yaml'] as const;
const list = (...args: string[]) => run('list', ...args);
const reply = (initialized: string, answer: object) =>
  list(...POLICY, '--', 'node', fixture('reply.mjs'), initialized, JSON.stringify(answer));

/** Every error is one line on stderr, with exit code 2. */
async function complaint(running: ReturnType<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /^mcp-concerns: .+\n(The last lines of its stderr:\n( {2}.+\n){1,10}(npx asks .+\n)?)?$/,
  );
  return stderr.slice('mcp-concerns: '.length).trimEnd();
}

const VAULT = ['--server', 'build/vault/server.js', '--policy', 'policies/vault.yaml'];

describe.concurrent('invalid arguments', () => {
  it.each([
    [['lst'], 'There is no command "lst". Did you mean "list"?'],
    [['--versio'], 'There is no option "--versio". Did you mean "--version"?'],
    [['list', ...POLICY], 'There is no server. Pass its command after --'],
    [['list', ...POLICY, '--'], 'There is no server. Pass its command after --'],
    [
      ['list', ...POLICY, 'node', 'x.js'],
      'There is no policy "node". Check its path; the command of a server is passed after --',
    ],
    [
      ['list', '--', 'node'],
      'There is no policy. Pass --policy PATH, or write mcp-concerns.config.yaml; "mcp-concerns init" writes',
    ],
    [
      ['list', '--polcy', 'x', '--', 'node'],
      `Unknown option '--polcy'. Did you mean --policy? See "mcp-concerns list --help".`,
    ],
    [['list', '-x', '--', 'node'], `Unknown option '-x'. See`],
    [['list', '--policy', '--format', 'json', '--', 'node'], '--policy needs a value'],
    [
      ['list', ...POLICY, '--format', 'jsn', '--', 'node'],
      `argument 'jsn' is invalid. Allowed choices are table, json, names. See`,
    ],
    [['list', ...POLICY, '--timeout', '0', '--', 'node'], 'It takes a number from 0.001 to 86400'],
    [['list', ...POLICY, '--timeout', 'soon', '--', 'node'], 'It takes a number from 0.001 to 86400'],
    [['list', '--policy', 'nowhere.yaml', '--', 'node'], 'nowhere.yaml cannot be read (it does not exist)'],
    [['serve', '--server', fixture('own-server.mjs')], '"mcp-concerns init" writes a first policy'],
    [['serve', '--port', '70000'], `'70000' is invalid. It takes a number from 0 to 65535.`],
    [['serve', 'x', '--', 'node'], 'There is no policy "x"'],
    [['serve', ...POLICY, '--header', 'A: b', '--', 'node'], '--header needs --url'],
    [
      ['serve', ...POLICY, '--url', 'ftp://x'],
      '--url takes a URL that begins with http:// or https://, not "ftp://x"',
    ],
    [
      ['serve', ...POLICY, '--url', 'http://x', '--header', 'secret'],
      "--header takes 'Name: value', with a valid HTTP",
    ],
    [
      ['serve', ...VAULT, '--concern', 'security=high'],
      '--concern and --preset need --stdio. Over HTTP, put preferences into the URL, for example ?concerns',
    ],
    [
      ['serve', ...VAULT, '--stdio', '--concern', 'security=hihg'],
      '"hihg" is not a valid value for security (low, medium, high). Did',
    ],
    [
      ['serve', ...VAULT.slice(0, 2), '--stdio', '--policy', fixture('rules.yaml'), '--concern', 'tier=pro'],
      'tier is set by the operator, so --concern cannot set it',
    ],
    [['check', 'policies', '--concern', 'a=b'], `Unknown option '--concern'. See`],
    [['serve', ...VAULT.slice(0, 2), '--policy', 'nowhere.yaml'], 'nowhere.yaml cannot be read'],
    [['serve', ...POLICY, '--server', 'nowhere.js'], 'nowhere.js cannot be imported: Cannot find module'],
    [
      ['serve', ...POLICY, '--server', 'dist/core/session/testing.js'],
      'exports no function. Export a function that returns a new server',
    ],
    [['serve', ...POLICY, '--server', fixture('no-server.mjs')], 'does not return a server. Return'],
    [['serve', ...POLICY, '--server', fixture('failing-server.mjs')], 'exports failed: No database'],
    [['compile'], 'There is no policy. Pass --policy PATH, or write'],
    [['compile', 'policies/vault.yaml'], 'There is no output. Pass -o FILE, or -o - for stdout'],
    [['compile', 'nowhere.yaml', '-o', '-'], 'There is no policy "nowhere.yaml"'],
    [['compile', 'policies/vault.yaml', '-o', 'policies'], 'policies cannot be written (EISDIR)'],
  ])('are reported in one line: %j', async (args, expected) => {
    expect(await complaint(run(...args))).toContain(expected);
  });

  // In the process of a test, an import is resolved otherwise.
  it('include a module that Node.js cannot import', async () => {
    const args = ['serve', ...POLICY, '--server', fixture('../run.js')];
    expect(await complaint(runProcess(...args))).toContain('cannot be imported');
  });
});

describe.concurrent('invalid preferences', () => {
  const rules = ['--policy', fixture('rules.yaml')];

  it.each([
    [
      'budgt=3',
      '"budgt" is not a concern of this policy (tier, budget, topic, environment). Did you mean "budget"?',
    ],
    ['constructor=3', '"constructor" is not a concern of this policy (tier, budget, topic, environment).'],
    [
      'environment=prodution',
      '"prodution" is not a valid value for environment (development, production). Did you mean "production"?',
    ],
    [
      'environment=development,production',
      'environment takes one value, not several ("development,production").',
    ],
    [
      'topic=maps,chart',
      '"chart" is not a valid value for topic (maps, charts, code). Did you mean "charts"?',
    ],
    ['budget=900', '900 is not a valid value for budget. Write a number from 0 to 500.'],
    [
      'budget=',
      'budget has no value. Pass --concern budget=VALUE, with one of its values (a number from 0 to 500).',
    ],
    ['budget:900', '900 is not a valid value for budget. Write a number from 0 to 500.'],
    [
      'live,budgt=3',
      '"budgt" is not a concern of this policy (tier, budget, topic, environment). Did you mean "budget"?',
    ],
    ['live,preset=live', 'preset is given twice, but it takes one value. Remove one.'],
    ['preset=liv', '"liv" is not a valid value for preset (live). Did you mean "live"?'],
    [
      'environment',
      'environment has no value. Pass --concern environment=VALUE, with one of its values (development, production).',
    ],
    [
      'nothing',
      '"nothing" is neither a preset nor a concern with a value. Pass --concern NAME=VALUE or --preset NAME.',
    ],
  ])('are rejected: %s', async (concern, expected) => {
    expect(await complaint(list(...rules, '--concern', concern, '--', 'node'))).toBe(expected);
  });

  it('include a second value for a concern that takes one value', async () => {
    const twice = ['--concern', 'environment=production', '--concern', 'environment=development'];
    expect(await complaint(list(...rules, ...twice, '--', 'node'))).toBe(
      'environment is given twice, but it takes one value. Remove one.',
    );
  });
});

it('prints all findings of a policy with errors, and does not start the server', async () => {
  const { code, stdout, stderr } = await list(
    '--policy',
    fixture('broken.yaml'),
    '--',
    'no-such-command-here',
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/broken\.yaml:6:14 {2}error {2}unknown-concern .*Did you mean "security"/);
  expect(stderr).toMatch(/broken\.yaml:7:23 {2}error {2}unknown-value .*Did you mean "high"/);
  expect(stderr).toMatch(
    /\nmcp-concerns: The policy has 2 errors, so nothing was listed\. Fix the errors above\.\n$/,
  );
});

it('reports a policy that is not YAML', async () => {
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

/** What npm 10 and 11 print if a package is not in the cache of npx, and stdin is not a terminal. */
const NPX = `npm error npx canceled due to missing packages and no YES option: ["some-server@1.0.0"]
npm error A complete log of this run can be found in: /home/me/.npm/_logs/debug-0.log`;

describe.concurrent('a server that fails', () => {
  const server = (...command: string[]) => list(...POLICY, '--', ...command);
  const script = (code: string) => server('node', '-e', code);

  it.each([
    [
      'no such command',
      () => server('no-such-command-here'),
      /^The server "no-such-command-here" cannot be started: there is no such/,
    ],
    [
      'a file that is not executable',
      () => server('./package.json'),
      /cannot be started: it is not executable\. Check/,
    ],
    [
      'an exit',
      () => script('console.error("once\\nthe last words"); process.exit(3)'),
      /^The server "node" ended with exit code 3 before it answered initialize: the last words\nThe last lines of its stderr:\n {2}once\n {2}the last words$/,
    ],
    [
      'an exception',
      () => script('throw new TypeError("boom")'),
      /ended with exit code 1 .*: TypeError: boom\nThe last lines of its stderr:\n(?: {2}.*\n){5,}/,
    ],
    [
      'an exit without output',
      () => script(''),
      /exit code 0 before it answered initialize, and printed nothing to stderr\.$/,
    ],
    [
      'the last ten of many lines of stderr',
      () => script('for (let n = 1; n <= 30; n++) console.error("line", n); process.exit(1)'),
      /: line 30\nThe last lines of its stderr:\n {2}line 21\n(?: {2}line \d+\n){8} {2}line 30$/,
    ],
    [
      'npx without -y, which may not install a package',
      () => script(`console.error(${JSON.stringify(NPX)}); process.exit(1)`),
      /: npm error npx canceled due to .*\n(?:.+\n){3}npx asks before it installs a package, and nobody can answer here\. Write "npx -y" instead of "npx"\.$/,
    ],
    ['a signal', () => script('process.kill(process.pid, "SIGKILL")'), /was ended by SIGKILL before/],
    [
      'an exit during a list request',
      () => server('node', fixture('reply.mjs'), 'yes', 'no JSON'),
      /ended with exit code 1 before it answered tools\/list: SyntaxError/,
    ],
    [
      'text on stdout',
      () => script('for (;;) console.log("y")'),
      /printed a line to stdout that is not a JSON-RPC message: y$/,
    ],
    [
      'a line that is longer than a message may be',
      () => script('process.stdout.write("x".repeat(65 * 2 ** 20) + "\\n"); setInterval(() => {}, 1000)'),
      /printed a line to stdout that is not a JSON-RPC message: x+…$/,
    ],
    [
      'another protocol',
      () => script('process.stdin.on("data", () => console.log(\'{"jsonrpc":"1.0","id":0}\'))'),
      /printed a line to stdout that is not a JSON-RPC message: \{"jsonrpc":"1\.0","id":0\}$/,
    ],
    [
      'an empty initialize result',
      () => reply('no', { result: {} }),
      /answered initialize with an invalid MCP message\.$/,
    ],
    [
      'a JSON-RPC error',
      () => reply('yes', { error: { code: -32603, message: 'Out of\u001b[2J order' } }),
      /refused tools\/list: MCP error -32603: Out of\\u001b\[2J order$/,
    ],
    [
      'a result without a list',
      () => reply('yes', { result: { tools: 3 } }),
      /^The server answered tools\/list without a list of tools\.$/,
    ],
    [
      'no answer',
      () => list(...POLICY, '--timeout', '0.5', '--', 'node', '-e', 'setInterval(() => {}, 1000)'),
      /^The server "node" did not answer initialize within 0\.5 s\. Check that it is an MCP server over stdio/,
    ],
  ])('reports %s', async (_, running, expected) => {
    expect(await complaint(running())).toMatch(expected);
  });
});

describe('a server whose time is over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bad-input-'));
  afterEach(() => void vi.useRealTimers());
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [
      'what it wrote to stderr',
      'console.error("waiting for a license")',
      /more time with --timeout\.\nThe last lines of its stderr:\n {2}waiting for a license$/,
    ],
    [
      'the banner that it printed',
      'console.log("hello")',
      /did not answer initialize within 2 s, but printed "hello"\. Check/,
    ],
  ])('is reported with %s', async (name, print, expected) => {
    // The time is over when the server has written, and not when a busy machine has not started it yet.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const written = join(folder, name);
    const code = `${print}; fs.writeFileSync(process.argv[1], ''); setInterval(() => {}, 1000)`;
    const reported = complaint(list(...POLICY, '--timeout', '2', '--', 'node', '-e', code, written));
    await expect.poll(() => existsSync(written)).toBe(true);
    // What is in the pipe is read in this turn of the event loop.
    await setImmediate();
    vi.advanceTimersByTime(2000);
    expect(await reported).toMatch(expected);
  });
});
