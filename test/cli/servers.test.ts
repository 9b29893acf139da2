import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOSTS } from '../../src/cli/setup/hosts.js';
import { fixture, run, start } from './run.js';

const EVERYTHING = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'servers-'));
  write(
    'policy.yaml',
    `version: 1
concerns:
  effect: { values: [read-only, changes], match: at-most }
primitives:
  tools:
    mine__echo: { effect: read-only }
    their-server__echo: { effect: changes }
`,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string | object): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const variable = (name: string) => `$\{${name}}`;
const policy = () => join(folder, 'policy.yaml');
const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'] };

describe('serve --servers', () => {
  it('serves all servers of the file of a host under one policy, without those that do not start', async () => {
    const file = write('.mcp.json', {
      mcpServers: {
        mine: {
          command: variable('NODE'),
          args: [variable(`NONE:-${EVERYTHING}`), 'stdio'],
          env: { FROM: variable('env:HERE') },
          cwd: folder,
        },
        'Their Server': everything,
        gone: { command: 'no-such-program' },
        unset: { command: 'node', args: [variable('INPUT_KEY')] },
        off: { ...everything, disabled: true },
      },
    });
    const args = ['dist/cli/main.js', 'serve', '--stdio', '--servers', file, '--policy', policy()];
    const client = new Client({ name: 'host', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...args, '--concern', 'effect=read-only'],
        env: { PATH: process.env.PATH ?? '', NODE: process.execPath, HERE: 'here' },
        stderr: 'ignore',
      }),
    );
    try {
      const { tools, _meta } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toContain('mine__echo');
      expect(names).not.toContain('their-server__echo');
      expect(names).toContain('their-server__get-sum');
      expect(_meta).toMatchObject({
        'io.github.mcp-concerns/unavailable': {
          gone: expect.stringContaining('it cannot be started (ENOENT)'),
          unset: expect.stringContaining('INPUT_KEY} has no value in the environment'),
        },
      });
      const variables = await client.callTool({ name: 'mine__get-env' });
      expect(JSON.stringify(variables)).toContain('\\"FROM\\": \\"here\\"');
    } finally {
      await client.close();
    }
  });

  it.each([
    ['is not JSON', 'mcpServers:', 'is not JSON'],
    ['has no servers', {}, 'has no servers. Write them under mcpServers'],
    [
      'gives two servers one name',
      { servers: { 'My Server': everything, 'my-server': everything } },
      'the servers "My Server" and "my-server" are both called my-server. Rename one of them.',
    ],
  ])('exits with 2 if the file %s', async (_, content, message) => {
    const file = write('bad.json', content);
    const { code, stderr } = await run('serve', '--stdio', '--servers', file, '--policy', policy());
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('says that servers which clients share cannot ask hosts', async () => {
    const file = write('.mcp.json', { mcpServers: { mine: everything } });
    const running = start(
      'serve',
      '--stdio',
      '--servers',
      file,
      '--policy',
      policy(),
      '--isolation',
      'shared',
    );
    await running.until('stderr', /tools that need sampling, elicitation or roots may be missing/);
    running.child.stdin.end();
    expect((await running.ended).code).toBe(0);
  });

  const args = [fixture('many-tools.mjs'), '1'];
  const server = { command: process.execPath, args };
  const crm = { crm: server };

  it.each<[string, string, string | object]>([
    [
      'comments and last commas',
      'mcp.json',
      `{ /* mine */ "servers": { "crm": ${JSON.stringify(server)}, }, // all\n}`,
    ],
    ['a byte order mark', 'mcp.json', `\uFEFF${JSON.stringify({ mcpServers: crm })}`],
    [
      'one list for a command',
      'opencode.json',
      { mcp: { crm: { type: 'local', command: [process.execPath, ...args] } } },
    ],
    ['settings around them', 'settings.json', { theme: 'dark', mcp: { servers: crm } }],
    [
      'a server that is turned off',
      'mcp.json',
      { mcpServers: { ...crm, off: { command: 'none', enabled: false } } },
    ],
    [
      'the folder of VS Code',
      '.vscode/mcp.json',
      { servers: { crm: { ...server, cwd: variable('workspaceFolder') } } },
    ],
    ...HOSTS.filter(({ id }) => id !== 'codex').map(
      ({ name, members: [[member = ''] = []] }): [string, string, object] => [
        `the form of ${name}`,
        'mcp.json',
        { [member]: crm },
      ],
    ),
  ])('reads a file with %s', async (_form, name, content) => {
    mkdirSync(join(folder, '.vscode'), { recursive: true });
    const { code, stdout, stderr } = await run(
      'list',
      '--servers',
      write(name, content),
      '--policy',
      policy(),
    );
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain('crm__crm_');
  });

  it('names what is wrong with an entry', async () => {
    const file = write('mcp.json', {
      mcpServers: {
        ...crm,
        joined: { command: 'node server.js' },
        other: { httpUrl: 'http://127.0.0.1:1/mcp' },
      },
    });
    const { stderr } = await run('list', '--servers', file, '--policy', policy());
    expect(stderr).toContain(
      'joined is left out: "node server.js" is not a program; write its arguments into "args".',
    );
    // It has a URL, so it is reached for.
    expect(stderr).toContain('other is left out: fetch failed');
  });

  it('takes no second server', async () => {
    const { code, stderr } = await run('serve', '--servers', 'x.json', '--policy', policy(), '--', 'node');
    expect([code, stderr]).toEqual([2, expect.stringContaining('There are 2 inputs')]);
  });
});

describe('a policy for several servers', () => {
  const GONE = { command: 'no-such-program' };
  const servers = (all: object): string => write('.mcp.json', { mcpServers: all });
  const at = (name: string): string => join(folder, name);
  const text = (name: string): string => readFileSync(at(name), 'utf8');
  const init = (file: string, ...args: string[]) =>
    run('init', '--servers', file, '--output', at('all.yaml'), ...args);

  it('is written by init with the policy, the tests and the catalog of each server, and passes its checks', async () => {
    const file = servers({ mine: everything, theirs: everything, gone: GONE });
    const { code, stderr } = await init(file);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('The server gone is left out: it cannot be started'),
    ]);
    expect(stderr).toContain('all.yaml, which joins the policies of mine, theirs.');
    expect(text('all.yaml')).toContain(
      'servers:\n  mine:\n    {\n      policy: mine.yaml,\n      description: "echo, ',
    );
    // With its own names.
    expect(JSON.parse(text('mine.catalog.json')).tools[0].name).toBe('echo');
    const checked = await run('check', at('all.yaml'), '--servers', file, '--deny-warnings');
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('No findings')]);
    // The catalog that commands in this folder use has facts, and no definitions to judge.
    const again = await run('check', at('all.yaml'), '--catalog', at('all.catalog.json'), '--deny-warnings');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('No findings')]);
    const tested = await run('test', at('mine.yaml'), at('theirs.yaml'));
    expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('tests passed')]);

    const use = ['--servers', file, '--policy', at('all.yaml')];
    const [listed, counted, explained, pinned] = await Promise.all([
      run('list', ...use, '--concern', 'topic=mine'),
      run('tokens', ...use),
      run('explain', 'mine__echo', ...use, '--concern', 'topic=theirs'),
      run('pin', ...use),
    ]);
    expect(listed.stdout).toMatch(
      /^mine: 32 of 32 shown, [\d,]+ tokens$[\s\S]*^theirs: 2 of 32 shown, [\d,]+ tokens$/m,
    );
    expect(listed.stdout).toMatch(/\n\ngone is not available: it cannot be started \(ENOENT\)\n$/);
    expect(counted.stdout).toMatch(
      /^theirs: [\d,]+ tokens\n[\s\S]*^mine: [\d,]+ tokens\n[\s\S]*\ngone is not available/m,
    );
    expect(explained.stdout).toContain('It is of the server mine.');
    expect(explained.stdout).toMatch(/effect +read-only +\S*mine\.yaml:\d+/);
    expect([pinned.code, text('all.lock.yaml')]).toEqual([0, expect.stringContaining('theirs__echo: ')]);
  });

  it('is not changed by a server that is down: --update, pin and check keep what is about it, and add a new one', async () => {
    await init(servers({ mine: everything, theirs: everything }));
    await run('pin', '--servers', at('.mcp.json'), '--policy', at('all.yaml'));
    const files = [
      'theirs.yaml',
      'theirs.test.yaml',
      'theirs.catalog.json',
      'theirs.lock.yaml',
      'all.lock.yaml',
    ];
    const before = files.map(text);
    const file = servers({ mine: everything, theirs: GONE, new: everything });

    const { code, stderr } = await init(file, '--update');
    expect([code, stderr]).toEqual([0, expect.stringContaining('The server theirs is left out')]);
    expect(stderr).toContain('mine.yaml: nothing added, nothing removed.');
    expect(files.map(text)).toEqual(before);
    expect(text('all.yaml')).toContain('servers:\n  new: { policy: new.yaml }\n  mine:\n');
    expect(text('new.test.yaml')).toContain('policy: new.yaml');

    const checked = await run('check', at('all.yaml'), '--servers', file, '--deny-warnings');
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('No findings')]);
    const pinned = await run('pin', '--servers', file, '--policy', at('all.yaml'));
    expect([pinned.code, pinned.stdout]).toEqual([0, expect.not.stringContaining('theirs__')]);
    for (const name of ['theirs__echo: ', 'new__echo: ']) expect(text('all.lock.yaml')).toContain(name);
  });

  it('keeps entries about a server that is down in a policy without policies of servers, too', async () => {
    const file = servers({ mine: everything, 'Their Server': GONE });
    const { stdout } = await run('check', policy(), '--servers', file);
    expect(stdout).not.toContain('dead-entry');
    const { code, stderr } = await run('init', '--servers', file, '--output', policy(), '--update');
    expect([code, stderr]).toEqual([2, expect.stringContaining('has no list of servers, one in each line')]);
  });

  it('has tests of the whole endpoint, on the catalogs of its servers', async () => {
    write(
      'one.yaml',
      'version: 1\nconcerns: { effect: { values: [look, edit], match: at-most } }\nprimitives: { tools: { write: { effect: edit } } }\n',
    );
    write(
      'top.yaml',
      'version: 1\nservers: { files: { policy: one.yaml } }\nconcerns: { topic: { values: servers } }\n',
    );
    write('files.catalog.json', { tools: [{ name: 'write' }, { name: 'read' }] });
    write('git.catalog.json', { tools: [{ name: 'push' }] });
    const catalog = '{ Files: files.catalog.json, git: git.catalog.json }';
    const test = (concerns: string, names: string) =>
      write(
        'top.test.yaml',
        `policy: top.yaml\ncatalog: ${catalog}\ntests: [{ name: all, concerns: ${concerns}, tools: { only: [${names}] } }]\n`,
      );
    const good = await run('test', test('{ effect: look, topic: [files, git] }', 'files__read, git__push'));
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('1 test passed')]);
    const bad = await run('test', test('{ topic: git }', 'files__read'));
    expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining('files__read')]);

    const explained = await run('explain', 'files__write', '--policy', at('top.yaml'));
    expect(explained.stdout).toMatch(/It is of the server files\.[\s\S]*effect +edit +\S*one\.yaml:3/);
  });
});
