import { offeredRecord } from '../gate/concerns/initialize.js';
import type { SessionId } from '../gate/request/kept-preferences.js';
import { policyInForce } from '../gate/request/live-policy.js';
import { newSessionId, openSessionId } from '../gate/request/session-id.js';
import type { FetchOptions } from '../http/fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http/http-errors.js';
import { readJson, requestIdsIn } from '../http/request-body.js';
import { GONE, storeKeyOf } from '../http/sessions.js';
import { METHODS, read } from '../wire/messages.js';
import { openSession, type Session, type SessionServerOptions } from './session.js';

/** How to make a server for one session, the policy, and when sessions end. */
export interface SessionProxyOptions extends SessionServerOptions {
  /** Keeps the preferences of sessions, and which of them have ended. */
  readonly store: NonNullable<SessionServerOptions['store']>;
  /** The maximum number of sessions that have a server. The least recently used one ends first. Defaults to 32. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds without a request or an open stream after which a session ends. Defaults to 30 minutes. */
  readonly idleMs?: number | undefined;
  /** Called when a session ends to make room for another one. */
  readonly evicted?: (() => void) | undefined;
}

const MAX_SESSIONS = 32;
const IDLE_MS = 30 * 60 * 1000;
const MAX_SWEEP_MS = 60_000;

/**
 * Serves over Streamable HTTP, with one server per session. It is meant for one machine with a few sessions, as in
 * `mcp-concerns serve`.
 *
 * Many hosts never end their sessions, and keep a session id over a restart of this process. So a session also ends
 * after a time without use and when there are too many. A request with an id that this process does not know gets a new server
 * under that id, if the id says what the host prefers, and the store does not say that the session has ended; else 404. A session
 * that ended to make room has ended.
 *
 * @param options how to make a server, the policy, and when sessions end
 * @returns a handler, which supports streams of notifications
 * @example
 * const proxy = proxySessions({ server: () => proxyTo(new ChildTransport('node', ['server.js'])), policy });
 */
export function proxySessions(options: SessionProxyOptions) {
  const { maxSessions = MAX_SESSIONS, idleMs = IDLE_MS } = options;
  // The order of insertion is the order of use: the least recently used session is the first.
  const sessions = new Map<string, Session>();
  const adopting = new Map<string, Promise<Session | Response>>();
  const opening = new Set<Promise<unknown>>();
  let isEnding = false;
  const sweep = setInterval(endIdle, Math.min(MAX_SWEEP_MS, Math.max(idleMs / 4, 10)));
  sweep.unref();

  function endIdle(): void {
    const before = performance.now() - idleMs;
    for (const [id, session] of sessions) if (!session.isBusy && session.usedAt < before) void end(id);
  }

  async function end(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close();
  }

  /** Returns the session to end if there are too many: the least recently used one that answers nothing. */
  function dispensable(): string | undefined {
    const all = [...sessions];
    const [id] =
      all.find(([, { isBusy }]) => !isBusy) ?? all.find(([, { isAnswering }]) => !isAnswering) ?? [];
    return id;
  }

  /** Opens a session, in the place of another one if there are too many. While all others answer requests, there is no room. */
  async function open(id: string, sessionId: SessionId | undefined): Promise<Session | Response> {
    const ending: Promise<void>[] = [];
    while (sessions.size + opening.size >= maxSessions) {
      const oldest = dispensable();
      if (oldest === undefined) {
        return unavailable(`All ${maxSessions} sessions are busy. Try again later.`);
      }
      // What is sealed in the id must not open it again.
      ending.push(end(oldest), options.store.end(storeKeyOf(oldest)));
      options.evicted?.();
    }
    // The process of the new session starts after those of the ended ones have ended.
    const slot = Promise.all(ending).then(() =>
      openSession(id, { ...options, session: sessionId }, () => void sessions.delete(id)),
    );
    opening.add(slot);
    try {
      const session = await slot;
      sessions.set(id, session);
      return session;
    } finally {
      opening.delete(slot);
    }
  }

  function answer(id: string, session: Session, request: Request, body?: unknown): Promise<Response> {
    sessions.delete(id);
    sessions.set(id, session);
    return session.handle(request, body);
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
    const policy = policyInForce(options.policy);
    const sealedFor = { policy, secret: given.sessionSecret };
    const id = newSessionId(sealedFor, offeredRecord(policy, read(body.value, 'params')));
    const session = await open(id, openSessionId(sealedFor, id));
    if (session instanceof Response) return session;
    const unread = new Request(request.url, { method: 'POST', headers: request.headers });
    const response = await answer(id, session, unread, body.value);
    // The transport refused the request, so the host knows no session that it could end.
    if (!response.ok) await end(id);
    return response;
  }

  /** Opens a session under an id that a host kept. */
  function adopt(id: string, sessionId: SessionId, request: Request): Promise<Session | Response> {
    const known = adopting.get(id);
    if (known !== undefined) return known;
    const adopted = open(id, sessionId)
      .then(async (session) => {
        const refused = session instanceof Response ? session : await session.initialize(request);
        if (refused === undefined) return session;
        await end(id);
        return isEnding ? unavailable(ENDING) : refused;
      })
      .finally(() => adopting.delete(id));
    adopting.set(id, adopted);
    return adopted;
  }

  return {
    /** How many sessions have a server now. */
    get size() {
      return sessions.size;
    },
    async fetch(request: Request, given: FetchOptions = {}): Promise<Response> {
      const id = request.headers.get('mcp-session-id');
      const { parsedBody, sessionSecret: secret } = given;
      // A running call may wait for the answer to a question, which is not a request.
      const asks = parsedBody === undefined || requestIdsIn(parsedBody).length > 0;
      if (isEnding && (asks || id === null || !sessions.has(id))) {
        return unavailable(ENDING);
      }
      if (id === null) return begin(request, given);
      const known = await (adopting.get(id) ?? sessions.get(id));
      if (known instanceof Response) return known.clone();
      if (known !== undefined) return answer(id, known, request, parsedBody);
      const kept = openSessionId({ policy: policyInForce(options.policy), secret }, id);
      const gone = failure(404, HTTP_ERRORS.notFound, GONE);
      if (kept?.sealed === undefined || (await options.store.read(kept.key)).state === 'ended') return gone;
      if (request.method === 'DELETE') return options.store.end(kept.key).then(() => gone);
      const adopted = await adopt(id, kept, request);
      return adopted instanceof Response ? adopted.clone() : answer(id, adopted, request, parsedBody);
    },
    /** Ends all sessions. Requests that run have so many milliseconds to be answered; the others get an error. */
    async close(drainMs = 0): Promise<void> {
      isEnding = true;
      clearInterval(sweep);
      await Promise.all([...sessions.values()].map(({ answerAll }) => answerAll(drainMs)));
      await Promise.allSettled(opening);
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

const ENDING = 'The endpoint is ending. Try again later.';

const unavailable = (message: string): Response =>
  failure(503, HTTP_ERRORS.internal, message, { 'Retry-After': '5' });

const refused = (message: string): Response => failure(400, HTTP_ERRORS.refused, message);
