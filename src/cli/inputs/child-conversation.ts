import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { read } from '../../protocol/messages/wire.js';
import { type ChildTransport, UnreadableLine } from '../../upstream/child-process.js';
import { plain } from '../terminal/output.js';
import { Conversation, type ConversationOptions, shorten } from './server-conversation.js';

/** Servers print a banner to stdout by mistake, and hosts bear it; not this many lines of it. */
const MAX_UNREADABLE = 100;

/** A conversation with a server that runs as a child process. */
export class Listening extends Conversation {
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
    options: ConversationOptions,
  ) {
    super(`The server "${plain(command)}"`, options);
    transport.onerror = (error) => {
      if (error instanceof UnreadableLine) this.noticed(error);
    };
  }

  protected override async explainOwn(cause: unknown): Promise<string | undefined> {
    const { server, asked } = this;
    if (this.transport.pid === undefined) {
      return `${plain(this.command)} cannot be started: ${startFailure(cause)}.`;
    }
    if (this.broken.signal.aborted) {
      return `${server} answers what is no JSON-RPC message: ${this.unreadableLine()}`;
    }
    if (this.late.signal.aborted) {
      const { seconds } = this.options;
      const wrote = this.unreadable === undefined ? '' : `, but wrote "${this.unreadableLine()}"`;
      return (
        `${server} did not answer ${asked} within ${seconds} s${wrote}; ` +
        'check that it is an MCP server over stdio, or give it longer with --timeout.'
      );
    }
    // The last of its output may still be on its way.
    await this.transport.close();
    const { ended, stderr } = this.transport;
    if (ended === undefined || read(cause, 'code') !== ErrorCode.ConnectionClosed) return undefined;
    const how = ended.signal === null ? `ended with exit code ${ended.code}` : `was ended by ${ended.signal}`;
    const words = lastWords(stderr) ?? this.unreadable;
    const last = words === undefined ? ', without a word on stderr.' : `: ${shorten(words)}`;
    return `${server} ${how} before it answered ${asked}${last}`;
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
