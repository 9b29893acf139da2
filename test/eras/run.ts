/**
 * Runs every combination of host, endpoint and server with the packaged code, and writes the tables of
 * docs/reference/wire.md. Exits with 1 if a check fails that the page does not name as lost, or if nothing is lost there.
 * The names of servers select some of them, and then nothing is written: `npm run eras -- "v2 module"`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { CHECKS } from './checks.js';
import { closeRemote, FUNCTIONS } from './functions.js';
import { HOSTS, type HostKind } from './hosts.js';
import { missingRows, unexpected } from './lost.js';
import { ATTACHED, run, SERVERS, type SetUp } from './set-ups.js';

type Column = Omit<SetUp, 'server'>;

const PAGE = 'docs/reference/wire.md';
const COUNT = Object.keys(CHECKS).length;
/** As many at once: most of the time, they wait. */
const AT_ONCE = 3;
const OWN_COLUMNS: readonly Column[] = [
  { front: 'HTTP', mode: 'enforce' },
  { front: 'HTTP', mode: 'advisory' },
  { front: 'stdio', mode: 'enforce' },
  { front: 'stdio', mode: 'advisory' },
];
/** Each has the name of the comments around it. */
const TABLES: readonly { name: string; servers: readonly SetUp['server'][]; columns: readonly Column[] }[] = [
  {
    name: 'eras',
    servers: SERVERS,
    columns: [
      ...OWN_COLUMNS,
      { front: 'HTTP', mode: 'enforce', isolation: 'shared' },
      { front: 'HTTP', mode: 'enforce', isolation: 'per-request' },
    ],
  },
  {
    name: 'functions',
    servers: FUNCTIONS,
    columns: [
      { front: 'buffered', mode: 'enforce' },
      { front: 'buffered', mode: 'advisory' },
      { front: 'stream', mode: 'enforce' },
    ],
  },
  { name: 'attached', servers: ATTACHED, columns: OWN_COLUMNS },
];
const titleOf = ({ front, mode, isolation }: Column): string =>
  isolation === undefined ? `${front}, ${mode}` : `${front}, \`${isolation}\``;

const isNamed = TABLES.some(({ servers }) => servers.some((server) => process.argv.includes(server)));
const isRun = (server: string): boolean => !isNamed || process.argv.includes(server);
const waiting: SetUp[] = TABLES.flatMap(({ servers, columns }) =>
  servers.filter(isRun).flatMap((server) => columns.map((column) => ({ server, ...column }))),
);
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

function cellOf(host: HostKind, setUp: SetUp): string {
  const failed = cells.get(keyOf(host, setUp)) ?? [];
  if (failed.length === 0) return 'all';
  if (failed.length === COUNT) return 'none';
  return `not: ${failed.map((each) => each.split(':', 1)[0]).join(', ')}`;
}

await Promise.all(Array.from({ length: AT_ONCE }, runAll)).finally(closeRemote);
let text = readFileSync(PAGE, 'utf8');
for (const { name, servers, columns } of TABLES) {
  const rows = HOSTS.flatMap((host) =>
    servers.map((server) => {
      const texts = columns.map((column) => cellOf(host, { server, ...column }));
      return `| ${host} | ${server} | ${texts.join(' | ')} |`;
    }),
  );
  const head = `| host | server | ${columns.map(titleOf).join(' | ')} |\n|${'---|'.repeat(columns.length + 2)}`;
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, after] = [text.split(begin)[0], text.split(end)[1]];
  if (before === undefined || after === undefined)
    throw new Error(`${PAGE} has no place for the table "${name}".`);
  text = `${before}${begin}\n\n${head}\n${rows.join('\n')}\n\n${end}${after}`;
}
if (!isNamed) writeFileSync(PAGE, text);
wrong.push(...missingRows(PAGE).map((row) => `${PAGE} has no row "${row}"`));
for (const each of wrong) console.log(`unexpected: ${each}`);
console.log(`${cells.size} set-ups, ${wrong.length} unexpected`);
process.exitCode = wrong.length === 0 ? 0 : 1;
