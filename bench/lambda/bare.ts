import { Logger } from '@aws-lambda-powertools/logger';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';

interface Event {
  readonly rawPath: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly requestContext: { readonly http: { readonly method: string }; readonly domainName: string };
}

/** The smallest Lambda function that serves an SDK server and writes a log line: the baseline of the comparison. */
export function bareHandler(createServer: () => McpServer) {
  const logger = new Logger({ serviceName: 'bare' });
  return async (event: Event, context: { readonly awsRequestId: string }) => {
    const started = performance.now();
    const server = createServer();
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const { http, domainName } = event.requestContext;
    const { headers, body } = event;
    const request = new Request(`https://${domainName}${event.rawPath}`, {
      method: http.method,
      headers,
      body,
    });
    const response = await transport.handleRequest(request);
    const result = {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
    await server.close();
    logger.info('request', { requestId: context.awsRequestId, durationMs: performance.now() - started });
    return result;
  };
}
