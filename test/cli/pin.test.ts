import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, MAIN, run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'pin-'));
afterAll(() => rmSync(folder, { recursive: true }));
const policy = join(folder, 'policy.yaml');
const enforced = join(folder, 'enforced.yaml');
const lock = join(folder, 'policy.lock.yaml');
const old = join(folder, 'old.json');
const server = (change: string): string[] => ['--', process.execPath, fixture('changing-server.mjs'), change];

beforeAll(async () => {
  writeFileSync(policy, 'version: 1\n');
  writeFileSync(enforced, 'version: 1\nsettings: { enforcement: enforce }\n');
  await run('snapshot', '-o', old, ...server(''));
  expect((await run('pin', enforced, ...server(''))).code).toBe(0);
});

describe('pin', () => {
  it('writes the same bytes for the same server, and finds no change', async () => {
    const first = await run('pin', policy, ...server(''));
    expect(first).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('4 definitions') });
    const bytes = readFileSync(lock, 'utf8');
    expect(await run('pin', policy, ...server(''))).toMatchObject({ code: 0 });
    expect(readFileSync(lock, 'utf8')).toBe(bytes);
    expect(await run('pin', '--review', policy, ...server(''))).toMatchObject({
      code: 0,
      stdout: 'Every definition is the pinned one.\n',
    });
  });

  it.each([
    ['words', 'tree: changed\n  description: "Get a tree ..." -> "Rid a tree ..."'],
    ['parameter', 'send: changed\n  parameter bcc added'],
    ['hint', 'tree: changed\n  readOnlyHint: true -> false'],
    ['swap', 'read: changed, it has the definition of remove'],
  ])('reviews a change of %s', async (change, text) => {
    const review = await run('pin', '--review', '--old-catalog', old, enforced, ...server(change));
    expect(review.code).toBe(1);
    expect(review.stdout).toContain(text);
    expect(await run('pin', '--review', '--format', 'json', enforced, ...server(change))).toMatchObject({
      code: 1,
    });
  });

  it('says where the old definition can come from if it is not known', async () => {
    const { stdout } = await run('pin', '--review', enforced, ...server('words'));
    expect(stdout).toContain('pass a snapshot of that time with --old-catalog');
  });

  it('refuses a catalog without definitions', async () => {
    const facts = join(folder, 'facts.json');
    await run('snapshot', '--facts', '-o', facts, ...server(''));
    const { code, stderr } = await run('pin', policy, '--catalog', facts);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no descriptions and no schemas')]);
  });

  it('does not use a policy whose lock file is cut off', async () => {
    const cut = join(folder, 'cut.yaml');
    writeFileSync(cut, 'version: 1\n');
    const whole = readFileSync(join(folder, 'enforced.lock.yaml'), 'utf8');
    for (const length of [whole.length - 40, 120, 60, 0]) {
      writeFileSync(join(folder, 'cut.lock.yaml'), whole.slice(0, length));
      const { code, stderr } = await run('list', '--policy', cut, ...server(''));
      expect([code, stderr]).toEqual([2, expect.stringContaining('is not a lock file')]);
    }
  });
});

describe('an enforced policy with a lock file', () => {
  it.each([
    ['words', ['send', 'read', 'remove'], 'tree'],
    ['parameter', ['tree', 'read', 'remove'], 'send'],
    ['hint', ['send', 'read', 'remove'], 'tree'],
    ['swap', ['tree', 'send'], 'read'],
  ])('hides a tool after a change of %s, and does not run it', async (change, names, changed) => {
    const client = new Client({ name: 'test', version: '1' });
    const args = [
      resolve(MAIN),
      'serve',
      '--stdio',
      '--panel',
      'off',
      '--policy',
      enforced,
      ...server(change),
    ];
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
    let log = '';
    transport.stderr?.on('data', (chunk) => {
      log += chunk;
    });
    await client.connect(transport);
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
      const call = (name: string) =>
        client.callTool({ name, arguments: { path: 'a', to: 'a', file: 'a', bcc: 'b' } });
      expect(JSON.stringify(await call(changed).catch((error) => error.message))).not.toContain('ran ');
      expect(JSON.stringify(await call(names[0] ?? ''))).toContain('ran ');
      expect(log).toContain('are not the pinned ones, so they are hidden');
    } finally {
      await client.close();
    }
  });
});

it('list and explain say that a definition changed', async () => {
  const listed = await run('list', '--policy', enforced, ...server('words'));
  expect(listed.stdout).toContain('3 of 4 tools shown');
  const { stdout } = await run('explain', 'tree', '--policy', enforced, ...server('words'));
  expect(stdout).toContain('its definition changed since it was pinned');
});

it('diff names what changed in a definition', async () => {
  const { stdout } = await run('diff', policy, policy, '--old-catalog', old, ...server('words'));
  expect(stdout).toContain('description: "Get a tree ..." -> "Rid a tree ..."');
  expect(stdout).not.toContain('Nothing changes for any host');
});
