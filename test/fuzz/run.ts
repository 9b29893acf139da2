import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { once } from '../../src/core/once.js';
import { AREAS, reach } from './areas.js';
import { type Counts, type Finding, NO_COUNTS, type Played } from './findings.js';
import { makeShelf, play, playBridged } from './play.js';
import { playCallers } from './play-callers.js';
import { playSessions } from './play-sessions.js';
import { makeSeveralShelf, playSeveral } from './several/play.js';

/**
 * Plays random connections until the given number of messages was sent: `npm run fuzz -- --messages 100000 --seed 1`.
 * `--seed 1 --replay 1234` plays one connection of that run again, on any machine. `--json` prints the counts and the first
 * findings as JSON. The exit code is 1 if there is any finding.
 */
const DEFAULT_MESSAGES = 3_000_000;
/** A new set of policies after so many connections. A process plays all connections of a set. */
const PER_SHELF = 200;
/**
 * One of so many connections is a set of sessions over HTTP, one is callers of both eras, one has a translation between the
 * gate and the server, and one has three servers behind the gate: these take longer.
 */
const EACH_OF = { sessions: 8, callers: 32, bridged: 16, several: 16 };
/** Plays only connections with a translation, or only with several servers. */
const ONLY = ['--bridged', '--several'] as const;
const isOnly = (option: (typeof ONLY)[number]): boolean => process.argv.includes(option);
/** For each fault and method. */
const KEPT_FINDINGS = 3;

const numberAfter = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};

const nothingPlayed = (): Played => ({ counts: { ...NO_COUNTS }, findings: [], reached: {} });

/** Plays the connections of each set of policies of one process, until it sent enough messages. */
async function playAll(messages: number, first: number, index: number, processes: number): Promise<Played> {
  const all = nothingPlayed();
  for (let start = first + index * PER_SHELF; ; start += processes * PER_SHELF) {
    const player = playerOf(start);
    for (let seed = start; seed < start + PER_SHELF; seed++) {
      if (all.counts.messages >= messages) return all;
      add(all, await player(seed));
    }
  }
}

/** Plays one connection of a run again. */
function replay(seed: number, first: number): Promise<Played> {
  return playerOf(seed - ((seed - first) % PER_SHELF))(seed);
}

function add(all: Played, { counts, findings, reached }: Played): void {
  for (const key of Object.keys(counts) as (keyof Counts)[]) all.counts[key] += counts[key];
  for (const finding of findings) keep(all.findings, finding);
  for (const area of AREAS) reach(all.reached, area, reached[area] ?? 0);
}

/** Returns how each connection of a set is played. The policies of the set are made when the first one needs them. */
function playerOf(start: number): (seed: number) => Promise<Played> {
  const shelf = once(() => makeShelf(start));
  const severalShelf = once(() => makeSeveralShelf(start, isOnly('--several') ? 40 : 8));
  return (seed) => {
    const round = seed - start;
    if (isOnly('--several') || (!isOnly('--bridged') && round % EACH_OF.several === 3))
      return playSeveral(severalShelf(), seed);
    if (isOnly('--bridged') || round % EACH_OF.bridged === 2) return playBridged(shelf(), seed);
    if (round % EACH_OF.sessions === 0) return playSessions(shelf(), seed);
    return (round % EACH_OF.callers === 1 ? playCallers : play)(shelf(), seed);
  };
}

function keep(findings: Finding[], finding: Finding): void {
  const alike = findings.filter(({ fault, method }) => fault === finding.fault && method === finding.method);
  if (alike.length < KEPT_FINDINGS) findings.push(finding);
}

function inProcess(messages: number, first: number, index: number, processes: number): Promise<Played> {
  const only = ONLY.filter(isOnly);
  const numbers = { messages, seed: first, share: index, of: processes };
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = fork(process.argv[1] ?? '', [...only, ...args]);
  return new Promise((resolve, reject) => {
    // The child waits for this: what it sent last can arrive after it has ended.
    child.once('message', (share) => {
      child.disconnect();
      resolve(share as Played);
    });
    child.once('exit', (code) => reject(new Error(`A process of the fuzz ended with code ${code}.`)));
  });
}

async function playEverywhere(messages: number, first: number): Promise<Played> {
  const processes = Math.min(availableParallelism(), 8);
  const each = Math.ceil(messages / processes);
  const shares = Array.from({ length: processes }, (_, index) => inProcess(each, first, index, processes));
  const all = nothingPlayed();
  for (const share of await Promise.all(shares)) add(all, share);
  return all;
}

const messages = numberAfter('--messages', DEFAULT_MESSAGES);
const seed = numberAfter('--seed', 1);
if (process.argv.includes('--share')) {
  const share = await playAll(messages, seed, numberAfter('--share', 0), numberAfter('--of', 1));
  process.send?.(share);
} else {
  const started = performance.now();
  const again = numberAfter('--replay', Number.NaN);
  const all = await (Number.isNaN(again) ? playEverywhere(messages, seed) : replay(again, seed));
  const { counts, findings, reached } = all;
  const seconds = Math.round((performance.now() - started) / 1000);
  if (process.argv.includes('--json'))
    console.log(JSON.stringify({ seed, seconds, ...counts, reached, findings }, null, 2));
  else console.log(summary(all, seconds));
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
    `${counts.wrongServer} messages of, for or about another of several servers`,
    `${counts.changedNumbers} messages with another number`,
    ...AREAS.map((area) => `reached ${reached[area] ?? 0} times: ${area}`),
    ...findings.map((finding) => `${finding.fault}, seed ${finding.seed}: ${finding.what}`),
  ];
  return lines.join('\n');
}
