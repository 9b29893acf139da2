import { setMaxListeners } from 'node:events';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { METHODS } from '../../wire/messages.js';
import { CliError } from '../errors.js';
import { plain } from '../terminal/output.js';

const MAX_QUOTED = 160;

export interface ConversationOptions {
  /** Seconds that the server may take to start and to list everything. */
  readonly seconds: number;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** The exchange with one server. It tells when to give up, and describes failures. */
export abstract class ServerConversation {
  /** Aborted when no answer is expected any longer. */
  readonly signal: AbortSignal;
  /** The method of the last request to the server. */
  lastMethod: string = METHODS.initialize;

  /** Aborted when a message of the server shows that it will never answer. */
  protected readonly broken = new AbortController();
  /** Aborted when the time is over. */
  protected readonly late = new AbortController();
  private readonly timer: NodeJS.Timeout;

  /**
   * @param server the name of the server, as the beginning of a sentence
   * @param options how long to wait, and the signal that ends the wait
   */
  constructor(
    protected readonly server: string,
    protected readonly options: ConversationOptions,
  ) {
    this.timer = setTimeout(() => this.late.abort(), options.seconds * 1000);
    this.signal = AbortSignal.any([options.signal, this.late.signal, this.broken.signal]);
    // The SDK adds a listener for each request, and a long list needs many requests.
    setMaxListeners(0, this.signal);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /**
   * @param cause the error of the client or the transport
   * @returns an error whose message says in one sentence what happened
   */
  async explain(cause: unknown): Promise<unknown> {
    if (cause instanceof CliError || this.options.signal.aborted) return cause;
    const message = await this.describe(cause);
    if (message !== undefined) return new CliError(message, { cause });
    const { server, lastMethod } = this;
    if (cause instanceof McpError) {
      return new CliError(`${server} refused ${lastMethod}: ${shorten(cause.message)}`, { cause });
    }
    const reason =
      cause instanceof Error && !cause.message.includes('\n') ? `: ${shorten(cause.message)}` : '.';
    return new CliError(`${server} answered ${lastMethod} with an invalid MCP message${reason}`, { cause });
  }

  /** @returns a message about a failure that only this kind of connection can have */
  protected abstract describe(cause: unknown): Promise<string | undefined> | string | undefined;
}

/** @returns text from a server, safe to print and short enough for a sentence */
export function shorten(text: string): string {
  const line = plain(text);
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED - 1)}…` : line;
}
