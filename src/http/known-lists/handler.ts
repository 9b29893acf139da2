import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import { gatedTransport } from '../../gate/edge/gated-transport.js';
import { policyInForce } from '../../gate/request/live-policy.js';
import { openSessionId } from '../../gate/request/session-id.js';
import {
  fromSdk,
  isRequest,
  isResponse,
  type Request as ListRequest,
  type Message,
  toSdk,
} from '../../wire/messages.js';
import { checkPreferenceOptions, principalPreferences } from '../callers/principal.js';
import type { FetchHandler, FetchOptions, HandlerOptions } from '../fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http-errors.js';
import { observedStore } from '../observer.js';
import { readJson } from '../request-body.js';
import { bindSessions, GONE, isGone, lastKnownIn, principalOf, readAhead, sessionOf } from '../sessions.js';
import { textResponse } from '../streams/text-response.js';
import type { KnownLists } from './known-lists.js';
import { writeAnswer } from './list-text.js';
import { hasPlainHeaders, plainList } from './plain-list.js';
import { answerFrom, isKnown } from './stub-server.js';

type Options = Pick<HandlerOptions, 'policy' | 'store' | 'preferences' | 'maxBodyBytes'>;

/**
 * Answers requests for known lists without the server and without the transport of the SDK. The answers have the same
 * bytes as those of the SDK. Any request that is not plainly a request for such a list goes to another handler.
 *
 * @param options the policy, and where sessions are kept
 * @param lists the known lists
 * @param rest answers all other requests
 * @returns a handler for requests of any path
 * @throws {HandlerError} if preferences are kept per caller, but there is no store
 */
export function answerKnownLists(options: Options, lists: KnownLists, rest: FetchHandler): FetchHandler {
  checkPreferenceOptions(options);
  const lastKnown = options.store && lastKnownIn(options.store);
  return async (request, given = {}) => {
    if (request.method !== 'POST' || !hasPlainHeaders(request.headers)) return rest(request, given);
    const body = await readJson(request, given, options.maxBodyBytes);
    if (body instanceof Response) return body;
    const listRequest = plainList(body.value);
    if (listRequest === undefined || !isKnown(lists.known, listRequest)) {
      // A property that is added to a copy takes V8 a microsecond, a copy that is added to properties a twentieth of it.
      const { parsedBody = body.value, ...others } = given;
      return rest(request, { parsedBody, ...others });
    }

    const observed = options.store && observedStore(options.store, given.storeCall);
    const store = observed && bindSessions(observed, given.authInfo);
    const sessionId = store === undefined ? undefined : sessionOf(request.headers);
    const sealedFor = {
      policy: policyInForce(options.policy),
      caller: principalOf(given.authInfo),
      secret: given.sessionSecret,
    };
    const session = sessionId === undefined ? undefined : openSessionId(sealedFor, sessionId);
    const ahead =
      store === undefined || lastKnown === undefined || session === undefined
        ? undefined
        : readAhead(store, lastKnown, session, sealedFor.caller);
    if (isGone(await ahead?.session, session)) return failure(404, HTTP_ERRORS.notFound, GONE);
    const transport = new OneAnswerTransport(sessionId);
    const gated = gatedTransport(transport, {
      policy: options.policy,
      store: ahead?.store ?? store,
      session: ahead?.known() ?? session,
      principal: principalPreferences(options.preferences, observed, given.authInfo),
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
  };
}

/** @returns what transports of SDK v1 tell about a request */
function extraOf({ url, headers }: Request, { authInfo }: FetchOptions): MessageExtraInfo {
  const requestInfo = { headers: Object.fromEntries(headers), url: new URL(url) };
  return authInfo === undefined ? { requestInfo } : { requestInfo, authInfo };
}

/** A transport for one request. It drops every message that is not the answer, because the response is not a stream. */
class OneAnswerTransport implements Transport {
  onclose?: () => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private answered: (message: Message) => void = () => undefined;

  constructor(readonly sessionId: string | undefined) {}

  request(request: ListRequest, extra: MessageExtraInfo): Promise<Message> {
    return new Promise((resolve) => {
      this.answered = resolve;
      this.onmessage?.(toSdk(request), extra);
    });
  }

  async start(): Promise<void> {}

  async send(sent: JSONRPCMessage): Promise<void> {
    const message = fromSdk(sent);
    if (isResponse(message)) this.answered(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
