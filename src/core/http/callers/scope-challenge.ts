import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  type McpServer,
  OAuthError,
  OAuthErrorCode,
  type ScopeChallenge,
  type Server,
} from '@modelcontextprotocol/server';
import { ERRORS, failure, isRequest, type Message } from '../../wire/messages.js';
import { HTTP_ERRORS } from '../http-errors.js';

/** The part of a transport of SDK v1 or v2 that is used here. */
interface ServedTransport {
  onmessage?: (message: Message, extra?: { readonly authInfo?: AuthInfo }) => void;
  send(message: Message): Promise<void>;
}

/**
 * Adds scope challenges to an SDK v2 server that is served over a transport of SDK v1, which does not support them: a
 * request without the required scopes must not run. Call it before `attachConcerns`, so that the gate decides first and
 * a hidden primitive causes no challenge.
 *
 * @param made the server, not connected yet; a `Server` has no challenges
 * @param onChallenge receives each challenge, before its request is answered with an error
 */
export function challengeScopes(
  made: McpServer | Server,
  onChallenge: (challenge: ScopeChallenge) => void,
): void {
  // Not by its class: a project may have two copies of the SDK.
  if (!('server' in made)) return;
  // The cast narrows the transport to the members that are used here: it is a transport of SDK v1.
  const server = made.server as unknown as { connect(transport: ServedTransport): Promise<void> };
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    await connect(transport);
    const { onmessage: deliver } = transport;
    transport.onmessage = (message, extra) => {
      const pass = () => deliver?.call(transport, message, extra);
      if (!isRequest(message)) return pass();
      const refuse = (code: number, reason: string) => transport.send(failure(message.id, code, reason));
      const { authInfo } = extra ?? {};
      const request = { ...message, params: message.params ?? {} };
      const asked = async () =>
        made.resolveScopeChallenge({ request, ...(authInfo === undefined ? {} : { authInfo }) });
      void asked().then(
        (challenge) => {
          if (challenge === undefined) return pass();
          onChallenge(challenge);
          const scopes = challenge.scopes.join(' ');
          return refuse(HTTP_ERRORS.refused, `Insufficient scope: this request requires ${scopes}.`);
        },
        // Fail closed: without an answer about scopes, the request must not run.
        () => refuse(ERRORS.internal, 'The required scopes could not be determined. Try again.'),
      );
    };
  };
}

/** @returns the response to a caller without the required scopes, the same as that of SDK v2 */
export function challengeResponse(
  { scopes, errorDescription = 'Insufficient scope' }: ScopeChallenge,
  authInfo: AuthInfo | undefined,
): Response {
  const { resource, resourceMetadataUrl = metadataOf(resource) } = authInfo ?? {};
  return bearerAuthChallengeResponse(new OAuthError(OAuthErrorCode.InsufficientScope, errorDescription), {
    requiredScopes: [...scopes],
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  });
}

function metadataOf(resource: URL | undefined): string | undefined {
  return resource !== undefined && /^https?:$/.test(resource.protocol)
    ? getOAuthProtectedResourceMetadataUrl(resource)
    : undefined;
}
