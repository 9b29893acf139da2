import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { EXTENSION_ID, METHODS, read } from '../../protocol/messages/wire.js';

/**
 * Asks for concerns in the name of hosts that do not know them: over stdio there is no URL to put them into. A host that
 * asks itself, on connecting or later, is left alone.
 *
 * @param concerns what is asked for
 * @param transport the host's transport, not started yet
 * @returns the same transport
 * @example
 * await server.connect(askFor({ effect: 'read-only' }, new StdioServerTransport()));
 */
export function askFor<T extends Transport>(concerns: Readonly<Record<string, unknown>>, transport: T): T {
  if (Object.keys(concerns).length === 0) return transport;
  const start = transport.start.bind(transport);
  transport.start = () => {
    // Set by the gate, which starts the transport.
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => onmessage?.(withWish(message, concerns), extra);
    return start();
  };
  return transport;
}

function withWish(message: JSONRPCMessage, concerns: Readonly<Record<string, unknown>>): JSONRPCMessage {
  if (read(message, 'method') !== METHODS.initialize) return message;
  const params = objectAt(message, 'params');
  const capabilities = objectAt(params, 'capabilities');
  const extensions = objectAt(capabilities, 'extensions');
  const asks = read(params, 'concerns') ?? read(extensions, EXTENSION_ID, 'concerns');
  if (asks !== undefined) return message;
  const own = { ...objectAt(extensions, EXTENSION_ID), concerns };
  const asked = { ...capabilities, extensions: { ...extensions, [EXTENSION_ID]: own } };
  return { ...message, params: { ...params, capabilities: asked } } as JSONRPCMessage;
}

function objectAt(value: unknown, name: string): object {
  const found: unknown = read(value, name);
  return typeof found === 'object' && found !== null ? found : {};
}
