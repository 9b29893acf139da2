import { describe, expect, it } from 'vitest';
import { bearerToken } from '../../src/http/authorization.js';
import { callerOf, unflatten } from '../../src/lambda/claims.js';
import { httpEvent, withClaims } from './events.js';

describe('a claim that an HTTP API wrote as text', () => {
  it.each<[string, unknown]>([
    ['[admin users]', ['admin', 'users']],
    ['[admin]', ['admin']],
    ['[]', []],
    ['[1 2.5 x]', [1, 2.5, 'x']],
    ['1795176000', 1795176000],
    ['-3', -3],
    ['2.5', 2.5],
    ['0', 0],
    ['true', true],
    ['false', false],
    // An HTTP API does not write numbers like these.
    ['007', '007'],
    ['1e3', '1e3'],
    ['1.0', '1.0'],
    ['0x10', '0x10'],
    [' 1', ' 1'],
    ['12345678901234567890', '12345678901234567890'],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['', ''],
    ['pro', 'pro'],
    ['a b', 'a b'],
    ['[a', '[a'],
    ['map[a:1]', 'map[a:1]'],
  ])('%j becomes %j', (text, value) => {
    expect(unflatten(text)).toEqual(value);
  });

  it('stays as it is if it is not text', () => {
    expect(unflatten(7)).toBe(7);
    expect(unflatten(['a'])).toEqual(['a']);
  });
});

describe('the caller', () => {
  it('comes from the authorizer, with the claims', () => {
    const claims = {
      iss: 'https://login.example/',
      sub: '42',
      client_id: '7',
      exp: '1795176000',
      'cognito:groups': '[admin users]',
      'custom:tier': 'pro',
    };
    const event = withClaims(
      httpEvent('POST', '{}', { headers: { authorization: 'Bearer t.o.k' } }),
      claims,
      ['a'],
    );
    expect(callerOf(event)).toEqual({
      token: 't.o.k',
      clientId: '7',
      scopes: ['a'],
      expiresAt: 1795176000,
      extra: {
        iss: 'https://login.example/',
        sub: '42',
        client_id: '7',
        exp: 1795176000,
        'cognito:groups': ['admin', 'users'],
        'custom:tier': 'pro',
      },
    });
  });

  it('has the scopes of its claim if the route requires none', () => {
    const event = withClaims(httpEvent('POST', '{}'), { sub: 'a', scope: 'read write', azp: 'client' });
    expect(callerOf(event)).toMatchObject({ clientId: 'client', scopes: ['read', 'write'], token: '' });
  });

  it('is unknown without an authorizer, whatever headers, body and query contain', () => {
    const claims = JSON.stringify({ sub: 'admin', 'custom:tier': 'pro' });
    const token = `Bearer x.${Buffer.from(claims).toString('base64url')}.y`;
    const headers = {
      authorization: token,
      'x-amzn-oidc-data': claims,
      'sls-offline-authorizer-override': claims,
    };
    expect(
      callerOf(httpEvent('POST', claims, { headers, rawQueryString: `claims=${claims}` })),
    ).toBeUndefined();
  });
});

describe('a bearer token', () => {
  it.each([
    ['Bearer abc.def', 'abc.def'],
    ['bearer  abc', 'abc'],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    [null, undefined],
  ])('of %j is %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});
