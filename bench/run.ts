import { lambdaRatios } from './lambda.js';
import { listRatios } from './list.js';
import type { Ratio } from './measure.js';
import { protocolRatios } from './protocol.js';
import { ruleRatios } from './rules.js';
import { type MemoryRun, memoryRun, scaleRatios } from './scale.js';
import { selectionRatios } from './selection.js';

/** Prints every ratio; `--json` prints them as one object. A target that is missed is printed, it fails nothing. */
const ratios = [
  ...(await selectionRatios()),
  ...(await ruleRatios()),
  ...(await scaleRatios()),
  ...(await listRatios()),
  ...(await protocolRatios()),
  ...(await lambdaRatios()),
];
const memory = memoryRun();

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ node: process.version, ratios, memory }, null, 2));
} else {
  for (const each of ratios) console.log(line(each));
  console.log(memoryLine(memory));
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
