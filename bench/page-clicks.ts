/**
 * Measures what a click on the page costs with 500 tools and eight concerns, in a real browser: the time from the click until
 * every count is in the page, and until the browser has drawn them. The server answers later, so the counts are those of the
 * page itself. Times are in milliseconds.
 */
import { PANEL_HTML } from '../src/core/gate/panel/generated/page.js';
import { largeState } from '../test/slow/browser/large.js';
import { launchBrowser } from '../test/slow/browser/launch.js';

const LIMIT = 50;
/** Milliseconds after which the server answers. It refuses, so each click starts from the same state. */
const ANSWER = 150;

/** Runs in the page: clicks every choice of every concern, the presets, a switch of a topic, and switches of single tools. */
const MEASURE = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  const text = () => document.querySelector('main').textContent;
  for (const each of document.querySelectorAll('details')) each.open = true;
  document.querySelector('button.fold').click();
  await frame();
  const inputs = 'section.concerns input:not([type=range]), section.presets input, .head .switch, li .switch';
  const isBusy = () => document.querySelector('main').ariaBusy === 'true';
  const clicks = [];
  for (const input of [...document.querySelectorAll(inputs)].slice(0, 120)) {
    if (!input.isConnected || input.disabled || (input.type === 'radio' && input.checked)) continue;
    while (isBusy()) await frame();
    await frame();
    const before = text();
    const start = performance.now();
    input.click();
    await Promise.resolve();
    await Promise.resolve();
    const counted = performance.now() - start;
    const isChanged = text() !== before;
    await frame();
    if (isChanged) clicks.push({ counted, drawn: performance.now() - start });
  }
  return clicks;
})()`;

const state = largeState({});
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await page.route('http://127.0.0.1/**', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/panel') return route.fulfill({ contentType: 'text/html', body: PANEL_HTML });
    if (route.request().method() === 'PUT') {
      setTimeout(() => void route.fulfill({ json: { sessions: [] } }), ANSWER);
      return;
    }
    if (pathname !== '/panel/events') return;
    const body = `data: ${JSON.stringify(state)}\n\n`;
    return route.fulfill({ contentType: 'text/event-stream', body });
  });
  await page.goto('http://127.0.0.1/panel#token=x');
  await page.locator('header').waitFor();
  const clicks = await page.evaluate<{ counted: number; drawn: number }[]>(MEASURE);
  const summary = (times: readonly number[]) => {
    const sorted = [...times].sort((one, other) => one - other);
    const round = (time = 0): number => Math.round(time * 10) / 10;
    const over = sorted.filter((time) => time > LIMIT).length;
    return { median: round(sorted[sorted.length >> 1]), max: round(sorted.at(-1)), over };
  };
  const result = {
    tools: state.items.length,
    concerns: state.concerns.length,
    clicks: clicks.length,
    counted: summary(clicks.map(({ counted }) => counted)),
    drawn: summary(clicks.map(({ drawn }) => drawn)),
    documentBytes: JSON.stringify(state).length,
    pageBytes: PANEL_HTML.length,
    browser: browser.version(),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  await browser.close();
}
