import { Exchange } from '../../../src/core/gate/edge/exchange.js';
import type { Sender } from '../../../src/core/gate/request/configure.js';
import type { Message } from '../../../src/core/wire/messages.js';
import { Harness, LIST_KEYS } from '../gate-harness.js';

/** What a server lists, by the method of the list: items, pages of items, or an error with this code. */
export type Lists = Record<string, readonly object[] | readonly (readonly unknown[])[] | number>;

/** A gate in front of a server that answers lists only. */
export class ListServer extends Harness {
  lists: Lists = {};
  /** Called before each answer. */
  onList: (method: string, page: number) => void = () => undefined;
  /** Whether it answers after the current turn. */
  isSlow = false;

  listing(lists: Lists): this {
    this.lists = lists;
    this.onServer = (message) => {
      if (this.isSlow) setImmediate(() => this.answerList(message));
      else this.answerList(message);
    };
    return this;
  }

  /** The methods that the server was asked for. */
  get asked(): string[] {
    return this.toServer.flatMap((message) => ('method' in message ? [message.method] : []));
  }

  /** Returns a request of the client that the gate did not handle yet. */
  exchange(method: string, params: Record<string, unknown> = {}, sender: Partial<Sender> = {}): Exchange {
    return new Exchange(
      this.gate,
      { jsonrpc: '2.0', id: 'client', method, params },
      { extra: undefined, ...sender },
      'client',
    );
  }

  private answerList(message: Message): void {
    if (!('method' in message) || !('id' in message)) return;
    const { id, method, params } = message;
    const key = LIST_KEYS[method];
    if (key === undefined) return;
    const found = this.lists[method] ?? -32601;
    const page = Number(params?.cursor ?? 0);
    this.onList(method, page);
    if (typeof found === 'number') {
      void this.server({ jsonrpc: '2.0', id, error: { code: found, message: 'no list' } });
      return;
    }
    const isPaged = Array.isArray(found[0]);
    const items = isPaged ? found[page] : found;
    const next = isPaged && page + 1 < found.length ? { nextCursor: String(page + 1) } : {};
    void this.server({ jsonrpc: '2.0', id, result: { [key]: items, ...next } });
  }
}
