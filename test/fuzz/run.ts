import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { AREAS, type Reached, reach } from './areas.js';
import { type Counts, type Finding, NO_COUNTS, type Played } from './findings.js';
import { makeShelf, play, playBridged, type Shelf } from './play.js';
import { playCallers } from './play-callers.js';
import { playSessions } from './play-sessions.js';

/**
 * Plays random connections until the given number of messages was sent: `npm run fuzz -- --messages 100000 --seed 1`.
 * `--json` prints the counts and the first findings as JSON. The exit code is 1 if there is any finding.
 */
const DEFAULT_MESSAGES = 3_000_000;
/** A new set of policies after so many connections. */
const PER_SHELF = 200;
/**
 * One of so many connections is a set of sessions over HTTP, one is callers of both eras, and one has a translation between the
 * gate and the server: these take longer.
 */
const EACH_OF = { sessions: 8, callers: 32, bridged: 16 };
/** For each fault and method. */
const KEPT_FINDINGS = 3;

const numberAfter = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};

/** Plays connections with the seeds `first`, `first + step`, `first + 2 * step` and so on. */
async function playAll(messages: number, first: number, step: number): Promise<Played> {
  const counts = { ...NO_COUNTS };
  const findings: Finding[] = [];
  const reached: Reached = {};
  let shelf = makeShelf(first);
  for (let round = 0; counts.messages < messages; round++) {
    const seed = first + round * step;
    if (round % PER_SHELF === 0) shelf = makeShelf(seed);
    const played = await playerOf(round)(shelf, seed);
    for (const key of Object.keys(counts) as (keyof Counts)[]) counts[key] += played.counts[key];
    for (const finding of played.findings) keep(findings, finding);
    for (const area of AREAS) reach(reached, area, played.reached[area] ?? 0);
  }
  return { counts, findings, reached };
}

/** `--bridged` plays only connections with a translation. */
function playerOf(round: number): (shelf: Shelf, seed: number) => Promise<Played> {
  if (process.argv.includes('--bridged') || round % EACH_OF.bridged === 2) return playBridged;
  if (round % EACH_OF.sessions === 0) return playSessions;
  return round % EACH_OF.callers === 1 ? playCallers : play;
}

function keep(findings: Finding[], finding: Finding): void {
  const alike = findings.filter(({ fault, method }) => fault === finding.fault && method === finding.method);
  if (alike.length < KEPT_FINDINGS) findings.push(finding);
}

function inProcess(messages: number, first: number, step: number): Promise<Played> {
  const only = process.argv.filter((each) => each === '--bridged');
  const args = [
    '--share',
    ...only,
    '--messages',
    String(messages),
    '--seed',
    String(first),
    '--step',
    String(step),
  ];
  const child = fork(process.argv[1] ?? '', args);
  return new Promise((resolve, reject) => {
    child.once('message', (share) => resolve(share as Played));
    child.once('exit', (code) => reject(new Error(`A process of the fuzz ended with code ${code}.`)));
  });
}

const messages = numberAfter('--messages', DEFAULT_MESSAGES);
const seed = numberAfter('--seed', 1);
if (process.argv.includes('--share')) {
  const share = await playAll(messages, seed, numberAfter('--step', 1));
  process.send?.(share);
  process.disconnect();
} else {
  const processes = Math.min(availableParallelism(), 8);
  const started = performance.now();
  const shares = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      inProcess(Math.ceil(messages / processes), seed + index, processes),
    ),
  );
  const counts = { ...NO_COUNTS };
  for (const share of shares) {
    for (const key of Object.keys(counts) as (keyof Counts)[]) counts[key] += share.counts[key];
  }
  const reached: Reached = {};
  for (const share of shares) for (const area of AREAS) reach(reached, area, share.reached[area] ?? 0);
  const findings: Finding[] = [];
  for (const share of shares) for (const finding of share.findings) keep(findings, finding);
  const seconds = Math.round((performance.now() - started) / 1000);
  if (process.argv.includes('--json'))
    console.log(JSON.stringify({ seed, seconds, ...counts, reached, findings }, null, 2));
  else console.log(summary({ counts, findings, reached }, seconds));
  if (findings.length > 0) process.exitCode = 1;
}

function summary({ counts, findings, reached }: Played, seconds: number): string {
  const lines = [
    `${counts.messages} messages in ${seconds} s`,
    `${counts.leaks} leaks of hidden primitives`,
    `${counts.wrongLists} wrong lists`,
    `${counts.unanswered} requests without an answer`,
    `${counts.answeredTwice} requests with two answers`,
    `${counts.visibleBlocked} requests for visible primitives that did not pass`,
    `${counts.silent} faults that nothing tells of`,
    ...AREAS.map((area) => `reached ${reached[area] ?? 0} times: ${area}`),
    ...findings.map((finding) => `${finding.fault}, seed ${finding.seed}: ${finding.what}`),
  ];
  return lines.join('\n');
}
