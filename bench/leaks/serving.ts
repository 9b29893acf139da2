import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const POLICY = `
version: 1
concerns: { access: { values: [none, all], match: at-most, default: all } }
primitives: { tools: { echo: { access: all }, stream: { access: all } } }
`;

/** `mcp-concerns serve` as a child process, as an operator starts it. */
export interface Serving {
  readonly url: string;
  /** Megabytes of memory that it holds now. */
  memory(): number;
  /** The processes that it started and that are alive. */
  children(): readonly number[];
  /** Ends it as Ctrl-C does. Returns the milliseconds that this took. */
  interrupt(): Promise<number>;
}

export async function startServing(options: readonly string[], command: readonly string[]): Promise<Serving> {
  const policy = join(mkdtempSync(join(tmpdir(), 'leaks-')), 'policy.yaml');
  writeFileSync(policy, POLICY);
  const args = [MAIN, 'serve', '--policy', policy, '--port', '0', ...options, '--', ...command];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid === undefined) throw new Error('The command did not start.');
  return {
    url: await urlOf(child),
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1024,
    children: () => processesOf(pid),
    async interrupt() {
      const from = performance.now();
      child.kill('SIGINT');
      await once(child, 'exit');
      return performance.now() - from;
    },
  };
}

async function urlOf(child: ChildProcess): Promise<string> {
  let [out, err] = ['', ''];
  child.stderr?.on('data', (chunk) => {
    err = (err + chunk).slice(-2000);
  });
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += chunk;
      const found = /on (http\S+)/.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`The command ended: ${err}`)));
  });
}

function processesOf(parent: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=']).toString().trim().split('\n');
  return rows.flatMap((row) => {
    const [pid, of, state = ''] = row.trim().split(/\s+/);
    // The second condition leaves out `ps` itself if a test runs in the same process, and processes that have ended.
    return Number(of) === parent && !state.startsWith('Z') ? [Number(pid)] : [];
  });
}

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
