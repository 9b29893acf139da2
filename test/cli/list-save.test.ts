import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { primitiveFacts } from '../../src/cli/inputs/primitive-facts.js';
import { run } from './run.js';
import { EVERYTHING, GITHUB, PLAYWRIGHT, shown } from './shown.js';

const folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
afterAll(() => rmSync(folder, { recursive: true }));
const CATALOG = ['--catalog', 'test/cli/fixtures/small.catalog.json'] as const;

describe.concurrent('list --save', () => {
  it('writes facts', async ({ expect }) => {
    await expect(await shown('list', '--facts', '--save', '-', ...CATALOG)).toMatchFileSnapshot(
      'snapshots/list-save-facts.txt',
    );
  });

  it('writes everything that a real server lists, the same bytes each time', async () => {
    const file = join(folder, 'made', 'everything.json');
    const [written, printed] = await Promise.all([
      run('list', '--save', file, '--', ...EVERYTHING),
      run('list', '--save', '-', '--', ...EVERYTHING),
    ]);
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(written.stderr).toMatch(
      /^Wrote \S+everything\.json: 1\d tools, 4 prompts, 7 resources, 2 resource templates\.\n$/,
    );
    expect(readFileSync(file, 'utf8')).toBe(printed.stdout);
    const catalog = JSON.parse(printed.stdout);
    expect(Object.keys(catalog)).toEqual([
      'server',
      'capabilities',
      'instructions',
      'sdk',
      'tools',
      'prompts',
      'resources',
      'resourceTemplates',
    ]);
    expect(catalog.server.name).toBe('mcp-servers/everything');
    expect(catalog.sdk).toMatch(/^@modelcontextprotocol\/sdk \d+\.\d+\.\d+$/);
    expect(catalog.tools[0]).toMatchObject({ inputSchema: {}, description: expect.any(String) });
    // The snapshot of a catalog file is the same file.
    expect((await run('list', '--save', '-', '--catalog', file)).stdout).toBe(printed.stdout);
  });

  it.each(['check', 'list', 'explain', 'tokens', 'diff', 'test'])(
    'keeps no texts with --facts, so %s refuses a policy that reads them',
    async (command) => {
      const place = mkdtempSync(join(folder, 'texts-'));
      const at = (name: string, text = ''): string => {
        if (text !== '') writeFileSync(join(place, name), text);
        return join(place, name);
      };
      const when = '{ contains: [{ var: primitive.description }, Deletes] }';
      const rules = `rules: [{ id: a, hide: [tools], when: ${when} }]`;
      const policy = at('p.yaml', `version: 1\nprimitives: { tools: { a: {} } }\n${rules}\n`);
      const catalog = at('c.json', '{"encoding": "o200k_base", "tools": [{"name": "a", "tokens": 9}]}');
      const tests = at(
        'p.test.yaml',
        'policy: p.yaml\ncatalog: c.json\ntests:\n  - { name: t, tools: { include: [a] } }\n',
      );
      const { code, stdout, stderr } = await run(
        ...({
          check: ['check', policy, '--catalog', catalog],
          explain: ['explain', 'a', '--policy', policy, '--catalog', catalog],
          diff: ['diff', policy, policy, '--catalog', catalog],
          test: ['test', tests],
        }[command] ?? [command, '--policy', policy, '--catalog', catalog]),
      );
      expect([code, stdout + stderr]).toEqual([
        /check|test/.test(command) ? 1 : 2,
        expect.stringContaining('primitive.description is not known, because the catalog keeps only facts.'),
      ]);
    },
  );

  it('writes facts that lead to the same decisions and tokens as the server', async () => {
    const facts = join(folder, 'facts.json');
    expect((await run('list', '-q', '--facts', '--save', facts, '--', ...PLAYWRIGHT)).stderr).toBe('');
    const text = readFileSync(facts, 'utf8');
    expect(text).not.toContain('"description"');
    // Of schemas, only the values of arguments such as "action" are kept.
    const { tools } = JSON.parse(text) as { tools: readonly { name: string; inputSchema?: object }[] };
    const withSchema = tools.filter(({ inputSchema }) => inputSchema !== undefined);
    expect(withSchema.map(({ name }) => name)).toEqual(['browser_tabs']);
    expect(Object.keys(withSchema[0]?.inputSchema ?? {}).sort()).toEqual(['properties', 'required', 'type']);
    expect(text).toContain('"encoding": "o200k_base"');
    const list = ['list', '--policy', 'policies/playwright.yaml', '--concern', 'preset=testing'];
    const [live, kept] = await Promise.all([
      run(...list, '--format', 'json', '--', ...PLAYWRIGHT),
      run(...list, '--format', 'json', '--catalog', facts),
    ]);
    // A saved catalog was not asked now, so no version was spoken.
    const { protocol, ...listed } = JSON.parse(live.stdout);
    expect(protocol).toBe('2025-11-25');
    expect(JSON.parse(kept.stdout)).toEqual(listed);
    expect((await run('list', '--facts', '--save', '-', '--catalog', facts)).stdout).toBe(text);
  });

  it.runIf(existsSync(GITHUB))(
    `keeps the source and license of ${GITHUB}${existsSync(GITHUB) ? '' : ' (skipped: the file does not exist)'}`,
    async () => {
      const { stdout } = await run('list', '--facts', '--save', '-', '--catalog', GITHUB);
      const { source, tools } = JSON.parse(stdout);
      expect(source).toContain('github/github-mcp-server');
      expect(tools).toHaveLength(117);
    },
  );

  it.each([
    [['--save', '-'], 'There is no server. Pass its command after --'],
    [['--facts', ...CATALOG], '--facts needs --save'],
    [['--save', 'test', ...CATALOG], 'test cannot be written (EISDIR). Pass another file with -o.'],
  ])('%j ends with one line and exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await run('list', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
    expect(stderr).toContain(expected);
  });
});

it('reduces a primitive to the fields that policies can read, in a fixed order', () => {
  const one = {
    description: 'A dragon.',
    _meta: { tags: ['a'], concerns: { cost: 'high' }, ui: {} },
    uri: 'a://b',
    name: 'b',
    annotations: { readOnlyHint: true },
    mimeType: 'text/plain',
  };
  const other = Object.fromEntries(Object.entries(one).reverse());
  expect(JSON.stringify(primitiveFacts('tools', one, 3))).toBe(
    JSON.stringify(primitiveFacts('tools', other, 3)),
  );
  expect(JSON.stringify(primitiveFacts('tools', one, 3))).toBe(
    '{"name":"b","uri":"a://b","mimeType":"text/plain","annotations":{"readOnlyHint":true},' +
      '"tags":["a"],"_meta":{"concerns":{"cost":"high"},"ui":{}},"words":{"nouns":["dragon"]},"tokens":3}',
  );
});
