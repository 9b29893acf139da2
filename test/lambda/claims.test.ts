import { describe, expect, it } from 'vitest';
import { bearerToken } from '../../src/http/callers/authorization.js';
import { callerOf, unflatten } from '../../src/lambda/claims.js';
import { readEvent } from '../../src/lambda/read-event.js';
import { httpEvent, restEvent, withClaims } from './events.js';

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
      scopes: [],
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

  it('has the scopes of its token, not those that the route accepts', () => {
    const event = withClaims(httpEvent('POST', '{}'), { sub: 'a', scope: 'read write', azp: 'client' }, [
      'admin',
      'read',
    ]);
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

describe('the caller of a Lambda authorizer', () => {
  const of = (authorizer: object) => {
    const event = httpEvent('POST', '{}');
    return callerOf({ ...event, requestContext: { ...event.requestContext, authorizer } });
  };

  it('has the context of an HTTP API with its types', () => {
    const lambda = { sub: '42', tier: 'pro', groups: ['admin'], level: 3, text: '7', scope: 'read' };
    expect(of({ lambda })).toMatchObject({ extra: lambda, scopes: ['read'] });
  });

  it('has the context of a REST API, which is text, and its principal', () => {
    const authorizer = { principalId: '42', integrationLatency: 7, tier: 'pro', level: '3', admin: 'true' };
    const event = readEvent(restEvent('POST', {}, { requestContext: { authorizer } }));
    expect(callerOf(event)?.extra).toEqual({ sub: '42', tier: 'pro', level: 3, admin: true });
  });

  it('has the claims that Amazon Cognito verified', () => {
    const claims = { sub: '42', iss: 'https://cognito.example/', exp: '1795176000', 'custom:tier': 'pro' };
    const event = readEvent(restEvent('POST', {}, { requestContext: { authorizer: { claims } } }));
    expect(callerOf(event)).toMatchObject({ extra: { ...claims, exp: 1795176000 }, expiresAt: 1795176000 });
  });

  it.each([
    ['readers,editors', ['readers', 'editors']],
    ['readers', ['readers']],
  ])(
    'has the groups of Amazon Cognito as a list, also behind a REST API, which writes %j',
    (text, groups) => {
      const claims = { sub: '42', 'cognito:groups': text, name: 'Lee, Ann' };
      const event = readEvent(restEvent('POST', {}, { requestContext: { authorizer: { claims } } }));
      expect(callerOf(event)?.extra).toEqual({ sub: '42', 'cognito:groups': groups, name: 'Lee, Ann' });
    },
  );

  it('is unknown if the authorizer returned no context', () => {
    expect(of({ lambda: null })).toBeUndefined();
    expect(of({})).toBeUndefined();
  });
});

describe('the caller that IAM verified', () => {
  const arn = 'arn:aws:sts::123456789012:assumed-role/analyst/session-1';
  const extra = {
    iss: 'aws:iam',
    sub: arn,
    'aws:account': '123456789012',
    'aws:role': 'analyst',
    'aws:organization': 'o-1',
  };

  it('of an HTTP API or a function URL has the role, the account and the organization', () => {
    const iam = { accountId: '123456789012', userArn: arn, principalOrgId: 'o-1', callerId: 'A:s' };
    const event = httpEvent('POST', '{}');
    const context = { ...event.requestContext, authorizer: { iam } };
    expect(callerOf({ ...event, requestContext: context })?.extra).toEqual(extra);
  });

  it('of a REST API has the same claims', () => {
    const identity = {
      accountId: '123456789012',
      userArn: arn,
      principalOrgId: 'o-1',
      cognitoIdentityId: null,
    };
    const event = readEvent(restEvent('POST', {}, { requestContext: { identity } }));
    expect(callerOf(event)?.extra).toEqual(extra);
  });

  it('that is a user has no role', () => {
    const identity = { userArn: 'arn:aws:iam::123456789012:user/ann' };
    const event = readEvent(restEvent('POST', {}, { requestContext: { identity } }));
    expect(callerOf(event)?.extra).toEqual({ iss: 'aws:iam', sub: identity.userArn });
  });

  it('is unknown if the request is not signed', () => {
    const identity = { userArn: null, accountId: null };
    expect(callerOf(readEvent(restEvent('POST', {}, { requestContext: { identity } })))).toBeUndefined();
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
