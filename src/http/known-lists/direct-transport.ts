import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import { fromSdk, isResponse, type Message, type Request, toSdk } from '../../wire/messages.js';

/** A transport whose requests are made and awaited in this process. It drops every message that is not an answer. */
export class DirectTransport implements Transport {
  onclose?: () => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private readonly waiting = new Map<unknown, (answer: Message) => void>();

  constructor(readonly sessionId?: string | undefined) {}

  request(request: Request, extra?: MessageExtraInfo): Promise<Message> {
    return new Promise((resolve) => {
      this.waiting.set(request.id, resolve);
      this.onmessage?.(toSdk(request), extra);
    });
  }

  async start(): Promise<void> {}

  async send(sent: JSONRPCMessage): Promise<void> {
    const message = fromSdk(sent);
    if (isResponse(message)) this.waiting.get(message.id)?.(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
