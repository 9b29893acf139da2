import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatYaml } from '../../src/core/policy/language/format-yaml.js';
import { fixture, run } from './run.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'init-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
const write = (name: string, content: unknown): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
};

const EVERYTHING = ['node', 'node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'];
const PLAYWRIGHT = [
  'node',
  'node_modules/@playwright/mcp/cli.js',
  '--caps=config,devtools,network,pdf,storage,testing,vision',
];
/** The demo vault over stdio. */
const VAULT = [
  'node',
  '--input-type=module',
  '-e',
  `import { createVaultServer } from '${resolve('build/vault/server.js')}';
   import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
   await createVaultServer().connect(new StdioServerTransport());`,
];

describe.concurrent('a first policy for', () => {
  it.each<[string, string[], number]>([
    ['playwright', ['--', ...PLAYWRIGHT], 72],
    ['everything', ['--', ...EVERYTHING], 19],
    ['vault', ['--', ...VAULT], 24],
    ...['github', 'gitlab'].flatMap((name): [string, string[], number][] => {
      const catalog = `../shared/catalogs/${name}.json`;
      return existsSync(catalog) ? [[name, ['--catalog', catalog], name === 'github' ? 117 : 217]] : [];
    }),
  ])('%s passes check without a warning, and its tests', async (name, source, tools) => {
    const policy = join(folder, 'real', `${name}.yaml`);
    const { code, stdout, stderr } = await run('init', '-o', policy, ...source);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^Wrote ${policy}: ${tools} tools.*; concerns effect.*\\.\\n`));
    expect(read('real', `${name}.yaml`)).toMatch(/^# yaml-language-server: \$schema=\.\/schema\.json\n/);
    expect(read('real', 'schema.json')).toBe(readFileSync('policies/schema.json', 'utf8'));
    expect(read('real', `${name}.test.yaml`)).toMatch(
      /^# yaml-language-server: \$schema=\.\/test\.schema\.json\n/,
    );
    expect(read('real', 'test.schema.json')).toBe(readFileSync('policies/test.schema.json', 'utf8'));

    const catalog =
      source[0] === '--catalog' ? (source[1] ?? '') : join(folder, 'real', `${name}.catalog.json`);
    const [checked, live, tested] = await Promise.all([
      run('check', policy, '--catalog', catalog, '--deny-warnings'),
      run('check', policy, '--deny-warnings', ...source),
      run('test', policy, '--coverage', '--threshold', '95'),
    ]);
    // The catalog that init writes has no descriptions, which can name other tools. The server has them.
    expect([checked.code, live.code, tested.code]).toEqual([0, 0, 0]);
    for (const file of [policy, policy.replace('.yaml', '.test.yaml')]) {
      const text = readFileSync(file, 'utf8');
      expect(formatYaml(text)).toBe(text);
    }
    expect(stderr).toContain('Checked: check reports nothing, and the tests pass.\n');
    expect(stderr).toMatch(/\nEffects: \d/);
  });
});

describe('a proposed policy', () => {
  const TOOLS = [
    { name: 'get_user', annotations: { readOnlyHint: true, openWorldHint: false } },
    { name: 'list_users', annotations: { readOnlyHint: true, openWorldHint: false } },
    {
      name: 'update_user',
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    { name: 'delete_file', annotations: { readOnlyHint: false, destructiveHint: true } },
    { name: 'upload_file', annotations: { readOnlyHint: false } },
    { name: 'remove_file' },
    { name: 'yes', annotations: {} },
  ];

  it('has no warnings about texts of the server, which name tools that it can hide', async () => {
    const catalog = write('texts.json', {
      instructions: 'Call list_notes before delete_note.',
      tools: [
        { name: 'list_notes', description: 'Lists notes. Remove one with delete_note.' },
        { name: 'delete_note', description: 'Deletes a note of list_notes.' },
      ],
    });
    const policy = join(folder, 'texts.yaml');
    const { stderr } = await run('init', '--catalog', catalog, '-o', policy);
    expect(stderr).toContain('Checked: check reports nothing, and the tests pass.');
    expect(stderr).toContain('Silenced: 2 warnings that no value can fix, each with a comment');
    const text = read('texts.yaml');
    expect(text.match(/^ *# mcp-concerns-ignore names-hidden: .*\n *(?:version|list_notes):/gm)).toHaveLength(
      2,
    );
    expect(text.match(/names-hidden/g)).toHaveLength(2);
    const checked = await run('check', policy, '--catalog', catalog, '--deny-warnings');
    expect(checked.code).toBe(0);
    const written = readFileSync(policy, 'utf8');
    expect(formatYaml(written)).toBe(written);
  });

  it('uses annotations, then names, and expects the worst of other tools', async () => {
    const catalog = write('small.json', {
      server: 'small',
      tools: TOOLS,
      prompts: [{ name: 'say it: now' }],
    });
    const { code, stdout } = await run('init', '-o', '-', '--catalog', catalog);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot('snapshots/init-small.yaml');
  });

  it('puts topics into one another where tags are', async () => {
    const tagged = (name: string, tag: string) => ({
      name,
      annotations: { readOnlyHint: true },
      _meta: { fastmcp: { tags: [tag] } },
    });
    const tools = [
      tagged('quote_stock', 'finance/stocks'),
      tagged('trade_stock', 'finance/stocks'),
      tagged('split_stock', 'finance/stocks'),
      tagged('quote_bond', 'finance/bonds'),
      tagged('trade_bond', 'finance/bonds'),
      tagged('redeem_bond', 'finance/bonds'),
      tagged('forecast_rain', 'weather'),
      tagged('forecast_wind', 'weather'),
      tagged('forecast_snow', 'weather'),
      tagged('print_page', 'paper'),
      tagged('scan_page', 'paper'),
      tagged('fax_page', 'paper'),
    ];
    const catalog = write('nested.json', { tools });
    const policy = join(folder, 'nested', 'policy.yaml');
    const { stderr } = await run('init', '-o', policy, '--catalog', catalog);
    expect(stderr).toContain('Checked: check reports nothing, and the tests pass.');
    expect(readFileSync(policy, 'utf8')).toContain('      - finance: Everything in finance\n');
    const shown = ['--concern', 'topic=finance', '--format', 'names', '--catalog', catalog];
    expect((await run('list', policy, ...shown)).stdout).not.toContain('forecast_wind');
  });

  it('uses the tags of the server as topics', async () => {
    const tagged = (names: string, ...tags: string[]) => [...names].map((name) => ({ name, tags }));
    const tools = [
      ...tagged('a', 'maps', 'geo data'),
      { name: 'b', _meta: { tags: ['maps'] } },
      ...tagged('c', 'maps'),
      ...tagged('de', 'geo data'),
      ...tagged('fgh', 'trains'),
      ...tagged('ijk', 'ships'),
      { name: 'l' },
    ];
    const { stdout } = await run('init', '-o', '-', '--catalog', write('tags.json', { tools }));
    expect(stdout).toContain('      - geo-data: "a, d, e"\n      - maps: "a, b, c"\n');
    expect(stdout).toContain('    multiple: true\n    model: free\n');
    const doubt = '# neither annotations nor words tell what it does';
    expect(stdout).toContain(`    a: { effect: destroys, topic: [maps, geo-data] } ${doubt}\n`);
    expect(stdout).toContain(`    l: { effect: destroys, topic: other } ${doubt}\n`);
  });

  it('quotes names that are not YAML, and works for servers without tools', async () => {
    const odd = join(folder, 'odd', 'policy.yaml');
    expect(await run('init', '-q', '-o', odd, '--', 'node', fixture('pages.mjs'))).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(read('odd', 'policy.yaml')).toContain('"gam\\e[2Jma\\nmore": ');
    const bare = join(folder, 'bare', 'policy.yaml');
    const catalog = write('bare.json', { resources: [{ uri: 'a://b', name: 'b' }] });
    expect(await run('init', '-q', '-o', bare, '--catalog', catalog)).toMatchObject({ code: 0 });
    expect((await run('test', odd, bare)).code).toBe(0);
  });
});

describe('the actions of tools', () => {
  const PAGES = {
    name: 'pages',
    inputSchema: {
      type: 'object',
      properties: { action: { enum: ['list', 'get', 'update', 'delete'] }, id: { type: 'string' } },
      required: ['action'],
    },
  };
  const tools = [{ name: 'get_user', inputSchema: { type: 'object' } }, PAGES];

  it('get effects of their own, and a host that only reads sees those that read', async () => {
    const policy = join(folder, 'actions', 'policy.yaml');
    mkdirSync(join(folder, 'actions'));
    const catalog = write('actions/catalog.json', { tools });
    const { code, stderr } = await run('init', '-o', policy, '--catalog', catalog);
    expect(code).toBe(0);
    expect(stderr).toContain('Actions: 1 tool has several, and 2 of these only read.\n');
    expect(stderr).toContain('Checked: check reports nothing, and the tests pass.');
    const listed = await run('list', policy, '--catalog', catalog, '--concern', 'effect=read-only');
    expect(listed.stdout).toContain('pages (2 of 4 values of action)');
    // A later action is not read-only by its name.
    const later = { ...PAGES, inputSchema: { properties: { action: { enum: ['list', 'show_all'] } } } };
    const changed = write('actions/later.json', { tools: [later] });
    const use = await run('explain', policy, 'pages(action=show_all)', '--catalog', changed);
    expect(use.stdout).toMatch(/effect +destroys/);
  });

  it('can be decided on a catalog of facts, and uses of other arguments cannot', async () => {
    const full = write('full.json', { tools });
    const facts = join(folder, 'facts.json');
    expect((await run('list', '--catalog', full, '--save', facts, '--facts')).code).toBe(0);
    const policy = join(folder, 'of-facts.yaml');
    expect((await run('init', '-q', '-o', policy, '--catalog', facts)).code).toBe(0);
    const listed = await run('list', policy, '--catalog', facts, '--concern', 'effect=read-only');
    expect(listed.stdout).toContain('pages (2 of 4 values of action)');
    writeFileSync(
      policy,
      readFileSync(policy, 'utf8').replace('    pages:', '    pages(id): { effect: changes }\n    pages:'),
    );
    const checked = await run('check', policy, '--catalog', facts);
    expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining('catalog-without-texts') });
  });

  it('are updated with their tool: a person decides about both, and gone ones go', async () => {
    const policy = join(folder, 'later-actions.yaml');
    const catalog = write('later-actions.json', { tools: tools.slice(0, 1) });
    expect((await run('init', '-q', '-o', policy, '--catalog', catalog)).code).toBe(0);
    const first = read('later-actions.yaml');
    write('later-actions.json', { tools });
    const update = (...open: string[]) =>
      run('init', '--update', '-o', policy, '--catalog', catalog, ...open);
    expect(await update()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('New and left hidden: pages.'),
    });
    expect(read('later-actions.yaml')).not.toContain('pages(');
    expect(await update('--open', 'pages')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('added pages, nothing removed.'),
    });
    const text = read('later-actions.yaml');
    expect(text).toContain('    "pages(action=list)": { effect: read-only }\n');
    expect(text).toContain('"pages(action=*)": { effect: destroys }');
    expect((await run('check', policy, '--catalog', catalog)).stdout).toMatch(/^No findings/);
    expect((await update()).stderr).toContain('nothing added, nothing removed.');
    write('later-actions.json', { tools: tools.slice(0, 1) });
    await update();
    expect(read('later-actions.yaml')).not.toContain('pages(action=list)');
    expect(first).not.toContain('pages');
  });
});

describe('init --update', () => {
  const TOOLS = [
    { name: 'get_user', description: 'Gets a user' },
    ...['list_users', 'update_user', 'read_file', 'upload_file', 'delete_file'].map((name) => ({ name })),
    ...['get_invoice', 'list_invoices', 'send_invoice'].map((name) => ({ name })),
    ...['get_team', 'list_teams', 'create_team'].map((name) => ({ name })),
  ];

  it('adds what is new, keeps what hides what may come again, and keeps every other byte', async () => {
    const policy = join(folder, 'update', 'policy.yaml');
    mkdirSync(join(folder, 'update'));
    const first = write('update/first.json', { tools: TOOLS });
    expect((await run('init', '-q', '-o', policy, '--catalog', first)).code).toBe(0);
    const decided = read('update', 'policy.yaml').replace(
      /read_file: .*/,
      'read_file: { effect: changes, topic: [file, user] } # it takes a lock',
    );
    writeFileSync(policy, decided);

    const second = write('update/second.json', {
      tools: [
        ...TOOLS.filter(({ name }) => name !== 'upload_file'),
        { name: 'purge_users' },
        { name: 'frobnicate_file' },
      ],
      prompts: [{ name: 'greet' }],
    });
    const { code, stderr } = await run('init', '--update', '-o', policy, '--catalog', second);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: [
        `Updated ${policy}: added purge_users, frobnicate_file, greet, nothing removed.`,
        'Kept upload_file, because it hides what the server may add again.',
        `Some tests of ${policy.replace('.yaml', '.test.yaml')} fail now. Run "mcp-concerns test ${policy.replace('.yaml', '.test.yaml')}" to see which.`,
        'Checked: check reports 1 warning (dead-entry), and the tests fail.',
        'Effects: 1 by name, 1 unsure: frobnicate_file.',
        '',
      ].join('\n'),
    });
    const before = decided.split('\n');
    const after = read('update', 'policy.yaml').split('\n');
    expect(before.filter((line) => !after.includes(line))).toEqual([]);
    expect(after.filter((line) => !before.includes(line))).toEqual([
      '  prompts:',
      '    greet: {}',
      '    purge_users: { topic: user } # new',
      '    frobnicate_file: { effect: destroys, topic: file } # new, review it: neither annotations nor words tell what it does',
    ]);
    const checked = await run('check', policy, '--catalog', second);
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain('1 warning in 1 policy');
    // A second update has nothing to do.
    const text = read('update', 'policy.yaml');
    expect((await run('init', '--update', '-o', policy, '--catalog', second)).stderr).toContain(
      'nothing added, nothing removed.',
    );
    expect(read('update', 'policy.yaml')).toBe(text);
  });

  it('writes the tests again if nobody has changed them', async () => {
    const policy = join(folder, 'again', 'policy.yaml');
    const server = ['--', 'node', fixture('pages.mjs')];
    expect((await run('init', '-q', '-o', policy, ...server)).code).toBe(0);
    const catalog = JSON.parse(read('again', 'policy.catalog.json'));
    catalog.tools = catalog.tools.slice(1);
    writeFileSync(join(folder, 'again', 'policy.catalog.json'), JSON.stringify(catalog));
    const tests = policy.replace('.yaml', '.test.yaml');
    const { code, stderr } = await run('init', '--update', '-o', policy, ...server);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Updated') });
    expect((await run('test', tests)).code).toBe(0);
  });

  it.each([
    [['--force'], '--update edits the files of the policy, so --force has no meaning with it'],
    [['-o', '-'], '--update edits the files of the policy, so -o - has no meaning with it'],
    [['-o', '/nowhere/policy.yaml'], '/nowhere/policy.yaml does not exist, so it cannot be updated.'],
  ])('with %j ends with one line and exit code 2', async (args, expected) => {
    const { code, stderr } = await run(
      'init',
      '--update',
      ...args,
      '--catalog',
      'policies/vault.catalog.json',
    );
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });
});

describe('the files of init', () => {
  it('are not written if one of them cannot be', async () => {
    const policy = join(folder, 'half', 'policy.yaml');
    mkdirSync(join(folder, 'half', 'policy.catalog.json'), { recursive: true });
    const { code } = await run('init', '--force', '-o', policy, '--', 'node', fixture('pages.mjs'));
    expect(code).toBe(2);
    expect(existsSync(policy.replace('.yaml', '.test.yaml'))).toBe(false);
    expect(readdirSync(join(folder, 'half')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('are overwritten only with --force', async () => {
    const policy = join(folder, 'there', 'policy.yaml');
    mkdirSync(join(folder, 'there'));
    writeFileSync(policy.replace('.yaml', '.test.yaml'), 'mine');
    const source = ['--', 'node', fixture('pages.mjs')];
    const refused = await run('init', '-o', policy, ...source);
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr: `mcp-concerns: ${policy.replace('.yaml', '.test.yaml')} already exists. Pass another file with -o, or --force to overwrite.\n`,
    });
    expect(existsSync(policy)).toBe(false);
    expect(read('there', 'policy.test.yaml')).toBe('mine');

    const forced = await run('init', '-o', policy, '--force', ...source);
    expect(forced.code).toBe(0);
    expect(read('there', 'policy.test.yaml')).toContain(
      'policy: policy.yaml\ncatalog: policy.catalog.json\n',
    );
  });

  it('contain facts about the server, but none of its text', async () => {
    const policy = join(folder, 'facts', 'policy.yaml');
    await run('init', '-q', '-o', policy, '--', ...EVERYTHING);
    const { tools, server, encoding } = JSON.parse(read('facts', 'policy.catalog.json'));
    expect(server).toEqual({ name: 'mcp-servers/everything', version: expect.any(String) });
    expect(encoding).toBe('o200k_base');
    expect(new Set(tools.flatMap(Object.keys))).not.toContain('description');
    expect(tools[0]).toMatchObject({ name: 'echo', tokens: expect.any(Number) });
  });

  it('refer to the catalog of --catalog', async () => {
    const catalog = write('given.json', { tools: [{ name: 'get_a' }] });
    const policy = join(folder, 'given', 'policy.yaml');
    await run('init', '-o', policy, '--catalog', catalog);
    expect(read('given', 'policy.test.yaml')).toContain('catalog: "../given.json"\n');
    expect(existsSync(join(folder, 'given', 'policy.catalog.json'))).toBe(false);
  });

  it('do not replace another schema.json', async () => {
    mkdirSync(join(folder, 'schema'));
    writeFileSync(join(folder, 'schema', 'schema.json'), '{"title":"mine"}');
    const catalog = write('schema-catalog.json', { tools: [{ name: 'get_a' }] });
    await run('init', '-o', join(folder, 'schema', 'policy.yaml'), '--catalog', catalog);
    expect(read('schema', 'schema.json')).toBe('{"title":"mine"}');
    expect(read('schema', 'policy.yaml')).toMatch(
      /^# yaml-language-server: \$schema=node_modules\/mcp-concerns\/policies\/schema\.json\n/,
    );
  });
});

describe('invalid arguments of init', () => {
  it.each([
    [[], 'There is no server. Pass its command after --'],
    [['-o', 'x.json', '--', 'node'], '-o takes a file that ends in .yaml, not "x.json"'],
    [['x', '--', 'node'], 'Expected 0 arguments but got 1. The command of a server is passed after --. See'],
    [['-o', '-', '--catalog', 'no.json'], 'no.json cannot be read (it does not exist)'],
    [['-o', '/proc/x/p.yaml', '--catalog', 'policies/vault.catalog.json'], 'cannot be written (ENOENT)'],
  ])('%j ends with one line and exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await run('init', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
    expect(stderr).toContain(expected);
  });

  it('reports a server that lists nothing', async () => {
    const { code, stderr } = await run('init', '-o', '-', '--catalog', write('empty.json', { tools: [] }));
    expect(code).toBe(2);
    expect(stderr).toContain('The server lists nothing, so there is nothing to write a policy for.');
  });
});
