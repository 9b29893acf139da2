import { type ErrorClass, errorClass } from '../errors.js';
import { read } from '../wire/messages.js';
import { addLayer, type Connectable, isSdkServer } from '../wire/transport-layer.js';
import type { ConcernsOptions, GateOptions, ServerBehind } from './edge/concerns-options.js';
import { type GatedTransport, gatedTransport } from './edge/gated-transport.js';
import { policyMistake } from './request/policy-mistake.js';
import { takeKey } from './whole-list-key.js';

/** A server of SDK v1 or v2: a `Server`, or an `McpServer`, which contains one. */
export type ConnectableServer = Connectable | { readonly server: Connectable };

/** What `attachConcerns` returns. */
export interface AttachedConcerns {
  /** Resolves when no message waits for the store. An HTTP handler must await it before it responds with 202. */
  settled(): Promise<void>;
}

const AttachErrorBase: ErrorClass<'AttachError', 'ATTACH_INVALID'> = errorClass(
  'AttachError',
  'ATTACH_INVALID',
);

/** Thrown by `attachConcerns` if it could not filter anything: for a wrong argument, or too late. */
export class AttachError extends AttachErrorBase {}

/**
 * Puts the gate between a server and every transport that it connects to afterwards. Tools, prompts and resources can be
 * registered before or after.
 *
 * Implements the concern-based filtering proposal: the declaration in `initialize` and `server/discover`, preferences in
 * `notifications/initialized`, `updateConcerns` and each request, and filtered lists.
 *
 * @param server a server of SDK v1 or v2 that is not connected yet
 * @param options the policy, and where preferences are kept
 * @returns a handle for HTTP handlers
 * @throws {AttachError} if `server` is not a server of an SDK, or is connected already, or if there is no policy
 * @example
 * const server = new McpServer({ name: 'vault', version: '1.0.0' });
 * attachConcerns(server, { policy: loadPolicy('policies/vault.yaml') });
 * await server.connect(new StdioServerTransport());
 */
export function attachConcerns(server: ConnectableServer, options: ConcernsOptions): AttachedConcerns {
  const mistake = policyMistake(read(options, 'policy'));
  if (mistake !== undefined) throw new AttachError(mistake);
  if (!isSdkServer(server)) throw new AttachError(NOT_A_SERVER);
  const { policy, store, report } = options;
  return attachGate(server, { policy, store, report, opens: takeKey });
}

/** A server behind the endpoint, which says whether it is several: their names are read in another way. */
type BridgedServer = Connectable & { readonly behind: ServerBehind };

/** Does the same as `attachConcerns`, for an endpoint whose gates share more. */
export function attachGate(server: ConnectableServer | BridgedServer, given: GateOptions): AttachedConcerns {
  // Without it, the gate would take several servers for one, and know fewer forms of the URIs that it hides.
  const options = 'behind' in server ? { ...given, upstream: given.upstream ?? server.behind } : given;
  if (isConnected(server)) {
    throw new AttachError(
      'attachConcerns was called after connect, so the gate would see no message. Call it before server.connect().',
    );
  }
  let gated: GatedTransport | undefined;
  const isAdded = addLayer(server, 'gate', (transport) => {
    gated = gatedTransport(transport, options);
    return gated;
  });
  if (isAdded) return { settled: async () => gated?.settled() };
  throw new AttachError(NOT_A_SERVER);
}

const NOT_A_SERVER =
  'The value passed to attachConcerns is not a Server or McpServer of an MCP SDK, so nothing would be filtered. If a framework makes the server, pass the server inside it, or run "mcp-concerns serve" in front of it.';

/** Servers of both SDKs have their transport as a property while they are connected. */
function isConnected(server: object): boolean {
  const own: unknown = 'server' in server ? server.server : server;
  return own instanceof Object && 'transport' in own && own.transport !== undefined;
}
