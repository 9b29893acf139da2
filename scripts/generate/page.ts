import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { build, transform } from 'esbuild';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Bundles the page into one HTML text without references to other files.
 *
 * @returns a module with the page, and with the content security policy that permits exactly its script and its style
 * @example
 * writeFileSync('page.ts', await writePage());
 */
export async function writePage(): Promise<string> {
  const css = await transform(readFileSync('src/web/page/page.css', 'utf8'), { loader: 'css', minify: true });
  const bundle = await build({
    entryPoints: ['src/web/page/main.tsx'],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    write: false,
  });
  const style = css.code.trim();
  // The text of a script ends at the first "</script", wherever it is.
  const script = (bundle.outputFiles[0]?.text ?? '').trim().replaceAll('</script', '<\\/script');
  const html = [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width"><title>Concerns</title>',
    `<style>${style}</style><body><script>${script}</script></body></html>`,
  ].join('');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return [
    '// Generated from src/web/page by "npm run generate".',
    `export const PANEL_HTML = ${JSON.stringify(html)};`,
    `export const PANEL_CONTENT_SECURITY_POLICY = ${JSON.stringify(policy)};`,
    '',
  ].join('\n');
}
