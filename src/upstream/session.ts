import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { DEFAULT_NEGOTIATED_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import type { GateOptions } from '../gate/edge/concerns-options.js';
import { gatedTransport } from '../gate/edge/gated-transport.js';
import type { SessionId } from '../gate/request/kept-preferences.js';
import type { Arrival } from '../gate/request/report.js';
import { passRefusal } from '../http/callers/refused-caller.js';
import type { FetchOptions, ServerOfRequest } from '../http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http/http-errors.js';
import { readJson, requestIdsIn } from '../http/request-body.js';
import { messagesIn } from '../http/streams/messages-in.js';
import { SlowReaders, UNPACED } from '../http/streams/slow-readers.js';
import { upstreamOf } from '../http/upstream-server.js';
import { once } from '../once.js';
import { METHODS, type RequestId, read } from '../wire/messages.js';
import { LatestEvents, LostCalls } from './lost-streams.js';
import { watchRequests } from './open-requests.js';

/** How to make a server for one session, and the policy. */
export interface SessionServerOptions extends GateOptions {
  readonly server: () => ServerOfRequest | Promise<ServerOfRequest>;
}

/** A session over HTTP, and its server. */
export type Session = Awaited<ReturnType<typeof openSession>>;

/**
 * Makes a server for a session, and connects it.
 *
 * @param id the id of the session
 * @param options how to make the server, and the policy
 * @param closed called when the session has ended, also by DELETE
 * @returns the session; rejects if the server cannot be made or connected
 */
export async function openSession(
  id: string,
  { server: createServer, now, ...concerns }: SessionServerOptions & { readonly now: () => number },
  closed: () => void,
) {
  const server = await createServer();
  const upstream = upstreamOf(server);
  const readers = upstream?.behind.readers ?? new SlowReaders(UNPACED);
  const forget = async () => concerns.store?.end(concerns.session?.key ?? id);
  const events = new LatestEvents();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: forget,
    eventStore: events,
  });
  const requests = watchRequests(transport);
  const lost = new LostCalls(requests);
  const close = once(async () => {
    closed();
    lost.close();
    await requests.answerAll(0);
    await transport.close();
    await server.close();
  });
  transport.onclose = () => void close();
  let usedAt = now();
  const arrivals = new Map<RequestId, Arrival>();
  const arrived = (id: RequestId): Arrival | undefined => {
    const found = arrivals.get(id);
    arrivals.delete(id);
    return found;
  };
  // Until its first request, which it was opened for.
  let isNew = true;
  let [open, answering] = [0, 0];
  let [isInitialized, isRefused, isLocal] = [false, false, false];
  const ended = (): void => {
    open--;
    usedAt = now();
    // The host has no session, so it will neither use nor end this one.
    if (isRefused) void close();
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, given) => {
    isRefused ||= !isInitialized && 'error' in message;
    isInitialized ||= 'result' in message;
    await send(message, given);
  };
  /** Without the header, a stream begins that has no past: the SDK refuses an event that another process sent, or that is forgotten. */
  const continueStream = (headers: Headers): (() => void) | undefined => {
    const last = headers.get('last-event-id');
    if (last === null) return undefined;
    if (events.has(last)) return lost.resumed();
    headers.delete('last-event-id');
    return undefined;
  };
  try {
    // The interface of a server names the transport that SDK v1 has for HTTP; every transport fits.
    await (server as { connect(transport: Transport): Promise<void> }).connect(
      gatedTransport(transport, { ...concerns, arrived, upstream: upstream?.behind }),
    );
  } catch (cause) {
    await close();
    throw cause;
  }

  return {
    /** Marks the session as ended in the store, if nothing was switched since it began. */
    async retire(): Promise<void> {
      const kept = await concerns.store?.read(concerns.session?.key ?? id);
      const isSwitched =
        kept?.state === 'live' && chosenIn(kept.record) !== chosenIn(concerns.session?.sealed);
      if (!isSwitched) await forget();
    },
    /** When its last request arrived or its last response ended, by the clock. */
    get usedAt() {
      return usedAt;
    },
    /** Whether a response is not complete yet, or a stream is open. */
    get isBusy() {
      return isNew || open > 0;
    },
    /** Whether a client waits for an answer. Many have a stream open all the time. */
    get isAnswering() {
      return isNew || answering > 0;
    },
    /** Answers a request of the session. */
    async handle(request: Request, options: FetchOptions = {}): Promise<Response> {
      const { parsedBody, authInfo } = options;
      const arrival = { at: options.arrivedAt ?? performance.now(), report: options.report };
      const isPost = request.method === 'POST';
      isNew = false;
      open++;
      if (isPost) answering++;
      usedAt = now();
      // A host that loses its connection has not cancelled anything (2025-11-25, "Sending Messages to the Server").
      let asked: readonly RequestId[] = [];
      const left = isPost ? undefined : continueStream(request.headers);
      const outgoing = readers.open(isPost, () => {
        if (isPost) answering--;
        // What the transport refused never reached the gate.
        for (const each of asked) if (arrivals.get(each) === arrival) arrivals.delete(each);
        left?.();
        lost.streamEnded(asked);
        ended();
      });
      try {
        const body = isPost ? await readJson(request, { parsedBody }) : undefined;
        if (body instanceof Response) {
          outgoing.abandon();
          return body;
        }
        if (body !== undefined) asked = requestIdsIn(body.value);
        for (const each of asked) arrivals.set(each, arrival);
        const given = { ...(body === undefined ? {} : { parsedBody: body.value }), ...callerOf(authInfo) };
        const begun = await transport.handleRequest(request, given);
        // What is certain once stays so. Of several servers, each is asked.
        isLocal ||= upstream?.behind.isLocal !== false;
        const answer =
          isPost && !isLocal ? await passRefusal(upstream, body?.value, begun, request.signal) : begun;
        const carried = outgoing.carry(answer);
        // Nobody will read the response, so nothing else would tell that the client has left.
        if (isPost && request.signal.aborted) await carried.body?.cancel();
        return carried;
      } catch (cause) {
        outgoing.abandon();
        throw cause;
      }
    },
    /** Initializes a session that a host knows and this process does not. Returns a response if the server refuses. */
    async initialize(request: Request, authInfo?: FetchOptions['authInfo']): Promise<Response | undefined> {
      const protocolVersion =
        request.headers.get('mcp-protocol-version') ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION;
      const clientInfo = { name: request.headers.get('user-agent') ?? 'unknown', version: 'unknown' };
      const headers = new Headers(request.headers);
      headers.set('accept', 'application/json, text/event-stream');
      headers.set('content-type', 'application/json');
      const post = (body: object): Promise<Response> =>
        transport.handleRequest(new Request(request.url, { method: 'POST', headers }), {
          parsedBody: body,
          ...callerOf(authInfo),
        });
      const params = { protocolVersion, capabilities: {}, clientInfo };
      const initialize = { jsonrpc: '2.0', id: 'adopt', method: METHODS.initialize, params };
      const answered = await passRefusal(upstream, initialize, await post(initialize), request.signal);
      if (upstream?.refused !== undefined) return answered;
      const messages = messagesIn(await answered.text());
      const message = messages.find((each) => read(each, 'id') === 'adopt') ?? messages[0];
      if (!answered.ok || read(message, 'result') === undefined) {
        const reason = read(message, 'error', 'message');
        const text = typeof reason === 'string' ? reason : 'the server did not initialize';
        return failure(502, HTTP_ERRORS.internal, `The session cannot be continued: ${text}`);
      }
      await post({ jsonrpc: '2.0', method: METHODS.initialized });
      return undefined;
    },
    /** Waits for the answers of running requests, and answers those that are left with an error. */
    answerAll: requests.answerAll,
    /** Ends the server. */
    close,
  };
}

const callerOf = (authInfo: FetchOptions['authInfo']) => (authInfo === undefined ? {} : { authInfo });

const chosenIn = (kept: SessionId['sealed']): string => JSON.stringify([kept?.concerns, kept?.model]);
