import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, createProject, installedPackages, isAvailable } from './pages.js';

const PAGES = [
  'docs/guides/get-started.md',
  'docs/guides/add-to-a-server.md',
  'docs/guides/host-integration.md',
  'docs/reference/api.md',
  'docs/reference/client.md',
  'docs/reference/errors.md',
];

it('has TypeScript blocks that compile', () => {
  mkdirSync('build', { recursive: true });
  const folder = mkdtempSync('build/guides-');
  try {
    const files = PAGES.flatMap((page) =>
      blocksOf(page, 'ts').map((block, index) => ({
        name: `${page.replaceAll('/', '-')}-${index + 1}.ts`,
        block,
      })),
    );
    expect(files.length).toBeGreaterThan(6);
    for (const { name, block } of files) writeFileSync(join(folder, name), block);
    const config = {
      extends: '../../tsconfig.json',
      compilerOptions: { noUnusedLocals: false },
      files: files.map(({ name }) => name),
      include: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const compile = () =>
      execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', stdio: 'pipe' });
    try {
      compile();
    } catch (cause) {
      const { stdout } = cause as { stdout?: string };
      expect(stdout ?? String(cause)).toBe('');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('get-started.md', () => {
  const page = createProject('docs/guides/get-started.md');

  it('installs only packages that exist', () => {
    expect(installedPackages(page).filter((name) => !isAvailable(name))).toEqual([]);
  });

  it('writes the policy that it shows', async () => {
    await page.run(/^npx mcp-concerns init/);
    const shown = parse(page.blocks('yaml')[0] ?? '');
    const written = parse(readFileSync(join(page.folder, 'policy.yaml'), 'utf8'));
    expect(written.concerns.effect.values).toEqual(shown.concerns.effect.values);
    expect(written.presets).toEqual(shown.presets);
    expect(written.assign[0]).toEqual(shown.assign[0]);
  });

  it('lists the tools that it shows', async () => {
    const report = await page.run(/^npx mcp-concerns list/);
    const names = page.shownOutput.match(/\bbrowser_\w+/g) ?? [];
    expect(names).toHaveLength(8);
    for (const name of names) expect(report).toContain(name);
    expect(report).toContain('8 of 25 tools');
    expect(report).toContain('browser_tabs (1 of 4 values of action)');
  });

  it('explains why a tool is hidden', async () => {
    expect(await page.run(/^npx mcp-concerns explain/)).toContain('Tool browser_click is hidden');
  });

  it('has check and test commands that pass', async () => {
    await page.run(/^npx mcp-concerns check/);
    await page.run(/^npx mcp-concerns test/);
  });

  it('has a host configuration that starts a filtered server', async () => {
    const { mcpServers } = JSON.parse(page.blocks('json')[0] ?? '');
    const { command, args } = mcpServers.playwright;
    const transport = new StdioClientTransport({
      command,
      args: args.map((each: string) => each.replace('/path/to/policy.yaml', 'policy.yaml')),
      cwd: page.folder,
      env: { PATH: process.env.PATH ?? '', npm_config_offline: 'true' },
      stderr: 'ignore',
    });
    const client = new Client({ name: 'host', version: '1.0.0' });
    await client.connect(transport);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toHaveLength(9);
    expect(names).toContain('concerns');
    await client.close();
  });
});

describe('add-to-a-server.md', () => {
  const page = createProject('docs/guides/add-to-a-server.md');

  it('has a valid policy about enforcement', () => {
    const file = join(page.folder, 'policy.yaml');
    writeFileSync(file, page.blocks('yaml')[0] ?? '');
    const check = () =>
      execFileSync(process.execPath, ['dist/cli/main.js', 'check', file], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(check()).not.toMatch(/warning|enforce-without-operator/);
  });
});

describe('several-servers.md', () => {
  const page = createProject('docs/guides/several-servers.md');
  const [servers = ''] = page.blocks('json');

  it('writes policies that fit, and makes the host start one server that serves all of them', async () => {
    writeFileSync(join(page.folder, '.mcp.json'), servers);
    await page.run(/^npx mcp-concerns init/);
    expect(await page.run(/^npx mcp-concerns list/)).toContain('browser__browser_snapshot');
    expect(await page.run(/^npx mcp-concerns check/)).toContain('No findings');
    const written = readFileSync(join(page.folder, 'policy.yaml'), 'utf8');
    for (const name of ['everything', 'browser']) expect(written).toContain(`policy: ${name}.yaml`);
    // Step 3 moves the servers, and names the command for hosts that start servers.
    writeFileSync(join(page.folder, '.mcp.servers.json'), servers);
    const text = readFileSync('docs/guides/several-servers.md', 'utf8');
    const [, line = ''] = /`npx (mcp-concerns serve --stdio [^`]+)`/.exec(text) ?? [];
    const [command, args] = ['npx', line.split(' ')];
    const env = { PATH: process.env.PATH ?? '', npm_config_offline: 'true' };
    const transport = new StdioClientTransport({ command, args, cwd: page.folder, env, stderr: 'ignore' });
    const client = new Client({ name: 'host', version: '1.0.0' });
    await client.connect(transport);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('everything__echo');
    expect(names).toContain('browser__browser_click');
    await client.close();
  });
});

describe('troubleshooting.md', () => {
  const page = createProject('docs/guides/troubleshooting.md');
  copyFileSync('policies/everything.yaml', join(page.folder, 'policy.yaml'));
  copyFileSync('policies/everything.catalog.json', join(page.folder, 'catalog.json'));

  it('has one command for each symptom', () => {
    const sections = readFileSync('docs/guides/troubleshooting.md', 'utf8').split(/^## /m).slice(1);
    expect(sections.length).toBeGreaterThan(8);
    expect(page.commands).toHaveLength(sections.length);
    for (const section of sections) expect(section.match(/^```sh$/gm)).toHaveLength(1);
  });

  it('has commands that find the cause in a policy', async () => {
    expect(await page.run(/explain/)).toContain('Tool get-env is ');
    expect(await page.run(/list .*--concern effect=/)).toMatch(/\d+ of \d+ primitives shown/);
    await expect(page.run(/list .*--concern effects=/)).rejects.toThrow('Did you mean "effect"');
    await page.run(/check .*--catalog/);
  });
});

it('choose.md has the numbers that the command line counts', () => {
  const rows = [
    ...readFileSync('docs/guides/choose.md', 'utf8').matchAll(/^ {2}\| (\D[^|]*) \| (\d+) \| ([\d,]+) \|$/gm),
  ];
  const args = ['--policy', 'policies/github.yaml', '--catalog', 'policies/github.catalog.json'];
  const counted = execFileSync(process.execPath, ['dist/cli/main.js', 'tokens', ...args], {
    encoding: 'utf8',
  });
  expect(rows).toHaveLength(5);
  for (const [, what = '', tools, tokens] of rows) {
    const name = what.replaceAll('`', '').replace(/^preset (\w+).*/, 'preset=$1');
    expect(counted).toMatch(new RegExp(`^ +${tokens} +${tools} of 117 +${name}\\b`, 'm'));
  }
});
