import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { METHODS } from '../../protocol/messages/wire.js';
import { CliError } from '../errors.js';
import { plain } from '../terminal/output.js';

const QUOTED = 160;

export interface ConversationOptions {
  /** Seconds that the server may take to start and to list everything. */
  readonly seconds: number;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** One conversation with a server: what ends it, and what to say when it fails. */
export abstract class Conversation {
  /** Aborted when there is nothing to wait for any more. */
  readonly signal: AbortSignal;
  /** What the server was asked last. */
  asked: string = METHODS.initialize;

  /** For what shows before the end that no answer will come. */
  protected readonly broken = new AbortController();
  protected readonly late = new AbortController();
  private readonly timer: NodeJS.Timeout;

  /**
   * @param server the server, as the beginning of a sentence
   * @param options how long to wait, and whose wait it is
   */
  constructor(
    protected readonly server: string,
    protected readonly options: ConversationOptions,
  ) {
    this.timer = setTimeout(() => this.late.abort(), options.seconds * 1000);
    this.signal = AbortSignal.any([options.signal, this.late.signal, this.broken.signal]);
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
    const own = await this.explainOwn(cause);
    if (own !== undefined) return new CliError(own);
    const { server, asked } = this;
    if (cause instanceof McpError) {
      return new CliError(`${server} refused ${asked}: ${shorten(cause.message)}`);
    }
    const reason =
      cause instanceof Error && !cause.message.includes('\n') ? `: ${shorten(cause.message)}` : '.';
    return new CliError(`${server} gave ${asked} an answer that MCP does not allow${reason}`);
  }

  /** @returns what only this way of speaking to a server can know of a failure */
  protected abstract explainOwn(cause: unknown): Promise<string | undefined> | string | undefined;
}

/** @returns somebody else's text, harmless and short enough for a sentence */
export function shorten(text: string): string {
  const line = plain(text);
  return line.length > QUOTED ? `${line.slice(0, QUOTED - 1)}…` : line;
}
