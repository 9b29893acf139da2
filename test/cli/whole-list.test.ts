import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, runIn } from './run.js';

/** Servers that use attachConcerns with a policy that shows one of their ten tools. */
const folder = mkdtempSync(join(tmpdir(), 'whole-list-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);
const ATTACHED = fileURLToPath(new URL('../eras/fixtures/attached.mjs', import.meta.url));
const NOTE = /^note: The server filters its lists with mcp-concerns,/m;
const KEY = /[\w-]{43}/;

const CONCERNS = 'version: 1\nconcerns: { level: { values: [low, high] } }\n';
const HIDING = `${CONCERNS}primitives: { tools: { hello: { level: low } } }
settings: { enforcement: enforce, unmapped: hide, panel: 'on' }
`;
const POLICY = `${CONCERNS}primitives: { tools: { hidden: { level: high }, gone: { level: high } } }\n`;

beforeAll(() => {
  writeFileSync(file('hiding.yaml'), HIDING);
  writeFileSync(file('policy.yaml'), POLICY);
});

const over = (server: string, way: string) => [ATTACHED, server, way, file('hiding.yaml')];
const namesIn = (catalog: string): string[] =>
  JSON.parse(catalog).tools.map(({ name }: { name: string }) => name);

describe('for a command, a server that filters its lists over stdio', () => {
  const against = (server: string, ...args: string[]) =>
    runIn(folder, ...args, '--', process.execPath, ...over(server, 'stdio'));

  it.each([
    ['SDK v1', 'attached v1', 'auto'],
    ['SDK v2', 'attached v2', 'auto'],
    ['SDK v2 in the modern era', 'attached v2', '2026-07-28'],
  ])('of %s lists all its tools, and nothing of the filter', async (_sdk, server, protocol) => {
    const { code, stdout, stderr } = await against(server, 'list', '--save', '-', '--protocol', protocol);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(namesIn(stdout)).toHaveLength(10);
    expect(namesIn(stdout)).toContain('hidden');
    expect(stdout).not.toMatch(/mcp-concerns|isFiltered/);
    expect(stdout).not.toMatch(KEY);
  });

  it.each(['attached v1', 'attached v2'])('as %s shows which entries match nothing', async (server) => {
    const { stdout, stderr } = await against(server, 'check', 'policy.yaml');
    expect(stderr).not.toMatch(NOTE);
    expect(stdout).toContain('"gone"');
    expect(stdout).not.toContain('"hidden" matches');
  });

  it('is shown as the policy of the command shows it', async () => {
    const list = ['list', '--policy', 'policy.yaml', '--format', 'names'];
    const { stdout } = await against('attached v1', ...list);
    expect(stdout).toContain('hidden\n');
    const { stdout: low } = await against('attached v1', ...list, '--concern', 'level=low');
    expect(low).not.toContain('hidden\n');
    expect(low).toContain('hello\n');
  });

  it('can be pinned, and gets a policy for all its tools', async () => {
    expect((await against('attached v2', 'init', '--force', '-o', 'first.yaml')).stderr).toContain(
      '10 tools',
    );
    const { code } = await against('attached v2', 'pin', 'first.yaml');
    expect(code).toBe(0);
    for (const name of ['first.yaml', 'first.lock.yaml', 'first.catalog.json']) {
      const text = readFileSync(file(name), 'utf8');
      expect(text).toContain('hidden');
      expect(text).not.toContain('isFiltered');
    }
  });
});

it('the servers of a file that filter their lists list everything', async () => {
  const server = { command: process.execPath, args: over('attached v1', 'stdio') };
  writeFileSync(file('servers.json'), JSON.stringify({ mcpServers: { one: server, two: server } }));
  const { stdout } = await runIn(folder, 'list', '--save', '-', '--servers', 'servers.json');
  expect(namesIn(stdout)).toHaveLength(20);
  expect(namesIn(stdout)).toContain('two__hidden');
});

it('the server of a module that filters its lists lists everything', async () => {
  const module = fixture('attached-module.mjs');
  const { stdout, stderr } = await runIn(folder, 'list', '--save', '-', '--server', module);
  expect(namesIn(stdout)).toEqual(['hidden', 'hello']);
  expect(stderr).toBe('');
});

it('a server behind serve lists to a command what serve shows', async () => {
  const serve = [
    join(process.cwd(), 'dist/cli/main.js'),
    'serve',
    '--stdio',
    '--policy',
    'policy.yaml',
    '--',
  ];
  const { stdout, stderr } = await runIn(
    folder,
    ...[
      'list',
      '--save',
      '-',
      '--',
      process.execPath,
      ...serve,
      process.execPath,
      ...over('attached v1', 'stdio'),
    ],
  );
  expect(namesIn(stdout)).toEqual(['hello', 'concerns']);
  expect(stderr).toMatch(NOTE);
});

describe('for a command, a server that filters its lists over HTTP', () => {
  let child: ChildProcess | undefined;
  afterAll(() => child?.kill('SIGKILL'));

  it.each(['attached v1', 'attached v2'])('%s may have what it does not list', async (server) => {
    child?.kill('SIGKILL');
    child = spawn(process.execPath, over(server, 'HTTP'), { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout ?? child, 'data');
    const { stdout, stderr } = await runIn(folder, 'list', '--save', '-', '--url', String(line).trim());
    expect(namesIn(stdout)).toEqual(['hello', 'concerns']);
    expect(stderr).toMatch(NOTE);
  });
});
