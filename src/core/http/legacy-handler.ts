import { offeredRecord } from '../gate/concerns/initialize.js';
import { gatedTransport } from '../gate/edge/gated-transport.js';
import { newSessionId } from '../gate/request/session-id.js';
import { passesBy } from '../gate/table/routing.js';
import { TaskMemory } from '../gate/tasks/task-records.js';
import { once } from '../once.js';
import { beforeAbort } from '../session/before-abort.js';
import type { SessionStore } from '../session/store.js';
import { ERRORS, LIST_CHANGES, LISTS, METHODS, type Message, read, shapeOf } from '../wire/messages.js';
import type { HttpTransportClass, Transport } from '../wire/transport.js';
import { insufficientScope } from './callers/authorization.js';
import { passRefusal } from './callers/refused-caller.js';
import { checkOptions } from './check-options.js';
import type { FetchHandler, FetchOptions, HandlerOptions } from './fetch-handler.js';
import { failure, HTTP_ERRORS } from './http-errors.js';
import { answerKnownLists } from './known-lists/handler.js';
import { createKnownLists, type KnownLists } from './known-lists/known-lists.js';
import { parserOf, readJson } from './request-body.js';
import { withServerCard } from './server-card/serve-card.js';
import { failedRequest } from './servers/failed-request.js';
import { onlyNew } from './servers/new-servers.js';
import {
  GONE,
  hasForeignSession,
  isGone,
  keptFor,
  learnFirst,
  openSession,
  sessionOf,
  storeKeyOf,
} from './sessions.js';
import { closeAfter } from './streams/closing-response.js';
import { readReturn, resultRequest, taskResultTransport } from './tasks/task-results.js';
import { upstreamOf } from './upstream-server.js';

/** Methods for which the answer is the only message of the response. Plain JSON costs less than an event stream. */
const SINGLE_ANSWER: ReadonlySet<unknown> = new Set([
  METHODS.initialize,
  METHODS.listConcerns,
  'ping',
  ...Object.values(LISTS).map(({ method }) => method),
]);

/**
 * Serves a server of SDK v1 or v2 to hosts of the legacy era over Streamable HTTP, with a new server for each request. A session
 * contains only the preferences of its host, so any process that shares the store can answer any request.
 *
 * Supports protocol versions up to 2025-11-25. There is no stream besides the responses, so a GET gets a 405. The exception
 * is the GET of a client that comes back for the result of a task, which is answered once:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 *
 * @param options the server, the policy, and where sessions are kept
 * @param HttpTransport the transport of the SDK that the project has
 * @returns a handler for requests of any path. It never rejects: a request that fails gets an error with HTTP status 500
 * @throws {HandlerError} if an option is not valid, or preferences are kept per caller without a store
 */
export function createLegacyHandler(
  options: HandlerOptions,
  HttpTransport: HttpTransportClass,
): FetchHandler {
  checkOptions(options);
  const { policy, catalog } = options;
  const server = onlyNew(options.server);
  if (catalog === undefined)
    return withServerCard(policy, serveLegacy({ ...options, server }, HttpTransport));
  const lists = createKnownLists(server, policy, catalog, 'legacy');
  return withServerCard(
    policy,
    answerKnownLists(options, lists, serveLegacy({ ...options, server }, HttpTransport, lists)),
  );
}

/**
 * Serves a server as `createLegacyHandler` does, but every request goes to the server.
 *
 * @param options the server, the policy, and where sessions are kept
 * @param HttpTransport the transport of the SDK that the project has
 * @param lists lists that requests share, if they are known
 * @returns a handler for requests of any path
 */
export function serveLegacy(
  options: HandlerOptions,
  HttpTransport: HttpTransportClass,
  lists?: KnownLists,
): FetchHandler {
  const taskMemory = new TaskMemory();
  return async (request, given = {}) => {
    if (request.method === 'POST') {
      const body = await readJson(request, given, options.maxBodyBytes, parserOf(options));
      return body instanceof Response ? body : answer(request, body.value, given);
    }
    const returning = readReturn(request);
    if (returning !== undefined) return answer(returning.post, returning.message, given);
    const { store } = keptFor(options, given);
    if (request.method === 'DELETE' && store !== undefined) return endSession(store, request);
    const allow = store === undefined ? 'POST' : 'POST, DELETE';
    const message = `${request.method} is not supported here. Use ${allow}.`;
    return failure(405, HTTP_ERRORS.refused, message, { Allow: allow });
  };

  async function answer(request: Request, body: unknown, given: FetchOptions): Promise<Response> {
    try {
      return await respond(request, body, given);
    } catch (cause) {
      return failedRequest(cause, request, body, given);
    }
  }

  /** Answers the messages of a POST. */
  async function respond(request: Request, body: unknown, given: FetchOptions): Promise<Response> {
    const kept = keptFor(options, given);
    const { store, principal, lastKnown, sealedFor } = kept;
    const { policy } = sealedFor;
    const messages: unknown[] = Array.isArray(body) ? body : [body];
    if (messages.length === 0) {
      const message = 'Invalid Request: the batch is empty. Send at least one message.';
      return failure(400, HTTP_ERRORS.invalid, message);
    }
    const methods = messages.map((message) => read(message, 'method'));
    const initialize = messages.find((message) => read(message, 'method') === METHODS.initialize);
    const initializes = initialize !== undefined;
    const begin = () => newSessionId(sealedFor, offeredRecord(policy, read(initialize, 'params')));
    const sessionId = store && (initializes ? begin() : sessionOf(request.headers));
    if (store !== undefined && !initializes && hasForeignSession(request.headers))
      return failure(404, HTTP_ERRORS.notFound, GONE);
    // A ping needs nothing that is kept.
    const isRead = !initializes && methods.some((method) => method !== 'ping');
    const { session, ahead } = openSession(kept, sessionId, isRead);
    if (initializes && session !== undefined && lastKnown !== undefined)
      learnFirst(lastKnown, session, sealedFor.caller);
    await lists?.verify(given.report);
    const server = await options.server(request, given);
    const upstream = upstreamOf(server);
    const close = once(() => server.close());
    request.signal.addEventListener('abort', close, { once: true });
    // The gate needs no preferences for them. A store that hangs must not delay them, and one that answers says who has ended.
    const passBy = messages.every((message) => passesBy(policy, message as Message));
    const found = passBy && ahead !== undefined ? answerSoon(ahead.session, given) : ahead?.session;
    if (isGone(await found, session)) {
      await close();
      return failure(404, HTTP_ERRORS.notFound, GONE);
    }
    if (request.signal.aborted) {
      // The client already got an error because it took too long, so the request must not run now.
      await close();
      throw request.signal.reason;
    }
    const single = methods.every((method) => SINGLE_ANSWER.has(method));
    const result = resultRequest(messages);
    const transport =
      result !== undefined
        ? taskResultTransport(result, HttpTransport)
        : new HttpTransport({
            enableJsonResponse: single,
            // With a generator the transport requires an initialize request first. Only that request may have one.
            ...(initializes && sessionId !== undefined ? { sessionIdGenerator: () => sessionId } : {}),
          });
    if (!initializes && sessionId !== undefined) transport.sessionId = sessionId;
    const isAnnounced = (method: unknown): boolean =>
      typeof method === 'string' &&
      LIST_CHANGES.has(method) &&
      sessionId !== undefined &&
      given.announce?.(storeKeyOf(sessionId), method) === true;
    const unanswered = new Set(messages.filter((each) => shapeOf(each) === 'request').map(idOf));
    let missing: unknown;
    const send = transport.send.bind(transport);
    transport.send = async (message, sendOptions) => {
      // Each notification is sent on one stream only.
      if (isAnnounced(read(message, 'method'))) return;
      if (read(message, 'error', 'code') === ERRORS.insufficientScope && policy.asksForScopes)
        missing = read(message, 'error', 'data', 'scope');
      await send(message, sendOptions);
      if (shapeOf(message) === 'response') unanswered.delete(idOf(message));
    };
    const gated = gatedTransport(transport as Transport, {
      policy: options.policy,
      store: ahead?.store ?? store,
      session: ahead?.known() ?? session,
      principal,
      report: given.report,
      upstream: upstream?.behind,
      names: given.names,
      shared: lists?.shared,
      taskMemory,
    });
    // The cast selects the `connect` of this transport: the gate accepts servers of SDK v1 and v2.
    await (server as { connect(transport: Transport): Promise<void> }).connect(gated);
    const outgoing = upstream?.behind.readers.open(true, () => void close());
    try {
      const begun = await transport.handleRequest(request, {
        parsedBody: body,
        ...(given.authInfo === undefined ? {} : { authInfo: given.authInfo }),
      });
      const canRefuse = upstream?.behind.isLocal === false;
      const response = canRefuse ? await passRefusal(upstream, body, begun, request.signal) : begun;
      // Lambda freezes a function after its response, so preferences must be stored before it.
      await gated.settled();
      const scope = typeof missing === 'string' && !Array.isArray(body) ? missing : undefined;
      if (!single && scope === undefined)
        return outgoing?.carry(response) ?? closeAfter(response, () => unanswered.size === 0, close);
      if (scope !== undefined) await response.body?.cancel();
      // Reading a body that is one string is twice as fast as reading a stream.
      await close();
      outgoing?.abandon();
      return scope === undefined ? response : insufficientScope(scope, request, given);
    } catch (cause) {
      outgoing?.abandon();
      throw cause;
    }
  }
}

const idOf = (message: unknown): unknown => read(message, 'id');

/** How long a request that needs nothing of its session waits for the store, in milliseconds. */
const SOON_MS = 100;

const answerSoon = <T>(answer: Promise<T>, { storeCall }: FetchOptions): Promise<T | undefined> =>
  beforeAbort(answer, AbortSignal.timeout(SOON_MS)).catch(() => {
    storeCall?.({ operation: 'read', ms: SOON_MS, failed: 'TimeoutError' });
    return undefined;
  });

async function endSession(store: SessionStore, request: Request): Promise<Response> {
  const id = sessionOf(request.headers);
  if (id === undefined) {
    const message = 'DELETE needs the Mcp-Session-Id header of the session to end.';
    return failure(400, HTTP_ERRORS.refused, message);
  }
  try {
    await store.end(storeKeyOf(id));
  } catch {
    return failure(503, HTTP_ERRORS.internal, 'The session could not be ended. Try again.');
  }
  return new Response(null, { status: 204 });
}
