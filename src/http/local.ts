import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ConcernsError } from '../errors.js';
import { KnownNames } from '../gate/edge/outcomes.js';
import type { FetchHandler, HandlerOptions } from './fetch-handler.js';
import { observe } from './observer.js';
import type { WriteLog } from './request-log.js';
import { createHandler } from './sdk-v1.js';
import { isForCard } from './server-card/serve-card.js';
import { SessionStreams } from './streams/session-streams.js';
import { readReturn } from './tasks/task-results.js';

/** The options of `createHandler`, and how to listen. */
export interface LocalOptions extends HandlerOptions {
  /** The port. Defaults to a free one. */
  readonly port?: number;
  /** Called once for each HTTP request, when its response is complete. */
  readonly log?: WriteLog;
}

/** How `listenLocally` listens. */
interface ListenOptions extends Pick<LocalOptions, 'port' | 'log'> {
  /** Answers requests of other paths, and makes all checks of them itself; `undefined` for requests of `/mcp`. */
  readonly beside?: (request: Request) => Promise<Response | undefined>;
}

/** An endpoint that is listening. */
export interface LocalEndpoint {
  /** For example `http://127.0.0.1:49152/mcp`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The endpoint could not listen on its port. */
export class ListenError extends ConcernsError {
  readonly code = 'LISTEN_FAILED';
  override readonly name = 'ListenError';
}

/**
 * Serves an SDK v1 server on 127.0.0.1, under the path `/mcp`, with the same handler as a Lambda function. With a store, a
 * client can open a stream with GET, which announces lists that look different, for example because a `LivePolicy`
 * was replaced, or because the preferences of the session changed elsewhere.
 *
 * Web pages can send requests to local ports. So requests must name the endpoint itself in `Host`, and in `Origin` if
 * they have that header.
 *
 * @param options the options of `createHandler`, and a port
 * @returns the URL of the endpoint, and a function that closes it
 * @throws {ListenError} if the port is in use or not allowed
 * @example
 * const endpoint = await serveLocally({ server: createVaultServer, policy, store: createMemoryStore() });
 * console.log(endpoint.url); // http://127.0.0.1:49152/mcp
 */
export async function serveLocally(options: LocalOptions): Promise<LocalEndpoint> {
  if (options.store === undefined) return listenLocally(createHandler(options), options);
  const streams = new SessionStreams(options.store, options.policy);
  const handle = createHandler({ ...options, store: streams.store });
  const announce = (session: string, method: string): boolean => streams.announce(session, method);
  const endpoint = await listenLocally((request, given) => {
    const isStream =
      request.method === 'GET' &&
      request.headers.has('mcp-session-id') &&
      !isForCard(request) &&
      readReturn(request) === undefined;
    return isStream ? streams.open(request) : handle(request, { ...given, announce });
  }, options);
  return {
    url: endpoint.url,
    close: async () => {
      streams.close();
      await endpoint.close();
    },
  };
}

/**
 * Serves any handler on 127.0.0.1, under the path `/mcp`, as `serveLocally` does.
 *
 * @param handle the handler
 * @param options the port, and the log
 * @returns the URL of the endpoint, and a function that closes it
 * @throws {ListenError} if the port is in use or not allowed
 */
export async function listenLocally(handle: FetchHandler, options: ListenOptions): Promise<LocalEndpoint> {
  let count = 0;
  const names = new KnownNames();

  const fetch = async (request: Request): Promise<Response> => {
    const other = await options.beside?.(request);
    if (other !== undefined) return other;
    const refused = refusal(request, port);
    if (refused !== undefined) return refused;
    const requestId = String(++count);
    const { elapsed, ...observed } = observe();
    const response = await handle(request, { ...observed, names });
    const { status } = response;
    return onceRead(response, () => {
      const { reports, storeCalls } = observed;
      const httpMethod = request.method;
      options.log?.({ requestId, httpMethod, status, durationMs: elapsed(), storeCalls, reports });
    });
  };

  const server = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = `Port ${options.port} on 127.0.0.1 cannot be used (${cause.code}). Choose another port.`;
      reject(new ListenError(message, { cause }));
    });
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const port = portOf(server.address());

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

/** The address is `null` only if the server is not listening, and a string only for a pipe. */
function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address !== null) return address.port;
  throw new ListenError('The server is not listening on a TCP port. Choose another port.');
}

function refusal(request: Request, port: number): Response | undefined {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  const origin = request.headers.get('origin');
  if (!own.includes(request.headers.get('host') ?? '')) {
    return new Response('Forbidden: the Host header names another server.\n', { status: 403 });
  }
  if (origin !== null && !own.some((host) => origin === `http://${host}`)) {
    return new Response('Forbidden: pages of other origins may not use this endpoint.\n', { status: 403 });
  }
  if (new URL(request.url).pathname !== '/mcp' && !isForCard(request))
    return new Response('Not found: use /mcp.\n', { status: 404 });
  return undefined;
}

function onceRead(response: Response, then: () => void): Response {
  if (response.body === null) {
    then();
    return response;
  }
  const body = response.body.pipeThrough(new TransformStream({ flush: then }));
  return new Response(body, { status: response.status, headers: response.headers });
}
