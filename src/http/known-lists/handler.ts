import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import { attachConcerns } from '../../protocol/attach.js';
import { isResponse, type Request as ListRequest, type Message } from '../../protocol/messages/wire.js';
import type { FetchHandler, FetchOptions, HandlerOptions } from '../fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http-errors.js';
import { observedStore } from '../observer.js';
import { parseJson, readText } from '../request-body.js';
import { bindSessions, readAhead, sessionOf } from '../sessions.js';
import { textResponse } from '../text-response.js';
import { writeAnswer } from './list-text.js';
import { hasPlainHeaders, plainList } from './plain-list.js';
import type { StaticLists } from './known-lists.js';
import { standInFor } from './stub-server.js';

type Options = Pick<HandlerOptions, 'policy' | 'store' | 'maxBodyBytes'>;

/**
 * Answers requests for lists that are known before anything else is loaded or built: no server, and no transport of the
 * SDK, whose answers these are to the byte. What is not plainly such a request is left to another handler.
 *
 * @param options the policy, and where sessions are kept
 * @param lists the lists that are known
 * @param rest answers everything else
 * @returns a handler for requests of any path
 * @example
 * const handle = answerListsFirst({ policy, store }, staticLists(server, policy, snapshot, 'legacy'), rest);
 */
export function answerListsFirst(options: Options, lists: StaticLists, rest: FetchHandler): FetchHandler {
  return async (request, given = {}) => {
    if (request.method !== 'POST' || !hasPlainHeaders(request.headers)) return rest(request, given);
    const text = await readText(request, options.maxBodyBytes);
    if (typeof text !== 'string') return text;
    const asked = plainList(parseJson(text));
    const standIn = asked === undefined ? undefined : standInFor(lists.known, [asked]);
    if (asked === undefined || standIn === undefined) {
      const { url, headers, signal } = request;
      return rest(new Request(url, { method: 'POST', headers, body: text, signal }), given);
    }

    const store =
      options.store && bindSessions(observedStore(options.store, given.storeCall), given.authInfo);
    const sessionId = store === undefined ? undefined : sessionOf(request.headers);
    const ahead = store === undefined || sessionId === undefined ? undefined : readAhead(store, sessionId);
    if ((await ahead?.session)?.state === 'ended') {
      return failure(404, HTTP_ERRORS.notFound, 'The session was ended; initialize a new one.');
    }
    const concerns = attachConcerns(standIn, {
      policy: options.policy,
      store: ahead?.store ?? store,
      report: given.report,
      shared: lists.shared,
    });
    const wire = new OneAnswer(sessionId);
    await standIn.connect(wire as never);
    const answer = await wire.ask(asked, extraOf(request, given));
    await concerns.settled();
    await wire.close();
    const session: Record<string, string> = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
    return textResponse(writeAnswer(answer), { headers: { 'Content-Type': 'application/json', ...session } });
  };
}

/** What transports of SDK v1 tell of a request. */
function extraOf({ url, headers }: Request, { authInfo }: FetchOptions): MessageExtraInfo {
  const requestInfo = { headers: Object.fromEntries(headers), url: new URL(url) };
  return authInfo === undefined ? { requestInfo } : { requestInfo, authInfo };
}

/** A transport for one request. What is not its answer has no way to the client: the answer is no stream. */
class OneAnswer implements Transport {
  onclose?: () => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private answered: (message: Message) => void = () => undefined;

  constructor(readonly sessionId: string | undefined) {}

  ask(request: ListRequest, extra: MessageExtraInfo): Promise<Message> {
    return new Promise((resolve) => {
      this.answered = resolve;
      this.onmessage?.(request as JSONRPCMessage, extra);
    });
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (isResponse(message as Message)) this.answered(message as Message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
