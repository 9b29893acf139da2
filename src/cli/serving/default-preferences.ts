import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { membersOf } from '../../core/engine/expression/evaluate.js';
import {
  CLIENT_CAPABILITIES_META,
  EXTENSION_ID,
  eraOf,
  fromSdk,
  isRequest,
  METHODS,
  read,
} from '../../core/wire/messages.js';
import { receiveFirst } from '../../core/wire/transport-layer.js';

/**
 * Adds preferences to the `initialize` request, or to each modern request, of a host that sends none, because a host over
 * stdio has no URL or header to put them into. The preferences that a host sends itself are used unchanged.
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
  receiveFirst(transport, (message, next) => next(withPreferences(message, concerns)));
  return transport;
}

function withPreferences<T extends JSONRPCMessage>(
  message: T,
  concerns: Readonly<Record<string, unknown>>,
): T {
  const params = membersOf(read(message, 'params'));
  if (read(message, 'method') === METHODS.initialize && read(params, 'concerns') === undefined) {
    return { ...message, params: withDeclared(params, 'capabilities', concerns) };
  }
  const sent = fromSdk(message);
  if (!isRequest(sent) || eraOf(sent) === 'legacy') return message;
  const _meta = withDeclared(membersOf(read(params, '_meta')), CLIENT_CAPABILITIES_META, concerns);
  return { ...message, params: { ...params, _meta } };
}

/** Adds preferences to the capabilities of a client, which are a member of the given object. */
function withDeclared(holder: object, member: string, concerns: Readonly<Record<string, unknown>>): object {
  const capabilities = membersOf(read(holder, member));
  const extensions = membersOf(read(capabilities, 'extensions'));
  const extension = { concerns, ...membersOf(read(extensions, EXTENSION_ID)) };
  return {
    ...holder,
    [member]: { ...capabilities, extensions: { ...extensions, [EXTENSION_ID]: extension } },
  };
}
