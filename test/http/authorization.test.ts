import { InvalidTokenError, ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { describe, expect, it } from 'vitest';
import { type Authorization, requireLogin } from '../../src/core/http/callers/authorization.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';

const ISSUER = 'https://login.example/';
const caller: AuthInfo = { token: 'good', clientId: 'client', scopes: [], extra: { sub: 'ada' } };
const verifier = {
  async verifyAccessToken(token: string): Promise<AuthInfo> {
    if (token === 'good') return caller;
    if (token === 'old') return { ...caller, expiresAt: Date.now() / 1000 - 1 };
    if (token === 'no-keys') throw new ServerError('The keys of the issuer cannot be read.');
    throw new InvalidTokenError('No such token.');
  },
};
/** Answers with the subject of the caller. */
const handle: FetchHandler = async (_request, given) =>
  new Response(String(given?.authInfo?.extra?.sub ?? 'unknown'));
const ask = (
  authorization: Authorization | undefined,
  { path = '/mcp', method = 'POST', token = '', verified = undefined as AuthInfo | undefined } = {},
) => {
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
  const request = new Request(`https://mcp.example${path}`, { method, headers });
  return requireLogin(handle, authorization)(request, { authInfo: verified });
};

describe('the document that tells where to log in', () => {
  it('is public', async () => {
    const response = await ask(
      { servers: [ISSUER], scopes: ['read'], verifier },
      {
        path: '/.well-known/oauth-protected-resource/mcp',
        method: 'GET',
      },
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      resource: 'https://mcp.example/mcp',
      authorization_servers: [ISSUER],
      scopes_supported: ['read'],
      bearer_methods_supported: ['header'],
    });
  });

  it.each([
    ['/.well-known/oauth-protected-resource', undefined, 'https://mcp.example/mcp'],
    ['/.well-known/oauth-protected-resource/v1/mcp', undefined, 'https://mcp.example/v1/mcp'],
    ['/.well-known/oauth-protected-resource', 'https://public.example/tools', 'https://public.example/tools'],
  ])('at %s names the endpoint (resource: %s)', async (path, resource, named) => {
    const response = await ask({ servers: [ISSUER], resource }, { path, method: 'GET' });
    expect(await response.json()).toMatchObject({ resource: named, authorization_servers: [ISSUER] });
  });

  it.each([
    ['POST', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resources'],
    ['GET', '/mcp'],
  ])('is not the response to %s %s', async (method, path) => {
    expect((await ask({ servers: [ISSUER] }, { method, path })).status).toBe(401);
  });

  it('does not exist if anyone may call', async () => {
    const response = await ask(undefined, { path: '/.well-known/oauth-protected-resource', method: 'GET' });
    expect(await response.text()).toBe('unknown');
  });
});

describe('a caller', () => {
  it.each<[string, Authorization | undefined, { token?: string; verified?: AuthInfo }, string]>([
    ['without authorization options passes', undefined, {}, 'unknown'],
    ['that an authorizer verified passes', { servers: [ISSUER] }, { verified: caller }, 'ada'],
    ['that the verifier accepts passes', { servers: [ISSUER], verifier }, { token: 'good' }, 'ada'],
  ])('%s', async (_what, authorization, given, subject) => {
    expect(await (await ask(authorization, given)).text()).toBe(subject);
  });

  it.each<[string, Authorization, { token?: string; verified?: AuthInfo }, string]>([
    ['without a token', { servers: [ISSUER], verifier }, {}, ''],
    ['with a token that nothing verified', { servers: [ISSUER] }, { token: 'good' }, ''],
    [
      'with a token that is not valid',
      { servers: [ISSUER], verifier },
      { token: 'bad' },
      'error="invalid_token", ',
    ],
    ['with an expired token', { servers: [ISSUER], verifier }, { token: 'old' }, 'error="invalid_token", '],
    [
      'with a token that is not valid, though an authorizer accepted it',
      { servers: [ISSUER], verifier },
      { token: 'bad', verified: caller },
      'error="invalid_token", ',
    ],
  ])('%s learns where to log in', async (_what, authorization, given, error) => {
    const response = await ask(authorization, given);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer ${error}resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 }, id: null });
  });

  it('learns which scopes to request, and the public URL of the document', async () => {
    const authorization = {
      servers: [ISSUER],
      scopes: ['read', 'write'],
      resource: 'https://public.example/tools',
    };
    const response = await ask(authorization);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer scope="read write", resource_metadata="https://public.example/.well-known/oauth-protected-resource/tools"',
    );
  });

  it('does not get a 401 if the verifier itself fails', async () => {
    await expect(ask({ servers: [ISSUER], verifier }, { token: 'no-keys' })).rejects.toThrow(
      'The keys of the issuer',
    );
  });
});
