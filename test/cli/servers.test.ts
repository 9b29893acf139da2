import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.js';

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

  it('takes no second server', async () => {
    const { code, stderr } = await run('serve', '--servers', 'x.json', '--policy', policy(), '--', 'node');
    expect([code, stderr]).toEqual([2, expect.stringContaining('There are 2 inputs')]);
  });
});

describe('init --servers', () => {
  it('writes one policy for all servers, which passes its checks, and names a server that does not start', async () => {
    const file = write('.mcp.json', {
      mcpServers: { mine: everything, theirs: everything, gone: { command: 'no-such-program' } },
    });
    const proposed = join(folder, 'proposed.yaml');
    const { code, stderr } = await run('init', '--servers', file, '--output', proposed);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('The server gone is left out: it cannot be started'),
    ]);
    expect(stderr).toContain('Checked: check reports nothing, and the tests pass.');
    const listed = await run(
      'list',
      '--servers',
      file,
      '--policy',
      proposed,
      '--concern',
      'effect=read-only',
    );
    expect(listed.stdout).toContain('mine__echo');
    expect(listed.stdout).toContain('theirs__echo');
  });
});
