import { mkdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { PANEL_HTML } from '../../../src/core/gate/panel/generated/page.js';
import { LARGE_STATES } from './large.js';
import { launchBrowser } from './launch.js';
import { STATES as SMALL_STATES } from './states.js';

const STATES = { ...SMALL_STATES, ...LARGE_STATES };

/** Where the pictures are written. Look at them after a change of the page. */
const FOLDER = 'build/pictures';

/** The pictures that the README and the guides show. Each has to stay under 120 kB, because pages load both themes. */
const DOCS = 'docs/pictures';

const WIDTHS = [320, 400, 1200];
const THEMES = ['light', 'dark'] as const;

/** Serves the page and one document to a tab, without a server. */
async function show(page: Page, name: string): Promise<void> {
  const state = STATES[name];
  await page.route('http://127.0.0.1/**', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/panel') return route.fulfill({ contentType: 'text/html', body: PANEL_HTML });
    if (pathname !== '/panel/events' || state === undefined) return route.fulfill({ status: 401 });
    return route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(state)}\n\n` });
  });
  await page.goto('http://127.0.0.1/panel#token=x');
  await page.locator(state === undefined ? '[role=alert]' : 'header').waitFor();
}

/** The playground, from `build/playground`: as it opens, with a preset, and with findings and completions. */
async function drawPlayground(page: Page, path: (state: string) => string): Promise<void> {
  await page.goto(pathToFileURL('build/playground/index.html').href);
  const editor = page.getByRole('textbox', { name: 'Policy' });
  await editor.waitFor();
  await page.screenshot({ path: path('open') });
  await page.getByRole('radio', { name: 'safe' }).check();
  await editor.focus();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.insertText('  unmaped: hide\n');
  await page.keyboard.type('  def');
  await page.getByRole('option', { name: 'defaults' }).waitFor();
  await page.screenshot({ path: path('edited') });
}

/** One picture for each page of the documentation that has one. */
const DOCS_PICTURES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  page: (page) => show(page, 'looked'),
  switch: async (page) => {
    await show(page, 'alone');
    // Down to the switches of tools: the totals stay in sight.
    await page.evaluate('scrollTo(0, 430)');
  },
  playground: async (page) => {
    await page.setViewportSize({ width: 1100, height: 560 });
    await page.goto(pathToFileURL('build/playground/index.html').href);
    await page.getByRole('radio', { name: 'safe' }).check();
  },
};

mkdirSync(FOLDER, { recursive: true });
mkdirSync(DOCS, { recursive: true });
const browser = await launchBrowser();
try {
  for (const name of [...Object.keys(STATES), 'error']) {
    for (const colorScheme of THEMES) {
      for (const width of WIDTHS) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
        await show(page, name);
        const path = `${FOLDER}/${name}-${colorScheme}-${width}.png`;
        await page.screenshot({ path, fullPage: true });
        await page.close();
        process.stdout.write(`${path}\n`);
      }
    }
  }
  for (const colorScheme of THEMES) {
    for (const [name, draw] of Object.entries(DOCS_PICTURES)) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 860, height: 600 } });
      await draw(page);
      await page.screenshot({ path: `${DOCS}/${name}-${colorScheme}.png` });
      await page.close();
    }
  }
  for (const colorScheme of THEMES) {
    for (const width of [320, 1440]) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
      await drawPlayground(page, (state) => `${FOLDER}/playground-${state}-${colorScheme}-${width}.png`);
      await page.close();
    }
  }
} finally {
  await browser.close();
}
