import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { hostsCommand } from '../../src/cli/options/generated/commands.js';
import { HOSTS as FORMATS } from '../../src/cli/serving/generated/hosts.js';
import { read } from '../../src/wire/messages.js';
import { run } from './run.js';

const SERVER = ['node', './node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'];
const POLICY = ['--policy', 'policies/vault.yaml', '--preset', 'safe'];

/** Where each host has the command, and what else its format requires. */
const HOSTS: Record<string, { at: readonly string[]; more: object }> = {
  'claude-code': { at: ['mcpServers', 'concerns'], more: { type: 'stdio' } },
  'claude-desktop': { at: ['mcpServers', 'concerns'], more: {} },
  vscode: { at: ['servers', 'concerns'], more: { type: 'stdio' } },
  cursor: { at: ['mcpServers', 'concerns'], more: {} },
  'gemini-cli': { at: ['mcpServers', 'concerns'], more: {} },
  codex: { at: ['mcp_servers', 'concerns'], more: {} },
  opencode: { at: ['mcp', 'concerns'], more: { type: 'local', enabled: true } },
  'copilot-cli': { at: ['mcpServers', 'concerns'], more: { type: 'local', tools: ['*'] } },
  zed: { at: ['context_servers', 'concerns'], more: { env: {} } },
};

/** @returns the program and its arguments, which one host has in one list */
function commandIn(host: string, text: string): string[] {
  const { at, more } = HOSTS[host] ?? { at: [], more: {} };
  const { command, args, ...rest } = read(host === 'codex' ? parseToml(text) : JSON.parse(text), ...at) as {
    command: string | string[];
    args?: string[];
  };
  expect(rest).toEqual(more);
  return [command, args ?? []].flat();
}

describe('hosts', () => {
  it('writes the format of each host, and all of them start the same command', async () => {
    const texts = await Promise.all(
      Object.keys(HOSTS).map(async (host) => {
        const { code, stdout } = await run('hosts', ...POLICY, '--host', host, '--quiet', '--', ...SERVER);
        expect(code).toBe(0);
        return [host, stdout] as const;
      }),
    );
    const [command = [], ...others] = texts.map(([host, text]) => commandIn(host, text));
    for (const other of others) expect(other).toEqual(command);
    const [program = '', ...args] = command;
    expect(program).toBe(process.execPath);
    expect(args.slice(1, 6)).toEqual([
      'serve',
      '--stdio',
      '--policy',
      join(process.cwd(), 'policies/vault.yaml'),
      '--concern',
    ]);
    expect(args.slice(6, 8)).toEqual(['preset=safe', '--']);
    for (const path of [args[0], args[8], args[9]]) expect(isAbsolute(path ?? '')).toBe(true);

    // Hosts start servers in any folder, and some without the search path of a shell.
    const cwd = mkdtempSync(join(tmpdir(), 'hosts-'));
    const client = new Client({ name: 'host', version: '1.0.0' });
    try {
      await client.connect(
        new StdioClientTransport({
          command: program,
          args: [...args.slice(0, 3), '--panel', 'off', ...args.slice(3)],
          cwd,
          env: {},
          stderr: 'ignore',
        }),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    } finally {
      await client.close();
      rmSync(cwd, { recursive: true, force: true });
    }
  });

  it('prints all hosts with the file of each', async () => {
    const { stdout, stderr, code } = await run('hosts', ...POLICY, '--', ...SERVER);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    for (const file of [
      '.mcp.json',
      'claude_desktop_config.json',
      '.vscode/mcp.json',
      '~/.codex/config.toml',
    ]) {
      expect(stdout).toContain(file);
    }
    expect(stdout.match(/^\S.*: .*$/gm)?.length).toBeGreaterThanOrEqual(9);
  });

  it.each([
    [['--policy', 'policies/vault.yaml'], 'There is no server'],
    [['--', 'node', 'server.js'], 'There is no policy'],
    [['--policy', 'policies/vault.yaml', '--preset', 'sfae', '--', 'node'], 'Did you mean "safe"?'],
    [['--policy', 'policies/vault.yaml', '--host', 'vscod', '--', 'node'], 'vscode'],
    [['--policy', 'policies/vault.yaml', '--url', 'https://a.example', '--', 'node'], 'There are 2 inputs'],
  ])('says what is wrong with %j', async (args, message) => {
    const { code, stdout, stderr } = await run('hosts', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

it('takes as --host each host that has a format, in the same order', () => {
  const { argChoices } = hostsCommand().options.find(({ long }) => long === '--host') ?? {};
  expect(argChoices).toEqual(Object.keys(FORMATS));
});
