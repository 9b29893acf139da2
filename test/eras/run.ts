/**
 * Runs every combination of host, endpoint and server with the packaged command, and writes the table of
 * docs/reference/wire.md. Exits with 1 if a check fails that the page does not name as lost, or if nothing is lost there.
 * The names of servers select some of them, and then nothing is written: `npm run eras -- "v2 module"`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { CHECKS } from './checks.js';
import { HOSTS, type HostKind } from './hosts.js';
import { missingRows, unexpected } from './lost.js';
import { run, SERVERS, type SetUp } from './set-ups.js';

const PAGE = 'docs/reference/wire.md';
const [BEGIN, END] = ['<!-- eras -->', '<!-- /eras -->'];
const COUNT = Object.keys(CHECKS).length;
/** As many at once: most of the time, they wait. */
const AT_ONCE = 3;
const COLUMNS: readonly Omit<SetUp, 'server'>[] = [
  { front: 'HTTP', mode: 'enforce', isolation: 'per-session' },
  { front: 'HTTP', mode: 'advisory', isolation: 'per-session' },
  { front: 'stdio', mode: 'enforce', isolation: 'per-session' },
  { front: 'stdio', mode: 'advisory', isolation: 'per-session' },
  { front: 'HTTP', mode: 'enforce', isolation: 'shared' },
  { front: 'HTTP', mode: 'enforce', isolation: 'per-request' },
];
const titleOf = ({ front, mode, isolation }: (typeof COLUMNS)[number]): string =>
  isolation === 'per-session' ? `${front}, ${mode}` : `${front}, \`${isolation}\``;

const named = SERVERS.filter((server) => process.argv.includes(server));
const servers = named.length > 0 ? named : SERVERS;
const waiting: SetUp[] = servers.flatMap((server) => COLUMNS.map((column) => ({ server, ...column })));
const cells = new Map<string, readonly string[]>();
const wrong: string[] = [];
const keyOf = (host: HostKind, setUp: SetUp): string => [host, setUp.server, titleOf(setUp)].join(', ');

async function runAll(): Promise<void> {
  for (let setUp = waiting.shift(); setUp !== undefined; setUp = waiting.shift()) {
    const failed = await run(setUp, HOSTS);
    for (const host of HOSTS) {
      const checks = failed.get(host) ?? [];
      cells.set(keyOf(host, setUp), checks);
      const found = unexpected(host, setUp, checks);
      wrong.push(...found.map((each) => `${keyOf(host, setUp)}: ${each}`));
      console.log(`${keyOf(host, setUp)}: ${COUNT - checks.length} of ${COUNT}`, checks);
    }
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, runAll));
const rows = HOSTS.flatMap((host) =>
  servers.map((server) => {
    const texts = COLUMNS.map((column) => {
      const failed = cells.get(keyOf(host, { server, ...column })) ?? [];
      const names = failed.map((each) => each.split(':', 1)[0]);
      return failed.length === 0 ? 'all' : `not: ${names.join(', ')}`;
    });
    return `| ${host} | ${server} | ${texts.join(' | ')} |`;
  }),
);
const head = `| host | server | ${COLUMNS.map(titleOf).join(' | ')} |\n|${'---|'.repeat(COLUMNS.length + 2)}`;
if (named.length === 0) {
  const text = readFileSync(PAGE, 'utf8');
  const [before, after] = [text.split(BEGIN)[0], text.split(END)[1]];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} has no place for the table.`);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${head}\n${rows.join('\n')}\n\n${END}${after}`);
}
wrong.push(...missingRows(PAGE).map((row) => `${PAGE} has no row "${row}"`));
for (const each of wrong) console.log(`unexpected: ${each}`);
console.log(`${cells.size} set-ups, ${wrong.length} unexpected`);
process.exitCode = wrong.length === 0 ? 0 : 1;
