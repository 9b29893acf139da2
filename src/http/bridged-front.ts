import { McpServer, Server } from '@modelcontextprotocol/server';
import type { Failure } from '../wire/messages.js';
import { once } from '../wire/once.js';
import { refusedCaller } from './callers/refused-caller.js';
import type { ServerOfRequest } from './fetch-handler.js';

/** A server behind the endpoint, as `make` of `mcp-concerns/upstream` returns it. */
export type BridgedServer = Required<Pick<ServerOfRequest, 'readers' | 'close'>> & {
  // Declared as a method, so that servers whose transports have more members are assignable.
  connect(transport: never): Promise<void>;
  readonly refused?: ServerOfRequest['refused'];
  readonly serverEra?: ServerOfRequest['serverEra'];
  onclose?: (() => void) | undefined;
};

/** @returns whether a server stands for one behind the endpoint */
export const isBridged = (server: McpServer | Server | BridgedServer): server is BridgedServer =>
  !(server instanceof McpServer || server instanceof Server) && 'readers' in server;

/** The server of SDK v2 that its handlers expect. The bridged server itself answers all messages. */
export class BridgedFront extends Server {
  constructor(private readonly bridged: BridgedServer) {
    super({ name: 'unknown', version: '0' });
    bridged.onclose = () => this.onclose?.();
  }

  override connect(transport: Parameters<Server['connect']>[0]): Promise<void> {
    return this.bridged.connect(transport as never);
  }

  override close(): Promise<void> {
    return this.bridged.close();
  }
}

/** HTTP statuses of errors (MCP 2026-07-28, streamable-http). The SDK gives 200 to errors that arrive late. */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);

/**
 * Gives the response of a bridged server the status of its error. If the server behind the endpoint demands a login, the
 * host learns that from its status and its `WWW-Authenticate`.
 *
 * @param bridged the server; `undefined` if the response is not that of a bridged server
 * @param response the response of the SDK
 * @param isAwaited whether the client waits for it; not if it only listens
 */
export async function bridgedResponse(
  bridged: BridgedServer | undefined,
  response: Response,
  isAwaited = true,
): Promise<Response> {
  if (bridged === undefined) return response;
  const ended = once(() => void bridged.close());
  const outgoing = bridged.readers.open(isAwaited, ended);
  const isText = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (response.status !== 200 || !isText) return outgoing.carry(response);
  const text = await response.text();
  outgoing.abandon();
  const error = text.slice(0, 200).includes('"error":') ? (JSON.parse(text) as Failure).error : undefined;
  return refusedCaller(bridged, text) ?? withStatus(response, text, STATUSES.get(error?.code) ?? 200);
}

const withStatus = ({ headers }: Response, text: string, status: number): Response =>
  new Response(text, { status, headers });
