import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { DEFAULT_NEGOTIATED_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import type { GateOptions } from '../../core/gate/edge/concerns-options.js';
import { gatedTransport } from '../../core/gate/edge/gated-transport.js';
import type { SessionId } from '../../core/gate/request/kept-preferences.js';
import type { Arrival } from '../../core/gate/request/report.js';
import { passRefusal } from '../../core/http/callers/refused-caller.js';
import type { FetchOptions, ServerOfRequest } from '../../core/http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../../core/http/http-errors.js';
import { readJson, requestIdsIn } from '../../core/http/request-body.js';
import { messagesIn } from '../../core/http/streams/messages-in.js';
import { SlowReaders, UNPACED } from '../../core/http/streams/slow-readers.js';
import { type UpstreamServer, upstreamOf } from '../../core/http/upstream-server.js';
import { once } from '../../core/once.js';
import { METHODS, type RequestId, read } from '../../core/wire/messages.js';
import { type WatchedRequests, watchRequests } from '../open-requests.js';
import { LatestEvents, LostCalls } from './lost-streams.js';

/** How to make a server for one session, and the policy. */
export interface SessionServerOptions extends GateOptions {
  readonly server: () => ServerOfRequest | Promise<ServerOfRequest>;
}

/** What a session is made of, once its server is connected. */
interface Parts {
  readonly id: string;
  readonly server: ServerOfRequest;
  readonly concerns: GateOptions;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly events: LatestEvents;
  readonly closed: () => void;
  readonly now: () => number;
}

/** A session over HTTP, and its server. `openSession` makes one. */
export class Session {
  private readonly upstream: UpstreamServer | undefined;
  private readonly readers: SlowReaders;
  private readonly requests: WatchedRequests;
  private readonly lost: LostCalls;
  private readonly arrivals = new Map<RequestId, Arrival>();
  private lastUsed: number;
  // Until its first request, which it was opened for.
  private isNew = true;
  private open = 0;
  private answering = 0;
  private isInitialized = false;
  private isRefused = false;
  private isLocal = false;

  constructor(private readonly parts: Parts) {
    const { server, transport, now } = parts;
    this.upstream = upstreamOf(server);
    this.readers = this.upstream?.behind.readers ?? new SlowReaders(UNPACED);
    this.requests = watchRequests(transport);
    this.lost = new LostCalls(this.requests);
    this.lastUsed = now();
    transport.onclose = () => void this.close();
    const send = transport.send.bind(transport);
    transport.send = async (message, given) => {
      this.isRefused ||= !this.isInitialized && 'error' in message;
      this.isInitialized ||= 'result' in message;
      await send(message, given);
    };
  }

  /** Puts a gate between the server and its transport. Rejects, and closes both, if the server cannot be connected. */
  async connect(): Promise<void> {
    const { server, transport, concerns } = this.parts;
    const arrived = (id: RequestId): Arrival | undefined => {
      const found = this.arrivals.get(id);
      this.arrivals.delete(id);
      return found;
    };
    try {
      // The interface of a server names the transport that SDK v1 has for HTTP; every transport fits.
      await (server as { connect(transport: Transport): Promise<void> }).connect(
        gatedTransport(transport, { ...concerns, arrived, upstream: this.upstream?.behind }),
      );
    } catch (cause) {
      await this.close();
      throw cause;
    }
  }

  /** When its last request arrived or its last response ended, by the clock. */
  get usedAt(): number {
    return this.lastUsed;
  }

  /** Whether a response is not complete yet, or a stream is open. */
  get isBusy(): boolean {
    return this.isNew || this.open > 0;
  }

  /** Whether a client waits for an answer. Many have a stream open all the time. */
  get isAnswering(): boolean {
    return this.isNew || this.answering > 0;
  }

  /** Answers a request of the session. */
  async handle(request: Request, options: FetchOptions = {}): Promise<Response> {
    const { parsedBody, authInfo } = options;
    const arrival = { at: options.arrivedAt ?? performance.now(), report: options.report };
    const isPost = request.method === 'POST';
    this.isNew = false;
    this.open++;
    if (isPost) this.answering++;
    this.lastUsed = this.parts.now();
    // A host that loses its connection has not cancelled anything (2025-11-25, "Sending Messages to the Server").
    let asked: readonly RequestId[] = [];
    const left = isPost ? undefined : this.continueStream(request.headers);
    const outgoing = this.readers.open(isPost, () => {
      if (isPost) this.answering--;
      // What the transport refused never reached the gate.
      for (const each of asked) if (this.arrivals.get(each) === arrival) this.arrivals.delete(each);
      left?.();
      this.lost.streamEnded(asked);
      this.ended();
    });
    try {
      const body = isPost ? await readJson(request, { parsedBody }) : undefined;
      if (body instanceof Response) {
        outgoing.abandon();
        return body;
      }
      if (body !== undefined) asked = requestIdsIn(body.value);
      for (const each of asked) this.arrivals.set(each, arrival);
      const given = { ...(body === undefined ? {} : { parsedBody: body.value }), ...callerOf(authInfo) };
      const begun = await this.parts.transport.handleRequest(request, given);
      // What is certain once stays so. Of several servers, each is asked.
      this.isLocal ||= this.upstream?.behind.isLocal !== false;
      const answer =
        isPost && !this.isLocal
          ? await passRefusal(this.upstream, body?.value, begun, request.signal)
          : begun;
      const carried = outgoing.carry(answer);
      // Nobody will read the response, so nothing else would tell that the client has left.
      if (isPost && request.signal.aborted) await carried.body?.cancel();
      return carried;
    } catch (cause) {
      outgoing.abandon();
      throw cause;
    }
  }

  /** Initializes a session that a host knows and this process does not. Returns a response if the server refuses. */
  async initialize(request: Request, authInfo?: FetchOptions['authInfo']): Promise<Response | undefined> {
    const protocolVersion =
      request.headers.get('mcp-protocol-version') ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION;
    const clientInfo = { name: request.headers.get('user-agent') ?? 'unknown', version: 'unknown' };
    const headers = new Headers(request.headers);
    headers.set('accept', 'application/json, text/event-stream');
    headers.set('content-type', 'application/json');
    const post = (body: object): Promise<Response> =>
      this.parts.transport.handleRequest(new Request(request.url, { method: 'POST', headers }), {
        parsedBody: body,
        ...callerOf(authInfo),
      });
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const initialize = { jsonrpc: '2.0', id: 'adopt', method: METHODS.initialize, params };
    const answered = await passRefusal(this.upstream, initialize, await post(initialize), request.signal);
    if (this.upstream?.refused !== undefined) return answered;
    const messages = messagesIn(await answered.text());
    const message = messages.find((each) => read(each, 'id') === 'adopt') ?? messages[0];
    if (!answered.ok || read(message, 'result') === undefined) {
      const reason = read(message, 'error', 'message');
      const text = typeof reason === 'string' ? reason : 'the server did not initialize';
      return failure(502, HTTP_ERRORS.internal, `The session cannot be continued: ${text}`);
    }
    await post({ jsonrpc: '2.0', method: METHODS.initialized });
    return undefined;
  }

  /** Waits so many milliseconds for the answers of running requests, and answers those that are left with an error. */
  answerAll(waitMs: number): Promise<void> {
    return this.requests.answerAll(waitMs);
  }

  /** Marks the session as ended in the store, if nothing was switched since it began. */
  async retire(): Promise<void> {
    const { id, concerns } = this.parts;
    const kept = await concerns.store?.read(concerns.session?.key ?? id);
    const isSwitched = kept?.state === 'live' && chosenIn(kept.record) !== chosenIn(concerns.session?.sealed);
    if (!isSwitched) await forget(id, concerns);
  }

  /** Ends the server. */
  close(): Promise<void> {
    return this.closing();
  }

  private readonly closing = once(async () => {
    this.parts.closed();
    this.lost.close();
    await this.requests.answerAll(0);
    await this.parts.transport.close();
    await this.parts.server.close();
  });

  private ended(): void {
    this.open--;
    this.lastUsed = this.parts.now();
    // The host has no session, so it will neither use nor end this one.
    if (this.isRefused) void this.close();
  }

  /** Without the header, a stream begins that has no past: the SDK refuses an event that another process sent, or that is forgotten. */
  private continueStream(headers: Headers): (() => void) | undefined {
    const last = headers.get('last-event-id');
    if (last === null) return undefined;
    if (this.parts.events.has(last)) return this.lost.resumed();
    headers.delete('last-event-id');
    return undefined;
  }
}

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
): Promise<Session> {
  const server = await createServer();
  const events = new LatestEvents();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: () => forget(id, concerns),
    eventStore: events,
  });
  const session = new Session({ id, server, concerns, transport, events, closed, now });
  await session.connect();
  return session;
}

const forget = async (id: string, { store, session }: GateOptions): Promise<void> =>
  store?.end(session?.key ?? id);

const callerOf = (authInfo: FetchOptions['authInfo']) => (authInfo === undefined ? {} : { authInfo });

const chosenIn = (kept: SessionId['sealed']): string => JSON.stringify([kept?.concerns, kept?.model]);
