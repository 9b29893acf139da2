import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { HttpRefusal } from '../../core/http/upstream-server.js';
import { deferred, once } from '../../core/once.js';
import {
  type Era,
  fromSdk,
  isResponse,
  METHODS,
  type Message,
  read,
  sameId,
  toSdk,
} from '../../core/wire/messages.js';
import { abortSignalOf, type CallSignal, ignore } from '../call.js';
import { httpFailure, UpstreamError } from '../upstream-error.js';
import { CallerHeaders } from './caller-headers.js';
import { isStream, PauseGate, readResponse, type StreamPlace } from './read-response.js';
import { requestHeaders, SESSION } from './request-headers.js';
import type { Wire, WireOptions } from './wire.js';
import { withinOrigin } from './within-origin.js';

/** How long the end of a session may take. */
const TERMINATE_MS = 1000;
/** Milliseconds before a stream is continued, if the server does not say, and how often one is continued without an event. */
const RESUME = { ms: 1000, times: 5 };
const ENDED = 'its response ended before the answer';
/**
 * A server over Streamable HTTP, of either era: each message is a POST, whose response has what belongs to it. In the legacy
 * era there is also a session, a stream with what belongs to no request, and streams that are continued.
 */
// Not `implements Wire`: its declaration does not hold in projects that check the declarations of their packages. Uses check it.
export class RemoteTransport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  readonly ended = undefined;
  sessionId?: string;
  private version: string | undefined;
  /** Where messages are posted, if the server speaks HTTP+SSE. */
  private endpoint: URL | undefined;
  private readonly reach: FetchLike;
  private readonly paused = new PauseGate();
  private readonly life = new AbortController();
  /** What the only client of this connection sent; nothing for a connection that clients share. */
  caller: Readonly<CallerHeaders> = new CallerHeaders();

  constructor(
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
    reach: FetchLike = globalThis.fetch,
    private readonly era: Era = 'legacy',
  ) {
    this.reach = withinOrigin(reach);
    if (era === 'modern') delete this.modern;
  }

  /** The same server, spoken to in the modern era. */
  modern? = (): Wire => {
    const other = new RemoteTransport(this.url, this.headers, this.reach, 'modern');
    other.caller = this.caller;
    return other;
  };

  get cancelsBySignal(): boolean {
    return this.era === 'modern';
  }

  setProtocolVersion(version: string): void {
    this.version = version;
  }

  async start(): Promise<void> {}

  async send(sent: JSONRPCMessage, { signal, headers, received }: WireOptions = {}): Promise<void> {
    const message = fromSdk(sent);
    const isRequest = 'id' in message && !isResponse(message);
    // In the legacy era a cancellation is a message: the end of a connection is none.
    const stops = this.era === 'modern' && signal !== undefined ? [abortSignalOf(signal)] : [];
    const over = AbortSignal.any([...stops, this.life.signal]);
    const hasSession = this.version !== undefined;
    const post = (): Promise<Response> =>
      this.reach(this.endpoint ?? this.url, {
        method: 'POST',
        body: JSON.stringify(message),
        headers: { ...this.headersOf(message), ...headers },
        signal: over,
      });
    let response = await post();
    const isFirst = this.era === 'legacy' && read(message, 'method') === METHODS.initialize;
    if (isFirst && [400, 404, 405].includes(response.status) && (await this.openOldStream())) {
      await response.body?.cancel();
      response = await post();
    }
    // Of HTTP+SSE, the answer arrives on the stream.
    if (this.endpoint !== undefined) {
      await response.body?.cancel();
      if (!response.ok) throw httpFailure(refusalOf(response, hasSession));
      return;
    }
    const given = response.headers.get(SESSION);
    if (given !== null) this.sessionId ??= given;
    if (!isRequest) {
      await response.body?.cancel();
      if (!response.ok) throw httpFailure(refusalOf(response, hasSession));
      if (this.era === 'legacy' && read(message, 'method') === METHODS.initialized) void this.listen();
      return;
    }
    const { status } = response;
    let isAnswered = false;
    const take = (part: Message): void => {
      const isAnswer = isResponse(part) && sameId(part.id, message.id);
      // The body of a refusal about the caller or the session would hide the status.
      if (!response.ok && (!isAnswer || isAboutStatus(status))) return;
      isAnswered ||= isAnswer;
      if (received === undefined) this.onmessage?.(toSdk(part));
      else received(part);
    };
    const place: StreamPlace = { retryMs: RESUME.ms };
    const type = response.headers.get('content-type') ?? undefined;
    let text = '';
    try {
      text = await readResponse(response, this.paused, { take, place });
      if (!isAnswered && !response.ok) throw httpFailure(refusalOf(response, hasSession), { type, text });
      for (let tries = 0; !isAnswered && place.eventId !== undefined && tries < RESUME.times; tries++) {
        const before = place.eventId;
        const next = await this.continued(place, over);
        if (next === undefined) break;
        await readResponse(next, this.paused, { take, place }).catch(ignore);
        if (place.eventId !== before) tries = 0;
      }
    } catch (cause) {
      if (this.isOver(signal)) return;
      if (cause instanceof UpstreamError) throw cause;
      throw response.ok
        ? new UpstreamError(ENDED, { isDelivered: true, body: { type, text } }, { cause })
        : httpFailure(refusalOf(response, hasSession));
    }
    if (!isAnswered && !this.isOver(signal))
      throw new UpstreamError(ENDED, { isDelivered: true, body: { type, text } });
  }

  /** Stops reading responses, so that the server has to wait. */
  pause(isPaused: boolean): void {
    this.paused.pause(isPaused);
  }

  close: () => Promise<void> = once(async () => {
    this.pause(false);
    const { sessionId } = this;
    // The server keeps the session until it is told. A server that does not answer must not delay the end.
    if (sessionId !== undefined && this.era === 'legacy') {
      const ended = this.reach(this.url, { method: 'DELETE', headers: this.headersOf() }).catch(ignore);
      await Promise.race([ended, sleep(TERMINATE_MS, undefined, { ref: false })]);
    }
    this.life.abort();
    this.onclose?.();
  });

  /**
   * Opens the stream of a server that speaks HTTP+SSE, the transport of 2024-11-05: its first event says where messages are
   * posted, and everything of the server arrives on it (2025-11-25, basic/transports, "Backwards Compatibility").
   *
   * @returns whether it is one
   */
  private async openOldStream(): Promise<boolean> {
    const { signal } = this.life;
    const headers = { ...this.ownHeaders(), accept: 'text/event-stream' };
    const response = await this.reach(this.url, { headers, signal }).catch(ignore);
    if (response === undefined || !response.ok || !isStream(response)) {
      await response?.body?.cancel();
      return false;
    }
    const opened = deferred<boolean>();
    const take = (part: Message): void => this.onmessage?.(toSdk(part));
    const endpoint = (data: string): void => {
      const named = new URL(data, this.url);
      // The headers of this server are for no other.
      if (named.origin === this.url.origin) this.endpoint = named;
      opened.resolve(this.endpoint !== undefined);
    };
    void readResponse(response, this.paused, { take, place: { retryMs: RESUME.ms }, endpoint })
      .catch(ignore)
      .finally(() => {
        opened.resolve(false);
        if (this.endpoint !== undefined) this.onclose?.();
      });
    return opened.promise;
  }

  /** Receives what belongs to no request, for as long as the server has a stream for it. */
  private async listen(): Promise<void> {
    if (this.endpoint !== undefined) return;
    const place: StreamPlace = { retryMs: RESUME.ms };
    const { signal } = this.life;
    for (let tries = 0; tries < RESUME.times && !signal.aborted; tries++) {
      const before = place.eventId;
      const response = await this.continued(place, signal, tries === 0).catch(ignore);
      if (response === undefined) continue;
      // 405: the server has no such stream.
      if (!response.ok) return void response.body?.cancel();
      const take = (part: Message): void => this.onmessage?.(toSdk(part));
      await readResponse(response, this.paused, { take, place }).catch(ignore);
      if (place.eventId !== before || before === undefined) tries = 0;
    }
  }

  private async continued(place: StreamPlace, signal: AbortSignal, isFirst = false): Promise<Response> {
    if (!isFirst) await sleep(place.retryMs, undefined, { signal, ref: false });
    const last = place.eventId === undefined ? {} : { 'last-event-id': place.eventId };
    const headers = { ...this.headersOf(), accept: 'text/event-stream', ...last };
    return this.reach(this.url, { method: 'GET', headers, signal });
  }

  private ownHeaders(): Record<string, string> {
    const { authorization } = this.caller;
    if (authorization === undefined) return { ...this.headers };
    const others = Object.entries(this.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
    return { ...Object.fromEntries(others), authorization };
  }

  private isOver(signal: CallSignal | undefined): boolean {
    return this.life.signal.aborted || signal?.aborted === true;
  }

  private headersOf(message?: Message): Record<string, string> {
    const { era, sessionId, version } = this;
    return requestHeaders({ era, own: this.ownHeaders(), sessionId, version }, message);
  }
}

/** 401 and 403 tell what the caller lacks, 404 and 410 that nothing is there, 5xx that the server has failed. */
const isAboutStatus = (status: number): boolean => [401, 403, 404, 410].includes(status) || status >= 500;

/** @returns the status of a response, and what callers must send to be accepted */
function refusalOf({ status, headers }: Response, hasSession: boolean): HttpRefusal {
  const challenge = headers.get('www-authenticate') ?? undefined;
  return { status, challenge, hasSession };
}

/**
 * Creates a transport to a remote server over Streamable HTTP.
 *
 * @param url the URL of the server
 * @param headers headers that each request gets, for example `Authorization`
 * @param reach sends each request, for example with a token that it renews. Defaults to the global `fetch`
 * @returns the transport, not started
 * @example
 * const upstream = shareUpstream(() => remoteTransport('https://mcp.example/mcp'));
 */
export function remoteTransport(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  reach?: FetchLike,
): Transport {
  return new RemoteTransport(new URL(url), headers, reach) as Transport;
}
