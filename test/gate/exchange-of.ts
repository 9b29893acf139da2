import { Exchange } from '../../src/core/gate/edge/exchange.js';
import { gather, handleResponse } from '../../src/core/gate/edge/gather.js';
import { ROUTE_HANDLERS } from '../../src/core/gate/edge/route-handlers.js';
import { type FactResult, providePreferences } from '../../src/core/gate/edge/sources.js';
import type { Sender } from '../../src/core/gate/request/configure.js';
import type { ResponseSteps, RouteHandler } from '../../src/core/gate/request/decision.js';
import {
  type Answer,
  CLIENT_CAPABILITIES_META,
  type Failure,
  type Message,
  PROTOCOL_VERSION_META,
  type Request,
} from '../../src/core/wire/messages.js';
import type { Harness } from './gate-harness.js';

/** Returns a request of the client as an exchange of the gate, which has not handled it yet. */
export function exchangeOf(
  { gate }: Harness,
  method: string,
  params?: Record<string, unknown>,
  sender: Partial<Sender> = {},
): Exchange {
  const request: Request = { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) };
  return new Exchange(gate, request, { extra: undefined, ...sender }, request.id);
}

/** Reads the preferences of a request. Returns how that ends: with its facts, or with the outcome that refuses it. */
export async function readPreferences(
  exchange: Exchange,
  invalid: 'refuse' | 'ignore' = 'refuse',
): Promise<FactResult> {
  return new Promise((resolve) =>
    providePreferences(exchange, { need: 'preferences', invalid }, { receive: resolve }),
  );
}

/** Runs a decision about a request, and returns what it decides. */
export const decided = gather;

/** Returns a function that runs a decision about a request. */
export const gathered =
  <A extends unknown[], T>(decision: (exchange: Exchange, ...rest: A) => ResponseSteps<T>) =>
  (exchange: Exchange, ...rest: A): T | Promise<T> =>
    gather(exchange, decision(exchange, ...rest));

/** Returns a function that settles an answer by a decision, whatever the route of the request. */
export const settledBy =
  (decision: NonNullable<RouteHandler['onResponse']>) =>
  (exchange: Exchange, message: Answer | Failure): Message | Promise<Message> => {
    const row: RouteHandler = { ...ROUTE_HANDLERS.pass, onResponse: decision };
    return handleResponse(exchange, message, { ...ROUTE_HANDLERS, [exchange.route.to]: row });
  };

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
