import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const AUDIENCE = 'https://mcp.example/mcp';

/** Starts an issuer of tokens, with its keys at the place that its document names. */
export async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
  const login = createServer(({ url }, response) => {
    response.end(JSON.stringify(url === '/keys' ? keys : { issuer, jwks_uri: `${issuer}/keys` }));
  }).listen(0, '127.0.0.1');
  await once(login, 'listening');
  const issuer = `http://127.0.0.1:${(login.address() as AddressInfo).port}`;
  return {
    issuer,
    /** Returns the header of a caller. */
    async caller(claims: Readonly<Record<string, string>>): Promise<{ readonly authorization: string }> {
      const exp = Math.floor(Date.now() / 1000) + 3600;
      const token = new SignJWT({ iss: issuer, aud: AUDIENCE, exp, ...claims });
      const signed = await token.setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
      return { authorization: `Bearer ${signed}` };
    },
    async close(): Promise<void> {
      login.close();
      login.closeAllConnections();
    },
  };
}
