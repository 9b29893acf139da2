import { beforeAll, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../../examples/vault/server.js';
import type { BufferedHandler } from '../../../src/core/lambda/buffered.js';
import { createFunction } from '../../../src/core/lambda/function.js';
import type { HttpResult } from '../../../src/core/lambda/result.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { policyOf, yaml } from '../../policy/author.js';
import { errorOf, httpEvent, initialize, rpc, toolsOf, withClaims } from '../events.js';

/** Claims set tier, group and quota; the host sets security. */
const policy = policyOf(yaml`
  version: 1
  concerns:
    security: { values: [low, high] }
    tier: { values: [free, pro, team], match: at-most, set-by: operator, claim: "custom:tier", default: free }
    group: { values: [staff, audit], multiple: true, set-by: operator, claim: "cognito:groups" }
    quota: { values: { min: 0, max: 1000 }, set-by: operator, claim: "custom:quota" }
  primitives:
    tools:
      hashData: { tier: free }
      encryptData: { tier: pro, security: high }
      decryptData: { tier: team }
      backupVault: { group: audit }
      storeRecord: { group: [staff, audit] }
      compressData: { quota: 500 }
`);
const ISSUER = 'https://login.example/';
const tokenOf = (sub: string, more: Record<string, string> = {}) => ({ iss: ISSUER, sub, ...more });
const ada = tokenOf('ada', { 'custom:tier': 'pro' });
const bob = tokenOf('bob');

let handler: BufferedHandler;
beforeAll(() => {
  handler = createFunction({
    response: 'buffered',
    server: () => createVaultServer(),
    policy,
    store: createMemoryStore(),
    authorization: { servers: [ISSUER] },
    log: () => undefined,
  });
});

const session = (id: string) => ({ headers: { 'mcp-session-id': id } });
const call = (claims: Record<string, string>, body: unknown, id?: string): Promise<HttpResult> =>
  handler(withClaims(httpEvent('POST', body, id === undefined ? {} : session(id)), claims));
const listed = async (claims: Record<string, string>, id?: string): Promise<string[]> =>
  toolsOf(await call(claims, rpc('tools/list'), id));
const open = async (claims: Record<string, string>, more: object = {}): Promise<string> =>
  (await call(claims, initialize(more))).headers['mcp-session-id'] ?? '';

describe('claims of the token', () => {
  it.each<[string, Record<string, string>, string[], string[]]>([
    ['a tier', ada, ['hashData', 'encryptData'], ['decryptData', 'storeRecord', 'compressData']],
    ['the default, if the token has no claim', bob, ['hashData'], ['encryptData', 'decryptData']],
    [
      'a list',
      tokenOf('eve', { 'cognito:groups': '[audit other]' }),
      ['backupVault', 'storeRecord'],
      ['encryptData'],
    ],
    ['a list of one', tokenOf('eve', { 'cognito:groups': '[staff]' }), ['storeRecord'], ['backupVault']],
    ['a number', tokenOf('eve', { 'custom:quota': '750' }), ['compressData'], ['storeRecord']],
    ['a number that is too low', tokenOf('eve', { 'custom:quota': '99.5' }), [], ['compressData']],
  ])('set operator concerns: %s', async (_what, claims, shown, hidden) => {
    const tools = await listed(claims);
    expect(tools).toEqual(expect.arrayContaining(shown));
    for (const name of hidden) expect(tools).not.toContain(name);
  });

  it('cannot be set by the host in a header, the URL or the session', async () => {
    const id = await open(bob, { concerns: { tier: 'team', security: 'high' } });
    const event = httpEvent('POST', rpc('tools/list'), {
      headers: { 'mcp-session-id': id, 'mcp-concerns': 'tier=team', authorization: 'Bearer made.up.token' },
      rawQueryString: 'concerns=tier:team',
    });
    expect(toolsOf(await handler(withClaims(event, bob)))).not.toContain('decryptData');
  });

  it('come from each request, not from the session', async () => {
    const id = await open(bob);
    expect(await listed(bob, id)).not.toContain('encryptData');
    expect(await listed({ ...bob, 'custom:tier': 'team' }, id)).toContain('decryptData');
    expect(await listed(bob, id)).not.toContain('encryptData');
  });
});

describe('a session', () => {
  it('belongs to the caller that opened it: for another caller it does not exist', async () => {
    const id = await open(ada, { concerns: { security: 'low' } });
    expect(await listed(ada, id)).not.toContain('encryptData');
    const others = { ...bob, 'custom:tier': 'pro' };
    expect(await call(others, rpc('tools/list'), id)).toMatchObject({ statusCode: 404 });
    const update = rpc('updateConcerns', { concerns: { security: 'high' } });
    expect(await call(others, update, id)).toMatchObject({ statusCode: 404 });
    expect(await handler(withClaims(httpEvent('DELETE', undefined, session(id)), others))).toMatchObject({
      statusCode: 204,
    });
    expect(await listed(ada, id)).not.toContain('encryptData');
    expect(await call(others, rpc('tools/list'), id)).toMatchObject({ statusCode: 404 });
  });
});

describe('a caller without a verified token', () => {
  it('learns where to log in, whatever the Authorization header contains', async () => {
    for (const headers of [{}, { authorization: 'Bearer a.b.c' }]) {
      const result = await handler(httpEvent('POST', rpc('tools/list'), { headers }));
      expect(result).toMatchObject({
        statusCode: 401,
        headers: {
          'www-authenticate':
            'Bearer resource_metadata="https://abc.execute-api.eu-central-1.amazonaws.com/.well-known/oauth-protected-resource/mcp"',
        },
      });
      expect(errorOf(result).message).toBe(
        'This endpoint requires an access token. The WWW-Authenticate header tells where to log in.',
      );
    }
  });

  it('can read where to log in', async () => {
    const rawPath = '/.well-known/oauth-protected-resource/mcp';
    const { statusCode, body } = await handler(httpEvent('GET', undefined, { rawPath }));
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toEqual({
      resource: 'https://abc.execute-api.eu-central-1.amazonaws.com/mcp',
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
    });
  });

  it('can find the issuer with an SDK client', async () => {
    const { auth } = await import('@modelcontextprotocol/sdk/client/auth.js');
    const requested: string[] = [];
    const fetchFn = async (input: string | URL): Promise<Response> => {
      const { pathname, href } = new URL(input);
      requested.push(href);
      if (!pathname.startsWith('/.well-known/oauth-protected-resource'))
        return new Response(null, { status: 404 });
      const result = await handler(httpEvent('GET', undefined, { rawPath: pathname }));
      return new Response(result.body, { status: result.statusCode, headers: result.headers });
    };
    const provider = {
      redirectUrl: 'http://localhost/callback',
      clientMetadata: { redirect_uris: ['http://localhost/callback'] },
      clientInformation: () => undefined,
      tokens: () => undefined,
      saveTokens: () => undefined,
      redirectToAuthorization: () => undefined,
      saveCodeVerifier: () => undefined,
      codeVerifier: () => '',
    };
    const serverUrl = 'https://abc.execute-api.eu-central-1.amazonaws.com/mcp';
    await auth(provider, { serverUrl, fetchFn }).catch(() => undefined);
    expect(requested[0]).toBe(
      'https://abc.execute-api.eu-central-1.amazonaws.com/.well-known/oauth-protected-resource/mcp',
    );
    expect(requested.slice(1).every((url) => url.startsWith(ISSUER))).toBe(true);
    expect(requested.length).toBeGreaterThan(1);
  });
});

describe('a list in a claim that API Gateway wrote as text', () => {
  const roles = policyOf(yaml`
    version: 1
    concerns:
      group: { values: [admin], multiple: true, set-by: operator, claim: groups }
    primitives:
      tools: { backupVault: { group: admin } }
  `);
  const token = `x.${Buffer.from(JSON.stringify({ groups: ['not', 'admin'] })).toString('base64url')}.y`;
  const shownWith = async (env: Record<string, string>): Promise<string[]> => {
    const handle = createFunction({
      response: 'buffered',
      server: () => createVaultServer(),
      policy: roles,
      store: createMemoryStore(),
      log: () => undefined,
      warn: () => undefined,
      env,
    });
    const headers = { authorization: `Bearer ${token}` };
    const claims = { iss: ISSUER, sub: 'eve', groups: '[not admin]' };
    const begun = await handle(withClaims(httpEvent('POST', initialize(), { headers }), claims));
    const session = { 'mcp-session-id': begun.headers['mcp-session-id'] ?? '' };
    const event = httpEvent('POST', rpc('tools/list'), { headers: { ...headers, ...session } });
    return toolsOf(await handle(withClaims(event, claims)));
  };

  it('is read from the token in Authorization only if the environment says that it was verified', async () => {
    expect(await shownWith({})).not.toContain('backupVault');
    expect(await shownWith({ MCP_CONCERNS_TOKEN: 'none' })).not.toContain('backupVault');
    expect(await shownWith({ MCP_CONCERNS_TOKEN: 'authorization' })).toContain('backupVault');
    await expect(shownWith({ MCP_CONCERNS_TOKEN: 'header' })).rejects.toThrow(
      '"header" is not a valid value for MCP_CONCERNS_TOKEN (none, authorization).',
    );
  });
});
