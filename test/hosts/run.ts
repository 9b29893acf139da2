import { mkdirSync, writeFileSync } from 'node:fs';
import type { Host } from './host.js';
import { claudeCode } from './hosts/claude-code.js';
import { codex } from './hosts/codex.js';
import { copilotCli } from './hosts/copilot-cli.js';
import { geminiCli } from './hosts/gemini-cli.js';
import { opencode } from './hosts/opencode.js';
import { qwenCode } from './hosts/qwen-code.js';
import { install } from './install.js';
import { MEASURES, type Outcome } from './measures.js';
import { startModel } from './scripted-model.js';

/**
 * Runs real hosts against a scripted model, and records which tools each request offered the model.
 *
 *     npm run hosts -- [HOST[@VERSION]...] [-- MEASUREMENT...]
 */
const HOSTS: readonly Host[] = [claudeCode, geminiCli, codex, opencode, copilotCli, qwenCode];
const RESULTS = 'build/hosts';

const wanted = process.argv.slice(2);
const at = wanted.indexOf('--');
const [names, measurements] = at < 0 ? [wanted, []] : [wanted.slice(0, at), wanted.slice(at + 1)];
const unknown = [
  ...names.filter((name) => !HOSTS.some(({ id }) => id === name.split('@')[0])),
  ...measurements.filter((name) => !Object.hasOwn(MEASURES, name)),
];
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}.`);
  console.error(`Hosts: ${HOSTS.map(({ id }) => id).join(', ')}.`);
  console.error(`Measurements: ${Object.keys(MEASURES).join(', ')}.`);
  process.exit(2);
}

mkdirSync(RESULTS, { recursive: true });
const model = await startModel();
for (const host of HOSTS) {
  const name = names.find((each) => each.split('@')[0] === host.id);
  if (names.length > 0 && name === undefined) continue;
  const installed = install(host, name?.split('@')[1] ?? 'installed');
  console.log(`\n${host.name} ${installed.version}`);
  const outcomes: Record<string, Outcome> = {};
  for (const [measurement, run] of Object.entries(MEASURES)) {
    if (measurements.length > 0 && !measurements.includes(measurement)) continue;
    const start = performance.now();
    const outcome = await run({ host, installed, model });
    outcomes[measurement] = outcome;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const counts = outcome.seen.map(
      ({ shown, deferred, concernsTool }) =>
        `${shown}${deferred > 0 ? ` (+${deferred} deferred)` : ''}${concernsTool ? ' +concerns' : ''}`,
    );
    console.log(`  ${measurement.padEnd(13)} ${counts.join(' → ') || '-'}  (${seconds} s)`);
    for (const note of outcome.notes) if (note !== '') console.log(`    ${note.replaceAll('\n', '\n    ')}`);
  }
  const { version } = installed;
  const report = { host: host.name, version, date: new Date().toISOString().slice(0, 10), outcomes };
  writeFileSync(`${RESULTS}/${host.id}.json`, `${JSON.stringify(report, null, 2)}\n`);
}
if (model.others.length > 0) console.log(`\nAlso asked for: ${[...new Set(model.others)].join(', ')}`);
await model.close();
