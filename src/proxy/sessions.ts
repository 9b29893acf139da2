import { offeredRecord } from '../core/gate/concerns/initialize.js';
import { UNKNOWN_SESSION } from '../core/gate/request/generated/texts.js';
import type { SessionId } from '../core/gate/request/kept-preferences.js';
import { policyInForce } from '../core/gate/request/live-policy.js';
import type { ReceiveReport } from '../core/gate/request/report.js';
import { newSessionId, openSessionId, type SealedFor } from '../core/gate/request/session-id.js';
import type { FetchOptions } from '../core/http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../core/http/http-errors.js';
import { observedStore } from '../core/http/observer.js';
import { readJson, requestIdsIn } from '../core/http/request-body.js';
import { bindSessions, GONE, isGone, principalOf } from '../core/http/sessions.js';
import { getOrMake } from '../core/once.js';
import { lifeOf, type SessionRead, type SessionStore } from '../core/session/store.js';
import { METHODS, read } from '../core/wire/messages.js';
import { openSession, type Session, type SessionServerOptions } from './session.js';

/** How to make a server for one session, the policy, and when sessions end. */
export interface SessionProxyOptions extends SessionServerOptions {
  /** Keeps the preferences of sessions, and which of them have ended. */
  readonly store: SessionStore;
  /** Whether other processes use the store too. Then it knows every session, and a session goes on wherever its requests arrive. */
  readonly isShared?: boolean | undefined;
  /** The maximum number of sessions that have a server. The least recently used one ends first. Defaults to 32. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds without a request or an open stream after which a session ends. Defaults to 30 minutes. */
  readonly idleMs?: number | undefined;
  /** Called when a session ends to make room for another one. */
  readonly evicted?: (() => void) | undefined;
  /** The clock, in milliseconds. Defaults to `performance.now()`. */
  readonly now?: (() => number) | undefined;
}

const MAX_SESSIONS = 32;
const IDLE_MS = 30 * 60 * 1000;
const MAX_SWEEP_MS = 60_000;
/**
 * Sessions that were used in the last ten seconds end to make room for others only so many at once, and then one every
 * ten seconds. With more busy hosts than sessions, all of them would begin again all the time, and each start of a server
 * delays the calls of all others: with one per second, p99 of 64 hosts was ten times that of 32.
 */
const IN_USE = { withinMs: 10_000, atOnce: 8, everyMs: 10_000 };

/** What identifies the session of a request: its id and its caller. The same id of another caller is another session. */
interface SessionAddress {
  readonly id: string;
  readonly key: string;
  readonly store: SessionStore;
  readonly authInfo: FetchOptions['authInfo'];
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
 * @param options how to make a server, the policy, and when sessions end
 * @returns a handler, which supports streams of notifications
 * @example
 * const proxy = proxySessions({ server: () => proxyTo(new ChildTransport('node', ['server.js'])), policy });
 */
export function proxySessions(options: SessionProxyOptions) {
  const { maxSessions = MAX_SESSIONS, idleMs = IDLE_MS, now = () => performance.now() } = options;
  // The order of insertion is the order of use: the least recently used session is the first.
  const sessions = new Map<string, Session>();
  const adopting = new Map<string, Promise<Session | Response>>();
  const opening = new Set<Promise<unknown>>();
  let isEnding = false;
  let evictions = { left: IN_USE.atOnce, at: now() };
  const sweeping = setInterval(sweep, Math.min(MAX_SWEEP_MS, Math.max(idleMs / 4, 10)));
  sweeping.unref();

  function sweep(): void {
    const before = now() - idleMs;
    for (const [key, session] of sessions) if (!session.isBusy && session.usedAt < before) void end(key);
  }

  async function end(key: string): Promise<void> {
    const session = sessions.get(key);
    sessions.delete(key);
    await session?.close();
  }

  function addressOf(id: string, { authInfo }: FetchOptions): SessionAddress {
    const { store } = options;
    if (authInfo === undefined) return { id, key: JSON.stringify([id]), store, authInfo };
    const key = JSON.stringify([id, ...(principalOf(authInfo) ?? [])]);
    return { id, key, store: bindSessions(store, authInfo), authInfo };
  }

  /** Returns the session to end if there are too many: the least recently used one without an open stream, else without an open request. */
  function dispensable(): readonly [string, Session] | undefined {
    const all = [...sessions];
    return all.find(([, { isBusy }]) => !isBusy) ?? all.find(([, { isAnswering }]) => !isAnswering);
  }

  /** Whether a session may end for another one now. One that is in use takes one of the few that may. */
  function takeEviction({ usedAt }: Session): boolean {
    const at = now();
    if (usedAt < at - IN_USE.withinMs) return true;
    const left = Math.min(IN_USE.atOnce, evictions.left + (at - evictions.at) / IN_USE.everyMs);
    evictions = { left: left < 1 ? left : left - 1, at };
    return left >= 1;
  }

  /** Opens a session, in the place of another one if there are too many. While all others are in use, there is no room. */
  async function open(
    { id, key, store }: SessionAddress,
    session: SessionId | undefined,
  ): Promise<Session | Response> {
    const ending: Promise<void>[] = [];
    while (sessions.size + opening.size >= maxSessions) {
      const oldest = dispensable();
      if (oldest === undefined || !takeEviction(oldest[1])) {
        return unavailable(
          `All ${maxSessions} sessions are busy. Try again later, or serve more with --sessions.`,
        );
      }
      const [oldestKey, leaving] = oldest;
      ending.push(end(oldestKey));
      // What is sealed in the id of the session that leaves must not open it again. A shared store knows more than the id.
      if (options.isShared !== true) ending.push(leaving.retire());
      options.evicted?.();
    }
    // The process of the new session starts after those of the ended ones have ended.
    const slot = Promise.all(ending).then(() =>
      openSession(id, { ...options, store, session, now }, () => void sessions.delete(key)),
    );
    opening.add(slot);
    try {
      const opened = await slot;
      sessions.set(key, opened);
      return opened;
    } finally {
      opening.delete(slot);
    }
  }

  function answer(
    { key, authInfo }: SessionAddress,
    session: Session,
    request: Request,
    given: FetchOptions,
  ) {
    sessions.delete(key);
    sessions.set(key, session);
    return session.handle(request, { ...given, authInfo, report: reportWith(given) });
  }

  async function begin(request: Request, given: FetchOptions): Promise<Response> {
    if (request.method !== 'POST') {
      return refused('This request requires the Mcp-Session-Id header of a session.');
    }
    const body = await readJson(request, given);
    if (body instanceof Response) return body;
    if (read(body.value, 'method') !== METHODS.initialize) {
      return refused('A request without the Mcp-Session-Id header must be initialize.');
    }
    const sealed = sealedFor(given);
    const id = newSessionId(sealed, offeredRecord(sealed.policy, read(body.value, 'params')));
    const address = addressOf(id, given);
    const session = await open(address, openSessionId(sealed, id, lifeOf(options.store)));
    if (session instanceof Response) return session;
    const unread = new Request(request.url, { method: 'POST', headers: request.headers });
    const response = await answer(address, session, unread, { ...given, parsedBody: body.value });
    // The transport refused the request, so the host knows no session that it could end.
    if (!response.ok) await end(address.key);
    return response;
  }

  const sealedFor = ({ sessionSecret: secret, authInfo }: FetchOptions): SealedFor => ({
    policy: policyInForce(options.policy),
    secret,
    caller: principalOf(authInfo),
  });

  /** Opens a session under an id that a host kept. */
  function adopt(
    address: SessionAddress,
    session: SessionId,
    found: SessionRead | undefined,
    request: Request,
  ): Promise<Session | Response> {
    const { key, store, authInfo } = address;
    let isContinued = false;
    // This process repeats `initialize` for the client. What the store has of the session is stronger than what that says.
    const update: SessionStore['update'] = async (id, change) => {
      if (isContinued) return store.update(id, change);
      return found?.state === 'live' ? 'stored' : store.update(id, { ...change, ...session.sealed });
    };
    return open({ ...address, store: { ...store, update } }, session)
      .then(async (opened) => {
        const refusal = opened instanceof Response ? opened : await opened.initialize(request, authInfo);
        isContinued = true;
        if (refusal === undefined) return opened;
        await end(key);
        return isEnding ? unavailable(ENDING) : refusal;
      })
      .finally(() => adopting.delete(key));
  }

  return {
    /** How many sessions have a server now. */
    get size() {
      return sessions.size;
    },
    /** Ends the sessions that were not used for the idle time. Runs regularly by itself. */
    sweep,
    async fetch(request: Request, given: FetchOptions = {}): Promise<Response> {
      const id = request.headers.get('mcp-session-id');
      const { parsedBody } = given;
      const address = id === null ? undefined : addressOf(id, given);
      // A running call may wait for the answer to a question, which is not a request.
      const expectsAnswer = parsedBody === undefined || requestIdsIn(parsedBody).length > 0;
      if (isEnding && (expectsAnswer || address === undefined || !sessions.has(address.key)))
        return unavailable(ENDING);
      if (address === undefined) return begin(request, given);
      const { key, store } = address;
      // A session that was found is used at once: while this waits, it could end to make room.
      if (options.isShared !== true) {
        const begun = adopting.get(key);
        const session = begun === undefined ? sessions.get(key) : await begun;
        if (session instanceof Response) return session.clone();
        if (session !== undefined) return answer(address, session, request, given);
      }
      const kept = openSessionId(sealedFor(given), address.id, lifeOf(options.store));
      const found =
        kept &&
        (await observedStore(store, given.storeCall)
          .read(kept.key)
          .catch(() => undefined));
      // If the store saw every session, one that it does not know was lost, and with it what was switched.
      const isForgotten =
        found?.state === 'unknown' && (options.isShared === true || given.sessionSecret === undefined);
      const begun = adopting.get(key);
      const session = begun === undefined ? sessions.get(key) : await begun;
      if (kept === undefined || isForgotten || isGone(found, kept)) {
        // A seal that opens is of a session of this endpoint, so the store has lost it.
        if (isForgotten && kept?.sealed !== undefined)
          given.storeCall?.({ operation: 'read', ms: 0, failed: UNKNOWN_SESSION.code });
        if (!(session instanceof Response)) await end(key);
        return failure(404, HTTP_ERRORS.notFound, GONE);
      }
      // The id does not know what was switched: with it, the session would show more, and keep that.
      if (session === undefined && found === undefined) return unavailable(UNREADABLE);
      if (session === undefined && request.method === 'DELETE') {
        await store.end(kept.key);
        return new Response(null, { status: 204 });
      }
      const opened = session ?? (await getOrMake(adopting, key, () => adopt(address, kept, found, request)));
      // Its session may have been waited for already.
      if (isEnding && expectsAnswer) return unavailable(ENDING);
      return opened instanceof Response ? opened.clone() : answer(address, opened, request, given);
    },
    /** Ends all sessions. Requests that run have so many milliseconds to be answered; the others get an error. */
    async close(drainMs = 0): Promise<void> {
      isEnding = true;
      clearInterval(sweeping);
      await Promise.all([...sessions.values()].map((each) => each.answerAll(drainMs)));
      await Promise.allSettled(opening);
      await Promise.all([...sessions.keys()].map(end));
    },
  };
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
const UNREADABLE = 'The session store does not answer. Try again later.';

const unavailable = (message: string): Response =>
  failure(503, HTTP_ERRORS.internal, message, { 'Retry-After': '5' });

const refused = (message: string): Response => failure(400, HTTP_ERRORS.refused, message);
