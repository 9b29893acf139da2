import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import {
  type Answer,
  ERRORS,
  type Failure,
  failure,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type RequestId,
  read,
} from '../protocol/messages/wire.js';
import { fromSdk, toSdk } from './sdk-messages.js';

/** An open, initialized connection to a server, and its pending requests. */
export interface Connection {
  readonly transport: Transport;
  /** The result of `initialize`. */
  readonly initialized: Record<string, unknown>;
  readonly pending: Map<RequestId, (response: Answer | Failure) => void>;
}

/** Receives progress notifications, by progress token. */
export type ProgressListeners = ReadonlyMap<unknown, (message: Message) => void>;

/**
 * Opens and initializes a connection that several clients share.
 *
 * @param transport a transport to the server, not started
 * @param progress receives the progress notifications of the server
 * @param closed called when the connection has ended
 * @returns the connection; rejects if the server cannot be started or does not initialize
 */
export async function openConnection(
  transport: Transport,
  progress: ProgressListeners,
  closed: () => void,
): Promise<Connection> {
  const pending: Connection['pending'] = new Map();
  transport.onclose = () => {
    closed();
    const error = {
      code: ERRORS.internal,
      message: 'The server behind this endpoint ended. Send the request again to restart it.',
    };
    for (const [id, resolve] of pending) resolve({ jsonrpc: '2.0', id, error });
    pending.clear();
  };
  transport.onmessage = (received) => {
    const message = fromSdk(received);
    if (isResponse(message)) {
      if (message.id === undefined || message.id === null) return;
      pending.get(message.id)?.(message);
      pending.delete(message.id);
    } else if (isRequest(message)) {
      const reason = 'Several clients share this connection, so the server cannot send requests to a client.';
      const answer: Message =
        message.method === 'ping'
          ? { jsonrpc: '2.0', id: message.id, result: {} }
          : failure(message.id, ERRORS.methodNotFound, reason);
      transport.send(toSdk(answer)).catch(() => undefined);
    } else if (message.method === 'notifications/progress') {
      progress.get(read(message.params, 'progressToken'))?.(message);
    }
  };
  await transport.start();
  const answer = new Promise<Answer | Failure>((resolve) => pending.set('initialize', resolve));
  const clientInfo = { name: 'mcp-concerns', version: '1' };
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
  await transport.send({ jsonrpc: '2.0', id: 'initialize', method: METHODS.initialize, params });
  const response = await answer;
  if ('error' in response) throw new Error(response.error.message);
  transport.setProtocolVersion?.(String(response.result.protocolVersion));
  await transport.send({ jsonrpc: '2.0', method: METHODS.initialized });
  return { transport, initialized: response.result, pending };
}

/** Tells the server that a request is canceled, if there is a connection. */
export async function cancelRequest(
  connecting: Promise<Connection> | undefined,
  requestId: number,
): Promise<void> {
  const connection = await connecting?.catch(() => undefined);
  const notification = { jsonrpc: '2.0' as const, method: METHODS.cancelled, params: { requestId } };
  await connection?.transport.send(notification).catch(() => undefined);
}
