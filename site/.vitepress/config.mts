import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { sidebar } from './sidebar.mjs';

const { version, homepage = '' } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** The pages are not in the folder of the site, where Vue is installed. */
const vueOfSite = {
  name: 'vue-of-site',
  enforce: 'pre' as const,
  resolveId: (id: string, _importer: string | undefined, { ssr }: { ssr?: boolean }) =>
    ssr && (id === 'vue' || id === 'vue/server-renderer') ? { id, external: true } : undefined,
};

/** Where the pages of the site are, by their file in the repository. */
function pathOf(file: string): string {
  if (file === 'docs/README.md') return 'docs.md';
  return file.replace(/^(?:docs|site)\//, '');
}

/** The anchor that GitHub and npm give to a heading, so that links work there and here. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

export default defineConfig({
  title: 'mcp-concerns',
  description:
    'Shows each MCP host only the tools that it wants, decided by a YAML policy that you can read and test.',
  lang: 'en-US',
  // GitHub Pages serves a repository below its name. The workflow passes it.
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: true,
  // The pages are those of the repository, so that there is no copy of them.
  srcDir: '..',
  srcExclude: [
    '*.md',
    '{.changeset,.github,editors,examples,test,build,policies}/**',
    'site/node_modules/**',
  ],
  rewrites: pathOf,
  outDir: 'build',
  cacheDir: 'node_modules/.cache/vitepress',
  // Not a page of VitePress. test/install/site.check.ts follows this link and all others.
  ignoreDeadLinks: ['/play/', '/play/index'],
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  vite: { plugins: [vueOfSite] },
  // The default themes have comments and keys with too little contrast.
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    // VitePress frames only fenced code. Without a frame, a long line of indented code widens the page.
    config: ({ renderer: { rules } }) => {
      rules.code_block = rules.fence;
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Guides', link: '/guides/get-started' },
      { text: 'Reference', link: '/reference/policy-language' },
      { text: 'Playground', link: '/play/', target: '_self' },
      { text: version, link: '/docs' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    ...(/^https:\/\/github\.com/.test(homepage) && { socialLinks: [{ icon: 'github', link: homepage }] }),
    footer: { message: 'MIT license' },
  },
});
