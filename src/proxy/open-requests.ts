import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { deferred } from '../core/once.js';
import {
  ERRORS,
  failure,
  fromSdk,
  isRequest,
  isResponse,
  METHODS,
  type RequestId,
  read,
  toSdk,
} from '../core/wire/messages.js';
import { receiveFirst } from '../core/wire/transport-layer.js';
import type { Params } from './call.js';

/** How long running requests may take when a signal ends the process, in milliseconds. */
export const DRAIN_MS = 5000;

/** The requests of one client that wait for an answer. */
export interface WatchedRequests {
  isOpen(id: RequestId): boolean;
  /** Cancels those of these requests that wait, as if their client did. */
  cancel(ids: Iterable<RequestId>, reason: string): void;
  /** Waits for the answers for some milliseconds, then answers all requests that are left with an error. */
  answerAll(ms: number): Promise<void>;
}

/**
 * Watches which requests of a client wait for an answer, so that none is left without one.
 *
 * @param transport the transport to the client, before a server or gate is connected to it. Its `start` and `send` are replaced.
 * @example
 * const requests = watchRequests(transport);
 * await requests.answerAll(DRAIN_MS);
 */
export function watchRequests(transport: Transport): WatchedRequests {
  const open = new Map<unknown, { readonly id: RequestId; readonly method: string }>();
  let answered = deferred();
  const send = transport.send.bind(transport);
  const forget = (id: unknown): void => {
    open.delete(id);
    if (open.size === 0) answered.resolve();
  };
  receiveFirst(transport, (received, next) => {
    const message = fromSdk(received);
    if (isRequest(message)) open.set(message.id, message);
    else if (read(message, 'method') === METHODS.cancelled) forget(read(message, 'params', 'requestId'));
    next(received);
  });
  transport.send = async (message, options) => {
    await send(message, options);
    if (isResponse(fromSdk(message))) forget(read(message, 'id'));
  };
  const cancel = (ids: Iterable<RequestId>, reason: string): void => {
    for (const requestId of ids) {
      if (!open.has(requestId)) continue;
      transport.onmessage?.(
        toSdk({ jsonrpc: '2.0', method: METHODS.cancelled, params: { requestId, reason } }),
      );
    }
  };
  const answerAll = async (ms: number): Promise<void> => {
    if (open.size > 0 && ms > 0) {
      answered = deferred();
      await Promise.race([sleep(ms), answered.promise]);
    }
    for (const { id, method } of open.values()) {
      const text = `The endpoint ended before ${method} was answered. It may have run. Check its effect before you send it again.`;
      // A client that has left gets nothing.
      await transport.send(toSdk(failure(id, ERRORS.internal, text))).catch(() => open.delete(id));
    }
  };
  return { isOpen: (id) => open.has(id), cancel, answerAll };
}

/** Requests that wait for an answer of one server. */
const MAX_REQUESTS = 10_000;
/** Characters of their parameters, which are kept in case a request must be sent again. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Limits the requests that wait for an answer of one server. */
export class PendingLimit {
  private requests = 0;
  private characters = 0;

  /** Adds a request. Returns a function that removes it, or why it cannot be added. */
  add(params: Params): (() => void) | string {
    if (this.requests >= MAX_REQUESTS) return `${MAX_REQUESTS} requests already wait for it`;
    const characters = lengthOf(params);
    if (characters === undefined) return 'the parameters of the request are nested too deeply';
    if (this.characters + characters > MAX_CHARACTERS) return 'requests of 64 MiB already wait for it';
    this.requests++;
    this.characters += characters;
    return () => {
      this.requests--;
      this.characters -= characters;
    };
  }
}

function lengthOf(params: Params): number | undefined {
  try {
    return params === undefined ? 0 : JSON.stringify(params).length;
  } catch {
    // JSON can be parsed at any depth, but not written.
    return undefined;
  }
}
