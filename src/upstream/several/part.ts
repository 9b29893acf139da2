import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import type { CallAnswer } from '../../wire/calls.js';
import {
  fromSdk,
  isRequest,
  isResponse,
  METHODS,
  type Message,
  type RequestId,
  toSdk,
} from '../../wire/messages.js';
import { once } from '../../wire/once.js';
import type { UpstreamServer } from '../bridged-server.js';
import { CANCELLED, type Params } from '../call.js';
import type { Member } from './member.js';

/** What a part tells its client; `about` is the id of the client's request that it belongs to. */
export type Told<M = Member> = (part: Part<M>, message: Message, about: RequestId | undefined) => void;

interface Asked {
  readonly answered: (answer: CallAnswer) => void;
  /** The id of the client's request that needs the answer. */
  readonly about: RequestId;
}

/** One of several servers as one client sees it: the client of a bridged server. */
export class Part<M = Member> {
  private readonly asked = new Map<RequestId, Asked>();
  /** Begins the session again, if the server refused the client's `initialize` or could not answer it. */
  private begin: (() => Promise<void>) | undefined;
  private last = 0;
  private readonly transport: Transport;

  /**
   * @param member the server
   * @param server its side of this client's connection; may take as long as the server needs to start
   * @param told receives its messages that are not answers to `ask`
   */
  constructor(
    readonly member: M,
    private readonly server: Promise<UpstreamServer>,
    told: Told<M>,
  ) {
    this.transport = {
      start: async () => undefined,
      close: async () => undefined,
      send: async (sent, options) => {
        const message = fromSdk(sent);
        if (isResponse(message) && this.answered(message)) return;
        const related = options?.relatedRequestId;
        told(this, message, related === undefined ? undefined : (this.asked.get(related)?.about ?? related));
      },
    };
  }

  /** @param sessionId the session of the client's connection */
  connect(sessionId: string | undefined): void {
    if (sessionId !== undefined) this.transport.sessionId = sessionId;
    void this.server.then((server) => server.connect(this.transport), ignore);
  }

  /** Sends a message of the client as it is. */
  pass(message: Message, extra: MessageExtraInfo | undefined): void {
    const sent = async (): Promise<void> => {
      await this.server;
      if (isRequest(message) && message.method !== METHODS.initialize) await this.begin?.();
      this.transport.onmessage?.(toSdk(message), extra);
    };
    void sent().catch(ignore);
  }

  /** Asks the server for the client's request `about`. Never rejects. */
  ask(
    method: string,
    params: Params,
    about: RequestId,
    extra: MessageExtraInfo | undefined,
  ): Promise<CallAnswer> {
    const id = `part-${++this.last}`;
    const given = params === undefined ? {} : { params };
    const asked = new Promise<CallAnswer>((answered) => {
      this.asked.set(id, { answered, about });
      this.pass({ jsonrpc: '2.0', id, method, ...given }, extra);
    });
    if (method === METHODS.initialize) this.begin = once(() => this.beginAgain(asked, params, about));
    return asked;
  }

  /** Takes back what the server was asked for the client's request `about`. */
  cancel(about: unknown, reason: unknown): void {
    for (const [requestId, asked] of this.asked) {
      if (asked.about !== about) continue;
      this.asked.delete(requestId);
      asked.answered(CANCELLED);
      this.pass({ jsonrpc: '2.0', method: METHODS.cancelled, params: { requestId, reason } }, undefined);
    }
  }

  /** A server that could not be initialized with the others may be there now. */
  private async beginAgain(first: Promise<CallAnswer>, params: Params, about: RequestId): Promise<void> {
    if ('result' in (await first)) return;
    await this.ask(METHODS.initialize, params, about, undefined);
    this.pass({ jsonrpc: '2.0', method: METHODS.initialized }, undefined);
  }

  private answered(response: Extract<Message, { result: unknown } | { error: unknown }>): boolean {
    const { id } = response;
    const asked = id === undefined || id === null ? undefined : this.asked.get(id);
    if (asked === undefined || id === undefined || id === null) return false;
    this.asked.delete(id);
    asked.answered('error' in response ? { error: response.error } : { result: response.result });
    return true;
  }

  /** Stops reading from the server, or reads on. */
  async slow(isPaused: boolean): Promise<void> {
    const { source } = (await this.server).readers;
    if (isPaused) source?.pause();
    else source?.resume();
  }

  /** How the server refused the latest request, over HTTP. */
  async refused(): Promise<UpstreamServer['refused']> {
    return (await this.server).refused;
  }

  async close(): Promise<void> {
    for (const { answered } of this.asked.values()) answered(CANCELLED);
    this.asked.clear();
    await this.server.then((server) => server.close(), ignore);
  }
}

const ignore = (): void => undefined;
