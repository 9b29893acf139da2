/**
 * Measures what the playground does after a change, in a real browser: `npm run bench-playground`. The policy has 500 tools
 * and four concerns. Times are the medians of 40 changes, in milliseconds.
 */
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { launchBrowser } from '../test/browser/launch.js';

const TOOLS = 500;
const CHANGES = 40;

/** Runs in the page: the functions that the components call, without the time to draw. */
const MEASURE = `
import { buildProgram, changed, stateOf } from './src/playground/program.ts';
const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
const time = (work) => { const start = performance.now(); work(); return performance.now() - start; };
globalThis.measure = (text, catalog) => {
  const files = [{ name: 'policy.yaml', text }];
  const { program } = buildProgram(files, catalog);
  const values = ['low', 'medium', 'high', null];
  let preferences = {};
  const switches = [];
  const edits = [];
  for (let index = 0; index < ${CHANGES}; index++) {
    // A new program each time: otherwise the engine remembers the selections of earlier changes.
    const fresh = buildProgram(files, catalog).program;
    switches.push(time(() => {
      preferences = changed(fresh, preferences, {}, { ['c' + index % 4]: values[index % 3] });
      stateOf(fresh, 'bench', preferences, {});
    }));
    edits.push(time(() => {
      const edited = [{ name: 'policy.yaml', text: text + '# ' + index }];
      stateOf(buildProgram(edited, catalog).program, 'bench', preferences, {});
    }));
  }
  return { switch: median(switches), edit: median(edits), switchMax: Math.max(...switches) };
};
`;

const values = ['low', 'medium', 'high'];
const concerns = ['c0', 'c1', 'c2', 'c3'];
const names = Array.from({ length: TOOLS }, (_, index) => `tool${index}`);
const text = [
  'version: 1',
  'concerns:',
  ...concerns.map((name) => `  ${name}: { values: [low, medium, high] }`),
  'presets: { safe: { c0: high }, cheap: { c1: low } }',
  'primitives:',
  '  tools:',
  ...names.map(
    (name, index) =>
      `    ${name}: { ${concerns.map((concern, at) => `${concern}: ${values[Math.floor(index / 3 ** at) % 3]}`).join(', ')} }`,
  ),
  '',
].join('\n');
const catalog = {
  tools: names.map((name) => ({ name, description: `Does what ${name} does`, tokens: 100 })),
};

const { outputFiles } = await build({
  stdin: { contents: MEASURE, resolveDir: '.', loader: 'ts' },
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
});
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  await page.evaluate(outputFiles[0]?.text ?? '');
  const result = await page.evaluate(`measure(${JSON.stringify(text)}, ${JSON.stringify(catalog)})`);
  const html = readFileSync('build/playground/index.html');
  process.stdout.write(
    `${JSON.stringify({ tools: TOOLS, result, pageBytes: html.length, browser: browser.version() })}\n`,
  );
} finally {
  await browser.close();
}
