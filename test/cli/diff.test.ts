import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, MAIN, run } from './run.js';

const VAULT = 'policies/vault.yaml';
const CATALOG = 'policies/vault.catalog.json';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'diff-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** Writes a copy of a policy with replaced texts, each `[before, after]`. */
function changed(policy: string, ...replacements: readonly (readonly [string, string])[]): string {
  let text = readFileSync(policy, 'utf8');
  for (const [before, after] of replacements) {
    expect(text).toContain(before);
    text = text.replace(before, after);
  }
  const file = join(folder, `policy-${++files}.yaml`);
  writeFileSync(file, text);
  return file;
}

function written(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const diff = (...args: string[]) => run('diff', ...args);
const MEDIUM_ONLY = [
  ['redactData: { security: [medium, high]', 'redactData: { security: medium'],
  ['listKeys: { security: [medium, high]', 'listKeys: { security: medium'],
] as const;
const MORE_EXPENSIVE = [
  '{ security: high, cost: moderate, access: write, environment',
  '{ security: high, cost: high, access: write, environment',
] as const;

describe('the difference of two policies', () => {
  it('is grouped by the condition of each change', async () => {
    const policy = changed(VAULT, ...MEDIUM_ONLY, MORE_EXPENSIVE, [
      'live: { environment: production }',
      'live: { environment: production, access: read }',
    ]);
    const { code, stdout, stderr } = await diff(VAULT, policy, '--catalog', CATALOG);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`3 tools no longer shown, 1 newly shown, depending on the preferences of the host
28 of 144 configurations of security, cost, access and environment change.
Compared 34 primitives of policies/vault.catalog.json.

Whenever security=high  (saves up to 246 tokens)
  2 no longer shown
    - listKeys    - redactData

Whenever cost=moderate  (saves up to 128 tokens)
  1 no longer shown
    - deleteKey

Whenever cost=high  (costs up to 128 tokens)
  1 newly shown
    + deleteKey

Changed concerns, presets and settings
  preset live: environment=production -> environment=production access=read

A host that requests
    preset safe  19 -> 17 shown, -246 tokens, resends 296
    preset live  30 -> 23 shown, -962 tokens, resends 1,008
    nothing, preset cheap and preset audit: no change

A primitive must also match the other preferences of the host.
`);
  });

  it('is empty if nothing changes', async () => {
    const { code, stdout } = await diff(VAULT, VAULT, '--fail-on', 'hidden', '--fail-on', 'shown');
    expect(code).toBe(0);
    expect(stdout).toBe(
      'Nothing changes for any host\nCompared 34 primitives of policies/vault.catalog.json.\n',
    );
  });

  it('includes concerns, presets and settings', async () => {
    const policy = changed(
      VAULT,
      ['values: [low, medium, high]', 'values: [low, medium, high, critical]'],
      ['enforcement: advisory', 'enforcement: shadow'],
      ['  cheap: { cost: minimal }\n', ''],
    );
    const { stdout } = await diff(VAULT, policy, '--catalog', CATALOG);
    expect(stdout).toContain(`
Changed concerns, presets and settings
  security: new value critical
  preset cheap: removed
  enforcement: advisory -> shadow
`);
    expect(stdout).toContain('The policy has enforcement: shadow, so hosts still see everything');
  });

  it('includes a concern whose preferences do not change lists any more', async () => {
    const policy = changed(VAULT, [
      'values: [low, medium, high]',
      'values: [low, medium, high]\n    lists: stable',
    ]);
    const { stdout } = await diff(VAULT, policy, '--catalog', CATALOG);
    expect(stdout).toContain('\n  security: lists filter -> stable\n');
  });

  it('includes the defaults of some clients', async () => {
    const clients = 'defaults-for:\n  - { when: { client.name: "cursor*" }, preset: cheap }\n';
    const policy = written('clients.yaml', readFileSync(VAULT, 'utf8') + clients);
    const { stdout } = await diff(VAULT, policy, '--catalog', CATALOG);
    expect(stdout).toContain('The same preferences show the same primitives, but other things changed\n');
    expect(stdout).toContain('\n  defaults-for: unset -> cheap for cursor*\n');
  });

  it('includes claims and ranges in conditions', async () => {
    const rules = fixture('rules.yaml');
    const policy = changed(
      rules,
      ['budget: 20, topic: charts', 'budget: 40, topic: charts'],
      [
        '{ "===": [{ var: concerns.environment }, production] }',
        '{ "===": [{ var: concerns.environment }, production] }\n        - { "===": [{ var: claims.role }, guest] }',
      ],
      ['alpha: { tier: pro }', 'alpha: { tier: [free, pro] }'],
    );
    const { stdout } = await diff(rules, policy);
    expect(stdout).toContain('Whenever budget >= 20 and < 40\n  1 no longer shown\n    - beta\n');
    expect(stdout).toContain(
      'Whenever environment=production and not (claims.role is guest) and not\n(claims.role is not a single value)\n  1 newly shown\n    + late\n',
    );
    expect(stdout).toContain('Whenever claimed tier=free\n');
    expect(stdout).toContain('No server was given, so only the names in the policies were compared');
  });

  const DEFAULTS = `version: 1
concerns:
  one: { values: [v0, v1], default: v0 }
  two: { values: [v0, v1] }
primitives:
  tools: { a: { two: v0 } }
`;

  it('includes clients without a name where a rule reads the name', async () => {
    const rule =
      'rules:\n  - { id: r, hide: [tools], when: { starts-with: [{ var: client.name }, cursor] } }\n';
    const before = written('unnamed-before.yaml', 'version: 1\n');
    const after = written('unnamed-after.yaml', `version: 1\n${rule}`);
    const { stdout } = await diff(
      before,
      after,
      '--catalog',
      written('one.json', { tools: [{ name: 't' }] }),
    );
    expect(stdout).toContain('Whenever client.name starts with cursor; or client.name is missing');
    expect(stdout).not.toContain('capabilities');
  });

  it('includes defaults, which take effect with any preference', async () => {
    const now = written('else-after.yaml', DEFAULTS.replace('two: v0 }', 'two: v0, one: v1 }'));
    const { stdout } = await diff(written('else.yaml', DEFAULTS), now);
    expect(stdout).toContain(
      '\nWhenever one is not requested and another concern is requested; or one=v0\n  1 no longer shown\n    - a\n',
    );
  });

  it('includes null, with which a host overrides a default', async () => {
    const rule = 'rules: [{ id: r, hide: [tools], when: { "!": [{ var: concerns.one }] } }]\n';
    const always = `settings: { defaults: always }\n${DEFAULTS}`;
    const files = [written('none.yaml', always), written('none-after.yaml', always + rule)] as const;
    const [{ stdout }, json] = await Promise.all([diff(...files), diff(...files, '--format', 'json')]);
    expect(stdout).toContain('A host that requests one=null no longer sees any primitive.\n');
    expect(stdout).toContain('\nWhenever one=null\n  1 no longer shown\n    - a\n');
    expect(JSON.parse(json.stdout).groups[0].conditions).toEqual([
      [{ by: 'host', name: 'one', values: ['null'] }],
    ]);
  });

  it('is short if everything changes', async () => {
    const policy = changed('policies/playwright.yaml', [
      'anything]\n    match: at-most',
      'anything]\n    match: exact',
    ]);
    const { stdout } = await diff(
      'policies/playwright.yaml',
      policy,
      '--catalog',
      'policies/playwright.catalog.json',
    );
    expect(stdout).toMatch(/^70 tools no longer shown, depending on the preferences of the host\n/);
    expect(stdout.match(/^Whenever writes-to=/gm)).toHaveLength(4);
    expect(stdout).toContain('writes-to: match at-most -> exact');
    const lines = stdout.split('\n').map(({ length }) => length);
    expect(Math.max(...lines)).toBeLessThanOrEqual(80);
  });

  it('reports that there are too many configurations', async () => {
    const many = (value: string) => `version: 1
concerns:
${Array.from({ length: 12 }, (_, at) => `  c${at}: { values: [a, b, c] }`).join('\n')}
primitives:
  tools:
    one: { ${Array.from({ length: 12 }, (_, at) => `c${at}: ${value}`).join(', ')} }
    two: { c0: a }
`;
    const { stdout, code } = await diff(written('many-a.yaml', many('a')), written('many-b.yaml', many('b')));
    expect(code).toBe(0);
    expect(stdout).toContain('Whenever c0=a; or c1=a; or c2=a; or c3=a; or c4=a; or c5=a; or c6=a\n');
    expect(stdout).toContain(
      'There are too many combinations for one: c7, c8, c9, c10, c11 were treated as\nnot requested.\n',
    );
  });
});

describe('the difference of two catalogs', () => {
  const catalog = (...tools: object[]) => ({ encoding: 'o200k_base', tools });
  const old = catalog({ name: 'hashData', tokens: 100 }, { name: 'encryptData', tokens: 50 });
  const now = catalog({ name: 'encryptData', tokens: 80 }, { name: 'newRecord', tokens: 44 });

  it('includes primitives that are new, removed, or have more tokens', async () => {
    const args = ['--old-catalog', written('old.json', old), '--catalog', written('now.json', now)];
    const { stdout } = await diff(VAULT, VAULT, ...args);
    expect(stdout).toContain(`
In every configuration  (saves up to 100 tokens)
  1 no longer shown
    - hashData (removed from the server)

Whenever security=high or not requested, and cost=moderate or not requested
(costs 44 tokens)
  1 newly shown
    + newRecord (new on the server)

Changed definitions, with their tokens (o200k_base)
  encryptData  50 -> 80 (+30)
`);
  });

  it('counts tokens of complete definitions', async () => {
    const { stdout } = await diff(
      fixture('rules.yaml'),
      changed(fixture('rules.yaml'), ['late: { topic: maps }', 'late: { topic: code }']),
      '--',
      'node',
      // A relative path: with the path of this folder, the line may be longer than the 80 columns at which it is wrapped.
      'test/cli/fixtures/pages.mjs',
    );
    expect(stdout).toMatch(/^Whenever topic=maps {2}\(saves up to \d+ tokens\)$/m);
    expect(stdout).toMatch(/^Compared 5 primitives of node .*pages\.mjs\.$/m);
  });
});

describe('formats', () => {
  it('include Markdown for a comment on a pull request', async () => {
    const { stdout } = await diff(
      VAULT,
      changed(VAULT, ...MEDIUM_ONLY, MORE_EXPENSIVE),
      '--catalog',
      CATALOG,
      '--format',
      'markdown',
    );
    expect(
      stdout.replace(/`[^`]*policy-\d+\.yaml`/, '`new.yaml`'),
    ).toBe(`### \`new.yaml\`: 3 tools no longer shown, 1 newly shown, depending on the preferences of the host

| When | No longer shown | Newly shown | Tokens |
|---|---|---|---|
| Whenever security=high | \`listKeys\`, \`redactData\` |  | saves up to 246 tokens |
| Whenever cost=moderate | \`deleteKey\` |  | saves up to 128 tokens |
| Whenever cost=high |  | \`deleteKey\` | costs up to 128 tokens |

| A host that requests | Sees | Tokens | Sent again |
|---|---|---|---|
| preset safe | 19 → 17 | 1,725 → 1,479 (-246) | 296 |

<sub>Compared with \`policies/vault.yaml\`, for 34 primitives of \`policies/vault.catalog.json\`. A primitive must also match the other preferences of the host.</sub>
`);
  });

  it('escape names of a server in Markdown', async () => {
    const name = '<img src=x>|`@everybody`';
    const policy = (value: string) =>
      `version: 1\nconcerns: { a: { values: [x, y] } }\nprimitives: { tools: { ${JSON.stringify(name)}: { a: ${value} } } }\n`;
    const { stdout } = await diff(
      written('x.yaml', policy('x')),
      written('y.yaml', policy('y')),
      '--format',
      'markdown',
    );
    expect(stdout).toContain('| `` <img src=x>\\|`@everybody` `` |');
  });

  it('include everything in JSON', async () => {
    const { stdout } = await diff(
      VAULT,
      changed(VAULT, ...MEDIUM_ONLY),
      '--catalog',
      CATALOG,
      '--format',
      'json',
    );
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      old: VAULT,
      source: CATALOG,
      primitives: 34,
      hidden: 2,
      shown: 0,
      configurations: { total: 48, names: ['security', 'cost', 'access'] },
      newlyEmpty: null,
    });
    expect(report.groups).toEqual([
      {
        when: 'Whenever security=high',
        conditions: [[{ by: 'host', name: 'security', values: ['high'] }]],
        hidden: [
          { kind: 'tools', name: 'listKeys', tokens: expect.any(Number) },
          { kind: 'tools', name: 'redactData', tokens: expect.any(Number) },
        ],
        shown: [],
        renamed: [],
        tokens: -246,
        exact: false,
      },
    ]);
  });
});

describe('--fail-on', () => {
  it('sets exit code 1 only for the named changes', async () => {
    const policy = changed(VAULT, ...MEDIUM_ONLY);
    const codes = await Promise.all(
      [
        [VAULT, policy, 'hidden'],
        [VAULT, policy, 'shown'],
        [VAULT, policy, 'empty'],
        [policy, VAULT, 'shown'],
        [policy, VAULT, 'hidden'],
      ].map(async ([old = '', now = '', what = '']) => {
        const { code } = await diff(old, now, '--catalog', CATALOG, '--fail-on', what);
        return code;
      }),
    );
    expect(codes).toEqual([1, 0, 0, 1, 0]);
  });

  it('detects configurations that no longer show anything', async () => {
    const policy = (values: string) =>
      written(
        `${values.length}.yaml`,
        `version: 1\nconcerns: { a: { values: [x, y] } }\nprimitives: { tools: { one: { a: ${values} } } }\n`,
      );
    const { code, stdout } = await diff(policy('[x, y]'), policy('x'), '--fail-on', 'empty');
    expect(code).toBe(1);
    expect(stdout).toContain('\nA host that requests a=y no longer sees any primitive.\n');
  });
});

describe('revisions', () => {
  let repository: string;
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' });
  const inRepository = (...args: string[]) => {
    try {
      const stdout = execFileSync(process.execPath, [resolve(MAIN), 'diff', ...args], {
        cwd: join(repository, 'policies'),
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return { code: 0, stdout, stderr: '' };
    } catch (error) {
      return error as { status: number; stdout: string; stderr: string };
    }
  };

  beforeAll(() => {
    repository = join(folder, 'repository');
    mkdirSync(join(repository, 'policies'), { recursive: true });
    git('init', '-q');
    const write = (name: string, text: string) => writeFileSync(join(repository, 'policies', name), text);
    write('common.yaml', 'version: 1\nconcerns: { a: { values: [x, y] } }\n');
    write('p.yaml', 'version: 1\ninclude: [common.yaml]\nprimitives: { tools: { one: { a: x } } }\n');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first');
    write('p.yaml', 'version: 1\ninclude: [common.yaml]\nprimitives: { tools: { one: { a: y } } }\n');
  });

  it.each([
    ['HEAD:policies/p.yaml', 'p.yaml'],
    ['HEAD:./p.yaml', './p.yaml'],
    ['HEAD:policies', '.'],
  ])('%s is read from git, with the included files', (old, now) => {
    const { stdout } = inRepository(old, now, '--format', 'json');
    const { groups } = JSON.parse(stdout);
    expect(groups.map(({ when }: { when: string }) => when)).toEqual(['Whenever a=x', 'Whenever a=y']);
  });

  it('that git does not know are reported in one line', () => {
    expect(inRepository('HEAD:policies/q.yaml', 'p.yaml')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^mcp-concerns: HEAD:policies\/q\.yaml cannot be read from git \(.+\)\. Pass a path/,
      ),
    });
    expect(inRepository('nowhere:p.yaml', 'p.yaml')).toMatchObject({ status: 2 });
  });

  it('with errors are reported with their lines', () => {
    writeFileSync(join(repository, 'policies', 'q.yaml'), 'version: 2\n');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'second');
    const { stderr } = inRepository('HEAD:policies/q.yaml', 'p.yaml');
    expect(stderr).toMatch(/^HEAD:policies\/q\.yaml:1:10 {2}error {2}unknown-version/);
    expect(stderr).toContain('mcp-concerns: HEAD:policies/q.yaml has 1 error, so nothing was compared.');
  });
});

describe('invalid arguments of diff', () => {
  it.each([
    [[], `Missing required argument 'old'. See`],
    [[VAULT], `Missing required argument 'new'. See`],
    [[VAULT, VAULT, 'x'], 'Expected 2 arguments but got 3.'],
    [
      [VAULT, VAULT, '--fail-on', 'hiden'],
      "'--fail-on <what>' argument 'hiden' is invalid. Allowed choices are hidden, shown, empty. See",
    ],
    [[VAULT, 'no.yaml'], 'no.yaml cannot be read (it does not exist)'],
    [[VAULT, VAULT, '--old-catalog', 'no.json'], 'no.json cannot be read (it does not exist)'],
    [[VAULT, VAULT, '--catalog', CATALOG, '--', 'node'], '2 inputs: --catalog and a command after --'],
  ])('%j ends with one line and exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await diff(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
    expect(stderr).toContain(expected);
  });
});
