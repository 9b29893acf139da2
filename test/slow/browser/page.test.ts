import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PANEL_CONTENT_SECURITY_POLICY, PANEL_HTML } from '../../../src/gate/panel/generated/page.js';
import type { PanelState } from '../../../src/gate/panel/panel-document.js';
import { moveSwitches } from '../../../src/page/optimistic.js';
import { launchBrowser, NoBrowserError } from './launch.js';
import { STATES, stateOf } from './states.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser | undefined;
let reason = '';
try {
  browser = await launchBrowser();
} catch (cause) {
  // Under CI a missing browser is a failure: nothing else looks at the page.
  if (!(cause instanceof NoBrowserError) || process.env.CI !== undefined) throw cause;
  reason = cause.message;
}
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)(`the page in a real browser ${reason}`, () => {
  const errors: string[] = [];
  beforeAll(() => expect(PANEL_HTML).not.toMatch(/https?:\/\/(?!www\.w3\.org)/));

  /** Serves the page, and answers changes with the document after them; its counts stay. */
  async function open(
    state: PanelState,
    options: Parameters<Browser['newPage']>[0] = {},
    change: (concerns: Record<string, unknown>) => { status: number; error?: string } = () => ({
      status: 200,
    }),
  ): Promise<Page> {
    if (browser === undefined) throw new NoBrowserError();
    const page = await browser.newPage(options);
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    let current = state;
    await page.route('http://127.0.0.1/**', async (route) => {
      const request = route.request();
      const { pathname } = new URL(request.url());
      if (pathname === '/panel') {
        const headers = { 'content-security-policy': PANEL_CONTENT_SECURITY_POLICY };
        return route.fulfill({ contentType: 'text/html', headers, body: PANEL_HTML });
      }
      expect(await request.headerValue('authorization')).toBe('Bearer the-key');
      if (request.method() === 'PUT') {
        const { concerns } = request.postDataJSON();
        const { status, error } = change(concerns);
        if (status === 200) current = { ...moveSwitches(current, concerns), revision: current.revision + 1 };
        return route.fulfill({ status, json: error === undefined ? { sessions: [current] } : { error } });
      }
      return route.fulfill({
        contentType: 'text/event-stream',
        body: `data: ${JSON.stringify(current)}\n\n`,
      });
    });
    await page.goto('http://127.0.0.1/panel#token=the-key');
    await page.getByRole('heading', { level: 1, name: state.server.name }).waitFor();
    return page;
  }

  const variants = [
    { colorScheme: 'light', viewport: { width: 1200, height: 900 } },
    { colorScheme: 'dark', viewport: { width: 1200, height: 900 } },
    { colorScheme: 'light', viewport: { width: 320, height: 700 } },
  ] as const;

  it.each(Object.entries(STATES))(
    'has no accessibility violation and no overflow: %s',
    async (_name, state) => {
      for (const variant of variants) {
        const page = await open(state, variant);
        // A script element would be blocked by the content security policy, as it should be.
        await page.evaluate(AXE);
        const { violations, passes } = await page.evaluate(async () => {
          type Results = Readonly<Record<'violations' | 'passes', readonly { readonly id: string }[]>>;
          const { axe } = globalThis as unknown as { axe: { run(): Promise<Results> } };
          const results = await axe.run();
          return { violations: results.violations.map(({ id }) => id), passes: results.passes.length };
        });
        expect(violations, JSON.stringify(variant)).toEqual([]);
        expect(passes).toBeGreaterThan(10);
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(overflow, JSON.stringify(variant)).toBe(0);
        await page.close();
      }
      expect(errors).toEqual([]);
    },
  );

  it('removes the key from the address and survives a reload', async () => {
    const page = await open(stateOf('vault', { preferences: {} }));
    expect(page.url()).toBe('http://127.0.0.1/panel');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'vault' }).waitFor();
    await page.close();
  });

  it('sends a value, a preset, and the change that shows a hidden tool', async () => {
    const sent: unknown[] = [];
    const page = await open(
      stateOf('vault', { preferences: { security: 'high', access: 'read' } }),
      {},
      (concerns) => {
        sent.push(concerns);
        return { status: 200 };
      },
    );
    await page.getByRole('group', { name: 'cost' }).getByRole('radio', { name: 'minimal' }).check();
    expect(
      await page.getByRole('group', { name: 'cost' }).getByRole('radio', { name: 'minimal' }).isChecked(),
    ).toBe(true);
    await page.getByRole('radio', { name: 'audit' }).check();
    await page.getByRole('button', { name: 'Show logData' }).click();
    await page.getByRole('radio', { name: 'everything' }).check();
    await expect.poll(() => sent.length).toBe(4);
    expect(sent).toEqual([
      { cost: 'minimal' },
      { preset: 'audit' },
      { security: 'medium' },
      { security: null, cost: null, access: null, environment: null },
    ]);
    await page.close();
  });

  it('says what a model narrows, and a person undoes it with the value that is set', async () => {
    const state = stateOf('vault', { preferences: { security: 'high' } });
    const concerns = state.concerns.map((concern) =>
      concern.name === 'security' ? { ...concern, model: ['low'] } : concern,
    );
    const sent: unknown[] = [];
    const page = await open({ ...state, concerns }, {}, (change) => {
      sent.push(change);
      return { status: 200 };
    });
    const note = page.getByText('The model narrows this to');
    expect(await note.textContent()).toContain('low.');
    await page.getByRole('button', { name: 'Undo what the model chose for security' }).click();
    await expect.poll(() => sent).toEqual([{ security: 'high' }]);
    await expect.poll(() => note.count()).toBe(0);
    await page.close();
  });

  it('moves a switch back and says why, if the change is refused', async () => {
    const page = await open(stateOf('vault', { preferences: { security: 'high' } }), {}, () => ({
      status: 422,
      error: 'The session has ended. Reconnect the host.',
    }));
    await page.getByRole('group', { name: 'cost' }).getByRole('radio', { name: 'minimal' }).click();
    await page.getByRole('alert').getByText('The session has ended. Reconnect the host.').waitFor();
    expect(
      await page.getByRole('group', { name: 'cost' }).getByRole('radio', { name: 'any' }).isChecked(),
    ).toBe(true);
    await page.close();
    errors.length = 0;
  });

  it('is usable with the keyboard alone', async () => {
    const sent: unknown[] = [];
    const page = await open(stateOf('vault', { preferences: { security: 'high' } }), {}, (concerns) => {
      sent.push(concerns);
      return { status: 200 };
    });
    await page.getByRole('group', { name: 'security' }).getByRole('radio', { name: 'high' }).focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => sent).toEqual([{ security: 'medium' }]);
    await page.keyboard.press('/');
    await page.keyboard.type('log read');
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1);
    await page.close();
  });

  it.each([
    ['Codex', false, 'run "codex resume"'],
    ['Claude Code', true, 'sends removed tools until /clear'],
    ['another-host', false, 'reconnect the server in the host'],
  ])('says what %s needs after a switch', async (client, relisted, advice) => {
    const own = { id: 's1', client, via: 'stdio' as const, relisted };
    const page = await open(stateOf('vault', { preferences: {}, sessions: [own] }));
    await page.getByText(advice).waitFor();
    await page.close();
  });

  it('names an operator’s value, and never what the operator hides', async () => {
    const state = stateOf('vault', { preferences: {} });
    const page = await open({
      ...state,
      concerns: [{ name: 'tenant', match: 'exact', multiple: false, setBy: 'operator', inEffect: [] }],
      withheld: 3,
    });
    await page.getByText('nothing granted').waitFor();
    await page.getByText('The operator hides 3 more items from you.').waitFor();
    await page.close();
  });
});
