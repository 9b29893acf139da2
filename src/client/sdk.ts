import type { Era } from '../protocol/messages/wire.js';

/**
 * What of an SDK client is used: public methods that `Client` of `@modelcontextprotocol/sdk` (v1) and of
 * `@modelcontextprotocol/client` (v2) have alike. Neither package is loaded.
 */
export interface HostClient {
  readonly transport?: unknown;
  onerror?: ((error: Error) => void) | undefined;
  getServerCapabilities(): object | undefined;
  listTools(params?: never, options?: never): Promise<object>;
  listPrompts(params?: never, options?: never): Promise<object>;
  listResources(params?: never, options?: never): Promise<object>;
  listResourceTemplates(params?: never, options?: never): Promise<object>;
  callTool(params: never, ...rest: never[]): Promise<unknown>;
  getPrompt(params: never, ...rest: never[]): Promise<unknown>;
  readResource(params: never, ...rest: never[]): Promise<unknown>;
  subscribeResource(params: never, ...rest: never[]): Promise<unknown>;
  complete(params: never, ...rest: never[]): Promise<unknown>;
  // Its two generations have different signatures: see `sendRequest`.
  request(...args: never): Promise<unknown>;
}

/** Options of one request, as both SDKs take them; others are passed on. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** @returns the era of the connection; only v2 clients speak the modern one, and they say so */
export function eraOfClient(client: HostClient): Era {
  const { getProtocolEra } = client as { getProtocolEra?: () => Era | undefined };
  return getProtocolEra?.call(client) ?? 'legacy';
}

/** Calls a method of a client by its name: their signatures differ between the generations. */
export function callClient(
  client: HostClient,
  method: keyof HostClient,
  args: readonly unknown[],
): Promise<object> {
  return (client[method] as (...args: unknown[]) => Promise<object>).apply(client, [...args]);
}

/** Takes every result: v1 calls `safeParse` of a schema, v2 what Standard Schema defines. */
const ANY_RESULT = {
  safeParse: (data: unknown) => ({ success: true, data }),
  '~standard': { version: 1, vendor: 'mcp-concerns', validate: (value: unknown) => ({ value }) },
};

/**
 * Sends a request that is no part of MCP itself.
 *
 * @param client the client
 * @param method the method
 * @param params its parameters
 * @param options options of the request
 * @returns the result as it came
 * @throws the SDK's own error, with the `code` and `data` of the answer
 */
export function sendRequest(
  client: HostClient,
  method: string,
  params: object,
  options?: RequestOptions,
): Promise<object> {
  return callClient(client, 'request', [{ method, params }, ANY_RESULT, options]);
}
