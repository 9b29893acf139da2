/**
 * Measures what `mcp-concerns serve` keeps of hosts that never end their sessions and of clients that read slowly or not
 * at all. Needs `npm run build` first.
 *
 *     npx tsx bench/leaks.ts [connects] [sessions] [readers]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { begin, echo, readSlowly, stream } from '../test/upstream/raw-client.js';
import { isAlive, type Serving, startServing } from './leaks/serving.js';

const [CONNECTS, SESSIONS, LIMIT, MEGABYTE] = [200, 10_000, 32, 1024 * 1024];
const MINIMAL = ['sh', fileURLToPath(new URL('leaks/minimal-server.sh', import.meta.url))];
const STREAMING = [
  process.execPath,
  fileURLToPath(new URL('../test/upstream/fixtures/streaming-child.mjs', import.meta.url)),
];
const round = (value: number): number => Math.round(value);

const wanted = process.argv.slice(2);
const isWanted = (part: string): boolean => wanted.length === 0 || wanted.includes(part);

if (isWanted('connects')) await connects();
if (isWanted('sessions')) await sessions();
if (isWanted('readers')) {
  console.log('\n| isolation | reader | RSS before | RSS at most | read | end | another call |');
  console.log('|---|---|---|---|---|---|---|');
  for (const isolation of ['per-session', 'shared', 'per-request']) {
    await reader(isolation, 'fast', 10 * MEGABYTE, 1);
    await reader(isolation, 'slow', MEGABYTE / 2, 100);
    await reader(isolation, 'none', 0, 0);
  }
}

/** Sessions without DELETE: how many processes stay, and whether Ctrl-C ends them. */
async function connects(): Promise<void> {
  const serving = await startServing([], STREAMING);
  let most = 0;
  for (let n = 0; n < CONNECTS; n++) {
    await begin(serving.url);
    most = Math.max(most, serving.children().length);
  }
  await sleep(3000);
  const left = serving.children();
  const ms = await serving.interrupt();
  const survivors = left.filter(isAlive).length;
  console.log(
    `${CONNECTS} connects without DELETE: at most ${most} processes, ${left.length} at the end (limit ${LIMIT}).`,
  );
  console.log(`Ctrl-C: the command ended after ${round(ms)} ms, ${survivors} processes survived.`);
}

/** The memory of many sessions that nobody ends. */
async function sessions(): Promise<void> {
  const serving = await startServing([], MINIMAL);
  console.log('\n| sessions | RSS | processes |');
  console.log('|---|---|---|');
  const show = (count: number): void =>
    console.log(`| ${count} | ${round(serving.memory())} MB | ${serving.children().length} |`);
  show(0);
  for (let done = 0; done < SESSIONS; ) {
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let n = 0; n < 250; n++) await begin(serving.url);
      }),
    );
    done += 1000;
    if (done <= 2000 || done % 2000 === 0) show(done);
  }
  await serving.interrupt();
}

/** A client of a stream of 50 MB, and another request of the same session two seconds later. */
async function reader(isolation: string, kind: string, bytesPerRead: number, pauseMs: number): Promise<void> {
  const serving = await startServing(['--isolation', isolation], STREAMING);
  const session = await begin(serving.url);
  await echo(serving.url, session, 10_000);
  const before = serving.memory();
  const watch = watchMemory(serving);
  const response = await stream(serving.url, session, 50 * MEGABYTE);
  const reading =
    bytesPerRead === 0 ? sleep(10_000, { bytes: 0, end: '' }) : readSlowly(response, bytesPerRead, pauseMs);
  await sleep(2000);
  const other = await echo(serving.url, session, 30_000);
  const { bytes, end } = await reading;
  const ended = end.includes('complete') ? 'complete' : end === '' ? 'not read' : 'closed';
  const cells = [
    isolation,
    kind,
    `${round(before)} MB`,
    `${round(watch.stop())} MB`,
    `${round(bytes / MEGABYTE)} MB`,
    ended,
    Number.isNaN(other) ? 'no answer' : `${round(other)} ms`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
  response.destroy();
  await serving.interrupt();
}

function watchMemory(serving: Serving): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, serving.memory());
  }, 100);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(most, serving.memory());
    },
  };
}
