import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run as runCommand } from '../../src/cli/run.js';
import type { Io } from '../../src/cli/terminal/output.js';

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
  const terminal = `data:text/javascript,Object.assign(process.${stream},{isTTY:true,hasColors:()=>false})`;
  return startWith('.', ['--import', terminal], args);
}

/** Runs the built command in its own process, as a user does: for what only a process has. */
export const runProcess = (...args: string[]): Promise<Ended> => start(...args).ended;

/** The streams of a command that is run in the process of the test: pipes, as outside a terminal. */
export function testIo(stdin = ''): Io & { readonly text: { stdout: string; stderr: string } } {
  const text = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        text[name] += chunk;
        done();
      },
    }) as Partial<NodeJS.WriteStream> as NodeJS.WriteStream;
  const input = Readable.from([stdin]) as Partial<NodeJS.ReadStream> as NodeJS.ReadStream;
  return {
    stdin: input,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: process.env,
    argv: [process.execPath, resolve(MAIN)],
    text,
  };
}

/** Commands read files relative to the working folder of the process, so one runs at a time. */
let last: Promise<unknown> = Promise.resolve();

/** Runs a command to its end in the process of the test, 8 to 20 times as fast as in its own. */
export const run = (...args: string[]): Promise<Ended> => runIn('.', ...args);

export function runIn(folder: string, ...args: string[]): Promise<Ended> {
  const running = last.then(async () => {
    const io = testIo();
    const before = process.cwd();
    process.chdir(folder);
    try {
      const code = await runCommand(args, io);
      return { code, ...io.text };
    } finally {
      process.chdir(before);
    }
  });
  last = running.catch(() => undefined);
  return running;
}

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
