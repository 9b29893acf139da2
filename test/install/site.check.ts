import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FINDING_CODES } from '../../src/core/policy/index.js';
import { launchBrowser, NoBrowserError } from '../slow/browser/launch.js';
import { run, unreachableRegistry } from './project.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const BUILD = 'site/build';
/** GitHub Pages serves a repository below its name. */
const BASE = process.env.SITE_BASE ?? '/mcp-concerns/';
const ORIGIN = 'http://site.example';
const PICTURES = 'build/pictures';
const PAGES = {
  home: '',
  guide: 'guides/switch',
  reference: 'reference/policy-language',
  finding: 'findings/dead-entry',
  playground: 'play/',
};

const unreachable = await unreachableRegistry();
if (unreachable !== undefined)
  console.log(`Skipped: the site is built with a package from the npm registry, but ${unreachable}.`);
let browser: Browser | undefined;
try {
  if (unreachable === undefined) browser = await launchBrowser();
} catch (cause) {
  // Under CI a missing browser is a failure: nothing else looks at the site.
  if (!(cause instanceof NoBrowserError) || process.env.CI !== undefined) throw cause;
  console.log(`Skipped: ${cause.message}`);
}
afterAll(() => browser?.close());

/** Returns the file that GitHub Pages sends for a path of the site, or undefined. */
function fileOf(path: string): string | undefined {
  if (!path.startsWith(BASE)) return undefined;
  const page = path.slice(BASE.length);
  const name = page === '' || page.endsWith('/') ? `${page}index.html` : page;
  const file = join(BUILD, extname(name) === '' ? `${name}.html` : name);
  return existsSync(file) ? file : undefined;
}

/** Returns the files of the pages that VitePress makes. */
const pages = (): string[] =>
  readdirSync(BUILD, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.html') && file !== '404.html' && !file.startsWith('play'),
  );

const addressOf = (file: string): string =>
  ORIGIN + BASE + file.replace(/(?:^|(?<=\/))index\.html$|\.html$/, '');

describe.skipIf(unreachable !== undefined)('the documentation site', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    const npm = ['--prefix', 'site', '--no-audit', '--no-fund', '--loglevel=error'];
    await run(['npm', 'ci', ...npm], process.cwd());
    await run(['npm', 'run', 'build', ...npm], process.cwd(), { SITE_BASE: BASE });
  }, 600_000);

  it('has a page at the stable address of each finding', () => {
    const found = readdirSync(join(BUILD, 'findings')).map((file) => file.replace(/\.html$/, ''));
    expect(found.sort()).toEqual([...FINDING_CODES].sort());
    for (const code of FINDING_CODES) {
      expect(readFileSync(join(BUILD, `findings/${code}.html`), 'utf8')).toMatch(`<h1 id="${code}"`);
    }
  });

  it('has no link that leads nowhere, and no link to a heading that is not there', () => {
    let links = 0;
    const broken = pages().flatMap((page) => {
      const here = new URL(addressOf(page));
      const html = readFileSync(join(BUILD, page), 'utf8');
      return [...html.matchAll(/\s(?:href|src|srcset)="([^"]+)"/g)].flatMap(([, target = '']) => {
        const { origin, pathname, hash } = new URL(target.replaceAll('&amp;', '&'), here);
        if (origin !== ORIGIN) return [];
        links++;
        const file = fileOf(decodeURIComponent(pathname));
        const isThere =
          file !== undefined &&
          (hash === '' || readFileSync(file, 'utf8').includes(` id="${decodeURIComponent(hash.slice(1))}"`));
        return isThere ? [] : [`${page}: ${target}`];
      });
    });
    expect(broken).toEqual([]);
    expect(links).toBeGreaterThan(5000);
  });

  describe.skipIf(unreachable === undefined && browser === undefined)('in a real browser', () => {
    const errors: string[] = [];

    /** Opens a page of the built site, which the browser gets without a server. */
    async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
      if (browser === undefined) throw new NoBrowserError();
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
      page.on('pageerror', ({ message }) => errors.push(`${path}: ${message}`));
      await page.route(`${ORIGIN}/**`, (route) => {
        const file = fileOf(decodeURIComponent(new URL(route.request().url()).pathname));
        return file === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ path: file });
      });
      await page.goto(ORIGIN + BASE + path);
      return page;
    }

    it.each(Object.entries(PAGES))(
      'passes axe and fits its width, light and dark, narrow and wide: %s',
      async (name, path) => {
        mkdirSync(PICTURES, { recursive: true });
        for (const colorScheme of ['light', 'dark'] as const) {
          for (const width of [320, 1280]) {
            const page = await open(path, { colorScheme, viewport: { width, height: 900 } });
            await page.waitForLoadState('networkidle');
            await page.evaluate(AXE);
            const { violations, passes } = await page.evaluate(async () => {
              interface Rule {
                id: string;
                nodes: { target: string[] }[];
              }
              type Results = Record<'violations' | 'passes', Rule[]>;
              const { axe } = globalThis as unknown as { axe: { run(): Promise<Results> } };
              const results = await axe.run();
              return {
                violations: results.violations.map(
                  ({ id, nodes }) =>
                    `${id}: ${nodes
                      .slice(0, 3)
                      .map((node) => node.target)
                      .join(', ')}`,
                ),
                passes: results.passes.length,
              };
            });
            const overflow = await page.evaluate(
              'document.documentElement.scrollWidth - document.documentElement.clientWidth',
            );
            await page.screenshot({ path: `${PICTURES}/site-${name}-${colorScheme}-${width}.png` });
            expect({ colorScheme, width, violations, overflow }).toEqual({
              colorScheme,
              width,
              violations: [],
              overflow: 0,
            });
            expect(passes).toBeGreaterThan(10);
            await page.close();
          }
        }
        expect(errors).toEqual([]);
      },
    );

    it('fits every page into the width of a phone', async () => {
      const phone = await open('', { viewport: { width: 320, height: 900 } });
      const wide: string[] = [];
      for (const file of pages()) {
        await phone.goto(addressOf(file));
        const excess = await phone.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        if (excess !== 0) wide.push(`${file}: ${excess} pixels`);
      }
      await phone.close();
      expect(wide).toEqual([]);
    });

    it('finds a page by its words', async () => {
      const page = await open('guides/get-started');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('scale-mismatch');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/scale-mismatch/);
      await page.close();
      expect(errors).toEqual([]);
    });

    it('leads from the home page to the playground', async () => {
      const page = await open('');
      await page.getByRole('link', { name: 'Open the playground' }).first().click();
      await page.getByRole('textbox', { name: 'Policy' }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`${BASE}play/`);
      await page.close();
    });
  });
});
