/**
 * Plays each case against a server alone and through `serve`, in every set-up, and writes the table of docs/reference/wire.md. It
 * fails for a difference without a reason, and for a reason that no case needs. `npm run differential -- "ids as text"` plays one
 * case, and writes nothing. Needs Node.js 22: earlier versions change numbers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { KEEPS_NUMBERS } from '../../src/exact-json.js';
import { CASES } from './cases.js';
import { differenceOf, REASONS } from './compare.js';
import { alone, behindGate, FRONTS, MODES, SERVERS } from './play.js';

const PAGE = 'docs/reference/wire.md';
const BETWEEN = /(<!-- differences -->\n)[\s\S]*(<!-- \/differences -->)/;

if (!KEEPS_NUMBERS) throw new Error('This version of Node.js changes numbers. Use Node.js 22.');
const [name] = process.argv.slice(2);
const played = CASES.filter((each) => name === undefined || each.name === name);
const needed = new Map<string, Set<string>>();
let [compared, wrong] = [0, 0];
for (const each of played) {
  const expected = await alone(each);
  for (const front of each.endsInput === true ? (['stdio'] as const) : FRONTS) {
    for (const server of SERVERS) {
      for (const mode of MODES) {
        const gate = await behindGate(each, { mode, front, server });
        const why = differenceOf(each, mode, expected, gate);
        compared++;
        if (why === undefined) continue;
        if (why !== 'unexplained') needed.set(why, (needed.get(why) ?? new Set()).add(each.name));
        else {
          wrong++;
          console.log(`DIFFERS  ${each.name}: ${front}, ${server}, ${mode}`);
          console.log(
            `  alone  ${expected.join(' ').slice(0, 300)}\n  gate   ${gate.join(' ').slice(0, 300)}`,
          );
        }
      }
    }
  }
}
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
