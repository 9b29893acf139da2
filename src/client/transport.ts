/** What of a transport is used: the transports of both SDKs have it. */
export interface HostTransport {
  send(message: never, options?: never): Promise<void>;
}

/** The same, as it is called here. */
interface OpenTransport {
  send(message: object, ...rest: readonly unknown[]): Promise<void>;
  onmessage?: ((message: object, ...rest: readonly unknown[]) => void) | undefined;
}

/**
 * Lets something change every message on its way out. The transport stays the same object, because SDK v2 looks at what
 * kind of transport it is given.
 *
 * @param transport a transport that is not connected yet
 * @param change takes a message and returns it, or another one in its place
 * @returns the transport
 */
export function changeSent<T extends HostTransport>(transport: T, change: (message: object) => object): T {
  const open = transport as unknown as OpenTransport;
  const send = open.send.bind(open);
  open.send = (message, ...rest) => send(change(message), ...rest);
  return transport;
}

/**
 * Looks at every message that comes in, without taking the place of any handler: a handler of the host's own for
 * `list_changed`, or the SDK's `listChanged` option, keeps working.
 *
 * @param transport a transport that a client is connected to
 * @param look called with each message before the client gets it
 */
export function watchReceived(transport: unknown, look: (message: object) => void): void {
  const open = transport as OpenTransport;
  const { onmessage } = open;
  open.onmessage = (message, ...rest) => {
    look(message);
    onmessage?.call(open, message, ...rest);
  };
}
