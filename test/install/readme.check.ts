import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../behavior/examples/pages.js';
import { answered } from '../cli/shown.js';
import { run, unreachableRegistry, Workspace } from './project.js';

const README = readFileSync('README.md', 'utf8');
const COMMANDS = blocksOf('README.md', 'sh').flatMap((block) => block.trim().split('\n'));
/** The first block shows a command, which can go on in another line, and what it prints. */
const [, LIST = '', OUTPUT = ''] = /^```\n\$ ((?:.*\\\n)*.*\n)([\s\S]*?)^```$/m.exec(README) ?? [];

/** Where the person has the npm registry from: a setting of the user or of the machine. */
const registry = () => ({
  npm_config_registry: execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim(),
});

const unreachable = await unreachableRegistry();
if (unreachable !== undefined)
  console.log(`Skipped: the README installs packages from the npm registry, but ${unreachable}.`);

describe.skipIf(unreachable !== undefined)('the README, in an empty folder with an empty npm cache', () => {
  let workspace: Workspace;
  let folder: string;
  const environment = () => ({ npm_config_cache: join(workspace.folder, 'empty-cache') });
  const execute = (command: string) => run(['sh', '-c', command], folder, environment());
  const command = (beginning: string): string => {
    const found = COMMANDS.find((each) => each.startsWith(beginning))?.replace(/\s+#.*/, '');
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

  it('prints for its first example what it shows', async () => {
    const lines = (text: string): string[] => text.trim().split(/\s*\n/);
    expect(lines(OUTPUT).length).toBeGreaterThan(5);
    // What is hidden follows, with the reasons.
    const printed = lines(await execute(LIST.replaceAll('\\\n', ' ')));
    expect(printed.slice(0, lines(OUTPUT).length)).toEqual(lines(OUTPUT));
  });

  it('narrows a host and puts its file back, with npx and nothing else', async () => {
    const home = workspace.project('home of a person');
    const file = join(home, '.config', 'opencode', 'opencode.json');
    mkdirSync(dirname(file), { recursive: true });
    const before = `{ // mine\n  "mcp": { "crm": { "type": "local", "command": ["node", "${resolve('test/cli/fixtures/many-tools.mjs')}", "60"] } },\n}\n`;
    writeFileSync(file, before);
    const app = workspace.project('app of a person');
    const npx = (what: string) =>
      command(what).replace('npx', `cd '${app}' && npx --yes --package ${workspace.tarball} --`);
    const person = { PATH: process.env.PATH, HOME: home, ...registry(), ...environment() };
    const said = await answered(npx('npx mcp-concerns  '), 'y', person);
    expect(said).toMatch(/crm {2}60 tools, [\d,]+ tokens -> 1 tool/);
    expect(said).toContain('Restart opencode');
    const after = readFileSync(file, 'utf8');
    expect(after).toContain('// mine');
    const [program = '', ...args] = JSON.parse(/"command": (\[[\s\S]*?\])/.exec(after)?.[1] ?? '[]');
    // npm empties the cache of npx.
    rmSync(join(environment().npm_config_cache, '_npx'), { recursive: true, force: true });
    const client = new Client({ name: 'opencode', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({ command: program, args, env: { PATH: process.env.PATH ?? '', HOME: home } }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['concerns']);
    await client.callTool({ name: 'concerns', arguments: { show: ['crm_get_ticket'] } });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('crm_get_ticket');
    await client.close();
    expect(await answered(npx('npx mcp-concerns setup --undo'), '', person)).toContain('is as it was');
    expect(readFileSync(file, 'utf8')).toBe(before);
    // npx and setup install the package twice.
  }, 400_000);

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
