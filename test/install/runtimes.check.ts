import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { parse } from 'smol-toml';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createRecipes,
  expectBothEras,
  expectEras,
  PAGE,
  shownFiles,
} from '../behavior/examples/runtimes.js';
import { connectOverHttp, post, toolNames, updateConcerns } from '../clients.js';
import { run, unreachableRegistry } from './project.js';

/** The folder in which the runtimes are installed; see its package.json. */
const RUNTIMES = resolve('test/runtimes/edge');
const VERSIONS = versionsIn(RUNTIMES, 'dependencies');
const programOf = (name: string): string => join(RUNTIMES, 'node_modules/.bin', name);

const missing = await installRuntimes();
if (missing !== undefined) console.log(`Skipped: the runtimes come from the npm registry, but ${missing}.`);

/** Installs the pinned versions, unless they are installed. Returns why there are none. */
async function installRuntimes(): Promise<string | undefined> {
  const isCurrent = Object.entries(VERSIONS).every(([name, pinned]) => {
    const folder = join(RUNTIMES, 'node_modules', name);
    return existsSync(folder) && versionsIn(folder).version === pinned && existsSync(programOf(name));
  });
  if (isCurrent) return undefined;
  const unreachable = await unreachableRegistry();
  if (unreachable === undefined) await run(['npm', 'ci', '--no-audit', '--no-fund'], RUNTIMES);
  return unreachable;
}

function versionsIn(folder: string, member?: string): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return member === undefined ? manifest : manifest[member];
}

describe.skipIf(missing !== undefined)(PAGE, async () => {
  const { folder, command } = await createRecipes();
  const running: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of running.splice(0)) {
      child.kill();
      await once(child, 'close');
    }
  });

  /** Starts a runtime in the project, and waits for the line that tells its port. */
  async function start(name: string, args: readonly string[], port: RegExp): Promise<URL> {
    const child = spawn(programOf(name), args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    const said: string[] = [];
    const closed = once(child, 'close').then(() => undefined);
    const listening = new Promise<string>((found) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface(stream).on('line', (line) => {
          said.push(line);
          const [, number] = port.exec(line) ?? [];
          if (number !== undefined) found(number);
        });
      }
    });
    const number = await Promise.race([listening, closed]);
    if (number === undefined) throw new Error(`${name} ended:\n${said.join('\n')}`);
    return new URL(`http://127.0.0.1:${number}/mcp`);
  }

  /** Starts a command of the page, on a free port. */
  function startShown(name: string, pattern: RegExp, port: RegExp): Promise<URL> {
    const [, ...args] = command(pattern)
      .replace(/--port \d+/, '--port 0')
      .split(' ');
    return start(name, args, port);
  }

  /** Bundles a Worker as Wrangler does, and starts it with the settings that the page shows for it. */
  async function startWorker(main: string): Promise<URL> {
    const settings = shownFiles()
      .filter(({ name }) => name === 'wrangler.toml')
      .map(({ text }) => parse(text) as unknown as Wrangler)
      .find((each) => each.main === main);
    if (settings === undefined) throw new Error(`${PAGE} has no wrangler.toml for ${main}.`);
    expect(settings.compatibility_flags).toBeUndefined();
    await build({
      entryPoints: [join(folder, main)],
      outfile: join(folder, 'bundle.js'),
      bundle: true,
      format: 'esm',
      platform: 'browser',
      conditions: ['workerd', 'worker', 'browser'],
      external: ['cloudflare:*'],
      logLevel: 'warning',
    });
    writeFileSync(join(folder, 'workerd.capnp'), workerdConfig(settings));
    return start('workerd', ['serve', '--control-fd=1', 'workerd.capnp'], /"port":(\d+)/);
  }

  it('names the versions of the runtimes', () => {
    const page = readFileSync(PAGE, 'utf8');
    expect(page).toContain(`Deno ${VERSIONS.deno?.replace(/\.\d+$/, '')}`);
    expect(page).toContain(`Bun ${VERSIONS.bun?.replace(/\.\d+$/, '')}`);
    const [, year, month] = /^1\.(\d{4})(\d\d)/.exec(VERSIONS.workerd ?? '') ?? [];
    expect(page).toContain(`workerd ${year}-${month}`);
  });

  it('serves both eras from a Worker without nodejs_compat', async () => {
    await expectBothEras(await startWorker('server.js'));
  });

  it('serves both eras from a Worker, whose Durable Objects keep a switch until the session ends', async () => {
    const url = await startWorker('worker.js');
    await expectBothEras(url);
    const client = await connectOverHttp(url.href);
    await updateConcerns(client, { access: 'read' });
    expect(await toolNames(client)).toEqual(['read_note']);
    const session = client.transport?.sessionId ?? '';
    const [list, headers] = [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': session }];
    expect(await (await post(url.href, list, headers)).text()).not.toContain('write_note');
    await fetch(url, { method: 'DELETE', headers });
    expect((await post(url.href, list, headers)).status).toBe(404);
    await client.close();
  });

  it('serves a server of SDK v1 from a Worker', async () => {
    const file = join(folder, 'server.js');
    const text = readFileSync(file, 'utf8');
    const ofSdk1 = text
      .replace("'@modelcontextprotocol/server'", "'@modelcontextprotocol/sdk/server/mcp.js'")
      .replace('mcp-concerns/http/v2', 'mcp-concerns/http');
    writeFileSync(file, ofSdk1);
    try {
      await expectEras(await startWorker('server.js'), ['legacy']);
    } finally {
      writeFileSync(file, text);
    }
  });

  it('serves both eras from Deno, which asks for no permission', async () => {
    await expectBothEras(await startShown('deno', /^deno serve/, /Listening on \S+:(\d+)/));
  });

  it('serves both eras from Bun', async () => {
    await expectBothEras(await startShown('bun', /^bun /, /Started \D+:(\d+)/));
  });
});

/** What the page sets in wrangler.toml. */
interface Wrangler {
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly durable_objects?: { readonly bindings: readonly { name: string; class_name: string }[] };
}

/** Returns the configuration of workerd for a Worker. Each class of Durable Objects is in memory. */
function workerdConfig({ compatibility_date, durable_objects }: Wrangler): string {
  const objects = durable_objects?.bindings ?? [];
  const bindings = objects.map(
    (each) => `(name = "${each.name}", durableObjectNamespace = (className = "${each.class_name}"))`,
  );
  const classes = objects.map((each) => `(className = "${each.class_name}", uniqueKey = "${each.name}")`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "bundle.js")],
    compatibilityDate = "${compatibility_date}",
    bindings = [${bindings}],
    durableObjectNamespaces = [${classes}],
    durableObjectStorage = (inMemory = void),
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
}
