import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { fixture, run } from './run.js';

const PLAYWRIGHT = [
  'node',
  'node_modules/@playwright/mcp/cli.js',
  '--caps=config,devtools,network,pdf,storage,testing,vision',
] as const;
const EVERYTHING = [
  'node',
  'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  'stdio',
] as const;
const PAGES = ['node', fixture('pages.mjs')] as const;
const RULES = ['--policy', 'test/cli/fixtures/rules.yaml'] as const;

const list = (...args: string[]) => run('list', ...args);

interface Listed {
  readonly name: string;
  readonly effect: 'show' | 'hide';
  readonly reason: Record<string, unknown>;
  readonly tokens: number;
}

async function listJson(...args: string[]) {
  const { code, stdout } = await list(...args, '--format', 'json', '--', ...PAGES);
  expect(code).toBe(0);
  return JSON.parse(stdout) as { configuration: object; tools: Listed[]; tokens: Record<string, number> };
}

const shownOf = (tools: readonly Listed[]) =>
  tools.filter(({ effect }) => effect === 'show').map(({ name }) => name);

/** Counts the tokens of the tools of a server without the code of the command, except for the transport. */
async function recount(command: readonly [string, ...string[]]): Promise<Map<string, number>> {
  const transport = new ChildTransport(command[0], command.slice(1));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const { tools } = await client.request({ method: 'tools/list' }, ResultSchema);
  await transport.close();
  return new Map((tools as { name: string }[]).map((tool) => [tool.name, countTokens(JSON.stringify(tool))]));
}

describe('list on @playwright/mcp', () => {
  const args = ['--policy', 'policies/playwright.yaml', '--concern', 'effect=read-only'];

  it('prints the number of visible primitives and the saved tokens first', async () => {
    const [{ code, stdout, stderr }, tokens] = await Promise.all([
      list(...args, '--', ...PLAYWRIGHT),
      recount(PLAYWRIGHT),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [first = '', second] = stdout.split('\n');
    const numbers =
      /^19 of 72 tools shown, 53 hidden; ([\d,]+) of ([\d,]+) tokens saved \(o200k_base\)$/.exec(first);
    expect(second).toBe('In effect: effect=read-only');

    const gone = [...stdout.matchAll(/^ {4}(\w+) +([a-z-]+) +(policies\/playwright\.yaml:\d+)$/gm)];
    expect(gone).toHaveLength(53);
    expect(stdout).toContain('effect: at most read-only in effect, but these have\n');
    const sum = (names: Iterable<string>) =>
      [...names].reduce((all, name) => all + (tokens.get(name) ?? Number.NaN), 0);
    const written = (text: string | undefined) => Number(text?.replaceAll(',', ''));
    expect(written(numbers?.[1])).toBe(sum(gone.map(([, name = '']) => name)));
    expect(written(numbers?.[2])).toBe(sum(tokens.keys()));
  });

  it('prints only names for scripts', async () => {
    const { stdout } = await list(...args, '--format', 'names', '--', ...PLAYWRIGHT);
    const names = stdout.trimEnd().split('\n');
    expect(names).toHaveLength(19);
    expect(names).toContain('browser_snapshot');
    expect(names).not.toContain('browser_click');
  });
});

describe('list on server-everything', () => {
  it('reads every list, and primitives that the server registers once it knows the client', async () => {
    const policy = ['--policy', 'policies/everything.yaml'];
    const [all, terminal] = await Promise.all([
      list(...policy, '--format', 'json', '--', ...EVERYTHING),
      list(...policy, '--concern', 'preset=terminal', '--', ...EVERYTHING),
    ]);
    expect(JSON.parse(all.stdout)).toMatchObject({
      configuration: {},
      total: 32,
      hidden: 0,
      counts: {
        tools: { total: 19, shown: 19 },
        prompts: { total: 4 },
        resources: { total: 7 },
        resourceTemplates: { total: 2 },
      },
    });
    expect(terminal.stdout).toMatch(/^\d+ of 32 primitives shown, \d+ hidden; /);
    expect(terminal.stdout).toContain('In effect: sensitivity=personal duration=quick content=text,data\n');
    expect(terminal.stdout).toContain(
      '\n1 resource template hidden\n  content: text or data in effect, but these have\n',
    );
  });
});

describe('the input of list', () => {
  it('includes every page, tools that are registered late, and unknown fields', async () => {
    const { tools, tokens } = await listJson(...RULES);
    expect(tools.map(({ name }) => name)).toEqual(['alpha', 'beta', 'gam\u001b[2Jma\nmore', 'delta', 'late']);
    const definition = {
      name: 'alpha',
      description: 'One <|endoftext|> of five',
      inputSchema: { type: 'object' },
      'x-price': 3,
    };
    const disallowedSpecial = new Set<string>();
    expect(tools[0]?.tokens).toBe(countTokens(JSON.stringify(definition), { disallowedSpecial }));
    expect(tokens.total).toBe(tools.reduce((sum, tool) => sum + tool.tokens, 0));
  });

  it('cannot move the cursor of a terminal or add lines', async () => {
    for (const format of ['table', 'names']) {
      const { stdout } = await list(...RULES, '--format', format, '--', ...PAGES);
      expect(stdout).toContain('gam\\u001b[2Jma\\u000amore');
      expect(stdout).not.toContain('\u001b');
    }
  });
});

describe('the preferences of list', () => {
  it('may be missing, and then list prints the possible values', async () => {
    const { stdout } = await list('--policy', 'policies/everything.yaml', '--', ...PAGES);
    expect(stdout).toMatch(/^5 of 5 tools shown, 0 hidden; 0 of [\d,]+ tokens saved/);
    expect(stdout).toContain('No preferences were given, so everything is shown.');
    expect(stdout).toMatch(/^ {2}effect +read-only, changes, destroys$/m);
    expect(stdout).toMatch(/^ {2}preset +look-around, unattended, terminal, one-click$/m);
  });

  it('may be several values, a number, or a claim', async () => {
    const [topics, number, claimed] = await Promise.all([
      listJson(...RULES, '--concern', 'topic=maps,code'),
      listJson(...RULES, '--concern', 'budget=20'),
      listJson(...RULES, '--concern', 'tier=pro', '--concern', 'topic=maps', '--concern', 'topic=code'),
    ]);
    expect(topics.configuration).toEqual({ tier: 'free', topic: ['maps', 'code'] });
    expect(shownOf(topics.tools)).not.toContain('beta');
    expect(shownOf(number.tools)).not.toContain('delta');
    expect(claimed.configuration).toEqual({ tier: 'pro', topic: ['maps', 'code'] });
    expect(shownOf(claimed.tools)).toContain('alpha');
    expect(topics.tools[0]?.reason).toEqual({
      code: 'concern-mismatch',
      concern: 'tier',
      preferred: ['free'],
      actual: ['pro'],
      source: 'test/cli/fixtures/rules.yaml:11',
    });
  });

  it('may be a preset', async () => {
    const { stdout } = await list(...RULES, '--concern', 'preset=live', '--', ...PAGES);
    expect(stdout).toContain('In effect: tier=free topic=maps,code environment=production\n');
    expect(stdout).toContain(
      '  rule nothing-late (test/cli/fixtures/rules.yaml:16): Late tools are hidden in\n  production\n    late\n',
    );
  });
});

it('prints warnings to stderr, and ends with exit code 0', async () => {
  const args = ['--policy', fixture('warned.yaml'), '--concern', 'budget=900'];
  const { code, stdout, stderr } = await list(...args, '--format', 'names', '--', ...PAGES);
  expect({ code, lines: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 5 });
  expect(stderr).toContain(
    'warning: budget (request) is 900, which is out of range. The nearest bound, 500, was used.',
  );
  expect(stderr).toContain('enforcement: shadow');
});
