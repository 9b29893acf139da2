import { once as eventOf } from 'node:events';
import { createServer, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { type ErrorClass, errorClass } from '../errors.js';
import { KnownNames } from '../gate/edge/outcomes.js';
import { once } from '../once.js';
import { callerHash, hashed } from '../telemetry/entries.js';
import type { RequestLog, WriteLog } from '../telemetry/request-log.js';
import type { FetchHandler, FetchOptions, HandlerOptions } from './fetch-handler.js';
import { observe } from './observer.js';
import { endingAtLength } from './request-body.js';
import { sameSecret } from './same-secret.js';
import { createHandler } from './sdk-v1.js';
import { endpointPathOf, isForCard } from './server-card/serve-card.js';
import { principalOf, sessionOf } from './sessions.js';
import { SessionStreams } from './streams/session-streams.js';
import { readReturn } from './tasks/task-results.js';

const ENDPOINT = '/mcp';
/** Milliseconds within which a request must be complete. A client that sends a byte now and then must not keep a connection. */
const BODY_MS = 30_000;
/** Milliseconds for the last answers to be written. */
const FLUSH_MS = 500;
/** Milliseconds for which the headers of a response wait for its body. */
const GATHER_MS = 50;

/** A response whose headers wait shortly for the first bytes of its body: most answers are one write then. */
class GatheredResponse extends ServerResponse {
  override flushHeaders(): void {
    setTimeout(() => this.writableEnded || super.flushHeaders(), GATHER_MS).unref();
  }
}

/** The options of `createHandler`, and how to listen. */
export interface LocalOptions extends HandlerOptions {
  /** The port. Defaults to a free one. */
  readonly port?: number;
  /** Called once for each HTTP request, when its response is complete or its client has left. */
  readonly log?: WriteLog;
}

/** How `listenLocally` listens. */
interface ListenOptions extends Pick<LocalOptions, 'port' | 'log'>, Pick<FetchOptions, 'sessionSecret'> {
  /** What makes the hashes of callers and sessions secret. Without it, the log has no callers. */
  readonly logSalt?: string | undefined;
  /** The address. Defaults to 127.0.0.1. */
  readonly host?: string | undefined;
  /** Other names of the endpoint in `Host` and `Origin`, with any port. */
  readonly names?: readonly string[] | undefined;
  /** A secret that follows `/mcp/` in the path. Without it, every user of this machine can use the endpoint. */
  readonly key?: string | undefined;
  /**
   * Answers requests of other paths; `undefined` for those that it does not know. `refused` is the answer to a request for another
   * server, or from another page: who answers it otherwise must tell nothing.
   */
  readonly beside?: (request: Request, refused: Response | undefined) => Promise<Response | undefined>;
  /** Answers requests for the card of the endpoint. Defaults to the handler of all others. */
  readonly card?: FetchHandler;
}

/** An endpoint that is listening. */
export interface LocalEndpoint {
  /** For example `http://127.0.0.1:49152/mcp`. */
  readonly url: string;
  /** Waits until every POST that runs now is answered, but not longer than some milliseconds. */
  answered(ms: number): Promise<unknown>;
  /** Stops listening when `answered` resolves, and ends what is open. Until then the handler refuses what it does not want. */
  close(answered?: Promise<unknown>): Promise<void>;
}

const ListenErrorBase: ErrorClass<'ListenError', 'LISTEN_FAILED'> = errorClass(
  'ListenError',
  'LISTEN_FAILED',
);

/** The endpoint could not listen on its port. */
export class ListenError extends ListenErrorBase {}

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
    ...endpoint,
    close: async () => {
      streams.close();
      await endpoint.close();
    },
  };
}

/**
 * Serves any handler on an address, under the path `/mcp` or `/mcp/KEY`, as `serveLocally` does on 127.0.0.1.
 *
 * @param handle the handler
 * @param options the address and its names, the key, and the log
 * @returns the URL of the endpoint, and a function that closes it
 * @throws {ListenError} if the address cannot be used
 */
export async function listenLocally(handle: FetchHandler, options: ListenOptions): Promise<LocalEndpoint> {
  const { host = '127.0.0.1', names: others = [], card = handle, sessionSecret } = options;
  const { log, logSalt = '' } = options;
  let count = 0;
  const names = new KnownNames();
  const path = options.key === undefined ? ENDPOINT : `${ENDPOINT}/${options.key}`;

  const fetch = async (request: Request): Promise<Response> => {
    // Most requests are for the endpoint itself, so nothing else is asked about them.
    const isEndpoint = sameSecret(new URL(request.url).pathname.replace(/\/$/, ''), path);
    const refused = refusal(request, own, others);
    const other = isEndpoint ? undefined : await options.beside?.(request, refused);
    if (other !== undefined) return other;
    const answer: FetchHandler = async (asked, given) => {
      if (refused !== undefined) return refused;
      if (!isEndpoint && !sameSecret(endpointPathOf(asked), path)) {
        const hint = path === ENDPOINT ? `: use ${ENDPOINT}` : '';
        return new Response(`Not found${hint}.\n`, { status: 404 });
      }
      if (isEndpoint) acceptBoth(asked.headers);
      endingAtLength.add(asked);
      return (isEndpoint ? handle : card)(asked, { ...given, names, sessionSecret });
    };
    return log === undefined ? answer(request) : logged(answer, request, log);
  };

  /** Answers a request, and logs it when its response is complete. Reports that come later are logged by themselves. */
  async function logged(answer: FetchHandler, request: Request, write: WriteLog): Promise<Response> {
    const requestId = String(++count);
    const { elapsed, reports, timings, storeCalls, ...observed } = observe();
    let principal: readonly string[] | undefined;
    let response: Response | undefined;
    let failure: unknown;
    let isWritten = false;
    const entryOf = (seen: Pick<RequestLog, 'reports' | 'storeCalls' | 'failure'>): RequestLog => {
      const session = sessionOf(request.headers) ?? (response && sessionOf(response.headers));
      return {
        requestId,
        httpMethod: request.method,
        status: response?.status ?? 500,
        durationMs: elapsed(),
        session: session && hashed(session, logSalt),
        caller: callerHash(principal, logSalt),
        timings,
        ...seen,
      };
    };
    const complete = (): void => {
      isWritten = true;
      write(entryOf({ reports, storeCalls, failure }));
    };
    try {
      response = await answer(request, {
        ...observed,
        report(report, timing) {
          if (!isWritten) return observed.report(report, timing);
          if (timing !== undefined) timings.set(report, timing);
          write(entryOf({ reports: [report] }));
        },
        failed: (cause) => {
          failure = cause;
        },
        identified: (caller) => {
          principal = principalOf(caller);
        },
      });
    } catch (cause) {
      write(entryOf({ reports, storeCalls, failure: cause }));
      throw cause;
    }
    return onceRead(response, complete);
  }

  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer({ ServerResponse: GatheredResponse, requestTimeout: BODY_MS }, listener);
  const posts = new Set<ServerResponse>();
  server.on('request', ({ method }, response) => {
    if (method !== 'POST') return;
    posts.add(response);
    response.once('close', () => posts.delete(response));
  });
  server.listen(options.port ?? 0, host);
  await eventOf(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const message = `Port ${options.port} on ${host} cannot be used (${cause.code}). Choose another port.`;
    throw new ListenError(message, { cause });
  });
  const bound = server.address();
  // A string only for a pipe, and nothing only before it listens.
  const port = typeof bound === 'object' ? bound?.port : undefined;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const own = [address, `127.0.0.1:${port}`, `localhost:${port}`];

  return {
    url: `http://${address}${path}`,
    answered: (ms) => {
      const closed = [...posts].map((post) => eventOf(post, 'close'));
      return Promise.race([sleep(ms, undefined, { ref: false }), Promise.all(closed)]);
    },
    close: async (answered) => {
      // What runs may wait for the answer of a person, which comes in another request.
      await answered;
      const closed = promisify(server.close).call(server);
      // What was just answered is still being written.
      const closing = setInterval(() => server.closeIdleConnections(), FLUSH_MS / 10);
      const longest = setTimeout(() => server.closeAllConnections(), answered === undefined ? 0 : FLUSH_MS);
      await closed;
      clearInterval(closing);
      clearTimeout(longest);
    },
  };
}

function refusal(request: Request, own: readonly string[], others: readonly string[]): Response | undefined {
  const isOther = (host: string): boolean =>
    others.includes(host) || others.includes(host.replace(/:\d+$/, ''));
  const origin = request.headers.get('origin');
  const host = request.headers.get('host') ?? '';
  if (!own.includes(host) && !isOther(host)) {
    return new Response('Forbidden: the Host header names another server.\n', { status: 403 });
  }
  const isKnown = own.some((each) => origin === `http://${each}`);
  if (origin !== null && !isKnown && !isOther(origin.replace(/^https?:\/\//, ''))) {
    return new Response('Forbidden: pages of other origins may not use this endpoint.\n', { status: 403 });
  }
  return undefined;
}

/** A client that accepts anything, or does not say what it accepts (RFC 9110, 12.5.1), gets what the SDK wants it to name. */
function acceptBoth(headers: Headers): void {
  const accepted = headers.get('accept');
  if (accepted === null || /(^|,)\s*\*\/\*\s*($|,|;(?!\s*q=0(\.0*)?\s*($|,)))/.test(accepted))
    headers.set('accept', 'application/json, text/event-stream');
}

/** Calls a function once, when a response is complete, fails, or nobody reads it any more. */
function onceRead({ body, status, headers }: Response, complete: () => void): Response {
  const then = once(complete);
  if (body === null) then();
  const reader = body?.getReader();
  const read =
    reader &&
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await reader.read().catch((cause) => {
          then();
          throw cause;
        });
        if (!done) return controller.enqueue(value);
        then();
        controller.close();
      },
      async cancel(reason) {
        // Whoever answers is told first, and may still report.
        await reader.cancel(reason);
        then();
      },
    });
  return new Response(read ?? null, { status, headers });
}
