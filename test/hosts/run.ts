import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { read } from '../../src/core/wire/messages.js';
import type { Seen } from './conversation.js';
import { objectOf } from './dialects/dialect.js';
import type { Host } from './host.js';
import { claudeCode } from './hosts/claude-code.js';
import { codex } from './hosts/codex.js';
import { copilotCli } from './hosts/copilot-cli.js';
import { geminiCli } from './hosts/gemini-cli.js';
import { opencode } from './hosts/opencode.js';
import { qwenCode } from './hosts/qwen-code.js';
import { install } from './install.js';
import { MEASURES } from './measures.js';
import { startModel } from './scripted-model.js';

/**
 * Runs real hosts against a scripted model, and records which tools each request offered the model.
 *
 *     npm run hosts -- [HOST[@VERSION]...] [-- MEASUREMENT...]
 */
const HOSTS: readonly Host[] = [claudeCode, geminiCli, codex, opencode, copilotCli, qwenCode];
/** Results are part of the repository. */
const RESULTS = 'test/hosts/results';

/** For example `10`, or `0 (10 named)` if the model only learns the names. */
const describe = ({ shown, named }: Seen): string =>
  named === shown ? String(shown) : `${shown} (${named} named)`;

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
  const results: Record<string, object> = {};
  for (const [measurement, run] of Object.entries(MEASURES)) {
    if (measurements.length > 0 && !measurements.includes(measurement)) continue;
    const start = performance.now();
    const { seen, notes, log = [] } = await run({ host, installed, model });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const requests = seen.map(describe);
    console.log(`  ${measurement.padEnd(13)} ${requests.join(' → ') || '-'}  (${seconds} s)`);
    for (const note of notes) console.log(`    ${note.replaceAll('\n', '\n    ')}`);
    // The output of the host matters only if it did less than it was asked for.
    if (seen.length === 0) for (const line of log) console.log(`    ${line.replaceAll('\n', '\n    ')}`);
    results[measurement] = { requests, notes };
  }
  const { version } = installed;
  const file = `${RESULTS}/${host.id}.json`;
  const report = {
    host: host.name,
    package: host.package,
    version,
    date: new Date().toISOString().slice(0, 10),
    system: `${process.platform} ${process.arch}`,
    results: { ...(measurements.length > 0 ? earlierResults(file, version) : {}), ...results },
  };
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}
if (model.others.length > 0) console.log(`\nAlso asked for: ${[...new Set(model.others)].join(', ')}`);
await model.close();

/** Results of the other measurements of the same version, if there are any. */
function earlierResults(file: string, version: string): object {
  const report: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  return read(report, 'version') === version ? objectOf(read(report, 'results')) : {};
}
