import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { jsonOrText } from '../../../core/engine/claims.js';
import { WHOLE_LIST_META } from '../../../core/gate/whole-list-key.js';
import { read } from '../../../core/wire/messages.js';
import { ChildTransport, UnreadableLine } from '../../../proxy/wires/child-process.js';

/** Some servers print a banner to stdout by mistake, and hosts ignore it. A server that prints more lines is broken. */
const MAX_UNREADABLE = 100;

/**
 * A transport to a child process which lists everything, also if `attachConcerns` filters its lists: the process gets a key,
 * which the first message to it repeats. For commands only, never for a server that a host reaches. It also remembers what
 * the process prints instead of messages.
 *
 * @example
 * await client.connect(new WholeListTransport('node', ['server.js']));
 */
export class WholeListTransport extends ChildTransport {
  protected override readonly wholeListKey: string = randomBytes(32).toString('base64url');
  /** A line that is not a message: the one that shows that the server is broken, else the first one. */
  unreadable: string | undefined;
  private isFirst = true;
  private lines = 0;
  private readonly broken = new AbortController();
  /** Aborted when a line shows that the server will never answer. */
  readonly isBroken: AbortSignal = this.broken.signal;

  override onerror = (error: Error): void => {
    if (!(error instanceof UnreadableLine)) return;
    const { line, endless } = error;
    this.unreadable ??= line;
    this.lines++;
    // A malformed answer will not be sent again. Any other line may be a banner or a log.
    const malformed = endless || resemblesJsonRpc(line);
    if (!malformed && this.lines < MAX_UNREADABLE) return;
    if (malformed) this.unreadable = line;
    this.broken.abort();
  };

  override send(message: JSONRPCMessage): Promise<void> {
    if (!this.isFirst || !('method' in message)) return super.send(message);
    this.isFirst = false;
    const _meta = { ...message.params?._meta, [WHOLE_LIST_META]: this.wholeListKey };
    return super.send({ ...message, params: { ...message.params, _meta } });
  }
}

/** Tells a malformed JSON-RPC message from a log line in JSON. */
function resemblesJsonRpc(line: string): boolean {
  const data = jsonOrText(line);
  const has = (name: string) => read(data, name) !== undefined;
  return has('jsonrpc') || (has('id') && (has('result') || has('error')));
}
