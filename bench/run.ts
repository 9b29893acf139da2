import { type CommandTime, commandTimes } from './cli.js';
import { listRatios } from './list.js';
import type { Ratio } from './measure.js';
import { protocolRatios } from './protocol.js';
import { ruleRatios } from './rules.js';
import { type MemoryRun, memoryRun, scaleRatios } from './scale.js';
import { selectionRatios } from './selection.js';

/**
 * Prints every ratio; `--json` prints them as one object, `--cli` leaves all but the command line out. A target that is
 * missed is printed, it fails nothing.
 */
const only = process.argv.includes('--cli');
const ratios = only
  ? []
  : [
      ...(await selectionRatios()),
      ...(await ruleRatios()),
      ...(await scaleRatios()),
      ...(await listRatios()),
      ...(await protocolRatios()),
    ];
const memory = only ? undefined : memoryRun();
const commands = commandTimes();

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

function line({ name, ratio, spread, target, micros }: Ratio): string {
  const verdict = Number.isNaN(target) ? '        ' : ratio <= target ? 'met     ' : 'MISSED  ';
  const aim = Number.isNaN(target) ? '' : ` (at most ${target})`;
  const times = `${micros.measured.toFixed(1)} / ${micros.baseline.toFixed(1)} µs`;
  return `${verdict}${ratio.toFixed(4)}${aim}  ${name}\n          p10-p90 ${spread.map((each) => each.toFixed(4)).join(' to ')}, ${times}`;
}

function memoryLine({ name, heapBefore, heapAfter, remembered }: MemoryRun): string {
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  return `        ${megabytes(heapBefore)} / ${megabytes(heapAfter)} MB  ${name}\n          ${remembered} selections remembered`;
}
