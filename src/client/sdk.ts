import type { Era } from '../core/wire/messages.js';

/**
 * The public methods of an SDK client that this module uses. `Client` of `@modelcontextprotocol/sdk` (v1) and of
 * `@modelcontextprotocol/client` (v2) both have them. This module loads neither package.
 */
export interface HostClient {
  readonly transport?: unknown;
  onerror?: ((error: Error) => void) | undefined;
  getServerCapabilities(): object | undefined;
  /** Only v2 clients have it. */
  getProtocolEra?(): Era | undefined;
  listTools(params?: never, options?: never): Promise<object>;
  listPrompts(params?: never, options?: never): Promise<object>;
  listResources(params?: never, options?: never): Promise<object>;
  listResourceTemplates(params?: never, options?: never): Promise<object>;
  callTool(params: never, ...rest: never[]): Promise<unknown>;
  getPrompt(params: never, ...rest: never[]): Promise<unknown>;
  readResource(params: never, ...rest: never[]): Promise<unknown>;
  subscribeResource(params: never, ...rest: never[]): Promise<unknown>;
  complete(params: never, ...rest: never[]): Promise<unknown>;
  // The signature differs between v1 and v2: see `sendRequest`.
  request(...args: never): Promise<unknown>;
}

/** The options of one request that both SDKs have. Other options are passed to the SDK unchanged. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Returns the era of the connection. Only v2 clients support the modern era, and only they report it. */
export function eraOfClient(client: HostClient): Era {
  return client.getProtocolEra?.() ?? 'legacy';
}

/** Calls a client method by its name. Its signature differs between v1 and v2, so the arguments are not typed. */
export function callClient(
  client: HostClient,
  method: keyof HostClient,
  args: readonly unknown[],
): Promise<object> {
  return (client[method] as (...args: unknown[]) => Promise<object>).apply(client, [...args]);
}

/** A schema that accepts every result. v1 calls `safeParse`, v2 calls the method of Standard Schema. */
const ANY_RESULT = {
  safeParse: (data: unknown) => ({ success: true, data }),
  '~standard': { version: 1, vendor: 'mcp-concerns', validate: (value: unknown) => ({ value }) },
};

/**
 * Sends a request whose method MCP itself does not define.
 *
 * @param client the client
 * @param method the method
 * @param params its parameters
 * @param options the options of the request
 * @returns the result, unchanged
 * @throws the SDK's own error, with the `code` and `data` of the error response
 */
export function sendRequest(
  client: HostClient,
  method: string,
  params: object,
  options?: RequestOptions,
): Promise<object> {
  return callClient(client, 'request', [{ method, params }, ANY_RESULT, options]);
}

/** The part of a transport that this module uses. The transports of both SDKs have it. */
export interface HostTransport {
  send(message: never, options?: never): Promise<void>;
}

/**
 * Changes every message that a transport sends. The transport is changed in place, because SDK v2 checks its class.
 *
 * @param transport a transport that is not connected yet
 * @param change receives a message and returns it or another one
 * @returns the same transport
 */
export function changeSent<T extends HostTransport>(transport: T, change: (message: object) => object): T {
  // The message types of the two SDKs differ, so `HostTransport` does not name one.
  const callable = transport as { send(message: object, ...rest: readonly unknown[]): Promise<void> };
  const send = callable.send.bind(callable);
  callable.send = (message, ...rest) => send(change(message), ...rest);
  return transport;
}
