import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built command, which `npm test` builds first. All tests of the command line run it. */
export const MAIN = 'dist/cli/main.js';

export const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Resolves with the text of stdout or stderr so far, as soon as it matches. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
}

/** Starts the command in its own process, as a user does. */
export const start = (...args: string[]): Running => startWith('.', [], args);

/** Starts the command in another working folder. */
export const startIn = (folder: string, ...args: string[]): Running => startWith(folder, [], args);

/** Starts a copy of the command. */
export const startCopy = (main: string, folder: string, ...args: string[]): Running =>
  startWith(folder, [], args, main);

function startWith(
  folder: string,
  options: readonly string[],
  args: readonly string[],
  main: string = MAIN,
): Running {
  const child = spawn(process.execPath, [...options, resolve(main), ...args], { stdio: 'pipe', cwd: folder });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code: code as number | null, ...text }));
  const until = async (name: 'stdout' | 'stderr', pattern: RegExp): Promise<string> => {
    while (!pattern.test(text[name])) {
      const more = await Promise.race([once(child[name], 'data'), ended.then(() => undefined)]);
      if (more === undefined) throw new Error(`Ended without ${pattern}: ${text.stdout}${text.stderr}`);
    }
    return text[name];
  };
  return { child, ended, until };
}

/** Runs the command as a person at a terminal does. */
export const runAtTerminal = (...args: string[]): Promise<Ended> => startAtTerminal('stdin', args).ended;

/** Starts the command so that one of its streams counts as a terminal. */
export function startAtTerminal(stream: 'stdin' | 'stdout', args: readonly string[]): Running {
  const terminal = `data:text/javascript,process.${stream}.isTTY=true`;
  return startWith('.', ['--import', terminal], args);
}

export const run = (...args: string[]): Promise<Ended> => start(...args).ended;

export const runIn = (folder: string, ...args: string[]): Promise<Ended> => startIn(folder, ...args).ended;

/** Counts processes by their connections: a process connects when it starts, and disconnects when it ends. */
export interface ProcessTracker {
  readonly port: string;
  /** Resolves when this many processes have connected. */
  present(count: number): Promise<void>;
  /** Resolves when all of them have ended. */
  gone(): Promise<void>;
  close(): void;
}

export async function trackProcesses(): Promise<ProcessTracker> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    // A killed process resets its connection, which is an error here.
    socket.on('error', () => {}).resume();
    sockets.push(socket);
    server.emit('present');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: String((server.address() as AddressInfo).port),
    present: async (count) => {
      while (sockets.length < count) await once(server, 'present');
    },
    gone: async () => {
      await Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket, 'close'))));
    },
    close: () => server.close(),
  };
}
