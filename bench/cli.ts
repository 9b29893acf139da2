import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, quantile } from './measure.js';

/** The time of a command from start to exit, and its limit. */
export interface CommandTime {
  readonly name: string;
  /** Medians in milliseconds. `node` is the time of `node -e 0`, measured in alternation with the command. */
  readonly millis: number;
  readonly node: number;
  /** The limit in milliseconds: twice `node`, plus 150 ms. */
  readonly limit: number;
  /** The time divided by the limit. 1 or less meets the target. */
  readonly ratio: number;
  /** The middle 80 %, in milliseconds. */
  readonly spread: readonly [number, number];
}

const MAIN = 'dist/cli/main.js';
const POLICY = 'policies/gitlab.yaml';
const CATALOG = 'policies/gitlab.catalog.json';
const ROUNDS = 7;
const WARM_UP = 1;

/** Measures every command that needs no server, on the largest policy of the package (217 tools). */
export function commandTimes(): CommandTime[] {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing. Run "npm run build" before the benchmark.`);
  const folder = 'build/bench-cli';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const changed = join(folder, 'changed.yaml');
  writeFileSync(changed, readFileSync(POLICY, 'utf8').replace('match: at-most', 'match: exact'));
  const catalog = ['--catalog', CATALOG];
  const commands: Readonly<Record<string, readonly string[]>> = {
    '--version': ['--version'],
    '--help': ['--help'],
    'check --help': ['check', '--help'],
    'serve --help': ['serve', '--help'],
    check: ['check', POLICY],
    'check --catalog': ['check', POLICY, ...catalog],
    test: ['test', POLICY],
    'test --coverage': ['test', POLICY, '--coverage'],
    explain: ['explain', 'get_issue', '--policy', POLICY],
    'explain --catalog': ['explain', 'get_issue', '--policy', POLICY, ...catalog],
    'list --catalog': ['list', '--policy', POLICY, '--concern', 'effect=read-only', ...catalog],
    'diff --catalog': ['diff', POLICY, changed, ...catalog],
    'tokens --catalog': ['tokens', '--policy', POLICY, ...catalog],
    'list --save': ['list', '--save', join(folder, 'snapshot.json'), ...catalog],
    compile: ['compile', POLICY, '-o', join(folder, 'compiled.json')],
    'init --catalog': ['init', '--force', '-o', join(folder, 'first.yaml'), ...catalog],
  };
  return Object.entries(commands).map(([name, args]) => timeOf(name, args));
}

function timeOf(name: string, args: readonly string[]): CommandTime {
  const times = { command: [] as number[], node: [] as number[] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const which of ['node', 'command'] as const) {
      const started = performance.now();
      const { status, stderr } = spawnSync(
        process.execPath,
        which === 'node' ? ['-e', '0'] : [MAIN, ...args],
      );
      const time = performance.now() - started;
      if (status !== 0) throw new Error(`"${args.join(' ')}" failed: ${stderr}`);
      if (round >= 0) times[which].push(time);
    }
  }
  const [millis, node] = [median(times.command), median(times.node)];
  const limit = 2 * node + 150;
  const spread = [quantile(times.command, 0.1), quantile(times.command, 0.9)] as const;
  return { name, millis, node, limit, ratio: millis / limit, spread };
}
