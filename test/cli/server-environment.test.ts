import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';

/** It has a tool that returns its environment. */
const EVERYTHING = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
const variable = (name: string) => `$\{${name}}`;

/** What the process of the endpoint has: its own secrets, and what else a person has in a shell. */
const OF_ENDPOINT = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  MCP_CONCERNS_ENDPOINT_KEY: 'k'.repeat(32),
  MCP_CONCERNS_SESSION_SECRET: 's'.repeat(32),
  MCP_CONCERNS_SOMETHING_LATER: 'ours',
  npm_config_package: 'mcp-concerns',
  npm_config_call: 'mcp-concerns serve',
  npm_config_cache: '/cache',
  GITHUB_TOKEN: 'of-github',
  SLACK_TOKEN: 'of-slack',
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'environment-'));
  writeFileSync(join(folder, 'policy.yaml'), 'version: 1\nconcerns: {}\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Starts `serve`, and returns what its tools say of the environment of their servers. */
async function environmentsOf(tools: readonly string[], ...input: string[]) {
  const client = new Client({ name: 'host', version: '1' });
  const args = ['dist/cli/main.js', 'serve', '--stdio', '--policy', join(folder, 'policy.yaml'), ...input];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: OF_ENDPOINT, stderr: 'ignore' }),
  );
  try {
    const found: Record<string, string>[] = [];
    for (const name of tools) {
      const { content } = await client.callTool({ name });
      const [first] = content as { text: string }[];
      found.push(JSON.parse(first?.text ?? ''));
    }
    return found;
  } finally {
    await client.close();
  }
}

const ours = (env: object) => Object.keys(env).filter((name) => name.startsWith('MCP_CONCERNS_'));

describe('the environment of a server', () => {
  it('has the variables of the process behind "serve -- COMMAND", but those of the endpoint', async () => {
    const [env = {}] = await environmentsOf(['get-env'], '--', process.execPath, EVERYTHING, 'stdio');
    expect(env).toMatchObject({ GITHUB_TOKEN: 'of-github', SLACK_TOKEN: 'of-slack', PATH: OF_ENDPOINT.PATH });
    expect(ours(env)).toEqual([]);
  });

  it('does not have what "npx --package" runs, which another npx would run too', async () => {
    const [env = {}] = await environmentsOf(['get-env'], '--', process.execPath, EVERYTHING, 'stdio');
    expect(env).toMatchObject({ npm_config_cache: '/cache' });
    expect(env).not.toHaveProperty('npm_config_package');
    expect(env).not.toHaveProperty('npm_config_call');
  });

  it('has only its own variables and those that every program needs behind "serve --servers"', async () => {
    const file = join(folder, 'servers.json');
    const mcpServers = {
      github: { ...everything, env: { TOKEN: variable('GITHUB_TOKEN'), MODE: 'read' } },
      slack: { ...everything, env: { SLACK_TOKEN: variable('SLACK_TOKEN') } },
      plain: everything,
    };
    writeFileSync(file, JSON.stringify({ mcpServers }));
    const tools = ['github', 'slack', 'plain'].map((slug) => `${slug}__get-env`);
    const [github = {}, slack = {}, plain = {}] = await environmentsOf(tools, '--servers', file);
    expect(github).toMatchObject({
      TOKEN: 'of-github',
      MODE: 'read',
      PATH: OF_ENDPOINT.PATH,
      HOME: OF_ENDPOINT.HOME,
    });
    expect(slack).toMatchObject({ SLACK_TOKEN: 'of-slack' });
    for (const env of [github, slack, plain]) expect(ours(env)).toEqual([]);
    expect(JSON.stringify(github)).not.toContain('of-slack');
    expect(JSON.stringify(slack)).not.toContain('of-github');
    expect(JSON.stringify(plain)).not.toMatch(/of-slack|of-github/);
  });

  it('never has the variables of the endpoint, also if a program passes them', async () => {
    const print = 'console.error(Object.keys(process.env).join());process.stdin.resume()';
    const child = new ChildTransport(process.execPath, ['-e', print], {
      PATH: OF_ENDPOINT.PATH,
      MCP_CONCERNS_ENDPOINT_KEY: 'k',
      mcp_concerns_session_secret: 's',
      OWN: 'o',
    });
    const line = new Promise<string>((resolve) => {
      child.onstderr = resolve;
    });
    await child.start();
    const names = (await line).split(',');
    await child.close();
    expect(names).toContain('OWN');
    expect(names.filter((name) => /mcp_concerns/i.test(name))).toEqual([]);
  });
});
