import type { Sender } from '../../src/gate/request/configure.js';
import { Exchange } from '../../src/gate/request/exchange.js';
import {
  type Answer,
  CLIENT_CAPABILITIES_META,
  type Failure,
  PROTOCOL_VERSION_META,
  type Request,
} from '../../src/wire/messages.js';
import type { Harness } from './gate-harness.js';

/** Returns a request of the client as an exchange of the gate, which has not handled it yet. */
export function exchangeOf(
  { gate }: Harness,
  method: string,
  params?: Record<string, unknown>,
  sender: Partial<Sender> = {},
): Exchange {
  const request: Request = { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) };
  return new Exchange(gate, request, { extra: undefined, ...sender });
}

/** The `_meta` of a request of 2026-07-28, from a client with these capabilities. */
export const modern = (capabilities: unknown = {}, others: object = {}) => ({
  [PROTOCOL_VERSION_META]: '2026-07-28',
  [CLIENT_CAPABILITIES_META]: capabilities,
  ...others,
});

/** A client that shows pages (MCP Apps). */
export const APPS = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** Lets everything run that waits for a store. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a server answers to request 1. */
export const answer = (result: Record<string, unknown>, id: string | number = 1): Answer => ({
  jsonrpc: '2.0',
  id,
  result,
});
export const failed = (code: number, message: string): Failure => ({
  jsonrpc: '2.0',
  id: 1,
  error: { code, message },
});
export const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
export const SENDER = { extra: undefined };
