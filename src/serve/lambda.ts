import type { GateReport } from '../protocol/scope.js';
import { createLog, type WriteLog } from './log.js';
import { createFetchHandler, type FetchHandlerOptions } from './sdk-v1.js';

/** What is read of an event of an HTTP API (payload format 2.0) or a function URL: they have the same shape. */
export interface HttpEvent {
  readonly version?: string;
  readonly rawPath: string;
  readonly rawQueryString?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly http: { readonly method: string };
    readonly domainName?: string;
    readonly requestId?: string;
  };
}

/** The answer that Lambda turns into an HTTP response. */
export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

export interface LambdaHandlerOptions extends FetchHandlerOptions {
  /** Writes the log; Powertools Logger on stdout unless told otherwise. */
  readonly log?: WriteLog;
}

export type LambdaHandler = (
  event: HttpEvent,
  context?: { readonly awsRequestId?: string },
) => Promise<HttpResult>;

// The first Headers object loads the web platform's HTTP code: better while Lambda initialises than in a request.
new Headers();

/**
 * Serves an SDK v1 server as a Lambda function behind an HTTP API or a function URL, answers buffered.
 *
 * @param options the server factory, the policy, and the store that all environments share
 * @returns the function's handler
 * @example
 * export const handler = createLambdaHandler({
 *   server: createVaultServer,
 *   policy: openCompiledPolicy(JSON.parse(readFileSync('policy.json', 'utf8'))),
 *   store: createMemoryStore(),
 * });
 */
export function createLambdaHandler(options: LambdaHandlerOptions): LambdaHandler {
  const handle = createFetchHandler(options);
  const log = options.log ?? createLog();

  return async (event, context) => {
    const started = performance.now();
    const reports: GateReport[] = [];
    const requestId = context?.awsRequestId ?? event.requestContext.requestId ?? '';
    const httpMethod = event.requestContext.http.method;
    let status = 500;
    let failure: unknown;
    try {
      const response = await handle(toRequest(event), { report: (report) => reports.push(report) });
      status = response.status;
      return await toResult(response);
    } catch (cause) {
      failure = cause;
      const error = { code: -32603, message: 'The server failed on this request; its log says why.' };
      status = 500;
      return await toResult(Response.json({ jsonrpc: '2.0', error, id: null }, { status }));
    } finally {
      const durationMs = Math.round((performance.now() - started) * 10) / 10;
      log({ requestId, httpMethod, status, durationMs, reports, failure });
    }
  };
}

function toRequest(event: HttpEvent): Request {
  const { rawPath, rawQueryString, requestContext, body, isBase64Encoded } = event;
  const query = rawQueryString ? `?${rawQueryString}` : '';
  const url = new URL(`${rawPath}${query}`, `https://${requestContext.domainName ?? 'localhost'}`);
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers ?? {}))
    if (value !== undefined) headers.set(name, value);
  const { method } = requestContext.http;
  const hasBody = body !== undefined && body !== null && method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
    headers,
    ...(hasBody ? { body: isBase64Encoded === true ? Buffer.from(body, 'base64') : body } : {}),
  });
}

async function toResult(response: Response): Promise<HttpResult> {
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
    isBase64Encoded: false,
  };
}
