import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { type ErrorClass, errorClass } from '../../core/errors.js';
import { WHOLE_LIST_KEY } from '../../core/gate/whole-list-key.js';
import { deferred, once } from '../../core/once.js';
import { Lines, type Unreadable } from '../../core/wire/lines.js';
import { toSdk } from '../../core/wire/messages.js';
import { UpstreamError } from '../upstream-error.js';
import { ErrorLines } from './error-lines.js';
import { MAX_MESSAGE, TOO_DEEP, TOO_LONG } from './watch-body.js';
import { watchGroup } from './watchdog.js';
import type { ChildEnd, Wire } from './wire.js';

/** Milliseconds that a server has for each step of its shutdown, and that its last output may take to arrive. */
const TIMEOUTS = { stdin: 1000, terminate: 1000, kill: 300, output: 250 };
const POLL_MS = 20;
const STDERR_CHARACTERS = 4096;
/** Bytes that wait until the server reads its stdin. */
const MAX_UNREAD = 32 * 1024 * 1024;

const UnreadableLineBase: ErrorClass<'UnreadableLine', 'UNREADABLE_LINE'> = errorClass(
  'UnreadableLine',
  'UNREADABLE_LINE',
);

/** The server wrote a line to stdout that is not a JSON-RPC message. */
export class UnreadableLine extends UnreadableLineBase {
  /**
   * @param line the first 300 characters of the line
   * @param endless whether the line is longer than the longest message
   */
  constructor(
    readonly line: string,
    readonly endless: boolean,
  ) {
    super(`The server wrote a line that is not a JSON-RPC message: ${line}`);
  }
}

/** Process groups that are running. They are killed when this process exits. */
const running = new Set<ChildTransport>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** What whoever waits for a message that was not read is told. */
const LOST: { readonly [Why in Unreadable]?: string } = { 'too-long': TOO_LONG, 'too-deep': TOO_DEEP };

/**
 * A transport to an MCP server in a child process, over its stdin and stdout.
 *
 * Unlike the stdio transport of the SDK, it ends the whole process group. `npx server` starts three processes, and a
 * signal to the first one leaves the server running. The server inherits the environment of this process, without the
 * variables of the endpoint, whose names begin with `MCP_CONCERNS_`. Its stderr is kept in `stderr`, not printed.
 *
 * @example
 * const transport = new ChildTransport('node', ['server.js']);
 * await client.connect(transport);
 * await transport.close();
 */
export class ChildTransport implements Wire {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Receives the lines that the server writes to stderr: at most 50 in 10 seconds, 300 characters of each, and the last. */
  onstderr?: (line: string) => void;
  readonly cancelsBySignal = false;
  /** How the server ended, if it ended by itself. */
  ended: ChildEnd | undefined;
  /** The last 4,096 characters that the server wrote to stderr. */
  stderr = '';

  /** Lets this process see what the server hides. A command sets it; a server that hosts reach never inherits one. */
  protected readonly wholeListKey: string | undefined = undefined;
  private child: ChildProcessWithoutNullStreams | undefined;
  onlost?: (id: unknown, reason: string) => void;
  private readonly output = new Lines(MAX_MESSAGE, {
    message: (message) => this.onmessage?.(toSdk(message)),
    unreadable: (line, why, id) => {
      const reason = LOST[why];
      if (reason !== undefined) this.onlost?.(id, reason);
      this.onerror?.(new UnreadableLine(line, why === 'too-long'));
    },
  });
  private readonly errors = new ErrorLines((line) => this.onstderr?.(line));
  private signalled = false;
  /** Ends the watchdog of the process group. */
  private release = (): void => undefined;
  private readonly finished = deferred();

  constructor(
    private readonly command: string,
    private readonly args: readonly string[] = [],
    /** The environment variables of the server. Defaults to those of this process. */
    private readonly env: Readonly<Record<string, string | undefined>> = process.env,
    /** The folder in which the server starts. Defaults to that of this process. */
    private readonly cwd?: string | undefined,
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /**
   * Starts the server; once, if it is called again. Rejects with the error of Node.js (`code: 'ENOENT'`) if the command
   * does not exist or is not executable.
   */
  start: () => Promise<void> = once(() => this.launch());

  private async launch(): Promise<void> {
    // A separate process group can be ended as a whole. Windows has no groups; there, taskkill ends all descendants.
    const detached = process.platform !== 'win32';
    const child = spawn(this.command, this.args, {
      stdio: 'pipe',
      env: { ...withoutOwn(this.env), [WHOLE_LIST_KEY]: this.wholeListKey },
      cwd: this.cwd,
      detached,
      windowsHide: true,
    });
    this.child = child;
    child.stdout.on('data', (chunk: Buffer) => this.output.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_CHARACTERS);
      this.errors.push(text);
    });
    // A server that closed its stdin is about to end or will not answer. Both are handled elsewhere.
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error));
    }
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    running.add(this);
    if (detached && child.pid !== undefined) this.release = watchGroup(child.pid);
    child.on('error', (error) => this.onerror?.(error));
    child.once('exit', (code, signal) => {
      if (!this.signalled) this.ended = { code, signal };
      // A process that outlives the server may keep its pipes open forever.
      setTimeout(this.finished.resolve, TIMEOUTS.output).unref();
    });
    child.once('close', () => this.finished.resolve());
    void this.finished.promise.then(() => {
      this.errors.end();
      if (!this.isAlive()) this.release();
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (stdin !== undefined && stdin.writableLength > MAX_UNREAD) {
      throw new UpstreamError('it does not read its input. Wait until it has answered earlier requests');
    }
    if (stdin === undefined) return;
    if (stdin.writableCorked === 0) {
      // The messages of one turn of the event loop are one write: with 64 clients, writes were 9 % of the processor's time.
      stdin.cork();
      setImmediate(() => stdin.uncork());
    }
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Of all processes of the group; on Linux, which says so in files. */
  processorMs(): number | undefined {
    if (process.platform !== 'linux' || this.pid === undefined) return undefined;
    let ticks = 0;
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'latin1');
        // The name of the command is in parentheses, and can contain any.
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        if (Number(fields[2]) === this.pid) ticks += Number(fields[11]) + Number(fields[12]);
      } catch {
        // It has ended meanwhile.
      }
    }
    return ticks * 10;
  }

  /** Stops reading the output of the server, which waits as soon as its pipe is full, or goes on. */
  pause(isPaused: boolean): void {
    this.child?.stdout[isPaused ? 'pause' : 'resume']();
  }

  /** Ends the server and all processes that it started. Resolves when they have ended. */
  close: () => Promise<void> = once(() => this.end());

  /** Sends a signal to all processes of the server's process group. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.signalled = true;
    if (this.pid === undefined) return;
    if (process.platform === 'win32') {
      spawn('taskkill', ['/pid', String(this.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    } else this.signalGroup(signal);
  }

  private async end(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined) return;
    child.stdin.end();
    await Promise.race([this.finished.promise, sleep(TIMEOUTS.stdin, undefined, { ref: false })]);
    if (!(await this.isGone(0))) {
      this.kill('SIGTERM');
      if (!(await this.isGone(TIMEOUTS.terminate))) {
        this.kill('SIGKILL');
        await this.isGone(TIMEOUTS.kill);
      }
    }
    running.delete(this);
    this.release();
    // A process that left the group may still hold the pipes, which would keep this process alive.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
    this.finished.resolve();
  }

  /** @returns whether the group has no processes left, after waiting at most `within` milliseconds */
  private async isGone(within: number): Promise<boolean> {
    for (let waited = 0; this.isAlive(); waited += POLL_MS) {
      if (waited >= within) return false;
      await sleep(POLL_MS);
    }
    return true;
  }

  private isAlive(): boolean {
    if (process.platform === 'win32') return this.child?.exitCode === null && this.child.signalCode === null;
    return this.signalGroup(0);
  }

  /** @returns whether the group exists */
  private signalGroup(signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
    if (this.pid === undefined) return false;
    try {
      return process.kill(-this.pid, signal);
    } catch (error) {
      // EPERM: it exists, but runs as another user.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  }
}

/**
 * A server never gets the settings of the endpoint: its key, the secret of its sessions, where its store is. `npx --package` tells
 * all that it starts what it runs, and another `npx` would take that for its own package. Windows ignores the case of names.
 */
const withoutOwn = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.test(name)));

const OWN = /^(?:MCP_CONCERNS_.*|npm_config_(?:package|call))$/i;
