import { existsSync, readFileSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Why no browser can be started here. */
export class NoBrowserError extends Error {}

/**
 * Starts a real browser without a window: `MCP_CONCERNS_BROWSER` (a path), the Chromium of `@sparticuz/chromium` on
 * Linux x64, an installed Chrome, an installed Edge.
 *
 * The arguments that `@sparticuz/chromium` proposes are never used: they switch off the checks of origins, of frames
 * and of content security policies, which the tests need.
 *
 * @returns the browser
 * @throws {NoBrowserError} if none can be started
 */
export async function launchBrowser(): Promise<Browser> {
  const problems: string[] = [];
  for (const [name, start] of candidates()) {
    try {
      return await start();
    } catch (cause) {
      problems.push(
        `${name}: ${cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)}`,
      );
    }
  }
  throw new NoBrowserError(`No browser can be started (${problems.join('; ')}). Set MCP_CONCERNS_BROWSER.`);
}

type Candidate = readonly [name: string, start: () => Promise<Browser>];

function candidates(): Candidate[] {
  const own = process.env.MCP_CONCERNS_BROWSER;
  if (own !== undefined) return [['MCP_CONCERNS_BROWSER', () => launch({ executablePath: own })]];
  const bundled: Candidate[] =
    process.platform === 'linux' && process.arch === 'x64' ? [['@sparticuz/chromium', launchBundled]] : [];
  const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].filter((path) => existsSync(path));
  return [
    ...bundled,
    ...installed.map((path): Candidate => [path, () => launch({ executablePath: path })]),
    ['Chrome', () => launch({ channel: 'chrome' })],
    ['Edge', () => launch({ channel: 'msedge' })],
  ];
}

type LaunchOptions = NonNullable<Parameters<typeof chromium.launch>[0]>;

/** Chromium cannot create its sandbox for the administrator of a container. */
const launch = (options: LaunchOptions): Promise<Browser> =>
  chromium.launch({ ...options, chromiumSandbox: process.getuid?.() !== 0 });

async function launchBundled(): Promise<Browser> {
  const { default: bundled } = await import('@sparticuz/chromium');
  const executablePath = await bundled.executablePath();
  try {
    return await launch({ executablePath });
  } catch (cause) {
    const libraries = await unpackLibraries();
    if (libraries === undefined) throw cause;
    return launch({ executablePath, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  }
}

/** A bare image lacks libnss3 and others. The package contains them for its own use on Lambda. */
async function unpackLibraries(): Promise<string | undefined> {
  const entry = new URL(import.meta.resolve('@sparticuz/chromium'));
  const folder = new URL('../../', entry);
  const archive = new URL('bin/al2023.tar.br', folder);
  if (!existsSync(archive) || readFileSync(archive).length === 0) return undefined;
  const { inflate } = (await import(new URL('build/esm/lambdafs.js', folder).href)) as {
    inflate(path: string): Promise<string>;
  };
  return `${await inflate(archive.pathname)}/lib`;
}
