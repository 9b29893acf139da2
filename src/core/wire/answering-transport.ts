import type { AnswerChange, Answerer, Call, CallAnswer, CallSender, Sent } from './calls.js';
import { GATE, type GateLink, gateOf } from './gate-link.js';
import {
  CLIENT_CAPABILITIES_META,
  ERRORS,
  eraOf,
  fromSdk,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type Notification,
  type Request,
  type RequestId,
  read,
  toSdk,
} from './messages.js';
import type { JsonRpcMessage, MessageExtra, SendOptions, Transport } from './transport.js';
import { TransportLayer } from './transport-layer.js';

/**
 * Turns the messages that reach a server into calls, and asks an answerer before the server. Of both only this layer knows
 * ids. A gate in the transport, if there is one, sees all that is sent.
 */
export class AnsweringTransport extends TransportLayer {
  /** The calls that are being answered. */
  private readonly open = new Map<unknown, AbortController>();
  /** How to change the server's answers to the calls that it got. */
  private readonly changes = new Map<unknown, AnswerChange>();
  private readonly life = new AbortController();
  private readonly name: string;
  private readonly gate: GateLink;
  /** What the answerer acknowledges of streams that the server gets too. */
  private readonly acknowledging = new Map<unknown, (served: Notification | undefined) => void>();
  /** What the client declared in `initialize`. After it, the era belongs to the connection. */
  private declared: unknown = undefined;

  constructor(
    inner: Transport,
    private readonly answerer: Answerer,
  ) {
    super(inner);
    this.gate = gateOf(inner);
    this.name = answerer.session ?? crypto.randomUUID();
    // The gate answers tasks/list itself if there is something to list.
    if (answerer.tools.length === 0) return;
    this.gate.listTasksWith({
      tools: answerer.tools,
      list: (query, extra) =>
        answerer.list(query, this.senderOf(extra as MessageExtra | undefined)).catch((cause: unknown) => {
          this.failed(cause);
          throw cause;
        }),
    });
  }

  protected closed(): void {
    this.life.abort();
    for (const call of this.open.values()) call.abort();
  }

  protected receive(message: JsonRpcMessage, extra: MessageExtra | undefined): void {
    if (!this.takes(fromSdk(message), extra)) this.onmessage?.(message, extra);
  }

  /** Returns whether the answerer handles a message of the client. */
  private takes(message: Message, extra: MessageExtra | undefined): boolean {
    if (isResponse(message)) {
      const taking = this.answerer.take(message, this.sentOf(message, extra));
      if (taking === undefined) return false;
      // Over HTTP, the process may stop and the server may close with the response to this message.
      this.gate.waitFor(taking.catch((cause: unknown) => this.failed(cause)));
      return true;
    }
    if (!isRequest(message)) {
      if (read(message, 'method') === METHODS.cancelled) {
        this.open.get(read(message, 'params', 'requestId'))?.abort();
      }
      return false;
    }
    const abort = new AbortController();
    const call = this.callOf(message, extra, abort.signal);
    if (message.method === METHODS.initialize) this.declared = read(message.params, 'capabilities') ?? {};
    const answering = this.answerer.answer(call);
    if (answering instanceof Promise) {
      this.open.set(message.id, abort);
      this.respond(message.id, call, answering).catch((cause: unknown) => this.failed(cause));
      return true;
    }
    if (answering !== undefined) this.changes.set(message.id, answering);
    return false;
  }

  private senderOf(extra: MessageExtra | undefined): CallSender {
    return { extra, session: this.inner.sessionId ?? (isHttp(extra) ? undefined : this.name) };
  }

  private sentOf(message: Message, extra: MessageExtra | undefined): Sent {
    // At each message: a policy or a preference can hide a tool after its task started.
    const shows = (tool: string) => this.gate.showsTool(tool, message, extra);
    return { ...this.senderOf(extra), shows };
  }

  private callOf(request: Request, extra: MessageExtra | undefined, signal: AbortSignal): Call {
    const { gate, declared, life } = this;
    const { id, method, params } = request;
    const era = declared === undefined ? eraOf(request) : 'legacy';
    return {
      ...this.sentOf(request, extra),
      method,
      params,
      era,
      capabilities: era === 'modern' ? read(params, '_meta', CLIENT_CAPABILITIES_META) : declared,
      isGated: GATE in this.inner,
      signal,
      clientId: gate.clientIdOf(id),
      connection:
        isHttp(extra) && !(method === METHODS.listen && gate.listens)
          ? undefined
          : {
              signal: life.signal,
              shows: (tool) => gate.showsTool(tool, { ...request, id: crypto.randomUUID() }, extra),
              send: (message) => this.inner.send(toSdk(message)),
            },
      send: (message) => this.inner.send(toSdk(message), { relatedRequestId: id }),
      acknowledge: (message) => this.acknowledge(request, extra, message),
      questions: () => gate.questions(),
      comeBack: (retryMs) => gate.comeBack(id, retryMs),
    };
  }

  private async acknowledge(
    request: Request,
    extra: MessageExtra | undefined,
    message: Notification,
  ): Promise<boolean> {
    const { taskIds: _taskIds, ...others } = Object(read(request.params, 'notifications'));
    const served = await new Promise<Notification | undefined>((resolve) => {
      if (Object.keys(others).length === 0) return resolve(undefined);
      this.acknowledging.set(request.id, resolve);
      this.onmessage?.(toSdk({ ...request, params: { ...request.params, notifications: others } }), extra);
    });
    const ofServer = read(served, 'params', 'notifications');
    const notifications = Object.assign({}, ofServer, message.params?.notifications);
    const params = { ...message.params, notifications };
    await this.inner.send(toSdk({ ...message, params }), { relatedRequestId: request.id });
    return served !== undefined;
  }

  private async respond(
    id: RequestId,
    call: Call,
    answering: Promise<CallAnswer | undefined>,
  ): Promise<void> {
    const answer = await answering.catch((cause: unknown): CallAnswer => {
      this.failed(cause);
      return { error: { code: ERRORS.internal, message: 'The task cannot be reached. Try again.' } };
    });
    this.open.delete(id);
    if (answer === undefined) return;
    await this.inner.send(toSdk({ jsonrpc: '2.0', id, ...answer }));
    await this.answerer.answered(call, answer);
  }

  /** Sends a message of the server. */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    const id = read(message, 'id');
    const stream = id ?? options?.relatedRequestId;
    const acknowledged = this.acknowledging.get(stream);
    // A server without streams answers an error, which is not the answer to the client: it has the stream of its tasks.
    if (
      acknowledged !== undefined &&
      ('error' in message || read(message, 'method') === METHODS.acknowledged)
    ) {
      this.acknowledging.delete(stream);
      acknowledged('method' in message ? (fromSdk(message) as Notification) : undefined);
      return Promise.resolve();
    }
    const change = 'method' in message ? undefined : this.changes.get(id);
    if (change === undefined) return this.inner.send(message, options);
    this.changes.delete(id);
    return this.inner.send(toSdk(changed(fromSdk(message), change)), options);
  }

  private failed(cause: unknown): void {
    this.onerror?.(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

/** Whether a message arrived in an HTTP request. Otherwise the connection lasts as long as its client. */
function isHttp(extra: MessageExtra | undefined): boolean {
  return extra?.requestInfo !== undefined || read(extra, 'request') !== undefined;
}

function changed(message: Message, { result, withoutMethod }: AnswerChange): Message {
  if ('result' in message) return { ...message, result: result?.(message.result) ?? message.result };
  if (!('error' in message) || withoutMethod === undefined) return message;
  const { jsonrpc, id, error } = message;
  if (id == null || read(error, 'code') !== ERRORS.methodNotFound) return message;
  return { jsonrpc, id, ...withoutMethod };
}
