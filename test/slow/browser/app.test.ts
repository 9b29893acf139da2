import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, start } from '../../cli/run.js';
import { PATIENCE } from '../../patience.js';
import { launchBrowser, NoBrowserError } from './launch.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser | undefined;
let reason = '';
try {
  browser = await launchBrowser();
} catch (cause) {
  // Under CI a missing browser is a failure: nothing else shows the page in a host.
  if (!(cause instanceof NoBrowserError) || process.env.CI !== undefined) throw cause;
  reason = cause.message;
}

/** The frame of the page, and the state of the host around it. */
const SEEN = 'JSON.stringify(globalThis.seen)';
interface Seen {
  readonly lists: string[][];
  readonly calls: string[];
  readonly text: string;
}

/** What runs for a test. */
interface Host {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts an endpoint, and a host in a web page that is connected to it. */
async function openHost(...args: readonly string[]): Promise<Host> {
  const served: Running = start('serve', '--port', '0', ...args);
  const welcome = await served.until('stdout', /to stop\.\n/);
  const endpoint = new URL(/on (http:\S+)/.exec(welcome)?.[1] ?? '');
  const { outputFiles } = await build({
    entryPoints: ['test/slow/browser/app-host.ts'],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    logLevel: 'error',
  });
  const script = outputFiles[0]?.text ?? '';
  // The page of the host and the endpoint have one origin, as in a host that connects from its own process.
  const host = createServer((incoming, response) => {
    if (incoming.url === '/host.js') {
      return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    }
    if (incoming.url !== '/mcp') {
      const html =
        '<!doctype html><meta charset="utf-8"><title>host</title><body><script type="module" src="/host.js"></script>';
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    }
    const { origin: _origin, ...headers } = incoming.headers;
    const passed = request(
      endpoint,
      { method: incoming.method, headers: { ...headers, host: endpoint.host } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    async close() {
      host.close();
      host.closeAllConnections();
      served.child.kill('SIGKILL');
      await served.ended;
    },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'app-'));
beforeAll(() => {
  process.env.XDG_RUNTIME_DIR = folder;
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
  delete process.env.XDG_RUNTIME_DIR;
});

describe.skipIf(browser === undefined)(`a person at the MCP App in a host ${reason}`, () => {
  let host: Host | undefined;
  let url = '';
  beforeAll(async () => {
    host = await openHost('--server', 'build/vault/server.js', '--policy', 'policies/vault.yaml');
    url = host.url;
  });
  afterAll(() => host?.close());

  it.each(['light', 'dark'])('switches the list of the host, in its theme: %s', async (theme) => {
    const tab = await browser?.newPage({ viewport: { width: 460, height: 900 } });
    tab?.setDefaultTimeout(PATIENCE.wait);
    if (tab === undefined) throw new NoBrowserError();
    const errors: string[] = [];
    tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    tab.on('pageerror', (error) => errors.push(error.message));
    const seen = async (): Promise<Seen> => JSON.parse(await tab.evaluate(SEEN));
    await tab.goto(`${url}/?theme=${theme}`);
    const frame = tab.frameLocator('iframe');
    await frame.getByRole('radio', { name: 'cheap' }).check();
    await expect.poll(async () => (await seen()).lists.map((names) => names.length)).toEqual([25, 13]);
    await frame.getByText('12 of 24 tools').first().waitFor();
    // Only after it has asked once more can the page know that the host took the list.
    await frame.getByText('listed again').first().waitFor();
    const { lists, calls, text } = await seen();
    expect(lists[1]).toContain('concerns');
    expect(lists.flat()).not.toContain('concerns_update');
    expect(calls).toContain('concerns_update');
    expect(text).toMatch(/^24 of 24 tools are shown/);

    const inside = tab.frames()[1];
    expect(await inside?.evaluate('document.documentElement.style.colorScheme')).toBe(theme);
    await inside?.evaluate(AXE);
    expect(
      await inside?.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))'),
    ).toEqual([]);
    await tab.close();
    expect(errors).toEqual([]);
  });

  it('cannot be switched to what would show more, and says where that is possible', async () => {
    const tab = await browser?.newPage({ viewport: { width: 460, height: 900 } });
    tab?.setDefaultTimeout(PATIENCE.wait);
    if (tab === undefined) throw new NoBrowserError();
    await tab.goto(url);
    const frame = tab.frameLocator('iframe');
    await frame.getByRole('radio', { name: 'cheap' }).check();
    await frame.getByText('listed again').first().waitFor();
    await frame.getByText('From here only less can be shown.').waitFor();
    expect(await frame.getByRole('radio', { name: 'everything' }).isDisabled()).toBe(true);
    const cost = frame.getByRole('group', { name: /^cost/ });
    expect(await cost.getByRole('radio', { name: /^any/ }).isDisabled()).toBe(true);
    expect(await cost.getByRole('radio', { name: /^minimal/ }).isDisabled()).toBe(false);
    await frame
      .getByText(/hidden$/)
      .first()
      .click();
    expect(await frame.getByRole('button', { name: /^Show / }).count()).toBe(0);
    const inside = tab.frames()[1];
    await inside?.evaluate(AXE);
    expect(
      await inside?.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))'),
    ).toEqual([]);
    await tab.screenshot({ path: 'build/pictures/app-narrow.png', fullPage: true });
    await tab.close();
  });

  it('leaves a switch where the person put it, also if older documents arrive after the change', async () => {
    const tab = await browser?.newPage({ viewport: { width: 460, height: 900 } });
    tab?.setDefaultTimeout(PATIENCE.wait);
    if (tab === undefined) throw new NoBrowserError();
    await tab.goto(`${url}/?late`);
    const everything = tab.frameLocator('iframe').getByRole('radio', { name: 'everything' });
    await everything.check();
    const cheap = tab.frameLocator('iframe').getByRole('radio', { name: 'cheap' });
    await cheap.check();
    const started = Date.now();
    while (Date.now() - started < 1_500) expect(await cheap.isChecked()).toBe(true);
    await tab.close();
  });
});

/** A server without an SDK, whose tool does several things. */
const SERVER = `
import { createInterface } from 'node:readline';
const tool = (name, argument, values) => ({
  name,
  description: 'About ' + name,
  inputSchema: {
    type: 'object',
    properties: { [argument]: { type: 'string', enum: values }, note: { type: 'string' } },
    required: [argument],
  },
});
const tools = [
  tool('projects', 'action', ['list', 'get', 'create', 'delete', 'purge']),
  tool('wipe', 'target', ['all']),
  { name: 'ping', inputSchema: { type: 'object' } },
];
const RESULTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'projects', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = RESULTS[method]?.(params);
  const error = { code: -32601, message: 'unknown' };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
});
`;

/** An operator hides `purge`. */
const POLICY = `version: 1
concerns:
  effect: { values: [read-only, destroys], match: at-most }
  role: { values: [user, admin], match: at-most, set-by: operator, claim: role, default: user }
primitives:
  tools:
    projects(action=delete): { effect: destroys }
    projects(action=create): { effect: destroys }
    projects(action=purge): { role: admin }
    projects(note): { effect: destroys }
    wipe(target=all): { effect: destroys }
patterns: { tools: { "projects(action=*)": { effect: read-only } } }
settings: { unmapped: show, enforcement: enforce, panel: on }
`;

describe.skipIf(browser === undefined)(`the MCP App of a server with uses of tools ${reason}`, () => {
  let host: Host | undefined;
  beforeAll(async () => {
    const [server, policy] = [join(folder, 'server.mjs'), join(folder, 'policy.yaml')];
    writeFileSync(server, SERVER);
    writeFileSync(policy, POLICY);
    host = await openHost('--policy', policy, '--', process.execPath, server);
  });
  afterAll(() => host?.close());

  it('counts tools, and tells what is left of them', async () => {
    const tab = await browser?.newPage({ viewport: { width: 460, height: 900 } });
    if (tab === undefined || host === undefined) throw new NoBrowserError();
    tab.setDefaultTimeout(PATIENCE.wait);
    const errors: string[] = [];
    tab.on('pageerror', (error) => errors.push(error.message));
    const seen = async (): Promise<Seen> => JSON.parse(await tab.evaluate(SEEN));
    await tab.goto(host.url);
    const frame = tab.frameLocator('iframe');
    await frame.getByText('3 of 3 tools').first().waitFor();
    await frame.getByText('3 shown, 0 hidden').click();
    const rowOf = (name: string) => frame.getByRole('listitem').filter({ hasText: name });
    expect(await rowOf('projects').innerText()).not.toContain('Left:');
    await frame.getByRole('radio', { name: /^read-only/ }).check();
    await frame.getByText('listed again').first().waitFor();
    await frame.getByText('2 of 3 tools').first().waitFor();
    await frame.getByText('Left: 2 of 4 values of action, without note. About projects').waitFor();
    expect(await rowOf('wipe').innerText()).toContain(
      'No value is left of an argument that every call needs.',
    );
    // The estimated tokens are those of the list that the host has.
    const { lists, text } = await seen();
    expect(lists.at(-1)).toEqual(['projects', 'ping', 'concerns']);
    const [, tokens = ''] =
      /\n?(\d+) of [\d,]+ tokens/.exec(await frame.locator('.tokens-shown').innerText()) ?? [];
    const definitions = [
      {
        name: 'projects',
        description: 'About projects',
        inputSchema: {
          type: 'object',
          properties: { action: { type: 'string', enum: ['list', 'get'] } },
          required: ['action'],
          additionalProperties: false,
        },
      },
      { name: 'ping', inputSchema: { type: 'object' } },
    ];
    const estimated = definitions.reduce(
      (sum, each) => sum + Math.round(JSON.stringify(each).length / 4.2),
      0,
    );
    expect(Number(tokens)).toBe(estimated);
    await tab.screenshot({ path: 'build/pictures/app-uses.png', fullPage: true });
    // What only the operator hides is nowhere.
    expect(`${text}${await tab.frames()[1]?.evaluate('document.documentElement.outerHTML')}`).not.toMatch(
      /purge|admin/,
    );
    await tab.close();
    expect(errors).toEqual([]);
  });
});
