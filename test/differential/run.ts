/**
 * Plays each case against a server alone and through `serve`, in every set-up, and writes the table of docs/reference/wire.md. It
 * fails for a difference without a reason, and for a reason that no case needs. `npm run differential -- "ids as text"` plays one
 * case, and writes nothing. Needs Node.js 22: earlier versions change numbers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { KEEPS_NUMBERS } from '../../src/core/exact-json.js';
import { CASES, type Case } from './cases.js';
import { differenceOf, REASONS } from './compare.js';
import { alone, behindGate, FRONTS, MODES, SERVERS, type SetUp } from './play.js';

const PAGE = 'docs/reference/wire.md';
const BETWEEN = /(<!-- differences -->\n)[\s\S]*(<!-- \/differences -->)/;

if (!KEEPS_NUMBERS) throw new Error('This version of Node.js changes numbers. Use Node.js 22.');
const [name] = process.argv.slice(2);
const played = CASES.filter((each) => name === undefined || each.name === name);
const needed = new Map<string, Set<string>>();
let [compared, wrong] = [0, 0];
/** As many at once: most of the time, they wait for processes that start. */
const AT_ONCE = 4;
const waiting = [...played];
const playAll = async (): Promise<void> => {
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
    const expected = await alone(each);
    for (const setUp of setUpsOf(each)) compare(each, setUp, expected, await behindGate(each, setUp));
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, playAll));
const unused = name === undefined ? Object.keys(REASONS).filter((id) => !needed.has(id)) : [];
for (const id of unused) console.log(`No case needs the reason "${id}". Remove it.`);
console.log(
  `${compared} comparisons of ${played.length} cases: ${wrong} differ without a reason, ${needed.size} reasons.`,
);
process.exitCode = wrong + unused.length === 0 ? 0 : 1;

if (name === undefined && process.exitCode === 0) {
  const rows = Object.entries(REASONS).map(
    ([id, { sentence, link }]) => `| ${[...(needed.get(id) ?? [])].join('; ')} | [${sentence}](${link}) |`,
  );
  const table = ['| what is sent | what differs, and why |', '|---|---|', ...rows, ''].join('\n');
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(BETWEEN, `$1\n${table}\n$2`));
}

/** A host over HTTP has no end of its output. */
function setUpsOf({ endsInput }: Case): readonly SetUp[] {
  const fronts = endsInput === true ? (['stdio'] as const) : FRONTS;
  return fronts.flatMap((front) =>
    SERVERS.flatMap((server) => MODES.map((mode) => ({ front, server, mode }))),
  );
}

function compare(each: Case, { front, server, mode }: SetUp, expected: string[], gate: string[]): void {
  const why = differenceOf(each, mode, expected, gate);
  compared++;
  if (why === undefined) return;
  if (why !== 'unexplained') {
    needed.set(why, (needed.get(why) ?? new Set()).add(each.name));
    return;
  }
  wrong++;
  console.log(`DIFFERS  ${each.name}: ${front}, ${server}, ${mode}`);
  console.log(`  alone  ${expected.join(' ').slice(0, 300)}\n  gate   ${gate.join(' ').slice(0, 300)}`);
}
