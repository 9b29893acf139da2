import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import type { HttpRefusal, UpstreamServer } from '../core/http/upstream-server.js';
import { once } from '../core/once.js';
import type { CallAnswer } from '../core/wire/calls.js';
import {
  fromSdk,
  isRequest,
  isResponse,
  type Request as McpRequest,
  METHODS,
  type Message,
  type RequestId,
  read,
  toSdk,
} from '../core/wire/messages.js';
import type { Backend, Backends, Client, ClientPort } from './backend.js';
import { type AnswerOverHttp, type Ask, CANCELLED, type CallSignal, paramsOf, unaskable } from './call.js';
import { CallerHeaders } from './wires/caller-headers.js';
import { withoutChallenge } from './without-challenge.js';

/**
 * A server for the endpoints of both SDKs and for the gate: turns the messages of a client into calls, and answers into
 * messages. The ids of the client's side end here.
 */
export class BridgedServer implements UpstreamServer {
  onclose?: (() => void) | undefined;
  readonly behind: Backend;
  refused: HttpRefusal | undefined = undefined;
  private readonly canAsk: boolean;
  private readonly headers = new CallerHeaders();
  private readonly running = new Map<unknown, CallController>();
  private readonly asked = new Map<unknown, (answer: CallAnswer) => void>();
  private lastAsked = 0;
  private transport: Transport | undefined;

  /**
   * @param backends makes what answers the client
   * @param client the client
   */
  constructor(backends: Backends, client: Client) {
    this.canAsk = client.era === 'legacy' && client.lasts;
    const port: ClientPort = {
      tell: (method, params) => this.send({ jsonrpc: '2.0', method, ...paramsOf(params) }),
      ask: (...question) => this.ask(question),
    };
    this.behind = backends.behind({ ...client, headers: this.headers }, port);
  }

  async connect(transport: Transport): Promise<void> {
    this.transport = transport;
    transport.onmessage = (message, extra) => this.receive(fromSdk(message), extra);
    transport.onclose = () => void this.close();
    await transport.start();
  }

  close: () => Promise<void> = once(() => this.leave());

  private async leave(): Promise<void> {
    const { transport } = this;
    this.transport = undefined;
    for (const controller of this.running.values()) controller.abort();
    for (const answered of this.asked.values()) answered(CANCELLED);
    this.running.clear();
    this.asked.clear();
    const left = this.behind.leave();
    this.onclose?.();
    await transport?.close();
    await left;
  }

  private receive(message: Message, extra: MessageExtraInfo | undefined): void {
    this.headers.take(extra);
    if (isResponse(message)) return this.answered(message);
    if (isRequest(message)) return void this.answer(message, extra);
    const { method, params } = message;
    if (method !== METHODS.cancelled) return this.behind.notified(method, params);
    const id = read(params, 'requestId');
    this.running.get(id)?.abort(read(params, 'reason'));
    this.running.delete(id);
  }

  private answered(response: Extract<Message, { result: unknown } | { error: unknown }>): void {
    const { id } = response;
    this.asked.get(id)?.('error' in response ? { error: response.error } : { result: response.result });
    this.asked.delete(id);
  }

  private async answer(
    { id, method, params }: McpRequest,
    extra: MessageExtraInfo | undefined,
  ): Promise<void> {
    const signal = new CallController();
    this.running.set(id, signal);
    const isKnown = this.transport?.sessionId !== undefined || extra?.authInfo !== undefined;
    const answered = await this.behind.answer({
      method,
      params,
      signal,
      ownsTasks: isKnown || extra?.requestInfo === undefined,
      notify: (name, given) => this.send({ jsonrpc: '2.0', method: name, ...paramsOf(given) }, id),
      ask: this.canAsk ? (...question) => this.ask(question, id) : unaskable,
      sender: this,
    });
    if (this.running.get(id) === signal) this.running.delete(id);
    if (signal.aborted) return;
    // Something in front of this endpoint verified the caller, so hosts log in there.
    const answer: AnswerOverHttp = extra?.authInfo === undefined ? answered : withoutChallenge(answered);
    this.refused = answer.http;
    // Each member by name: a copy without the others takes microseconds.
    if ('error' in answer) this.send({ jsonrpc: '2.0', id, error: answer.error });
    else this.send({ jsonrpc: '2.0', id, result: answer.result });
  }

  private ask([method, params, signal]: Parameters<Ask>, relatedTo?: RequestId): Promise<CallAnswer> {
    const id = `bridge-${++this.lastAsked}`;
    return new Promise((resolve) => {
      this.asked.set(id, resolve);
      const takeBack = (): void => {
        if (!this.asked.delete(id)) return;
        resolve(CANCELLED);
        this.send({ jsonrpc: '2.0', method: METHODS.cancelled, params: { requestId: id } }, relatedTo);
      };
      signal.addEventListener('abort', takeBack, { once: true });
      this.send({ jsonrpc: '2.0', id, method, ...paramsOf(params) }, relatedTo);
    });
  }

  private send(message: Message, relatedRequestId?: RequestId): void {
    const options = relatedRequestId === undefined ? undefined : { relatedRequestId };
    // A client that has disconnected does not need the message.
    this.transport?.send(toSdk(message), options).catch(() => undefined);
  }
}

/** Aborts one call, and is its signal. An AbortSignal with one listener takes 6 us, half of what the bridge adds to a call. */
export class CallController implements CallSignal {
  aborted = false;
  reason: unknown;
  private readonly listeners = new Set<() => void>();

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.listeners) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }
}
