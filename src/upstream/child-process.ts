import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Milliseconds that a server has for each step of its end, and that its last output may take to arrive. */
const PATIENCE = { stdin: 1000, terminate: 1000, kill: 300, output: 250 };
const POLL = 20;
const STDERR_KEPT = 4096;
const LINE_KEPT = 300;

/** How a server ended before anybody told it to: `code` of an exit, `signal` of whatever killed it. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A line on the server's stdout that is no JSON-RPC message. */
export class UnreadableLine extends Error {
  readonly code = 'UNREADABLE_LINE';
  override readonly name = 'UnreadableLine';

  /**
   * @param line the line, its beginning if it is long
   * @param endless whether it grew beyond what is kept: what follows cannot be told from it
   */
  constructor(
    readonly line: string,
    readonly endless: boolean,
  ) {
    super(`The server wrote a line that is no JSON-RPC message: ${line}`);
  }
}

/** Process groups that still run: they end with this process, however it ends. */
const running = new Set<ChildTransport>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * An MCP server as a child process, spoken to over its stdin and stdout.
 *
 * Unlike the SDK's stdio transport it ends the whole process group: `npx server` is three processes, of which a signal
 * to the first leaves the server running. The environment is that of this process, as after `env` or `time`; stderr is
 * kept, not shown.
 *
 * @example
 * const transport = new ChildTransport('node', ['server.js']);
 * await client.connect(transport);
 * await transport.close();
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** How the server ended, if that was its own doing. */
  ended: ChildEnd | undefined;
  /** The last few KB that the server wrote to stderr. */
  stderr = '';

  private child: ChildProcessWithoutNullStreams | undefined;
  private readonly buffer = new ReadBuffer();
  private line = '';
  private signalled = false;
  private closing: Promise<void> | undefined;
  private finish: () => void = () => {};
  private readonly finished = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  constructor(
    private readonly command: string,
    private readonly args: readonly string[] = [],
    /** Its environment; that of this process unless another is given. */
    private readonly env: Readonly<Record<string, string | undefined>> = process.env,
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /**
   * Starts the server.
   *
   * @throws {NodeJS.ErrnoException} if there is no such command, or it may not be run
   */
  async start(): Promise<void> {
    // A group of its own can be ended as a whole. Windows has none; there taskkill follows parents to children.
    const detached = process.platform !== 'win32';
    const child = spawn(this.command, this.args, {
      stdio: 'pipe',
      env: this.env,
      detached,
      windowsHide: true,
    });
    this.child = child;
    child.stdout.on('data', (chunk: Buffer) => this.read(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_KEPT);
    });
    // A server that closed its stdin is about to end, or will not answer: both are noticed elsewhere.
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error));
    }
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    running.add(this);
    child.on('error', (error) => this.onerror?.(error));
    child.once('exit', (code, signal) => {
      if (!this.signalled) this.ended = { code, signal };
      // A process that outlives the server may hold its pipes open for ever.
      setTimeout(this.finish, PATIENCE.output).unref();
    });
    child.once('close', this.finish);
    void this.finished.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.child?.stdin.write(serializeMessage(message));
  }

  /** Ends the server and everything that it started; resolves when they are gone. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  /** Sends a signal to everything that runs in the server's process group. */
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
    await Promise.race([this.finished, sleep(PATIENCE.stdin, undefined, { ref: false })]);
    if (!(await this.isGone(0))) {
      this.kill('SIGTERM');
      if (!(await this.isGone(PATIENCE.terminate))) {
        this.kill('SIGKILL');
        await this.isGone(PATIENCE.kill);
      }
    }
    running.delete(this);
    // Whoever left the group may still hold the pipes, and would keep this process alive.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
    this.finish();
  }

  /** @returns whether the group has no process left, at the latest after some milliseconds */
  private async isGone(within: number): Promise<boolean> {
    for (let waited = 0; this.isAlive(); waited += POLL) {
      if (waited >= within) return false;
      await sleep(POLL);
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
      // EPERM: it exists, but runs as somebody else.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }

  /** Hands the buffer one line at a time, so that a line that is no message can be named. */
  private read(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(0x0a, from);
      const to = newline === -1 ? chunk.length : newline + 1;
      const piece = chunk.subarray(from, to);
      from = to;
      if (this.line.length < LINE_KEPT) this.line += piece.subarray(0, LINE_KEPT).toString();
      const message = this.take(piece, newline !== -1);
      if (newline !== -1) this.line = '';
      if (message !== null) this.onmessage?.(message);
    }
  }

  private take(piece: Buffer, complete: boolean): JSONRPCMessage | null {
    try {
      this.buffer.append(piece);
      return complete ? this.buffer.readMessage() : null;
    } catch {
      const line = this.line.trim().slice(0, LINE_KEPT);
      if (line !== '') this.onerror?.(new UnreadableLine(line, !complete));
      return null;
    }
  }
}
