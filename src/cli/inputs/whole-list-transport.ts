import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { WHOLE_LIST_META } from '../../gate/whole-list-key.js';
import { ChildTransport } from '../../upstream/wires/child-process.js';

/**
 * A transport to a child process which lists everything, also if `attachConcerns` filters its lists: the process gets a key,
 * which the first message to it repeats. For commands only, never for a server that a host reaches.
 *
 * @example
 * await client.connect(new WholeListTransport('node', ['server.js']));
 */
export class WholeListTransport extends ChildTransport {
  protected override readonly wholeListKey = randomBytes(32).toString('base64url');
  private isFirst = true;

  override send(message: JSONRPCMessage): Promise<void> {
    if (!this.isFirst || !('method' in message)) return super.send(message);
    this.isFirst = false;
    const _meta = { ...message.params?._meta, [WHOLE_LIST_META]: this.wholeListKey };
    return super.send({ ...message, params: { ...message.params, _meta } });
  }
}
