import {
  type Answer,
  ERRORS,
  eraOf,
  type Failure,
  failure,
  type Message,
  type Request,
  type RequestId,
} from './wire.js';

/** Sends the server a request of the gate's own. */
export type AskServer = (
  method: string,
  params: Record<string, unknown>,
  then: (response: Answer | Failure) => void,
) => void;

type Then = (response: Answer | Failure) => void;

/**
 * What the gate itself asks the server. One question is sent after the other: a server that answers at once, page after
 * page, would otherwise be asked from within its own answers, thousands deep.
 */
export class Questions {
  private readonly open = new Map<RequestId, Then>();
  private readonly unsent: (() => void)[] = [];
  private sending = false;
  private name: string | undefined;
  private asked = 0;

  /** Whether an answer is waited for. */
  get waiting(): boolean {
    return this.open.size > 0;
  }

  /**
   * @param request the client's request on whose behalf the server is asked
   * @param send gives the server a message
   * @returns a function that asks
   */
  askFor(request: Request, send: (message: Message) => void): AskServer {
    const envelope = envelopeOf(request);
    return (method, params, then) => {
      // A client must not be able to use such an id itself.
      this.name ??= crypto.randomUUID();
      const id = `${this.name}/${++this.asked}`;
      this.open.set(id, then);
      this.unsent.push(() => {
        try {
          send({ jsonrpc: '2.0', id, method, params: { ...params, ...envelope } });
        } catch {
          this.take(failure(id, ERRORS.internal, 'The server could not be asked.'));
        }
      });
      this.sendAll();
    };
  }

  /** @returns whether a message was an answer to a question: then it is nobody else's */
  take(message: Answer | Failure): boolean {
    const then = message.id === undefined ? undefined : this.open.get(message.id);
    if (then === undefined || message.id === undefined) return false;
    this.open.delete(message.id);
    then(message);
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
