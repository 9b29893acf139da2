import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, run, startAtTerminal } from '../../cli/run.js';
import { PATIENCE } from '../../patience.js';
import { launchBrowser, NoBrowserError } from './launch.js';

let browser: Browser | undefined;
let reason = '';
try {
  browser = await launchBrowser();
} catch (cause) {
  // Under CI a missing browser is a failure: nothing else clicks the switches.
  if (!(cause instanceof NoBrowserError) || process.env.CI !== undefined) throw cause;
  reason = cause.message;
}

describe.skipIf(browser === undefined)(`a person at the page of serve ${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'control-'));
  const policy = join(folder, 'policy.yaml');
  const lists: number[] = [];
  const client = new Client({ name: 'some-host', version: '7' });
  let served: Running | undefined;
  let page = '';
  beforeAll(async () => {
    writeFileSync(policy, readFileSync('policies/vault.yaml'));
    process.env.XDG_RUNTIME_DIR = folder;
    const args = [
      'serve',
      '--color',
      'never',
      '--port',
      '0',
      '--server',
      'build/vault/server.js',
      '--policy',
      policy,
    ];
    served = startAtTerminal('stdout', args);
    const welcome = await served.until('stdout', /to stop\.\n/);
    page = /^Switch: +(http\S+)$/m.exec(welcome)?.[1] ?? '';
    // Without the tool that the gate adds.
    const list = async () => void lists.push((await client.listTools()).tools.length - 1);
    client.setNotificationHandler(ToolListChangedNotificationSchema, list);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(/on (http:\S+)/.exec(welcome)?.[1] ?? '')),
    );
    await list();
  });
  afterAll(async () => {
    await browser?.close();
    await client.close();
    served?.child.kill('SIGKILL');
    await served?.ended;
    rmSync(folder, { recursive: true });
    delete process.env.XDG_RUNTIME_DIR;
  });

  it('clicks, and the host gets another list', async () => {
    const tab = await browser?.newPage();
    tab?.setDefaultTimeout(PATIENCE.wait);
    if (tab === undefined) throw new NoBrowserError();
    const errors: string[] = [];
    tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    tab.on('pageerror', (error) => errors.push(error.message));
    await tab.goto(page);
    await tab.getByText('Seen by some-host 7 (http)').waitFor();
    await tab.getByRole('radio', { name: 'safe' }).check();
    await tab.getByText('some-host listed again after the last change.').waitFor();
    await expect.poll(() => lists).toEqual([24, 10]);
    expect(await tab.getByRole('radio', { name: 'safe' }).isChecked()).toBe(true);
    await tab.getByText('10 of 24 tools').first().waitFor();

    await tab.getByRole('button', { name: 'Show logData' }).click();
    await expect.poll(() => lists).toEqual([24, 10, 6]);

    // The policy is saved: the page follows without a reload, and the values stay.
    writeFileSync(policy, readFileSync(policy, 'utf8').replace('  live: {', '  calm: {'));
    await tab.getByRole('radio', { name: 'calm' }).waitFor();
    expect(
      await tab.getByRole('group', { name: 'security' }).getByRole('radio', { name: 'medium' }).isChecked(),
    ).toBe(true);

    await tab.close();
    expect(errors).toEqual([]);
  });

  it('decides about what a program asks for: Escape refuses, and a click allows', async () => {
    const tab = await browser?.newPage();
    tab?.setDefaultTimeout(PATIENCE.wait);
    if (tab === undefined) throw new NoBrowserError();
    const errors: string[] = [];
    tab.on('pageerror', (error) => errors.push(error.message));
    await tab.goto(page);
    const dialog = tab.getByRole('dialog', { name: 'A program asks to show more to some-host' });
    const ask = async () => {
      const { code, stdout, stderr } = await run('switch', 'everything');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('A person can allow it on the page: mcp-concerns switch --open');
      await dialog.waitFor();
    };
    const before = lists.length;
    await ask();
    expect(await dialog.innerText()).toMatch(
      /security: from medium to any\n.*18 more tools: .* and 6 others\. Also 2 more prompts and resources\./s,
    );
    expect(await dialog.getByRole('button', { name: 'Allow' }).isDisabled()).toBe(true);
    expect(await tab.evaluate('document.activeElement.textContent')).toBe('Refuse');
    await tab.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect((await run('switch')).stdout).toContain('6 of 24 tools');
    expect(lists).toHaveLength(before);

    await ask();
    await dialog.getByRole('button', { name: 'Allow' }).click();
    await expect.poll(() => lists.slice(before)).toEqual([24]);
    await dialog.waitFor({ state: 'hidden' });
    await tab.close();
    expect(errors).toEqual([]);
  });
});
