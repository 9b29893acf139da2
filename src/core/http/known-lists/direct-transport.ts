import { fromSdk, isResponse, type Message, type Request, toSdk } from '../../wire/messages.js';
import type { JsonRpcMessage, MessageExtra, Transport } from '../../wire/transport.js';

/** A transport whose requests are made and awaited in this process. It drops every message that is not an answer. */
export class DirectTransport implements Transport {
  onclose?: () => void;
  onmessage?: <T extends JsonRpcMessage>(message: T, extra?: MessageExtra) => void;
  private readonly waiting = new Map<unknown, (answer: Message) => void>();

  constructor(readonly sessionId?: string | undefined) {}

  request(request: Request, extra?: MessageExtra): Promise<Message> {
    return new Promise((resolve) => {
      this.waiting.set(request.id, resolve);
      this.onmessage?.(toSdk(request), extra);
    });
  }

  async start(): Promise<void> {}

  async send(sent: JsonRpcMessage): Promise<void> {
    const message = fromSdk(sent);
    if (isResponse(message)) this.waiting.get(message.id)?.(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
