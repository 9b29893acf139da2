import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isRequest, type Message, read } from '../../../src/core/wire/messages.js';
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
    if (isVaried(params) && method !== 'initialize') this.chatter(id, params);
    const result = resultOf(method, params);
    if (result === undefined) return this.send({ jsonrpc: '2.0', id, error: ERROR });
    const { instructions, ...rest } = result as Record<string, unknown>;
    const told = this.instructs && instructions !== undefined ? { ...rest, instructions } : rest;
    this.send({ jsonrpc: '2.0', id, result: told });
  }

  private chatter(id: string | number, params: unknown): void {
    const options = relationOf(id, params);
    for (const message of chatter()) this.send(message, options);
  }

  private send(message: unknown, options?: Relation): void {
    // A transport may refuse what is not a message.
    this.transport?.send(message as JSONRPCMessage, options).catch(() => undefined);
  }
}

/** Whether a request comes from the suite. The gate's own requests have no variant. */
export const isVaried = (params: unknown): boolean => read(params, '_meta', VARIANT) !== undefined;

/** @returns the result that the suite asks for; `undefined` for the error of the row */
export function resultOf(method: string, params: unknown): object | undefined {
  const variant = read(params, '_meta', VARIANT);
  const results = ROWS[method]?.results ?? [INVENTED_PARAMS];
  return variant === undefined ? (CATALOG[method] ?? results[0]) : results[Number(variant)];
}

export interface Relation {
  readonly relatedRequestId?: string | number;
}

/** What belongs to no answer is sent beside every second answer, and without a relation otherwise. */
export const relationOf = (id: string | number, params: unknown): Relation =>
  Number(read(params, '_meta', VARIANT)) % 2 === 0 ? { relatedRequestId: id } : {};

/** Every message that belongs to no answer. */
export function* chatter(): Generator<unknown> {
  for (const [method, all] of Object.entries(NOTIFICATION_ROWS)) {
    for (const params of all) yield { jsonrpc: '2.0', method, params };
  }
  for (const [method, params] of Object.entries(SERVER_REQUEST_ROWS)) {
    yield { jsonrpc: '2.0', id: `of-server/${method}`, method, params };
  }
  for (const method of INVENTED) {
    yield { jsonrpc: '2.0', method: `notifications/${method}`, params: INVENTED_PARAMS };
    yield { jsonrpc: '2.0', id: `of-server/${method}`, method, params: INVENTED_PARAMS };
  }
  // Answers that belong to no request, and values that are not messages.
  yield { jsonrpc: '2.0', id: 'nobody', result: INVENTED_PARAMS };
  yield [{ jsonrpc: '2.0', method: 'notifications/message', params: INVENTED_PARAMS }];
}
