import { Server } from '@modelcontextprotocol/server';
import { once } from '../once.js';
import { refusedCaller } from './callers/refused-caller.js';
import type { UpstreamServer } from './upstream-server.js';

/** The server of SDK v2 that its handlers expect. The bridged server itself answers all messages. */
export class BridgedFront extends Server {
  constructor(private readonly bridged: UpstreamServer) {
    super({ name: 'unknown', version: '0' });
    bridged.onclose = () => this.onclose?.();
  }

  /** What a gate must know of it. */
  get behind(): UpstreamServer['behind'] {
    return this.bridged.behind;
  }

  override connect(transport: Parameters<Server['connect']>[0]): Promise<void> {
    return this.bridged.connect(transport as never);
  }

  override close(): Promise<void> {
    return this.bridged.close();
  }
}

/** HTTP statuses of errors (MCP 2026-07-28, streamable-http). The SDK gives 200 to errors that arrive late. */
const STATUSES: ReadonlyMap<number | undefined, number> = new Map([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);

/**
 * Watches which error a client gets, whoever answers it.
 *
 * @param transport the transport of one request to its client. Its `send` is replaced.
 * @returns the code of the error; `undefined` if there is none so far
 */
export function watchError(
  transport: Pick<Parameters<Server['connect']>[0], 'send'>,
): () => number | undefined {
  let code: number | undefined;
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    if ('error' in message) code = message.error.code;
    return send(message, ...rest);
  };
  return () => code;
}

/**
 * Gives a response the status of its error, which the SDK does not give to what the gate answers. If the server behind the endpoint demands a login, the
 * host learns that from its status and its `WWW-Authenticate`.
 *
 * @param bridged the server; `undefined` if the response is not that of a bridged server
 * @param response the response of the SDK
 * @param error the code of the error that it contains
 * @param isAwaited whether the client waits for it; not if it only listens
 */
export async function bridgedResponse(
  bridged: UpstreamServer | undefined,
  response: Response,
  error: number | undefined,
  isAwaited = true,
): Promise<Response> {
  const isWhole = response.headers.get('content-type')?.startsWith('application/json') === true;
  const status = response.status === 200 && isWhole ? STATUSES.get(error) : undefined;
  if (bridged === undefined)
    return status === undefined
      ? response
      : new Response(response.body, { status, headers: response.headers });
  const ended = once(() => void bridged.close());
  if (response.status !== 200 || !isWhole)
    return bridged.behind.readers.open(isAwaited, ended).carry(response);
  ended();
  const { body, headers } = response;
  if (bridged.refused !== undefined) return refusedCaller(bridged, await response.text()) ?? response;
  return status === undefined ? response : new Response(body, { status, headers });
}
