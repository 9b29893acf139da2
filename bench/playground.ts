/**
 * Measures what the playground does after a change, in a real browser. `node scripts/playground.mjs` builds it. The policy
 * has 500 tools and four concerns. Times are in milliseconds, until the new state is known or, while the policy has errors,
 * its findings.
 */
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { launchBrowser } from '../test/slow/browser/launch.js';

const TOOLS = 500;
const CHANGES = 40;
/** The time between two frames of a screen, in milliseconds. `over` counts the changes that take longer. */
const FRAME = 16;
/** What a person types at the end of the policy, key by key. The policy is valid after each key. */
const COMMENT = '# These tools are for administrators only';
/** The same, but only the last key makes the text valid YAML. */
const ENTRY = '    administer: { c0: high, c1: low, c2: low }';

/** Runs in the page: the functions that the components call, without the time to draw. */
const MEASURE = `
import { buildProgram, changed, stateOf } from './src/web/playground/program.ts';
const time = (work) => { const start = performance.now(); work(); return performance.now() - start; };
const round = (time) => Math.round(time * 10) / 10;
const summary = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  const over = sorted.filter((time) => time > ${FRAME}).length;
  return { median: round(sorted[Math.floor(sorted.length / 2)]), max: round(sorted.at(-1)), over, changes: sorted.length };
};
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
const typed = (text) => Array.from(text, (_, index) => text.slice(0, index + 1));
globalThis.measure = async (text, catalog) => {
  const build = (text) => buildProgram([{ name: 'policy.yaml', text }], catalog);
  const values = ['low', 'medium', 'high', null];
  let preferences = {};
  let shown = build(text).program;
  stateOf(shown, 'bench', preferences, {});
  const edit = async (text) => {
    // People pause between two keys, and browsers collect garbage then.
    await pause();
    return time(() => {
      // As the page does: while the policy has errors, it shows the last state without errors.
      const { program } = build(text);
      if (program === undefined) return;
      shown = program;
      stateOf(shown, 'bench', preferences, {});
    });
  };
  const editAll = async (texts) => {
    const times = [];
    for (const text of texts) times.push(await edit(text));
    return summary(times);
  };
  const lines = text.split('\\n');
  const valueInTheMiddle = await editAll(Array.from({ length: ${CHANGES} }, (_, index) => {
    const middle = (lines.length >> 1) + index;
    const other = values[(values.indexOf(/c1: (\\w+)/.exec(lines[middle])[1]) + 1) % 3];
    return lines.with(middle, lines[middle].replace(/c1: \\w+/, 'c1: ' + other)).join('\\n');
  }));
  const commentAtTheEnd = await editAll(typed(${JSON.stringify(COMMENT)}).map((end) => text + end));
  const entryAtTheEnd = await editAll(typed(${JSON.stringify(ENTRY)}).map((end) => text + end));
  const switches = [];
  for (let index = 0; index < ${CHANGES}; index++) {
    // A new program each time: otherwise the engine remembers the selections of earlier changes.
    const fresh = build(text).program;
    await pause();
    switches.push(time(() => {
      preferences = changed(fresh, preferences, {}, { ['c' + index % 4]: values[index % 3] });
      stateOf(fresh, 'bench', preferences, {});
    }));
  }
  return { switch: summary(switches), valueInTheMiddle, commentAtTheEnd, entryAtTheEnd };
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
