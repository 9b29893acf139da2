import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { METHODS, read } from '../protocol/wire.js';
import { type ChildTransport, UnreadableLine } from '../serve/child.js';
import { CliError } from './errors.js';
import { plain } from './output.js';

/** Servers print a banner to stdout by mistake, and hosts bear it; not this many lines of it. */
const MAX_UNREADABLE = 100;
const QUOTED = 160;

/** One conversation with a server: what ends it, and what to say when it fails. */
export class Listening {
  /** Aborted when there is nothing to wait for any more. */
  readonly signal: AbortSignal;
  /** What the server was asked last. */
  asked: string = METHODS.initialize;

  private readonly late = new AbortController();
  private readonly broken = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private unreadable: string | undefined;
  private lines = 0;

  /**
   * @param command the server's command, for messages
   * @param transport the transport, not started yet
   * @param options how long to wait, and whose wait it is
   */
  constructor(
    private readonly command: string,
    private readonly transport: ChildTransport,
    private readonly options: { readonly seconds: number; readonly signal: AbortSignal },
  ) {
    this.timer = setTimeout(() => this.late.abort(), options.seconds * 1000);
    this.signal = AbortSignal.any([options.signal, this.late.signal, this.broken.signal]);
    transport.onerror = (error) => {
      if (error instanceof UnreadableLine) this.noticed(error);
    };
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /**
   * @param cause what was thrown while the server was spoken to
   * @returns an error that says in one sentence what happened
   */
  async explain(cause: unknown): Promise<unknown> {
    if (cause instanceof CliError || this.options.signal.aborted) return cause;
    const server = `The server "${plain(this.command)}"`;
    const { asked } = this;
    if (this.transport.pid === undefined) {
      return new CliError(`${plain(this.command)} cannot be started: ${startFailure(cause)}.`);
    }
    if (this.broken.signal.aborted) {
      return new CliError(`${server} answers what is no JSON-RPC message: ${this.unreadableLine()}`);
    }
    if (this.late.signal.aborted) {
      const { seconds } = this.options;
      const wrote = this.unreadable === undefined ? '' : `, but wrote "${this.unreadableLine()}"`;
      return new CliError(
        `${server} did not answer ${asked} within ${seconds} s${wrote}; ` +
          'check that it is an MCP server over stdio, or give it longer with --timeout.',
      );
    }
    // The last of its output may still be on its way.
    await this.transport.close();
    const { ended, stderr } = this.transport;
    const code = read(cause, 'code');
    if (ended !== undefined && code === ErrorCode.ConnectionClosed) {
      const how =
        ended.signal === null ? `ended with exit code ${ended.code}` : `was ended by ${ended.signal}`;
      const words = lastWords(stderr) ?? this.unreadable;
      const last = words === undefined ? ', without a word on stderr.' : `: ${shorten(words)}`;
      return new CliError(`${server} ${how} before it answered ${asked}${last}`);
    }
    if (cause instanceof McpError)
      return new CliError(`${server} refused ${asked}: ${shorten(cause.message)}`);
    const reason =
      cause instanceof Error && !cause.message.includes('\n') ? `: ${shorten(cause.message)}` : '.';
    return new CliError(`${server} gave ${asked} an answer that MCP does not allow${reason}`);
  }

  private noticed({ line, endless }: UnreadableLine): void {
    this.unreadable ??= line;
    this.lines++;
    // A line that means to be an answer will not come again; any other may be a banner or a log.
    const attempt = endless || isAttempt(line);
    if (!attempt && this.lines < MAX_UNREADABLE) return;
    if (attempt) this.unreadable = line;
    this.broken.abort();
  }

  private unreadableLine(): string {
    return shorten(this.unreadable ?? '');
  }
}

/** Whether a line means to be JSON-RPC: a log in JSON does not. */
function isAttempt(line: string): boolean {
  let data: unknown;
  try {
    data = JSON.parse(line);
  } catch {
    return false;
  }
  const has = (name: string) => read(data, name) !== undefined;
  return has('jsonrpc') || (has('id') && (has('result') || has('error')));
}

function startFailure(cause: unknown): string {
  const code = read(cause, 'code');
  if (code === 'ENOENT') return 'there is no such command; check what stands after --';
  if (code === 'EACCES') return 'it may not be executed; check what stands after --';
  return typeof code === 'string' ? code : String(cause);
}

/** What a server said before it ended: the message of its error rather than the lines that runtimes print around it. */
function lastWords(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  const said = lines.filter((line) => line !== '' && !/^Node\.js v\d/.test(line));
  return said.findLast((line) => /^[\w.]*(Error|Exception)\b/.test(line)) ?? said.at(-1);
}

function shorten(text: string): string {
  const line = plain(text);
  return line.length > QUOTED ? `${line.slice(0, QUOTED - 1)}…` : line;
}
