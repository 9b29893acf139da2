/** What the library imports of SDK v2. */
export {
  bearerAuthChallengeResponse,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  isLegacyRequest,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  PerRequestHTTPServerTransport,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
