import {
  type Answer,
  ERRORS,
  eraOf,
  errorOf,
  type Failure,
  failure,
  type Message,
  type Request,
  type RequestId,
} from './messages.js';
import { type PageReader, PageWalk, type WalkEnd } from './page-walker.js';

type OnResponse = (response: Answer | Failure) => void;

/** Sends the server a request made by the gate itself. */
export type AskServer = (method: string, params: Record<string, unknown>, onResponse: OnResponse) => void;

/**
 * The requests that the gate itself sent to the server and that have no response yet. One request is sent after the
 * other: if a server answers immediately, page after page, each request would otherwise be sent from within the response
 * to the one before, thousands of calls deep.
 */
export class PendingRequests {
  private readonly waiting = new Map<RequestId, OnResponse>();
  private readonly unsent: (() => void)[] = [];
  private sending = false;
  private prefix: string | undefined;
  private count = 0;

  /** Whether a response is awaited. */
  get isWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /**
   * Returns a function that sends requests on behalf of a client's request.
   *
   * @param request the client's request
   * @param send delivers a message to the server
   */
  askFor(request: Request, send: (message: Message) => void): AskServer {
    const envelope = envelopeOf(request);
    return (method, params, onResponse) => {
      // Random, so that no client can use such an id itself.
      this.prefix ??= crypto.randomUUID();
      const id = `${this.prefix}/${++this.count}`;
      this.waiting.set(id, onResponse);
      this.unsent.push(() => {
        try {
          send({ jsonrpc: '2.0', id, method, params: { ...params, ...envelope } });
        } catch {
          this.take(failure(id, ERRORS.internal, `The server did not accept the ${method} request.`));
        }
      });
      this.sendAll();
    };
  }

  /** Returns true if the message is the response to one of these requests: then nothing else may handle it. */
  take(message: Answer | Failure): boolean {
    const { id } = message;
    const onResponse = id === undefined || id === null ? undefined : this.waiting.get(id);
    if (onResponse === undefined || id === undefined || id === null) return false;
    this.waiting.delete(id);
    onResponse(message);
    return true;
  }

  private sendAll(): void {
    if (this.sending) return;
    this.sending = true;
    try {
      for (let next = this.unsent.shift(); next !== undefined; next = this.unsent.shift()) next();
    } finally {
      this.sending = false;
    }
  }
}

/** Modern servers refuse requests without the protocol version and the client's capabilities in `_meta`. */
function envelopeOf(request: Request): { _meta?: object } {
  if (eraOf(request) === 'legacy') return {};
  const meta = Object.entries(request.params?._meta as object);
  return { _meta: Object.fromEntries(meta.filter(([name]) => name.startsWith('io.modelcontextprotocol/'))) };
}

/**
 * Asks the server for all pages of a list.
 *
 * @param ask sends a request to the server
 * @param method a list method, such as `tools/list`
 * @param reader the bounds, and what to do with each page
 * @param then called once, with the reason why the walk ended
 * @example
 * askForPages(ask, 'tools/list', { bounds: { pages: 100 }, onPage: keep }, (end) => use(end.kind === 'complete'));
 */
export function askForPages(
  ask: AskServer,
  method: string,
  { bounds = {}, onPage }: PageReader<Record<string, unknown>>,
  then: (end: WalkEnd<Failure['error']>) => void,
): void {
  const walk = new PageWalk(bounds);
  const onResponse = (response: Answer | Failure): void => {
    if ('error' in response) return then({ kind: 'failed', error: errorOf(response) });
    const step = walk.next(response.result, onPage(response.result));
    if (step.kind !== 'more') return then(step);
    ask(method, { cursor: step.cursor }, onResponse);
  };
  ask(method, {}, onResponse);
}
