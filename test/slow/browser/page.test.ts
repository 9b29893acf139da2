import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PANEL_CONTENT_SECURITY_POLICY, PANEL_HTML } from '../../../src/core/gate/panel/generated/page.js';
import type { PanelState } from '../../../src/core/gate/panel/panel-document.js';
import { moveSwitches } from '../../../src/web/page/move-switches.js';
import { PATIENCE } from '../../patience.js';
import { LARGE_STATES, largeState, serversState } from './large.js';
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
    page.setDefaultTimeout(PATIENCE.wait);
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

  it.each(Object.entries({ ...STATES, ...LARGE_STATES }))(
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

  it('goes to the search with the first stop of the Tab key', async () => {
    const state = LARGE_STATES.looked;
    if (state === undefined) throw new Error('There is no such state.');
    const page = await open(state, { viewport: { width: 1200, height: 900 } });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('browser');
    expect(await page.getByRole('searchbox').inputValue()).toBe('browser');
    expect(await page.locator('header').innerText()).toContain('tools were never called since 2026-10-01.');
    await page.close();
  });

  it.each(['vault', 'large'])('breaks no word of a title on a phone: %s', async (name) => {
    const state = { ...STATES, ...LARGE_STATES }[name];
    if (state === undefined) throw new Error(`There is no state ${name}.`);
    const page = await open(state, { viewport: { width: 320, height: 700 } });
    const lines = await page.locator('.head h2').evaluateAll((titles) =>
      titles.map((title) => {
        const range = title.ownerDocument.createRange();
        range.selectNodeContents(title.querySelector('button') ?? title);
        const tops = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
        return { words: title.textContent.split(' ').length, lines: tops.size };
      }),
    );
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.filter((each) => each.lines > each.words)).toEqual([]);
    await page.close();
  });

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
    await page.getByRole('button', { name: 'Show logData' }).click();
    await page.getByRole('group', { name: 'cost' }).getByRole('radio', { name: 'minimal' }).check();
    expect(
      await page.getByRole('group', { name: 'cost' }).getByRole('radio', { name: 'minimal' }).isChecked(),
    ).toBe(true);
    await page.getByRole('radio', { name: 'audit' }).check();
    await page.getByRole('radio', { name: 'everything' }).check();
    await expect.poll(() => sent.length).toBe(4);
    expect(sent).toEqual([
      { security: 'medium' },
      { cost: 'minimal' },
      { preset: 'audit' },
      { security: null, cost: null, access: null, environment: null, '+tools': null, '-tools': null },
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

  it('switches a single tool at once, also with the keyboard, and takes all of them back', async () => {
    const sent: unknown[] = [];
    const page = await open(stateOf('vault', { preferences: { access: 'read' } }), {}, (concerns) => {
      sent.push(concerns);
      return { status: 200 };
    });
    const row = (name: string) => page.getByRole('checkbox', { name: `Show ${name}`, exact: true });
    expect([await row('hashData').isChecked(), await row('rotateKey').isChecked()]).toEqual([true, false]);
    await row('hashData').uncheck();
    await row('rotateKey').focus();
    await page.keyboard.press('Space');
    expect([await row('hashData').isChecked(), await row('rotateKey').isChecked()]).toEqual([false, true]);
    await page.getByText('You hide this tool.').waitFor();
    await page.getByText('You switched single tools: 1 shown, 1 hidden.').waitFor();
    await page.getByRole('button', { name: 'Undo all switches of single tools' }).click();
    await page.getByText('You switched single tools').waitFor({ state: 'detached' });
    expect([await row('hashData').isChecked(), await row('rotateKey').isChecked()]).toEqual([true, false]);
    expect(sent).toEqual([
      { '-tools': ['hashData'] },
      { '+tools': ['rotateKey'] },
      { '+tools': null, '-tools': null },
    ]);
    await page.close();
  });

  it('has no switch for a tool that a person cannot show by itself', async () => {
    const read = await open(stateOf('vault', { preferences: { access: 'read' }, readOnly: 'Only look.' }));
    expect(await read.getByRole('checkbox').count()).toBe(0);
    await read.close();
    const { narrow } = STATES;
    if (narrow === undefined) throw new RangeError('There is no such state.');
    const page = await open(narrow);
    const shown = narrow.items.filter(({ kind, shown }) => kind === 'tools' && shown).length;
    expect(await page.getByRole('checkbox').count()).toBe(shown);
    await page.close();
    const state = stateOf('vault', { preferences: { access: 'read' } });
    const of = state.items.find(({ name }) => name === 'rotateKey')?.of;
    const classes = state.classes.map((each, at) =>
      at === of ? { ...each, always: 'hidden' as const } : each,
    );
    const ruled = await open({ ...state, classes });
    await ruled.getByText('rotateKey', { exact: true }).waitFor();
    expect(await ruled.getByRole('checkbox', { name: 'Show rotateKey' }).count()).toBe(0);
    expect(await ruled.getByRole('checkbox', { name: 'Show deriveKey' }).count()).toBe(1);
    await ruled.close();
  });

  it('groups 500 tools, draws a part of them, and keeps the totals in sight', async () => {
    const page = await open(largeState({}), { viewport: { width: 1200, height: 900 } });
    const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
    expect(await height()).toBeLessThan(1500);
    expect(await page.getByRole('listitem').count()).toBe(0);
    await page.getByRole('button', { name: 'files', exact: true }).click();
    expect(await page.getByRole('listitem').count()).toBe(47);
    await page.mouse.wheel(0, 1500);
    await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(500);
    const box = await page.getByRole('meter').boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(60);
    await page.keyboard.press('/');
    await page.keyboard.type('report');
    await expect.poll(() => page.getByRole('listitem').count()).toBeGreaterThan(50);
    await page.keyboard.type(' databases');
    await expect.poll(() => page.getByRole('listitem').count()).toBeLessThan(20);
    await page.close();
  });

  it('draws the first rows of a long list, and more with a click', async () => {
    // Without concerns there are no topics, so all tools are one group.
    const page = await open({ ...largeState({}), concerns: [] });
    const shown = await page.getByRole('listitem').count();
    expect(shown).toBe(50);
    await page
      .getByRole('button', { name: /^Show 50 of/ })
      .first()
      .click();
    expect(await page.getByRole('listitem').count()).toBe(shown + 50);
    await page.close();
  });

  it('folds more than four concerns, and shows the value of each', async () => {
    const page = await open(largeState({ topic: ['files', 'maps'] }));
    const folded = page.locator('section.concerns > details');
    expect(await folded.count()).toBe(8);
    expect(await page.getByRole('checkbox', { name: /^files 47/ }).isVisible()).toBe(false);
    await page.getByText('files, maps').click();
    expect(await page.getByRole('checkbox', { name: /^files 47/ }).isChecked()).toBe(true);
    // A description is text: a title is not there for fingers, keyboards and screen readers.
    await page.getByText('read_file, write_file, search_files').waitFor();
    expect(await page.locator('[title]').count()).toBe(0);
    await page.close();
    const few = await open(stateOf('vault', { preferences: {} }));
    expect(await few.locator('section.concerns > details').count()).toBe(0);
    await few.close();
  });

  it('shows every count of a change before the server answers', async () => {
    const [before, after] = [
      largeState({ effect: 'changes' }),
      largeState({ effect: 'changes', topic: ['files'] }),
    ];
    let answer = (): void => undefined;
    const page = await open(before);
    await page.route('**/concerns', (route) => {
      answer = () => void route.fulfill({ json: { sessions: [{ ...after, revision: 9 }] } });
    });
    const counts = async () => ({
      totals: await page.locator('.totals').textContent(),
      options: await page.locator('.concerns small, .presets small').allTextContents(),
      groups: await page.locator('.head small').allTextContents(),
      filter: await page.locator('.bar small').allTextContents(),
    });
    const old = await counts();
    await page.locator('summary', { hasText: 'topic' }).click();
    await page.getByRole('checkbox', { name: /^files/ }).check();
    const atOnce = await counts();
    expect(atOnce.totals).toContain(`${after.shown.tools} of 500 tools`);
    expect(atOnce.groups).not.toEqual(old.groups);
    await expect.poll(() => answer).not.toBeUndefined();
    answer();
    await expect.poll(() => page.locator('main').getAttribute('aria-busy')).toBe('false');
    expect(await counts()).toEqual(atOnce);
    await page.close();
  });

  it('has a heading, sums and a switch for each of several servers, and says which is missing', async () => {
    const sent: unknown[] = [];
    const page = await open(serversState(), {}, (concerns) => {
      sent.push(concerns);
      return { status: 200 };
    });
    const names = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(names).toEqual(['repositories', 'browser', 'files']);
    await page.getByText('The server payments is not available: it ended with code 1.').waitFor();
    await page.getByRole('checkbox', { name: 'Show browser', exact: true }).uncheck();
    await page.getByText('0 of 37').waitFor();
    await page.getByRole('checkbox', { name: 'Show browser', exact: true }).check();
    await page.getByText('37 of 37').waitFor();
    expect(sent).toEqual([{ topic: ['files', 'repositories'] }, { topic: null }]);
    await page.close();
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
    ['Codex', '0.169.0', false, 'run "codex resume"'],
    ['Claude Code', '2.1.330', true, 'sends removed tools until /clear'],
    ['Claude Code', '2.1.197', true, 'sends removed tools until your next message'],
    ['another-host', '1.0', false, 'reconnect the server in the host'],
  ])('says what %s %s needs after a switch', async (client, version, relisted, advice) => {
    const own = { id: 's1', client, version, via: 'stdio' as const, relisted };
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
