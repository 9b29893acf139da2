import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { StreamServer } from '../../core/http/streams/listen-streams.js';
import {
  ERRORS,
  eraOf,
  type Failure,
  failure,
  fromSdk,
  isRequest,
  METHODS,
  type RequestId,
  read,
  toSdk,
} from '../../core/wire/messages.js';
import { receiveFirst } from '../../core/wire/transport-layer.js';

/** Connects a server to the transport of a stream. Returns the answer to the request if it does not. */
type OpenStream = (id: RequestId, stream: Transport) => Promise<StreamServer | Failure>;

/**
 * Opens the streams of a modern host over stdio, in front of the SDK: all streams of the SDK share one gate.
 *
 * @param wire the transport to the host, not started
 * @param open connects a server to a stream
 * @returns the same transport
 */
export function streamsOverStdio(wire: Transport, open: OpenStream): Transport {
  const streams = new Map<unknown, Transport>();
  receiveFirst(wire, (received, next) => {
    const message = fromSdk(received);
    if (isRequest(message) && message.method === METHODS.listen && eraOf(message) === 'modern') {
      const { id } = message;
      const [host, stream] = InMemoryTransport.createLinkedPair();
      streams.set(id, host);
      // A host that has left gets nothing.
      host.onmessage = (sent) => void wire.send(sent).catch(() => undefined);
      host.onclose = () => streams.delete(id);
      // It waits until the server is connected.
      void host.send(received);
      return void open(id, stream)
        .catch((cause: unknown) => notOpened(id, cause))
        .then((opened) => {
          if ('error' in opened) return wire.send(toSdk(opened));
          // The host may have cancelled it meanwhile.
          return streams.has(id) ? undefined : opened.close();
        })
        // A host that has left gets nothing.
        .catch(() => undefined);
    }
    const isCancel = read(message, 'method') === METHODS.cancelled;
    const cancelled = isCancel ? read(message, 'params', 'requestId') : undefined;
    const stream = streams.get(cancelled);
    if (stream === undefined) return next(received);
    streams.delete(cancelled);
    void stream.close();
  });
  return wire;
}

function notOpened(id: RequestId, cause: unknown): Failure {
  const message = cause instanceof Error ? cause.message : String(cause);
  return failure(id, ERRORS.internal, `The stream cannot be opened: ${message}`);
}
