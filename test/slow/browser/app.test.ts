import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

describe.skipIf(browser === undefined)(`a person at the MCP App in a host ${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'app-'));
  let served: Running | undefined;
  let host: ReturnType<typeof createServer> | undefined;
  let url = '';

  beforeAll(async () => {
    process.env.XDG_RUNTIME_DIR = folder;
    served = start(
      'serve',
      '--port',
      '0',
      '--server',
      'build/vault/server.js',
      '--policy',
      'policies/vault.yaml',
    );
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
    host = createServer((incoming, response) => {
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
    await new Promise<void>((resolve) => host?.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    host?.close();
    host?.closeAllConnections();
    served?.child.kill('SIGKILL');
    await served?.ended;
    rmSync(folder, { recursive: true });
    delete process.env.XDG_RUNTIME_DIR;
  });

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
