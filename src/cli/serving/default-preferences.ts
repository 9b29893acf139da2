import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { EXTENSION_ID, METHODS, read } from '../../wire/messages.js';

/**
 * Adds preferences to the `initialize` request of a host that sends none, because a host over stdio has no URL or header
 * to put them into. The preferences that a host sends itself are used unchanged.
 *
 * @param concerns the preferences
 * @param transport the transport to the host, not started yet
 * @returns the same transport
 * @example
 * await server.connect(withDefaultPreferences({ effect: 'read-only' }, new StdioServerTransport()));
 */
export function withDefaultPreferences<T extends Transport>(
  concerns: Readonly<Record<string, unknown>>,
  transport: T,
): T {
  if (Object.keys(concerns).length === 0) return transport;
  const start = transport.start.bind(transport);
  transport.start = () => {
    // The gate has set this handler before it starts the transport.
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => onmessage?.(withPreferences(message, concerns), extra);
    return start();
  };
  return transport;
}

function withPreferences<T extends JSONRPCMessage>(
  message: T,
  concerns: Readonly<Record<string, unknown>>,
): T {
  if (read(message, 'method') !== METHODS.initialize) return message;
  const params = objectAt(message, 'params');
  const capabilities = objectAt(params, 'capabilities');
  const extensions = objectAt(capabilities, 'extensions');
  const own = read(params, 'concerns') ?? read(extensions, EXTENSION_ID, 'concerns');
  if (own !== undefined) return message;
  const extension = { ...objectAt(extensions, EXTENSION_ID), concerns };
  const extended = { ...capabilities, extensions: { ...extensions, [EXTENSION_ID]: extension } };
  return { ...message, params: { ...params, capabilities: extended } };
}

function objectAt(value: unknown, name: string): object {
  const found: unknown = read(value, name);
  return typeof found === 'object' && found !== null ? found : {};
}
