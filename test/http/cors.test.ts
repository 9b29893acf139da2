import { describe, expect, it } from 'vitest';
import { checkOrigin } from '../../src/core/http/cors.js';

const PAGE = 'https://host.example';
const request = (method: string, headers: Record<string, string>) =>
  new Request('https://mcp.example/mcp', { method, headers });
const preflight = (origin: string, headers = 'content-type') =>
  request('OPTIONS', {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': headers,
  });

describe('a page of an origin that is not listed', () => {
  it.each([
    ['POST', request('POST', { origin: PAGE }), []],
    ['a preflight', preflight(PAGE), []],
    ['another port', request('POST', { origin: `${PAGE}:8443` }), [PAGE]],
    ['another scheme', request('POST', { origin: 'http://host.example' }), [PAGE]],
    ['an origin that begins with a listed one', request('POST', { origin: `${PAGE}.evil.example` }), [PAGE]],
    ['a sandboxed page', request('POST', { origin: 'null' }), [PAGE]],
  ])('is refused: %s', async (_what, sent, origins) => {
    const { response } = checkOrigin(sent, origins);
    expect(response?.status).toBe(403);
    expect(response?.headers.get('access-control-allow-origin')).toBeNull();
    expect(response?.headers.get('vary')).toBe('Origin');
    expect(await response?.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 }, id: null });
  });
});

describe('a page of a listed origin', () => {
  it.each([
    ['by name', [`https://other.example`, PAGE]],
    ['by *', ['*']],
  ])('can read the response, the session and where to log in: %s', (_what, origins) => {
    const page = checkOrigin(request('POST', { origin: PAGE }), origins);
    expect(page.response).toBeUndefined();
    const headers = { 'Mcp-Session-Id': 'a', Vary: 'Accept' };
    const response = page.allow(new Response('{}', { status: 201, headers }));
    expect(response.status).toBe(201);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'mcp-session-id': 'a',
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
      vary: 'Accept, Origin',
    });
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('gets a response to its preflight, with the headers of MCP', () => {
    const { response } = checkOrigin(
      preflight(PAGE, 'authorization, mcp-param-region, MCP-Method, X-MCP-Tools, x-other'),
      [PAGE],
    );
    expect(response?.status).toBe(204);
    const { headers } = response as Response;
    expect(headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE');
    expect(headers.get('access-control-allow-headers')?.split(', ')).toEqual([
      'Accept',
      'Authorization',
      'Content-Type',
      'Last-Event-ID',
      'Mcp-Concerns',
      'Mcp-Protocol-Version',
      'Mcp-Session-Id',
      'mcp-param-region',
      'mcp-method',
      'x-mcp-tools',
    ]);
    expect(headers.get('access-control-max-age')).toBe('7200');
  });

  it('gets no special response to an OPTIONS request that is not a preflight', () => {
    expect(checkOrigin(request('OPTIONS', { origin: PAGE }), [PAGE]).response).toBeUndefined();
  });
});

describe('a request without a foreign origin', () => {
  it.each([
    ['a program', {}],
    ['a page of the endpoint itself', { origin: 'https://mcp.example' }],
  ])('passes unchanged: %s', (_what, headers) => {
    const page = checkOrigin(request('POST', headers), []);
    expect(page.response).toBeUndefined();
    const answer = new Response('{}');
    expect(page.allow(answer)).toBe(answer);
  });
});
