import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** What `npm test` has built; all tests of the command line run this. */
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
  /** Resolves with everything that stdout or stderr held once it matches. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
}

/** Starts the command line as a user does: a process of its own. */
export function start(...args: string[]): Running {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'pipe' });
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

export const run = (...args: string[]): Promise<Ended> => start(...args).ended;

/** Processes that tell when they begin and, by the end of their connection, when they are gone. */
export interface Roll {
  readonly port: string;
  /** Resolves when this many processes have reported. */
  present(count: number): Promise<void>;
  /** Resolves when all of them are gone. */
  gone(): Promise<void>;
  close(): void;
}

export async function callRoll(): Promise<Roll> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    // A process that is killed resets its connection.
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
