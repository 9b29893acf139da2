import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.js';
import { PATIENCE } from '../../patience.js';
import { launchBrowser, NoBrowserError } from './launch.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser | undefined;
let reason = '';
try {
  browser = await launchBrowser();
} catch (cause) {
  // Under CI a missing browser is a failure: nothing else edits a policy in the page.
  if (!(cause instanceof NoBrowserError) || process.env.CI !== undefined) throw cause;
  reason = cause.message;
}

/** An operator concern, a description that looks like HTML, and a rule that hides a tool from everybody. */
const TIERS = `version: 1
concerns:
  tier:
    description: </script><img src=x onerror="document.title='broken'">
    values: [free, pro]
    set-by: operator
    claim: plan
  topic: { values: [stocks, news], default: news }
primitives:
  tools:
    quote: { tier: pro, topic: stocks }
    headlines: { topic: news }
rules:
  - { id: off, hide: [tools], when: { "===": [{ var: primitive.name }, reset] }, reason: It resets everything }
`;
const TOOLS = { tools: [{ name: 'quote' }, { name: 'headlines' }, { name: 'reset' }] };

describe.skipIf(browser === undefined)(`the playground in a real browser ${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  const built = join(folder, 'index.html');
  const address = pathToFileURL(built).href;
  const errors: string[] = [];
  let page: Page;

  /** Opens the page that the site has, with its first example or with the document of a link. */
  async function open(link = address, options: Parameters<Browser['newPage']>[0] = {}): Promise<void> {
    if (browser === undefined) throw new NoBrowserError();
    page = await browser.newPage(options);
    page.setDefaultTimeout(PATIENCE.wait);
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(link);
    await page.getByRole('textbox', { name: 'Policy' }).waitFor();
  }
  /** Opens the page, and in it the files of a policy and a catalog, as a person does. */
  async function openTiers(options: Parameters<Browser['newPage']>[0] = {}): Promise<void> {
    await open(address, options);
    await chooseFiles({ 'tiers.yaml': TIERS, 'tiers.catalog.json': JSON.stringify(TOOLS) });
    await page.getByRole('group', { name: 'tier' }).waitFor();
  }
  const chooseFiles = (texts: Readonly<Record<string, string>>) =>
    page
      .locator('input[type=file]')
      .setInputFiles(
        Object.entries(texts).map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })),
      );
  const editor = () => page.getByRole('textbox', { name: 'Policy' });
  const policyText = async () => (await editor().locator('.cm-line').allInnerTexts()).join('\n');
  const totals = () =>
    page
      .getByText(/^\d+ of \d+ tools$/)
      .first()
      .innerText();
  const list = () => page.getByRole('region', { name: 'Tools, prompts and resources' });
  const findings = () => page.getByRole('region', { name: 'Findings' });
  /** Exports a test, and returns the path of the saved file. */
  const exported = async (): Promise<string> => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export test' }).click();
    const saved = join(folder, (await download).suggestedFilename());
    await (await download).saveAs(saved);
    return saved;
  };
  const replaceText = async (text: string) => {
    await editor().focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
  };

  beforeAll(() => {
    execFileSync(process.execPath, ['scripts/playground.mjs', built]);
    writeFileSync(join(folder, 'tiers.yaml'), TIERS);
    writeFileSync(join(folder, 'tiers.catalog.json'), JSON.stringify(TOOLS));
  });
  afterEach(async () => {
    await page.close();
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it('shows findings while a person types, and keeps what the policy showed before them', async () => {
    await open();
    await expect.poll(totals).toBe('24 of 24 tools');
    await editor().focus();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('setings: {}');
    await findings().getByText('unknown-key').waitFor();
    await findings().getByText('1 error').waitFor();
    await page.getByText('The policy has errors. Below is what it showed before them.').waitFor();
    await expect.poll(totals).toBe('24 of 24 tools');
    expect(await page.getByRole('button', { name: 'Export test' }).isDisabled()).toBe(true);
    // What a person types slowly is undone in several steps.
    await expect
      .poll(async () => {
        await page.keyboard.press('ControlOrMeta+Z');
        return findings().textContent();
      })
      .toContain('No findings');
  });

  it('checks against the catalog, and goes to the place of a finding', async () => {
    await open();
    await replaceText('version: 1\nprimitives:\n  tools:\n    encryptDate: {}\n');
    await findings().getByText('Did you mean "encryptData"?').waitFor();
    await findings().getByRole('button', { name: '4:5' }).click();
    await page.locator('.cm-activeLine', { hasText: 'encryptDate' }).waitFor();
  });

  it('completes with the keyboard: keys, tools, concerns and values', async () => {
    await open();
    await replaceText(
      'version: 1\nconcerns:\n  risk: { values: [low, high] }\nprimitives:\n  tools:\n    validateData: {}\n    ',
    );
    await page.getByRole('group', { name: 'risk' }).waitFor();
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: 'encryptData' }).waitFor();
    expect(await page.getByRole('option', { name: 'validateData' }).count()).toBe(0);
    await page.keyboard.type('encr');
    await page.getByRole('option', { name: 'reencryptAll' }).waitFor();
    // The editor takes Enter for a new line for a moment after a list opens, so that a fast typist does not choose.
    await page.waitForTimeout(120);
    await page.keyboard.press('Enter');
    await page.keyboard.type('{ ri');
    await page.getByRole('option', { name: 'risk' }).waitFor();
    await page.waitForTimeout(120);
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'high' }).waitFor();
    await page.waitForTimeout(120);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' }');
    expect((await policyText()).split('\n').at(-1)).toBe('    encryptData: { risk: high }');
    await page.getByRole('group', { name: 'risk' }).getByRole('radio', { name: 'low 23' }).waitFor();
  });

  it('restores the policy and the switches from a link', async () => {
    await openTiers();
    await page.getByRole('radio', { name: 'pro' }).check();
    await page.getByRole('radio', { name: 'stocks' }).check();
    await editor().focus();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText('settings: { transparency: true } # from a link\n');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText(/^The link is/).waitFor();
    const [link, text, shown] = [page.url(), await policyText(), await totals()];
    expect(link).toMatch(/#policy=[\w-]{300,2000}$/);
    await page.close();
    await open(link);
    await page.getByText(shown).first().waitFor();
    await expect.poll(() => policyText()).toBe(text);
    expect(await page.getByRole('radio', { name: 'pro' }).isChecked()).toBe(true);
    expect(await page.getByRole('radio', { name: 'stocks' }).isChecked()).toBe(true);
  });

  it('says that a link is damaged, and keeps the policy', async () => {
    await open(`${address}#policy=q1bKzS`);
    await page
      .getByRole('alert')
      .getByText('The link does not contain a policy, or it was cut off.')
      .waitFor();
    await expect.poll(totals).toBe('24 of 24 tools');
  });

  it('shows what a client with a name is shown, and exports it', async () => {
    await openTiers();
    const when =
      '{ and: [{ "===": [{ var: client.name }, cursor] }, { "===": [{ var: primitive.name }, headlines] }] }';
    await replaceText(`version: 1\nrules: [{ id: r, hide: [tools], when: ${when} }]\n`);
    await expect.poll(totals).toBe('2 of 3 tools');
    const name = page.getByRole('textbox', { name: 'client.name' });
    await name.fill('code');
    await expect.poll(totals).toBe('3 of 3 tools');
    await name.fill('cursor');
    await expect.poll(totals).toBe('2 of 3 tools');
    expect(readFileSync(await exported(), 'utf8')).toContain('client: { name: cursor }');
  });

  it('exports a test that passes', async () => {
    await openTiers();
    await page.getByRole('radio', { name: 'pro' }).check();
    // Without any preference, the default does not apply: "any" is already chosen.
    for (const name of ['stocks', 'any']) {
      await page.getByRole('group', { name: 'topic' }).getByRole('radio', { name }).check();
    }
    const saved = await exported();
    const text = readFileSync(saved, 'utf8');
    expect(text).toContain('claims: { plan: pro }');
    expect(text).toContain('concerns: { topic: null }');
    await page.getByText('run mcp-concerns test tiers.test.yaml').waitFor();
    expect(await run('test', saved)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 test passed'),
    });
    // It can fail: the same test does not pass on a policy that shows less.
    writeFileSync(join(folder, 'tiers.yaml'), TIERS.replace('headlines: {', 'headlines: { tier: free,'));
    expect((await run('test', saved)).code).toBe(1);
  });

  it('shows an author what nobody sees, why, and where the policy says so', async () => {
    await openTiers();
    expect(await page.title()).toBe('mcp-concerns playground');
    await expect.poll(totals).toBe('1 of 3 tools');
    await list().getByText('It resets everything').waitFor();
    await page.getByText('Its tier is pro. The operator has not granted it to you.').waitFor();
    await page.getByRole('button', { name: 'Go to the line of reset' }).click();
    await page.locator('.cm-activeLine', { hasText: 'id: off' }).waitFor();
    await page.getByRole('radio', { name: 'pro' }).check();
    await page.getByRole('group', { name: 'topic' }).getByRole('radio', { name: 'stocks' }).check();
    await expect.poll(totals).toBe('1 of 3 tools');
    await page.getByRole('button', { name: 'Show headlines' }).click();
    await expect.poll(totals).toBe('1 of 3 tools');
  });

  it('says that the tokens of a catalog without counts are estimates', async () => {
    await open();
    const estimated = page.getByText('so the numbers of tokens are estimates');
    expect(await estimated.count()).toBe(0);
    await chooseFiles({ 'own.json': JSON.stringify(TOOLS) });
    await estimated.waitFor();
  });

  it('sends nothing', async () => {
    await open();
    const blocked = await page.evaluate(`new Promise((resolve) => {
      addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
      fetch('http://127.0.0.1:9/').catch(() => undefined);
    })`);
    expect(blocked).toBe('connect-src');
    expect(errors.splice(0).length).toBeGreaterThan(0);
  });

  it.each([
    ['light', { colorScheme: 'light', viewport: { width: 1400, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1400, height: 900 } }],
    ['narrow', { colorScheme: 'light', viewport: { width: 320, height: 700 } }],
  ] as const)('has no accessibility violation and no overflow: %s', async (_name, options) => {
    await openTiers(options);
    const check = async () => {
      // A check in the middle of a rendering would find elements that are gone.
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
      // A script element would be blocked by the content security policy, as it should be.
      await page.evaluate(AXE);
      const { violations, passes } = await page.evaluate(async () => {
        type Results = Readonly<Record<'violations' | 'passes', readonly { readonly id: string }[]>>;
        const { axe } = globalThis as unknown as { axe: { run(): Promise<Results> } };
        const results = await axe.run();
        return { violations: results.violations.map(({ id }) => id), passes: results.passes.length };
      });
      expect(violations).toEqual([]);
      expect(passes).toBeGreaterThan(10);
      const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(width)).toBe(0);
    };
    await check();
    await replaceText(`${TIERS}settings:\n  unmapped: hid`);
    await findings().getByText('unknown-choice').waitFor();
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: 'hide' }).waitFor();
    await check();
    await page.keyboard.press('Escape');
  });
});
