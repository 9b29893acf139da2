import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  ])('%s passes check and its tests, which exercise every part of it', async (name, source, tools) => {
    const policy = join(folder, 'real', `${name}.yaml`);
    const { code, stdout, stderr } = await run('init', '-o', policy, ...source);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^Wrote ${policy}: ${tools} tools.*; concerns effect, .*topic\\.\\n`));
    expect(read('real', `${name}.yaml`)).toMatch(/^# yaml-language-server: \$schema=\.\/schema\.json\n/);
    expect(read('real', 'schema.json')).toBe(readFileSync('policies/schema.json', 'utf8'));
    expect(read('real', `${name}.test.yaml`)).toMatch(
      /^# yaml-language-server: \$schema=\.\/test\.schema\.json\n/,
    );
    expect(read('real', 'test.schema.json')).toBe(readFileSync('policies/test.schema.json', 'utf8'));

    const catalog =
      source[0] === '--catalog' ? (source[1] ?? '') : join(folder, 'real', `${name}.catalog.json`);
    const [checked, tested, formatted] = await Promise.all([
      run('check', policy, '--catalog', catalog, '--format', 'json'),
      run('test', policy, '--coverage', '--threshold', '100'),
      run('fmt', '--check', policy, policy.replace('.yaml', '.test.yaml')),
    ]);
    expect([checked.code, tested.code, formatted.code]).toEqual([0, 0, 0]);
    const { findings } = JSON.parse(checked.stdout) as { findings: { severity: string; code: string }[] };
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    // Every primitive is mapped, and no primitive is visible to every host by mistake.
    const codes = findings.map((finding) => finding.code);
    expect(codes.filter((each) => !['names-hidden', 'empty-catalog'].includes(each))).toEqual([]);
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

  it('uses annotations, then names, and expects the worst of other tools', async () => {
    const catalog = write('small.json', {
      server: 'small',
      tools: TOOLS,
      prompts: [{ name: 'say it: now' }],
    });
    const { code, stdout } = await run('init', '-o', '-', '--catalog', catalog);
    expect(code).toBe(0);
    expect(stdout).toBe(`# yaml-language-server: $schema=./schema.json
#
# A first policy for small.
# Its values come from the annotations, tags and names of the tools. A name can mislead, so review every value.
version: 1

# What a host may set. Rename these in the words of your users, and add more: cost, security, audience, ...
concerns:
  # Ordered from harmless to harmful. With at-most, a host that sets changes also sees tools that only read.
  effect:
    description: "What a call may do: read (read-only), add or change something (changes), delete something for good (destroys)"
    values: [read-only, changes, destroys]
    match: at-most

  # From openWorldHint.
  reach:
    description: Whether a call stays within this server, or may reach other systems
    values: [local, world]
    match: at-most

  # From words that several names share. A host may name several. All other tools have the topic other.
  topic:
    description: What you are going to work on
    values: [file, user, other]
    multiple: true

# One word for several preferences. A host may send {preset: look}, and a URL may end in ?concerns=look.
presets:
  look: { effect: read-only, reach: local }
  careful: { effect: changes }

# Values from annotations. Tools that are added later get them too. An entry below overrides them.
assign:
  - when: { "===": [{ var: primitive.annotations.readOnlyHint }, true] }
    to: { effect: read-only }
  - when:
      and:
        - { "===": [{ var: [primitive.annotations.readOnlyHint, false] }, false] }
        - { "===": [{ var: primitive.annotations.destructiveHint }, false] }
    to: { effect: changes }
  - when:
      and:
        - { "===": [{ var: [primitive.annotations.readOnlyHint, false] }, false] }
        - { "===": [{ var: [primitive.annotations.destructiveHint, false] }, true] }
    to: { effect: destroys }
  - when: { "===": [{ var: primitive.annotations.openWorldHint }, false] }
    to: { reach: local }
  - when: { "===": [{ var: [primitive.annotations.openWorldHint, false] }, true] }
    to: { reach: world }

# Each primitive by its exact name. {} maps a primitive without values of its own.
primitives:
  tools:
    # file
    delete_file: { topic: file }
    upload_file: { effect: changes, topic: file } # guessed from the name
    remove_file: { effect: destroys, topic: file } # guessed from the name

    # user
    get_user: { topic: user }
    list_users: { topic: user }
    update_user: { topic: user }

    # other
    "yes": { effect: destroys, topic: other } # neither annotations nor the name tell

  prompts:
    "say it: now": {}

settings:
  # Primitives that this policy does not map, such as new tools, are shown. Write "hide" to hide them instead.
  unmapped: show
`);
  });

  it('uses the tags of the server as topics', async () => {
    const tools = [
      { name: 'a', tags: ['maps', 'geo data'] },
      { name: 'b', _meta: { tags: ['maps'] } },
      { name: 'c' },
    ];
    const { stdout } = await run('init', '-o', '-', '--catalog', write('tags.json', { tools }));
    expect(stdout).toContain('values: [maps, geo-data]\n');
    expect(stdout).toContain(
      '    a: { effect: destroys, topic: [maps, geo-data] } # neither annotations nor the name tell\n',
    );
    expect(stdout).toContain('    c: { effect: destroys } # neither annotations nor the name tell\n');
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

describe('the files of init', () => {
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
    [['x', '--', 'node'], '"x" is unexpected. Pass the command of the server after --'],
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
