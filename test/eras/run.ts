/**
 * Runs every combination of host, endpoint and server with the packaged command, and writes the table of
 * docs/reference/wire.md. Exits with 1 if a check fails under the default isolation.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { CHECKS } from './checks.js';
import { run, SERVERS, type SetUp } from './set-ups.js';

const PAGE = 'docs/reference/wire.md';
const [BEGIN, END] = ['<!-- eras -->', '<!-- /eras -->'];
const COUNT = Object.keys(CHECKS).length;
const FRONTS = [
  ['http', 'per-session'],
  ['http', 'shared'],
  ['http', 'per-request'],
  ['stdio', 'per-session'],
] as const;

const rows: string[] = [];
let unexpected = 0;
for (const host of ['legacy', 'modern'] as const) {
  for (const server of SERVERS) {
    for (const behind of ['stdio', 'url'] as const) {
      const cells: string[] = [];
      for (const [front, isolation] of FRONTS) {
        const setUp: SetUp = { host, server, behind, front, isolation };
        const failed = await run(setUp).catch((cause: unknown) => [String(cause)]);
        if (isolation === 'per-session') unexpected += failed.length;
        console.log(`${Object.values(setUp).join(' ')}: ${COUNT - failed.length} of ${COUNT}`, failed);
        const names = failed.map((each) => each.split(':', 1)[0]);
        cells.push(failed.length === 0 ? 'all' : `all but: ${names.join('; ')}`);
      }
      rows.push(`| ${host} | ${server} | ${behind} | ${cells.join(' | ')} |`);
    }
  }
}
const head =
  '| host | server | server over | HTTP | HTTP, `shared` | HTTP, `per-request` | stdio |\n|---|---|---|---|---|---|---|';
const text = readFileSync(PAGE, 'utf8');
const [before, after] = [text.split(BEGIN)[0], text.split(END)[1]];
if (before === undefined || after === undefined) throw new Error(`${PAGE} has no place for the table.`);
writeFileSync(PAGE, `${before}${BEGIN}\n\n${head}\n${rows.join('\n')}\n\n${END}${after}`);
process.exitCode = unexpected === 0 ? 0 : 1;
