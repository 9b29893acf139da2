import { type CommandTime, commandTimes } from './cli.js';
import { lambdaRatios } from './lambda.js';
import { listRatios } from './list.js';
import type { Ratio } from './measure.js';
import { protocolRatios } from './protocol.js';
import { ruleRatios } from './rules.js';
import { type MemoryRun, memoryRun, scaleRatios } from './scale.js';
import { selectionRatios } from './selection.js';

const PARTS: Readonly<Record<string, () => Promise<readonly Ratio[]>>> = {
  selection: selectionRatios,
  rules: ruleRatios,
  scale: scaleRatios,
  list: listRatios,
  protocol: protocolRatios,
  lambda: lambdaRatios,
};

/**
 * Prints every ratio, or those of the parts that are named: the ones above, `memory` and `cli`. `--json` prints them as
 * one object. A target that is missed is printed, it fails nothing.
 */
const named = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const isWanted = (part: string): boolean => named.length === 0 || named.includes(part);
const ratios: Ratio[] = [];
for (const [part, measure] of Object.entries(PARTS)) if (isWanted(part)) ratios.push(...(await measure()));
const memory = isWanted('memory') ? memoryRun() : undefined;
const commands = isWanted('cli') ? commandTimes() : [];

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ node: process.version, ratios, memory, commands }, null, 2));
} else {
  for (const each of ratios) console.log(line(each));
  if (memory !== undefined) console.log(memoryLine(memory));
  for (const each of commands) console.log(commandLine(each));
}

function commandLine({ name, millis, node, bound, ratio, spread }: CommandTime): string {
  const verdict = ratio <= 1 ? 'met     ' : 'MISSED  ';
  const [least, most] = spread.map((each) => each.toFixed(0));
  return (
    `${verdict}${ratio.toFixed(4)} (at most 1)  mcp-concerns ${name} / twice "node -e 0" and 150 ms\n` +
    `          p10-p90 ${least} to ${most}, ${millis.toFixed(0)} / ${bound.toFixed(0)} ms, node ${node.toFixed(0)} ms`
  );
}

function line({ name, ratio, interval, spread, target, micros }: Ratio): string {
  const bound = typeof target === 'object' ? target.lowerBound : target;
  const judged = typeof target === 'object' ? interval[0] : ratio;
  const verdict = bound === undefined ? '        ' : judged <= bound ? 'met     ' : 'MISSED  ';
  const what = typeof target === 'object' ? 'lower bound at most' : 'at most';
  const aim = bound === undefined ? '' : ` (${what} ${bound})`;
  const times = `${micros.measured.toFixed(1)} / ${micros.baseline.toFixed(1)} µs`;
  const [surely, middle] = [interval, spread].map((range) =>
    range.map((each) => each.toFixed(4)).join(' to '),
  );
  return `${verdict}${ratio.toFixed(4)}${aim}  ${name}\n          95 % ${surely}; p10-p90 ${middle}; ${times}`;
}

function memoryLine({ name, heapBefore, heapAfter, remembered }: MemoryRun): string {
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  return `        ${megabytes(heapBefore)} / ${megabytes(heapAfter)} MB  ${name}\n          ${remembered} selections remembered`;
}
