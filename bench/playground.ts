/**
 * Measures what the playground does after a change, in a real browser: `npm run bench-playground`. The policy has 500 tools
 * and four concerns. Times are the median and the maximum, in milliseconds, until the new state is known.
 */
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { launchBrowser } from '../test/browser/launch.js';

const TOOLS = 500;
const CHANGES = 40;
/** What a person types at the end of the policy, key by key. Until the last key, the text is not valid YAML. */
const TYPED = '    another_tool: { c0: low, c1: low }';

/** Runs in the page: the functions that the components call, without the time to draw. */
const MEASURE = `
import { buildProgram, changed, stateOf } from './src/playground/program.ts';
const time = (work) => { const start = performance.now(); work(); return performance.now() - start; };
const round = (time) => Math.round(time * 10) / 10;
const summary = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  return { median: round(sorted[Math.floor(sorted.length / 2)]), max: round(sorted.at(-1)), changes: sorted.length };
};
globalThis.measure = (text, catalog) => {
  const build = (text) => buildProgram([{ name: 'policy.yaml', text }], catalog);
  const values = ['low', 'medium', 'high', null];
  let preferences = {};
  let shown = build(text).program;
  const edit = (text) => time(() => {
    // As the page does: while the policy has errors, it shows the last state without errors.
    const { program } = build(text);
    if (program === undefined) return;
    shown = program;
    stateOf(shown, 'bench', preferences, {});
  });
  stateOf(shown, 'bench', preferences, {});
  const lines = text.split('\\n');
  const switches = [];
  const edits = [];
  for (let index = 0; index < ${CHANGES}; index++) {
    // A new program each time: otherwise the engine remembers the selections of earlier changes.
    const fresh = build(text).program;
    switches.push(time(() => {
      preferences = changed(fresh, preferences, {}, { ['c' + index % 4]: values[index % 3] });
      stateOf(fresh, 'bench', preferences, {});
    }));
    const middle = (lines.length >> 1) + index;
    const other = values[(values.indexOf(/c1: (\\w+)/.exec(lines[middle])[1]) + 1) % 3];
    edits.push(edit(lines.with(middle, lines[middle].replace(/c1: \\w+/, 'c1: ' + other)).join('\\n')));
  }
  const typed = Array.from(${JSON.stringify(TYPED)}, (_, index) => ${JSON.stringify(TYPED)}.slice(0, index + 1));
  const typing = typed.map((end) => edit(text + end));
  return { switch: summary(switches), valueInTheMiddle: summary(edits), keyAtTheEnd: summary(typing) };
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
  const result = await page.evaluate<object>(`measure(${JSON.stringify(text)}, ${JSON.stringify(catalog)})`);
  const html = readFileSync('build/playground/index.html');
  process.stdout.write(
    `${JSON.stringify({ tools: TOOLS, ...result, pageBytes: html.length, browser: browser.version() })}\n`,
  );
} finally {
  await browser.close();
}
