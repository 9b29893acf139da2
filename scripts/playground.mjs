/**
 * Builds the playground: one HTML file with its script, its style and examples. `node scripts/playground.mjs` writes
 * `build/playground/index.html`; the documentation site names its own file.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';

/** The policies that the page has without any other. The first one is shown. */
const EXAMPLES = [
  ['vault', 'Data vault'],
  ['github', 'GitHub'],
  ['playwright', 'Playwright'],
];

const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * @returns the page, with the examples in its JSON
 */
async function playgroundPage() {
  const shared = {
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    legalComments: 'none',
  };
  const [script, style] = await Promise.all([
    build({
      ...shared,
      entryPoints: ['src/web/playground/main.tsx'],
      format: 'iife',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    }),
    build({
      ...shared,
      stdin: {
        contents: '@import "./web/page/page.css"; @import "./web/playground/playground.css";',
        resolveDir: 'src',
        loader: 'css',
      },
    }),
  ]);
  const css = style.outputFiles[0].text.trim();
  // The text of a script ends at the first "</script", wherever it is.
  const code = script.outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
  const examples = EXAMPLES.map(([name, server]) => ({
    format: 1,
    server,
    files: [{ name: `${name}.yaml`, text: readFileSync(`policies/${name}.yaml`, 'utf8') }],
    catalogFile: `${name}.catalog.json`,
    catalog: JSON.parse(readFileSync(`policies/${name}.catalog.json`, 'utf8')),
    preferences: {},
    claims: {},
  }));
  // The page loads nothing and sends nothing: a policy and a catalog can be confidential. The editor adds styles itself.
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(code)}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<meta http-equiv="content-security-policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">',
    `<title>mcp-concerns playground</title><style>${css}</style><body>`,
    `<script type="application/json" id="documents">${JSON.stringify(examples).replaceAll('<', '\\u003c')}</script>`,
    `<script>${code}</script></body></html>\n`,
  ].join('\n');
}

const file = process.argv[2] ?? 'build/playground/index.html';
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, await playgroundPage());
