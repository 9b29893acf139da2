import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that is running. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** Writes one line to stdin. Needs `keepsInput`. */
  write(line: string): void;
  /** Calls a function for each line of stdout that follows. */
  onLine(take: (line: string) => void): void;
  /** Resolves with stdout and stderr so far, as soon as they match. */
  until(pattern: RegExp): Promise<string>;
  /** Ends the process and its children. */
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** The children of a host belong to its process group, so one signal ends all of them. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}

process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});
// Without this, a signal would skip the exit handler.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/**
 * Starts a program in a process group of its own.
 *
 * @param command the program
 * @param args its arguments
 * @param options the folder, the whole environment, stdin, and the longest run in milliseconds
 */
export function startProcess(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    /** Whether stdin stays open, for `write`. */
    readonly keepsInput?: boolean;
    readonly longest: number;
  },
): Running {
  const child = spawn(command, [...args], { cwd: options.cwd, env: options.env, detached: true });
  running.add(child);
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  child.stdin.on('error', () => {
    // The program does not read its input.
  });
  if (options.keepsInput !== true) child.stdin.end();
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), options.longest);
  const ended = once(child, 'close').then(([code]: unknown[]) => {
    clearTimeout(timer);
    running.delete(child);
    return { code: typeof code === 'number' ? code : null, ...text };
  });
  return {
    ended,
    write: (line) => void child.stdin.write(`${line}\n`),
    onLine: (take) => void createInterface({ input: child.stdout }).on('line', take),
    until: async (pattern) => {
      while (!pattern.test(text.stdout + text.stderr)) {
        const more = await Promise.race([
          ...(['stdout', 'stderr'] as const).map((name) => once(child[name], 'data')),
          ended.then(() => undefined),
        ]);
        if (more === undefined) throw new Error(`Ended without ${pattern}: ${text.stdout}${text.stderr}`);
      }
      return text.stdout + text.stderr;
    },
    stop: async () => {
      signalGroup(child, 'SIGTERM');
      const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), 3000);
      await ended;
      clearTimeout(timer);
      signalGroup(child, 'SIGKILL');
    },
  };
}
