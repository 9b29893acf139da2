import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { type ChildTransport, UnreadableLine } from '../../upstream/child-process.js';
import { read } from '../../wire/messages.js';
import { plain } from '../terminal/output.js';
import { type ConversationOptions, ServerConversation, shorten } from './server-conversation.js';

/** Some servers print a banner to stdout by mistake, and hosts ignore it. A server that prints more lines is broken. */
const MAX_UNREADABLE = 100;

/** A conversation with a server that runs as a child process. */
export class ChildConversation extends ServerConversation {
  private unreadable: string | undefined;
  private lines = 0;

  /**
   * @param command the command of the server, for messages
   * @param transport the transport, not started yet
   * @param options how long to wait, and the signal that ends the wait
   */
  constructor(
    private readonly command: string,
    private readonly transport: ChildTransport,
    options: ConversationOptions,
  ) {
    super(`The server "${plain(command)}"`, options);
    transport.onerror = (error) => {
      if (error instanceof UnreadableLine) this.noticed(error);
    };
  }

  protected override async describe(cause: unknown): Promise<string | undefined> {
    const { server, lastMethod } = this;
    if (this.transport.pid === undefined) {
      return `${plain(this.command)} cannot be started: ${startFailure(cause)}.`;
    }
    if (this.broken.signal.aborted) {
      return `${server} printed a line to stdout that is not a JSON-RPC message: ${this.unreadableLine()}`;
    }
    if (this.late.signal.aborted) {
      const { seconds } = this.options;
      const wrote = this.unreadable === undefined ? '' : `, but printed "${this.unreadableLine()}"`;
      return (
        `${server} did not answer ${lastMethod} within ${seconds} s${wrote}. ` +
        'Check that it is an MCP server over stdio, or allow more time with --timeout.'
      );
    }
    // The last of its output may not have arrived yet.
    await this.transport.close();
    const { ended, stderr } = this.transport;
    if (ended === undefined || read(cause, 'code') !== ErrorCode.ConnectionClosed) return undefined;
    const how = ended.signal === null ? `ended with exit code ${ended.code}` : `was ended by ${ended.signal}`;
    const words = lastWords(stderr) ?? this.unreadable;
    const last = words === undefined ? ', and printed nothing to stderr.' : `: ${shorten(words)}`;
    return `${server} ${how} before it answered ${lastMethod}${last}`;
  }

  private noticed({ line, endless }: UnreadableLine): void {
    this.unreadable ??= line;
    this.lines++;
    // A malformed answer will not be sent again. Any other line may be a banner or a log.
    const malformed = endless || resemblesJsonRpc(line);
    if (!malformed && this.lines < MAX_UNREADABLE) return;
    if (malformed) this.unreadable = line;
    this.broken.abort();
  }

  private unreadableLine(): string {
    return shorten(this.unreadable ?? '');
  }
}

/** Tells a malformed JSON-RPC message from a log line in JSON. */
function resemblesJsonRpc(line: string): boolean {
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
  if (code === 'ENOENT') return 'there is no such command. Check the command after --';
  if (code === 'EACCES') return 'it is not executable. Check the command after --';
  return typeof code === 'string' ? code : String(cause);
}

/** @returns the last error message on stderr, without the lines that runtimes print around it; else the last line */
function lastWords(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  const words = lines.filter((line) => line !== '' && !/^Node\.js v\d/.test(line));
  return words.findLast((line) => /^[\w.]*(Error|Exception)\b/.test(line)) ?? words.at(-1);
}
