import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { EXTENSION_ID } from '../src/core/wire/messages.js';

export interface ConnectOptions {
  /** `params.concerns` of `notifications/initialized`. */
  readonly initialized?: unknown;
  /** `params.concerns` of `initialize`. */
  readonly initialize?: unknown;
  /** `capabilities.extensions[ID].concerns`, which an SDK client can send without changes. */
  readonly capability?: unknown;
  readonly headers?: Record<string, string>;
}

/** Connects an SDK client over HTTP. Members that the SDK cannot send are added to the outgoing messages. */
export async function connectOverHttp(url: string, options: ConnectOptions = {}): Promise<Client> {
  const { initialized, initialize, capability, headers = {} } = options;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
  }) as Transport;
  const send = transport.send.bind(transport);
  transport.send = (message, sendOptions) => {
    const added = 'method' in message ? addedTo(message.method) : undefined;
    if (added === undefined || !('method' in message)) return send(message, sendOptions);
    return send({ ...message, params: { ...message.params, concerns: added } }, sendOptions);
  };
  const addedTo = (method: string): unknown =>
    method === 'initialize' ? initialize : method === 'notifications/initialized' ? initialized : undefined;
  const extensions = { [EXTENSION_ID]: { concerns: capability } as object };
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: capability === undefined ? {} : { extensions } },
  );
  await client.connect(transport);
  return client;
}

export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

/** Sends a list request and returns the raw result. The list methods of the SDK drop unknown members. */
export function rawList(client: Client, method: ListMethod = 'tools/list', params: object = {}) {
  return client.request({ method, params: params as Record<string, unknown> }, ResultSchema);
}

export async function toolNames(client: Client, params: object = {}): Promise<string[]> {
  const { tools } = await rawList(client, 'tools/list', params);
  return (tools as { name: string }[]).map(({ name }) => name);
}

export function updateConcerns(client: Client, concerns: unknown) {
  return client.request({ method: 'updateConcerns', params: { concerns } }, ResultSchema);
}

/** @returns the `_meta` of a request or result with concerns */
export const inMeta = (concerns: unknown) => ({ _meta: { [EXTENSION_ID]: { concerns } } });
export const ofMeta = (result: { _meta?: unknown }) =>
  (
    result._meta as Record<
      string,
      { concerns?: object; warnings?: { code: string }[]; shown?: number; total?: number }
    >
  )?.[EXTENSION_ID];

/** Sends a raw HTTP request, for messages that no client sends. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
