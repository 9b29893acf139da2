import QuickLRU from 'quick-lru';
import { KINDS } from '../../engine/policy.js';
import { gatedTransport } from '../../gate/edge/gated-transport.js';
import { getOrMake, once } from '../../once.js';
import {
  fromSdk,
  isRequest,
  type Request as ListRequest,
  type Message,
  read,
  toSdk,
} from '../../wire/messages.js';
import type { MessageExtra } from '../../wire/transport.js';
import type { FetchHandler, FetchOptions, HandlerOptions } from '../fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http-errors.js';
import { parserOf, readJson } from '../request-body.js';
import { failedRequest } from '../servers/failed-request.js';
import { GONE, hasForeignSession, isGone, keptFor, openSession, sessionOf } from '../sessions.js';
import { SharedText, type TextParts, textResponse } from '../streams/text-response.js';
import { DirectTransport } from './direct-transport.js';
import type { KnownLists } from './known-lists.js';
import { hasPlainHeaders, plainList } from './plain-list.js';
import { answerFrom, isKnown } from './stub-server.js';

type Options = Pick<HandlerOptions, 'policy' | 'store' | 'preferences' | 'maxBodyBytes' | 'keepsNumbers'>;

/**
 * Answers requests for known lists without the server and without the transport of the SDK. The answers have the same
 * bytes as those of the SDK. Any request that is not plainly a request for such a list goes to another handler.
 *
 * @param options the policy, and where sessions are kept
 * @param lists the known lists
 * @param rest answers all other requests
 * @returns a handler for requests of any path
 */
export function answerKnownLists(options: Options, lists: KnownLists, rest: FetchHandler): FetchHandler {
  return async (request, given = {}) => {
    if (request.method !== 'POST' || !hasPlainHeaders(request.headers)) return rest(request, given);
    const body = await readJson(request, given, options.maxBodyBytes, parserOf(options));
    if (body instanceof Response) return body;
    const listRequest = plainList(body.value);
    if (listRequest === undefined || !isKnown(lists.known, listRequest)) {
      // A property that is added to a copy takes V8 a microsecond, a copy that is added to properties a twentieth of it.
      const { parsedBody = body.value, ...others } = given;
      return rest(request, { parsedBody, ...others });
    }

    try {
      return await answerList(request, listRequest, given);
    } catch (cause) {
      return failedRequest(cause, request, listRequest, given);
    }
  };

  async function answerList(
    request: Request,
    listRequest: ListRequest,
    given: FetchOptions,
  ): Promise<Response> {
    const kept = keptFor(options, given);
    if (kept.store !== undefined && hasForeignSession(request.headers))
      return failure(404, HTTP_ERRORS.notFound, GONE);
    const sessionId = kept.store && sessionOf(request.headers);
    const { session, ahead } = openSession(kept, sessionId, true);
    if (isGone(await ahead?.session, session)) return failure(404, HTTP_ERRORS.notFound, GONE);
    const transport = new DirectTransport(sessionId);
    const gated = gatedTransport(transport, {
      policy: options.policy,
      store: ahead?.store ?? kept.store,
      session: ahead?.known() ?? session,
      principal: kept.principal,
      report: given.report,
      names: given.names,
      shared: lists.shared,
    });
    gated.onmessage = (received) => {
      const message = fromSdk(received);
      if (isRequest(message)) void gated.send(toSdk(answerFrom(lists.known, message)));
    };
    await gated.start();
    const answer = await transport.request(listRequest, extraOf(request, given));
    await gated.settled();
    await transport.close();
    const header: Record<string, string> = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
    return textResponse(writeAnswer(answer), { headers: { 'Content-Type': 'application/json', ...header } });
  }
}

/** @returns what transports of SDK v1 tell about a request */
function extraOf({ url, headers }: Request, { authInfo }: FetchOptions): MessageExtra {
  const requestInfo = { headers: Object.fromEntries(headers), url: new URL(url) };
  return authInfo === undefined ? { requestInfo } : { requestInfo, authInfo };
}

/**
 * The JSON of whole lists. Equal configurations share one list, so a warm answer only has to copy its text. The number is
 * small, because each text may have megabytes.
 */
const lists = new QuickLRU<readonly unknown[], SharedText>({ maxSize: 4 });

/** The JSON of items that many answers repeat. Writing it takes most of the time of an answer from a known list. */
const texts = new WeakMap<object, string>();

/**
 * Writes the answer to a list request, with the same bytes as `JSON.stringify`.
 *
 * @param message the answer; its items belong to known lists, which never change
 * @returns its JSON, in parts
 */
export function writeAnswer(message: Message): TextParts {
  const result = read(message, 'result');
  const kind = KINDS.find((each) => Array.isArray(read(result, each)));
  const items = kind === undefined ? undefined : read(result, kind);
  if (kind === undefined || !Array.isArray(items)) return [JSON.stringify(message)];
  const written = JSON.stringify({ ...message, result: { ...Object(result), [kind]: place() } });
  const [before = '', after = ''] = written.split(JSON.stringify(place()));
  return [before, listTextOf(items), after];
}

/** The place of a list in its answer: a text that no client can know. */
const place = once(() => crypto.randomUUID());

const listTextOf = (items: readonly unknown[]): SharedText =>
  getOrMake(lists, items, () => new SharedText(`[${items.map(textOf).join()}]`));

function textOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item) ?? 'null';
  return getOrMake(texts, item, () => JSON.stringify(item));
}
