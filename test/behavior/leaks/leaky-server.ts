import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isRequest, type Message, read } from '../../../src/protocol/messages/wire.js';
import {
  CATALOG,
  ERROR,
  INVENTED,
  INVENTED_PARAMS,
  NOTIFICATION_ROWS,
  ROWS,
  SERVER_REQUEST_ROWS,
} from './rows.js';

/** The member of `_meta` that tells the server which of its answers to give: a result of the row, or an error. */
export const VARIANT = 'leaks/variant';

/** A server without an SDK, which names everything hidden in every message that it sends. */
export class LeakyServer {
  private transport: Transport | undefined = undefined;

  /** @param instructs whether it has instructions */
  constructor(private readonly instructs: boolean) {}

  async connect(transport: Transport): Promise<void> {
    this.transport = transport;
    transport.onmessage = (message) => this.receive(message as Message);
    await transport.start();
  }

  async close(): Promise<void> {
    await this.transport?.close();
  }

  private receive(message: Message): void {
    if (!isRequest(message)) return;
    const { id, method, params } = message;
    const variant = read(params, '_meta', VARIANT);
    const results = ROWS[method]?.results ?? [INVENTED_PARAMS];
    // The gate's own requests have no variant: they get the lists.
    const result = variant === undefined ? (CATALOG[method] ?? results[0]) : results[Number(variant)];
    if (variant !== undefined && method !== 'initialize') this.chatter(id, Number(variant) % 2 === 0);
    if (result === undefined) return this.send({ jsonrpc: '2.0', id, error: ERROR });
    const { instructions, ...rest } = result as Record<string, unknown>;
    const told = this.instructs && instructions !== undefined ? { ...rest, instructions } : rest;
    this.send({ jsonrpc: '2.0', id, result: told });
  }

  /** Sends every message that belongs to no answer. */
  private chatter(id: string | number, isRelated: boolean): void {
    const options = isRelated ? { relatedRequestId: id } : {};
    for (const [method, all] of Object.entries(NOTIFICATION_ROWS)) {
      for (const params of all) this.send({ jsonrpc: '2.0', method, params }, options);
    }
    for (const [method, params] of Object.entries(SERVER_REQUEST_ROWS)) {
      this.send({ jsonrpc: '2.0', id: `of-server/${method}`, method, params }, options);
    }
    for (const method of INVENTED) {
      this.send({ jsonrpc: '2.0', method: `notifications/${method}`, params: INVENTED_PARAMS }, options);
      this.send({ jsonrpc: '2.0', id: `of-server/${method}`, method, params: INVENTED_PARAMS }, options);
    }
    // Answers that belong to no request, and values that are not messages.
    this.send({ jsonrpc: '2.0', id: 'nobody', result: INVENTED_PARAMS }, options);
    this.send([{ jsonrpc: '2.0', method: 'notifications/message', params: INVENTED_PARAMS }], options);
  }

  private send(message: unknown, options?: { relatedRequestId?: string | number }): void {
    // A transport may refuse what is not a message.
    this.transport?.send(message as JSONRPCMessage, options).catch(() => undefined);
  }
}
