import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture, run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'present-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SERVER = ['--', process.execPath, fixture('changing-server.mjs')];
const shown = join(folder, 'shown.yaml');
writeFileSync(
  shown,
  'version: 1\npresent: { tools: { tree: { title: List a folder, description: Files. } } }\n',
);

describe('present', () => {
  it('is drafted by init from names and effects, and the policy passes its own check', async () => {
    const policy = join(folder, 'policy.yaml');
    expect(await run('init', '--present', '-o', policy, ...SERVER)).toMatchObject({ code: 0 });
    expect(readFileSync(policy, 'utf8')).toContain(
      [
        'present:',
        '  tools:',
        '    tree: { title: Tree }',
        '    send: { title: Send, annotations: { destructiveHint: false } }',
        '    read: { title: Read }',
        '    remove: { title: Remove, annotations: { destructiveHint: true } }',
      ].join('\n'),
    );
    expect(await run('check', '--deny-warnings', policy, ...SERVER)).toMatchObject({ code: 0 });
  });

  it('is shown by explain', async () => {
    const { stdout } = await run('explain', 'tree', '--policy', shown, ...SERVER);
    expect(stdout).toContain('  the policy presents it:\n');
    expect(stdout).toContain('    title added: "List a folder"\n');
    expect(stdout).toContain('    description: "Get a tree view of all files of the folder." -> "Files."\n');
  });

  it('is counted by tokens', async () => {
    const count = async (policy: string) =>
      JSON.parse((await run('tokens', policy, '--format', 'json', ...SERVER)).stdout);
    const plain = join(folder, 'plain.yaml');
    writeFileSync(plain, 'version: 1\n');
    const [before, after] = [await count(plain), await count(shown)];
    expect(before.total - after.total).toBe(after.presentationSaves);
    expect(after.presentationSaves).not.toBe(0);
    const { stdout } = await run('tokens', shown, ...SERVER);
    expect(stdout).toMatch(/What the policy presents (saves|costs) \d+ tokens in all tools\./);
  });

  const toolWith = (name: string, actions: readonly string[], annotations?: object) => ({
    name,
    inputSchema: { type: 'object', properties: { action: { enum: actions } }, required: ['action'] },
    ...(annotations === undefined ? {} : { annotations }),
  });
  const PROJECTS = toolWith('projects', ['list', 'create', 'delete'], { destructiveHint: true });
  const PAGES = toolWith('pages', ['list', 'create', 'delete']);
  const WINDOW = toolWith('manage_window', ['list', 'create', 'update']);
  const save = (name: string, value: object): string => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };
  const presentOf = (policy: string) =>
    /^present:\n(?: .*\n)*/m.exec(readFileSync(policy, 'utf8'))?.[0].trim();

  it('is drafted for actions, and never denies by a verb what the server says', async () => {
    const policy = join(folder, 'actions.yaml');
    const catalog = save('actions.json', { tools: [PROJECTS, PAGES, WINDOW] });
    expect(await run('init', '--present', '-o', policy, '--catalog', catalog)).toMatchObject({ code: 0 });
    expect(presentOf(policy)).toBe(
      [
        'present:',
        '  tools:',
        '    # A hint of an action holds while all actions that are left have it, and only under "enforcement: enforce".',
        '    projects: { title: Projects, annotations: { readOnlyHint: false } }',
        '    "projects(action=list)": { annotations: { readOnlyHint: true, destructiveHint: false } }',
        '    pages: { title: Pages, annotations: { readOnlyHint: false, destructiveHint: true } }',
        '    "pages(action=list)": { annotations: { readOnlyHint: true, destructiveHint: false } }',
        '    "pages(action=create)": { annotations: { destructiveHint: false } }',
        '    manage_window: { title: Manage window, annotations: { readOnlyHint: false, destructiveHint: false } }',
        '    "manage_window(action=list)": { annotations: { readOnlyHint: true, destructiveHint: false } }',
        '    "manage_window(action=create)": { annotations: { destructiveHint: false } }',
        '    "manage_window(action=update)": { annotations: { destructiveHint: false } }',
      ].join('\n'),
    );
    expect(await run('check', '--deny-warnings', policy, '--catalog', catalog)).toMatchObject({ code: 0 });
  });

  it('is updated with the tools of the server, and only on request', async () => {
    const policy = join(folder, 'updated.yaml');
    const catalog = save('updated.json', { tools: [PROJECTS, WINDOW] });
    const init = (...args: string[]) => run('init', '-q', '-o', policy, '--catalog', catalog, ...args);
    expect(await init('--present')).toMatchObject({ code: 0 });
    const first = presentOf(policy);
    save('updated.json', { tools: [PROJECTS, PAGES] });
    expect(await init('--update', '--present', '--open', 'pages')).toMatchObject({ code: 0 });
    expect(presentOf(policy)).toBe(
      [
        ...(first ?? '').split('\n').filter((line) => !line.includes('window')),
        '    pages: { title: Pages, annotations: { readOnlyHint: false, destructiveHint: true } }',
        '    "pages(action=list)": { annotations: { readOnlyHint: true, destructiveHint: false } }',
        '    "pages(action=create)": { annotations: { destructiveHint: false } }',
      ].join('\n'),
    );
    const { stdout } = await run('check', '--deny-warnings', policy, '--catalog', catalog);
    expect(stdout).toMatch(/^No findings/);
    const other = { ...PAGES, name: 'sites' };
    save('updated.json', { tools: [PROJECTS, PAGES, other] });
    expect(await init('--update', '--open', 'sites')).toMatchObject({ code: 0 });
    expect(presentOf(policy)).not.toContain('sites');
    save('updated.json', { tools: [other] });
    expect(await init('--update')).toMatchObject({ code: 0 });
    expect(presentOf(policy)).toMatch(/^present:\n {2}tools: \{\}\n/);
    expect((await run('check', policy, '--catalog', catalog)).stdout).toMatch(/^No findings/);
  });

  it('is drafted for each of several servers', async () => {
    const [, command, ...args] = SERVER;
    const hosts = save('hosts.json', { mcpServers: { trees: { command, args } } });
    const all = join(folder, 'several', 'all.yaml');
    expect(await run('init', '-q', '--present', '-o', all, '--servers', hosts)).toMatchObject({ code: 0 });
    expect(presentOf(join(folder, 'several', 'trees.yaml'))).toContain('tree: { title: Tree }');
  });
});
