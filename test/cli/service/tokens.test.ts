import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, callModern, post, type Service, send, serve } from './service.js';

const AUDIENCE = 'https://mcp.example/mcp';
const own = await generateKeyPair('ES256');
const foreign = await generateKeyPair('ES256');

let issuer = '';
let isDown = false;
let login: Server;
beforeAll(async () => {
  const keys = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256' }] };
  login = createServer((request, response) => {
    if (isDown) return void response.writeHead(500).end();
    // As issuers do that have only the document of RFC 8414.
    if (request.url === '/.well-known/openid-configuration') return void response.writeHead(404).end();
    const document = request.url === '/keys' ? keys : { issuer, jwks_uri: `${issuer}/keys` };
    response.end(JSON.stringify(document));
  }).listen(0, '127.0.0.1');
  await once(login, 'listening');
  issuer = `http://127.0.0.1:${(login.address() as AddressInfo).port}`;
});
afterAll(() => {
  login.close();
});

interface Claims {
  readonly sub?: string;
  readonly team?: string;
  readonly aud?: string;
  readonly iss?: string;
  readonly exp?: number | undefined;
  readonly key?: typeof own.privateKey;
}

const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;

async function caller({ key = own.privateKey, iss, aud, exp = inAnHour(), ...claims }: Claims) {
  const token = await new SignJWT({ iss: iss ?? issuer, aud: aud ?? AUDIENCE, exp, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .sign(key);
  return { authorization: `Bearer ${token}` };
}

const start = (): Promise<Service> =>
  serve({}, '--host', '0.0.0.0', '--issuer', issuer, '--audience', AUDIENCE);

describe('serve with an issuer', () => {
  it('accepts its tokens and no others, and says where to log in', async () => {
    const { url } = await start();
    const status = async (headers: Record<string, string>) => (await post(url, headers, 'ping')).status;
    // Without a session it is refused, but not for its token.
    expect(await status(await caller({ sub: 'alice' }))).toBe(400);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
      JSON.stringify({ iss: issuer, aud: AUDIENCE, sub: 'alice', exp: inAnHour() }),
    ).toString('base64url')}.`;
    const refused = [
      {},
      { authorization: 'Bearer nothing' },
      { authorization: `Bearer ${unsigned}` },
      await caller({ sub: 'alice', key: foreign.privateKey }),
      await caller({ sub: 'alice', iss: 'https://other.example' }),
      await caller({ sub: 'alice', aud: 'https://other.example' }),
      await caller({ sub: 'alice', exp: 1 }),
      // Nothing would tell two such callers apart.
      await caller({}),
    ];
    expect(await Promise.all(refused.map(status))).toEqual(refused.map(() => 401));
    const { headers } = await post(url, {}, 'ping');
    expect(headers['www-authenticate']).toContain(
      'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"',
    );
    const found = await send(new URL('/.well-known/oauth-protected-resource/mcp', url), 'GET');
    expect(JSON.parse(found.text)).toMatchObject({ resource: AUDIENCE, authorization_servers: [issuer] });
  });

  it('keeps sessions of callers apart, also if one knows the id of the other', async () => {
    const { url } = await start();
    const [alice, bob] = [await caller({ sub: 'alice' }), await caller({ sub: 'bob' })];
    const session = await begin(url, alice, { access: 'none' });
    expect((await post(url, session, 'tools/list')).text).not.toContain('"echo"');
    const stolen = { ...session, ...bob };
    expect((await post(url, stolen, 'tools/list')).status).toBe(404);
    expect((await post(url, stolen, 'updateConcerns', { concerns: { access: 'all' } })).status).toBe(404);
    expect((await send(url, 'DELETE', stolen)).status).toBe(404);
    expect((await post(url, session, 'tools/list')).text).not.toContain('"echo"');
  });

  it('gives callers of 2026-07-28 a process of their own', async () => {
    const { url } = await start();
    const [alice, bob] = [await caller({ sub: 'alice' }), await caller({ sub: 'bob' })];
    const pidOf = async (headers: Record<string, string>) =>
      /"text":"(\d+)"/.exec((await callModern(url, headers, 'pid')).text)?.[1];
    const [first, second, other] = [await pidOf(alice), await pidOf(alice), await pidOf(bob)];
    expect(first).toMatch(/^\d+$/);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('lets claims set the concerns of the operator', async () => {
    const { url } = await start();
    const listOf = async (team: string) => {
      const session = await begin(url, await caller({ sub: 'alice', team }));
      return (await post(url, session, 'tools/list')).text;
    };
    expect(await listOf('dev')).toContain('"echo"');
    expect(await listOf('ops')).not.toContain('"echo"');
  });

  it('answers 503 while the keys of the issuer cannot be read', async () => {
    isDown = true;
    const { url } = await start();
    const alice = await caller({ sub: 'alice' });
    const refused = await post(url, alice, 'ping');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    isDown = false;
    expect((await post(url, alice, 'ping')).status).toBe(400);
  });
});
