/** The part of a transport that this module uses. The transports of both SDKs have it. */
export interface HostTransport {
  send(message: never, options?: never): Promise<void>;
}

/** The same part, with types that this module can call. */
interface CallableTransport {
  send(message: object, ...rest: readonly unknown[]): Promise<void>;
  onmessage?: ((message: object, ...rest: readonly unknown[]) => void) | undefined;
}

/**
 * Changes every message that a transport sends. The transport is changed in place, because SDK v2 checks its class.
 *
 * @param transport a transport that is not connected yet
 * @param change receives a message and returns it or another one
 * @returns the same transport
 */
export function changeSent<T extends HostTransport>(transport: T, change: (message: object) => object): T {
  // The message types of the two SDKs differ, so `HostTransport` does not name one.
  const callable = transport as unknown as CallableTransport;
  const send = callable.send.bind(callable);
  callable.send = (message, ...rest) => send(change(message), ...rest);
  return transport;
}

/**
 * Observes every message that a transport receives. The host's own handlers for `list_changed` and the SDK's
 * `listChanged` option still work.
 *
 * @param transport a transport that a client is connected to
 * @param observe receives each message before the client does
 */
export function watchReceived(transport: object, observe: (message: object) => void): void {
  const callable = transport as CallableTransport;
  const { onmessage } = callable;
  callable.onmessage = (message, ...rest) => {
    observe(message);
    onmessage?.call(callable, message, ...rest);
  };
}
