import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ACCESS } from './access.js';
import { bridgeRatios } from './bridge.js';
import { type CommandTime, commandTimes } from './cli.js';
import { lambdaRatios } from './lambda.js';
import { listRatios, pinnedListRatios } from './list.js';
import type { Measurement, Ratio } from './measure.js';
import { CALLS, CATALOGS } from './protocol.js';
import { ruleRatios } from './rules.js';
import { type MemoryRun, memoryRun, scaleRatios } from './scale.js';
import { selectionRatios } from './selection.js';

const PARTS: Readonly<Record<string, readonly Measurement[]>> = {
  selection: [selectionRatios],
  rules: [ruleRatios],
  scale: [scaleRatios],
  list: [listRatios, pinnedListRatios],
  calls: CALLS,
  catalogs: CATALOGS,
  access: ACCESS,
  lambda: [lambdaRatios],
  bridge: [bridgeRatios],
};

/** `quick`: the parts that most changes of the engine and of the gate affect. They take two minutes, and all take ten. */
const QUICK: readonly string[] = ['selection', 'rules', 'list', 'calls'];

/** Runs one measurement, prints its ratios as JSON, and nothing else. For the processes that this program starts. */
const ONE = '--one';

const [first, part = '', position = ''] = process.argv.slice(2);
if (first === ONE) console.log(JSON.stringify(await PARTS[part]?.[Number(position)]?.()));
else runAll();

/**
 * Runs the benchmarks: all, or those that the arguments name (a part above, `quick`, `memory` or `cli`). `--json` prints one
 * JSON object. A missed target is printed and does not change the exit code.
 */
function runAll(): void {
  const named = process.argv.slice(2).filter((each) => !each.startsWith('--'));
  const known = [...Object.keys(PARTS), 'quick', 'memory', 'cli'];
  const unknown = named.filter((each) => !known.includes(each));
  if (unknown.length > 0) {
    console.error(`There is no part ${unknown.join(', ')}. Name ${known.join(', ')}, or nothing for all.`);
    process.exitCode = 2;
    return;
  }
  const isSelected = (name: string): boolean =>
    named.length === 0 || named.includes(name) || (named.includes('quick') && QUICK.includes(name));
  const asJson = process.argv.includes('--json');
  const print = (text: string) => {
    if (!asJson) console.log(text);
  };
  const ratios: Ratio[] = [];
  for (const [name, measurements] of Object.entries(PARTS)) {
    if (!isSelected(name)) continue;
    for (const index of measurements.keys()) {
      const measured = measureAlone(name, index);
      ratios.push(...measured);
      for (const each of measured) print(line(each));
    }
  }
  const memory = isSelected('memory') ? memoryRun() : undefined;
  if (memory !== undefined) print(memoryLine(memory));
  const commands = isSelected('cli') ? commandTimes() : [];
  for (const each of commands) print(commandLine(each));
  if (asJson) console.log(JSON.stringify({ node: process.version, ratios, memory, commands }, null, 2));
}

/**
 * In a process of its own: V8 compiles the gate for the policies and servers that it met, and an endpoint has one of each.
 * After a measurement under another mode, a call under `enforce` is 4 % slower.
 */
function measureAlone(name: string, index: number): Ratio[] {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), ONE, name, String(index)];
  const text = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(text);
}

function commandLine({ name, millis, node, limit, ratio, spread }: CommandTime): string {
  const result = ratio <= 1 ? 'met     ' : 'MISSED  ';
  const [least, most] = spread.map((each) => each.toFixed(0));
  return (
    `${result}${ratio.toFixed(4)} (at most 1)  mcp-concerns ${name} / 2 x "node -e 0" + 150 ms\n` +
    `          p10-p90 ${least} to ${most}, ${millis.toFixed(0)} / ${limit.toFixed(0)} ms, node ${node.toFixed(0)} ms`
  );
}

function line({ name, ratio, interval, noise, before, spread, target, micros }: Ratio): string {
  const bound = typeof target === 'object' ? target.lowerBound : target;
  const compared = typeof target === 'object' ? interval[0] : ratio;
  const result = bound === undefined ? '        ' : compared <= bound ? 'met     ' : 'MISSED  ';
  const limitText = typeof target === 'object' ? 'lower bound at most' : 'at most';
  const targetText = bound === undefined ? '' : ` (${limitText} ${bound})`;
  const times = `${micros.measured.toFixed(1)} / ${micros.baseline.toFixed(1)} µs`;
  const [confidence, percentiles] = [interval, spread].map((range) =>
    range.map((each) => each.toFixed(4)).join(' to '),
  );
  const same = noise === undefined ? '' : `; A/A ${noise.map((each) => each.toFixed(4)).join(' to ')}`;
  const earlier = before === undefined ? '' : `; before ${before}`;
  return `${result}${ratio.toFixed(4)}${targetText}  ${name}\n          95 % ${confidence}${same}${earlier}; p10-p90 ${percentiles}; ${times}`;
}

function memoryLine({ name, heapBefore, heapAfter, cached }: MemoryRun): string {
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  return `        ${megabytes(heapBefore)} / ${megabytes(heapAfter)} MB  ${name}\n          ${cached} cached selections`;
}
