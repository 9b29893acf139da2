import type { HttpEvent } from '../../src/core/lambda/event.js';
import type { RestEvent } from '../../src/core/lambda/read-event.js';
import type { HttpResult } from '../../src/core/lambda/result.js';

const DOMAIN = 'abc.execute-api.eu-central-1.amazonaws.com';

/** @returns an event of an HTTP API with payload format 2.0; an event of a function URL has the same members */
export function httpEvent(method: string, body?: unknown, more: Partial<HttpEvent> = {}): HttpEvent {
  return {
    version: '2.0',
    rawPath: '/mcp',
    rawQueryString: '',
    requestContext: { http: { method }, domainName: DOMAIN, requestId: 'gw-1' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    isBase64Encoded: false,
    ...more,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      host: DOMAIN,
      ...more.headers,
    },
  };
}

/** @returns an event of a REST API with payload format 1.0 */
export function restEvent(method: string, body?: unknown, more: Partial<RestEvent> = {}): RestEvent {
  return {
    httpMethod: method,
    path: '/mcp',
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    ...more,
    requestContext: { requestId: 'gw-1', domainName: DOMAIN, stage: 'dev', ...more.requestContext },
    multiValueHeaders: {
      Accept: ['application/json, text/event-stream'],
      'Content-Type': ['application/json'],
      Host: [DOMAIN],
      ...more.multiValueHeaders,
    },
  };
}

/** @returns the same event with the result of a JWT authorizer */
export function withClaims(event: HttpEvent, claims: Record<string, string>, scopes?: string[]): HttpEvent {
  const jwt = { claims, scopes: scopes ?? null };
  return { ...event, requestContext: { ...event.requestContext, authorizer: { jwt } } };
}

export const rpc = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

/** @param more further members of the params: `concerns`, capabilities */
export const initialize = (more: object = {}) =>
  rpc('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
    ...more,
  });

export const toolsOf = ({ body }: Pick<HttpResult, 'body'>): string[] =>
  (JSON.parse(body).result.tools as { name: string }[]).map(({ name }) => name);

export const errorOf = ({ body }: Pick<HttpResult, 'body'>): { code: number; message: string } =>
  JSON.parse(body).error;
