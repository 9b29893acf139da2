import { type GateOptions, type GatePorts, MessageRouter } from './message-router.js';
import { SerialQueue } from './messages/serial-queue.js';
import { isResponse, type Message, type RequestId, shapeOf } from './messages/wire.js';
import type { MessageContext } from './request/request.js';

const SENT = Promise.resolve();

/**
 * The gate between a client's messages and a server's, for one connection.
 *
 * It declares the policy's concerns in the answers to `initialize` and `server/discover`, reads the host's preferences
 * from every source, answers `listConcerns` and `updateConcerns`, and filters the four lists of primitives. Under
 * `enforce` it also checks access, and refuses messages that it does not know. Other messages pass unchanged.
 *
 * Messages are handled in order, and synchronously as long as no earlier message waits for the session store.
 */
export class Gate<C extends MessageContext> {
  private readonly router: MessageRouter<C>;
  private readonly ports: GatePorts<C>;
  private readonly clientQueue = new SerialQueue();
  private readonly serverQueue = new SerialQueue();

  constructor(options: GateOptions, ports: GatePorts<C>) {
    this.ports = ports;
    this.router = new MessageRouter(options, ports);
  }

  /** Must be called when the connection closes: stops listening for policy changes. */
  close(): void {
    this.router.close();
  }

  /**
   * Handles a message of the client.
   *
   * @param message the message
   * @param context what the transport knows about it
   */
  fromClient(message: Message, context: C): void {
    if (shapeOf(message) === undefined) {
      if (!this.router.refusesInvalid()) this.ports.toServer(message, context);
      return;
    }
    // Past the queue: the server may need this response before it answers the gate, which the queue waits for.
    if (isResponse(message) && this.router.isWaiting) return this.ports.toServer(message, context);
    try {
      const pending = this.clientQueue.run(() => this.router.fromClient(message, context));
      pending?.catch((cause) => this.router.fail(message, cause));
    } catch (cause) {
      this.router.fail(message, cause);
    }
  }

  /**
   * Handles a message of the server.
   *
   * @param message the message
   * @param send sends the message to the client, possibly changed. The transport knows which request it belongs to.
   * @returns resolves when the message has been sent, or needs no sending
   */
  fromServer(message: Message, send: (message: Message) => Promise<void>): Promise<void> {
    try {
      if (isResponse(message) && this.router.takeResponse(message)) return SENT;
      let sent = SENT;
      const pending = this.serverQueue.run(() => {
        const result = this.router.fromServer(message);
        if (result instanceof Promise) {
          return result.then((toSend) => (toSend === undefined ? undefined : send(toSend)));
        }
        if (result !== undefined) sent = send(result);
        return undefined;
      });
      // The transport's own promise if nothing waits. With a later one, a server could be closed before it learns that
      // its answer was sent, and then it aborts the request that it just answered.
      return pending === undefined ? sent : pending.then(() => sent);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  /**
   * Returns the id that the client gave a request. Under `enforce` the server knows it under another id, which it uses to
   * tell its transport what a notification belongs to.
   */
  clientIdOf(id: RequestId): RequestId {
    return this.router.clientIdOf(id);
  }

  /** Resolves when no message waits for the session store. Until then, an HTTP response must not be finished. */
  async settled(): Promise<void> {
    await this.clientQueue.settled();
    await this.serverQueue.settled();
  }
}
