import { InvalidTokenError, ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Authorization, callerOfClaims } from '../../../core/http/callers/authorization.js';
import { principalOf } from '../../../core/http/sessions.js';
import { read } from '../../../core/wire/messages.js';

/** The documents of an issuer that name its keys: OpenID Connect Discovery 1.0, and RFC 8414. */
const DOCUMENTS = ['openid-configuration', 'oauth-authorization-server'];

/** Failures to find a key that are those of the token. All others are those of the issuer. */
const OF_TOKEN = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/**
 * Verifies tokens with the keys that their issuer publishes, which are fetched when the first token arrives.
 *
 * @param issuer the claim `iss` that tokens must have
 * @param audience the claim `aud` that tokens must have
 * @returns the verifier
 * @example
 * const verifier = verifyTokens('https://login.example/', 'https://mcp.example/mcp');
 */
export function verifyTokens(issuer: string, audience: string): NonNullable<Authorization['verifier']> {
  let found: Promise<JWTVerifyGetKey> | undefined;
  const keyOf: JWTVerifyGetKey = async (...asked) => {
    try {
      found ??= keysOf(issuer);
      return await (await found)(...asked);
    } catch (cause) {
      if (OF_TOKEN.some((each) => cause instanceof each)) throw cause;
      found = undefined;
      throw new ServerError(`The keys of ${issuer} cannot be read.`);
    }
  };
  return {
    async verifyAccessToken(token) {
      const { payload } = await jwtVerify(token, keyOf, { issuer, audience, requiredClaims: ['exp'] });
      const caller = callerOfClaims(token, payload);
      if (principalOf(caller) !== undefined) return caller;
      // Two such callers could not be told apart.
      throw new InvalidTokenError('The token names neither a subject nor a client.');
    },
  };
}

async function keysOf(issuer: string): Promise<JWTVerifyGetKey> {
  for (const name of DOCUMENTS) {
    const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/${name}`);
    const url = response.ok ? read(await response.json(), 'jwks_uri') : undefined;
    if (typeof url === 'string') return createRemoteJWKSet(new URL(url));
  }
  throw new Error(`${issuer} does not name its keys.`);
}
