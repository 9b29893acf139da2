import { accessRatios } from './access.js';
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
  access: accessRatios,
  lambda: lambdaRatios,
};

/**
 * The benchmarks to run: all, or those that the arguments name (a part above, `memory` or `cli`). `--json` prints one JSON
 * object. A missed target is printed and does not change the exit code.
 */
const named = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const isSelected = (part: string): boolean => named.length === 0 || named.includes(part);
const ratios: Ratio[] = [];
for (const [part, measure] of Object.entries(PARTS)) if (isSelected(part)) ratios.push(...(await measure()));
const memory = isSelected('memory') ? memoryRun() : undefined;
const commands = isSelected('cli') ? commandTimes() : [];

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ node: process.version, ratios, memory, commands }, null, 2));
} else {
  for (const each of ratios) console.log(line(each));
  if (memory !== undefined) console.log(memoryLine(memory));
  for (const each of commands) console.log(commandLine(each));
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
