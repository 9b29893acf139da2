import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../behavior/examples/pages.js';
import { run, unreachableRegistry, Workspace } from './project.js';

const README = readFileSync('README.md', 'utf8');
const COMMANDS = blocksOf('README.md', 'sh').flatMap((block) => block.trim().split('\n'));
/** The first block shows a command and what it prints. */
const [, LIST = '', OUTPUT = ''] = /^```\n\$ (.*)\n([\s\S]*?)^```$/m.exec(README) ?? [];

const unreachable = await unreachableRegistry();
if (unreachable !== undefined)
  console.log(`Skipped: the README installs packages from the npm registry, but ${unreachable}.`);

describe.skipIf(unreachable !== undefined)('the README, in an empty folder with an empty npm cache', () => {
  let workspace: Workspace;
  let folder: string;
  const environment = () => ({ npm_config_cache: join(workspace.folder, 'empty-cache') });
  const execute = (command: string) => run(['sh', '-c', command], folder, environment());
  const command = (beginning: string): string => {
    const found = COMMANDS.find((each) => each.startsWith(beginning));
    if (found === undefined) throw new Error(`The README has no command that begins with "${beginning}".`);
    return found;
  };

  beforeAll(async () => {
    workspace = await Workspace.create();
    folder = workspace.project('readme');
    await execute(command('npm install').replace('mcp-concerns', workspace.tarball));
  });
  afterAll(() => workspace?.remove());

  it('writes a policy with its command, which starts a server that npx does not know yet', async () => {
    const output = await execute(`${command('npx mcp-concerns init')} 2>&1`);
    expect(output).toContain('policy.yaml');
    expect(output).not.toMatch(/canceled|ended with/);
  });

  it('lists the tools that it shows', async () => {
    const names = (text: string): string[] => (text.match(/\bbrowser_\w+/g) ?? []).sort();
    const printed = await execute(`${LIST} | sed '/shown$/,/^$/!d'`);
    expect(names(OUTPUT).length).toBeGreaterThan(5);
    expect(names(printed)).toEqual(names(OUTPUT));
  });

  it('serves a server that is not yours, which a real client sees filtered', async () => {
    const serve = command('npx mcp-concerns serve').replace(' -- ', ' --port 0 -- ');
    // A process group of its own, because npx does not pass signals on to the command that it starts.
    const server = spawn('sh', ['-c', serve], {
      cwd: folder,
      env: { ...process.env, ...environment() },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const ended = once(server, 'close');
    try {
      let printed = '';
      for (const stream of [server.stdout, server.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          printed += text;
        });
      }
      // The key of the endpoint follows in the path, and the address of the page can be printed first.
      const endpoint = /http:\S+\/mcp(?:\/[\w-]+)?(?=\s)/;
      await expect.poll(() => printed, { timeout: 60_000 }).toMatch(endpoint);
      const [url = ''] = endpoint.exec(printed) ?? [];
      const client = new Client({ name: 'host', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}?concerns=effect:read-only`)));
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('browser_snapshot');
      expect(names).not.toContain('browser_click');
      await client.close();
    } finally {
      process.kill(-(server.pid ?? Number.NaN), 'SIGTERM');
      await ended;
    }
  });
});
