import { offeredRecord } from '../../core/gate/concerns/initialize.js';
import type { SessionId } from '../../core/gate/request/kept-preferences.js';
import { policyInForce } from '../../core/gate/request/live-policy.js';
import { UNKNOWN_SESSION } from '../../core/gate/request/messages.js';
import type { ReceiveReport } from '../../core/gate/request/report.js';
import { newSessionId, openSessionId, type SealedFor } from '../../core/gate/request/session-id.js';
import type { FetchOptions } from '../../core/http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../../core/http/http-errors.js';
import { observedStore } from '../../core/http/observer.js';
import { readJson, requestIdsIn } from '../../core/http/request-body.js';
import { bindSessions, GONE, principalOf } from '../../core/http/sessions.js';
import { lifeOf, type SessionStore } from '../../core/session/store.js';
import { METHODS, read } from '../../core/wire/messages.js';
import { type Adoption, adoptionOf, type KeptSession, type Present, storeOfKept } from './adoption.js';
import { LiveSessions, type SessionLimits } from './live-sessions.js';
import { openSession, type Session, type SessionServerOptions } from './session.js';

/** How to make a server for one session, the policy, and when sessions end. */
export interface SessionProxyOptions extends SessionServerOptions, SessionLimits {
  /** Keeps the preferences of sessions, and which of them have ended. */
  readonly store: SessionStore;
  /** Whether other processes use the store too. Then it knows every session, and a session goes on wherever its requests arrive. */
  readonly isShared?: boolean | undefined;
  /** Called when a session ends to make room for another one. */
  readonly evicted?: (() => void) | undefined;
}

const MAX_SWEEP_MS = 60_000;

/** What identifies the session of a request: its id and its caller. The same id of another caller is another session. */
interface SessionAddress {
  readonly id: string;
  readonly key: string;
  readonly store: SessionStore;
  readonly authInfo: FetchOptions['authInfo'];
}

/** A request to the proxy, and what is known about it. */
interface Incoming {
  readonly request: Request;
  readonly given: FetchOptions;
  /** Whether a client waits for an answer. A running call may wait for the answer to a question, which is not a request. */
  readonly expectsAnswer: boolean;
}

/**
 * Serves over Streamable HTTP, with one server per session and process, as in `mcp-concerns serve`.
 *
 * Many hosts never end their sessions, and keep a session id over a restart of this process. So a session also ends
 * after a time without use and when there are too many. A request with an id that this process does not know gets a new server
 * under that id, if the id or the store says what the host prefers, and the store does not say that the session has ended; else
 * 404. Without a secret, only this process makes ids, so an id that its store does not know was lost there. A session that made
 * room for another one stays ended, unless the store is shared, or somebody switched it: its host would begin again with what
 * it preferred first.
 *
 * @example
 * const proxy = new SessionProxy({ server: () => proxyTo(new ChildTransport('node', ['server.js'])), policy, store });
 * await listenLocally((request, given) => proxy.fetch(request, given), {});
 */
export class SessionProxy {
  private readonly live: LiveSessions<Session>;
  /** The sessions that begin again just now, each with its session or with why there is none. */
  private readonly adopting = new Map<string, Promise<Session | Response>>();
  private readonly sweeping: ReturnType<typeof setInterval>;
  private isEnding = false;

  /** @param options how to make a server, the policy, and when sessions end */
  constructor(private readonly options: SessionProxyOptions) {
    this.live = new LiveSessions(options);
    const everyMs = Math.min(MAX_SWEEP_MS, Math.max(this.live.idleMs / 4, 10));
    this.sweeping = setInterval(() => this.endIdle(), everyMs);
    this.sweeping.unref();
  }

  /** How many sessions have a server now. */
  get size(): number {
    return this.live.size;
  }

  /** Ends the sessions that were not used for the idle time. Runs regularly by itself. */
  endIdle(): void {
    this.live.endIdle();
  }

  /** Answers one HTTP request, or gives a stream of notifications. */
  async fetch(request: Request, given: FetchOptions = {}): Promise<Response> {
    const { parsedBody, sessionSecret, storeCall } = given;
    const { isShared = false } = this.options;
    const id = request.headers.get('mcp-session-id');
    const address = id === null ? undefined : this.addressOf(id, given);
    const expectsAnswer = parsedBody === undefined || requestIdsIn(parsedBody).length > 0;
    if (this.isEnding && (expectsAnswer || address === undefined || this.live.get(address.key) === undefined))
      return unavailable(ENDING);
    if (address === undefined) return this.begin(request, given);
    const incoming = { request, given, expectsAnswer };
    // A session that was found is used at once: while this waits, it could end to make room.
    const present = isShared ? undefined : this.present(address.key);
    if (present !== undefined) return this.respond(present, address, incoming);
    const kept = openSessionId(this.sealedFor(given), address.id, lifeOf(this.options.store));
    const found =
      kept &&
      (await observedStore(address.store, storeCall)
        .read(kept.key)
        .catch(() => undefined));
    const seesAll = isShared || sessionSecret === undefined;
    return this.respond(adoptionOf(kept, found, seesAll, this.present(address.key)), address, incoming);
  }

  /** Ends all sessions. Requests that run have so many milliseconds to be answered; the others get an error. */
  async close(drainMs = 0): Promise<void> {
    this.isEnding = true;
    clearInterval(this.sweeping);
    await this.live.close(drainMs);
  }

  private addressOf(id: string, { authInfo }: FetchOptions): SessionAddress {
    const { store } = this.options;
    if (authInfo === undefined) return { id, key: JSON.stringify([id]), store, authInfo };
    const key = JSON.stringify([id, ...(principalOf(authInfo) ?? [])]);
    return { id, key, store: bindSessions(store, authInfo), authInfo };
  }

  private sealedFor({ sessionSecret: secret, authInfo }: FetchOptions): SealedFor {
    return { policy: policyInForce(this.options.policy), secret, caller: principalOf(authInfo) };
  }

  private present(key: string): Present | undefined {
    const opened = this.adopting.get(key);
    if (opened !== undefined) return { state: 'opening', opened };
    const session = this.live.get(key);
    return session && { state: 'live', session };
  }

  private async respond(adoption: Adoption, address: SessionAddress, incoming: Incoming): Promise<Response> {
    const { request, given } = incoming;
    switch (adoption.state) {
      case 'live':
        return this.handleOpened(adoption.session, address, incoming);
      case 'opening':
        return this.handleOpened(await adoption.opened, address, incoming);
      case 'kept':
        if (request.method === 'DELETE') {
          await address.store.end(adoption.session.key);
          return new Response(null, { status: 204 });
        }
        return this.handleOpened(await this.adopt(adoption, address, request), address, incoming);
      case 'forgotten':
        if (adoption.isLost) given.storeCall?.({ operation: 'read', ms: 0, failed: UNKNOWN_SESSION.code });
        if (!((await this.adopting.get(address.key)) instanceof Response)) await this.live.end(address.key);
        return failure(404, HTTP_ERRORS.notFound, GONE);
      case 'unreadable':
        return unavailable(UNREADABLE);
    }
  }

  /** Lets a session answer, or says why there is none. */
  private handleOpened(
    opened: Session | Response,
    address: SessionAddress,
    { request, given, expectsAnswer }: Incoming,
  ): Promise<Response> | Response {
    // The endpoint may have begun to end while this waited.
    if (this.isEnding && expectsAnswer) return unavailable(ENDING);
    // Others may wait for the same one.
    return opened instanceof Response ? opened.clone() : this.handle(opened, address, request, given);
  }

  private async handle(
    session: Session,
    { key, authInfo }: SessionAddress,
    request: Request,
    given: FetchOptions,
  ): Promise<Response> {
    // Its server can end between its start and its first request.
    if (!this.live.use(key, session)) return unavailable(ENDED);
    return session.handle(request, { ...given, authInfo, report: reportWith(given) });
  }

  private async begin(request: Request, given: FetchOptions): Promise<Response> {
    if (request.method !== 'POST')
      return refused('This request requires the Mcp-Session-Id header of a session.');
    const body = await readJson(request, given);
    if (body instanceof Response) return body;
    if (read(body.value, 'method') !== METHODS.initialize)
      return refused('A request without the Mcp-Session-Id header must be initialize.');
    const sealed = this.sealedFor(given);
    const id = newSessionId(sealed, offeredRecord(sealed.policy, read(body.value, 'params')));
    const address = this.addressOf(id, given);
    const session = await this.open(address, openSessionId(sealed, id, lifeOf(this.options.store)));
    if (session instanceof Response) return session;
    const unread = new Request(request.url, { method: 'POST', headers: request.headers });
    const response = await this.handle(session, address, unread, { ...given, parsedBody: body.value });
    // The transport refused the request, so the host knows no session that it could end.
    if (!response.ok) await this.live.end(address.key);
    return response;
  }

  /** Opens a session, in the place of another one if there are too many. While all others are in use, there is no room. */
  private async open(
    { id, key, store }: SessionAddress,
    session: SessionId | undefined,
  ): Promise<Session | Response> {
    const { isShared, evicted } = this.options;
    const { now, maxSessions } = this.live;
    const make = (): Promise<Session> =>
      openSession(id, { ...this.options, store, session, now }, () => this.live.delete(key));
    const opened = await this.live.open(key, make, async (leaving) => {
      evicted?.();
      // What is sealed in the id of the session that leaves must not open it again. A shared store knows more than the id.
      if (isShared !== true) await leaving.retire();
    });
    return (
      opened ??
      unavailable(`All ${maxSessions} sessions are busy. Try again later, or serve more with --sessions.`)
    );
  }

  /** Opens a session under the id that its host kept. Requests that ask for it meanwhile wait for this. */
  private adopt(kept: KeptSession, address: SessionAddress, request: Request): Promise<Session | Response> {
    const opened = this.beginAgain(kept, address, request).finally(() => this.adopting.delete(address.key));
    this.adopting.set(address.key, opened);
    return opened;
  }

  private async beginAgain(
    kept: KeptSession,
    address: SessionAddress,
    request: Request,
  ): Promise<Session | Response> {
    const { store, begun } = storeOfKept(address.store, kept);
    const opened = await this.open({ ...address, store }, kept.session);
    const refusal = opened instanceof Response ? opened : await opened.initialize(request, address.authInfo);
    begun();
    if (refusal === undefined) return opened;
    await this.live.end(address.key);
    return this.isEnding ? unavailable(ENDING) : refusal;
  }
}

/** The store of a session is not that of one HTTP request, so what its gate waited for there is told with the report. */
function reportWith({ report, storeCall }: FetchOptions): ReceiveReport | undefined {
  if (report === undefined) return undefined;
  return (line, timing) => {
    const { waits: { store: ms } = {}, storeFailures: [failed] = [] } = timing ?? {};
    if (ms !== undefined) storeCall?.({ operation: 'read', ms, ...(failed === undefined ? {} : { failed }) });
    report(line, timing);
  };
}

const ENDING = 'The endpoint is ending. Try again later.';
const ENDED = 'The server of the session ended before this request. Try again later.';
const UNREADABLE = 'The session store does not answer. Try again later.';

const unavailable = (message: string): Response =>
  failure(503, HTTP_ERRORS.internal, message, { 'Retry-After': '5' });

const refused = (message: string): Response => failure(400, HTTP_ERRORS.refused, message);
