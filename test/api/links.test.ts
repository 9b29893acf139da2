import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The files that `npm publish` would send, by their path in the repository. */
const packed = packedFiles();
/** Every page that readers see in the repository, packed or not. */
const pages = [
  ...readdirSync('.'),
  ...['docs', 'examples', '.github'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  ),
].filter((file) => file.endsWith('.md'));

interface Link {
  readonly target: string;
  readonly anchor: string;
}

describe('links', () => {
  it('are in the pages', () => {
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap(linksOf).length).toBeGreaterThan(60);
  });

  it.each(pages)('of %s lead to existing files and headings', (page) => {
    const broken = linksOf(page).filter(({ target, anchor }) => {
      if (!existsSync(target)) return true;
      return anchor !== '' && (statSync(target).isDirectory() || !anchorsOf(target).has(anchor));
    });
    expect(broken).toEqual([]);
  });

  it.each(pages.filter((page) => packed.includes(page)))('of %s lead to files of the package', (page) => {
    const missing = linksOf(page).filter(
      ({ target }) => !packed.some((file) => file === target || file.startsWith(`${target}/`)),
    );
    expect(missing).toEqual([]);
  });
});

describe('the packed files', () => {
  it('include the documentation', () => {
    expect(packed).toEqual(expect.arrayContaining(['README.md', 'docs/README.md', 'docs/reference/api.md']));
  });

  it('include no demo, no picture, no source map, no source and no test', () => {
    expect(
      packed.filter((file) => /vault|\.(map|png)$|^(src|test|bench|generate|build)\//.test(file)),
    ).toEqual([]);
  });
});

/** Returns the links of a page to other files, and to headings of the page itself. */
function linksOf(page: string): Link[] {
  return [...proseOf(page).matchAll(/\]\(\s*([^)\s]+)\s*\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/i.test(link)) return [];
    const [path = '', anchor = ''] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
    return [{ target: target.replace(/\/$/, ''), anchor }];
  });
}

/** Returns the anchors that GitHub and npm give to the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page, { withCode: true }).matchAll(/^#+ (.*)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns the text of a page without code blocks and, by default, without code spans. */
function proseOf(page: string, { withCode = false } = {}): string {
  const text = readFileSync(page, 'utf8').replaceAll(/^(```+)[\s\S]*?^\1$/gm, '');
  return withCode ? text : text.replaceAll(/`[^`\n]*`/g, '``');
}

function packedFiles(): readonly string[] {
  const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pack]: { files: { path: string }[] }[] = Object.values(JSON.parse(json));
  return pack?.files.map(({ path }) => path) ?? [];
}
