import { describe, expect, it } from 'vitest';
import { bearerToken } from '../../src/core/http/callers/authorization.js';
import { claimFromText } from '../../src/core/lambda/claim-texts.js';
import { callerOf, VERIFIED_TOKENS } from '../../src/core/lambda/claims.js';
import { readEvent } from '../../src/core/lambda/read-event.js';
import { httpEvent, restEvent, withClaims } from './events.js';

describe('a claim that an HTTP API wrote as text', () => {
  it.each<[string, unknown]>([
    // A list, or a text in brackets.
    ['[admin]', null],
    ['[]', null],
    // One element with a blank, or two elements.
    ['[admin users]', null],
    // An object, or a text that looks like one.
    ['map[a:1]', null],
    ['{"a":1}', null],
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
  ])('%j becomes %j without its token', (text, value) => {
    expect(claimFromText(text, 'groups', {}, false)).toEqual(value);
  });

  it.each(['scope', 'scp', 'scopes', 'cognito:groups'])(
    'is split at blanks without its token if nothing in %s has a blank',
    (name) => {
      expect(claimFromText('[admin 7]', name, {}, false)).toEqual(['admin', 7]);
      expect(claimFromText('[]', name, {}, false)).toEqual([]);
    },
  );

  it('stays as it is if it is not text', () => {
    expect(claimFromText(7, 'groups', {}, false)).toBe(7);
    expect(claimFromText(['a'], 'groups', {}, false)).toEqual(['a']);
  });

  it.each<[string, unknown]>([
    ['[users not admin]', ['users', 'not admin']],
    ['[users not admin]', ['users', 'not', 'admin']],
    ['[admin]', '[admin]'],
    ['[]', [[]].slice(1)],
    ['42', '42'],
    ['42', 42],
    ['true', true],
    ['map[roles:[ops admin] z:<nil>]', { z: null, roles: ['ops admin'] }],
    ['map[a:map[b:[x]] c:1]', { c: 1, a: { b: ['x'] } }],
    ['{"roles":["ops"]}', { roles: ['ops'] }],
    ['["a","b c"]', ['a', 'b c']],
  ])('%j becomes %j if its token has that', (text, claim) => {
    expect(claimFromText(text, 'groups', { groups: claim }, false)).toEqual(claim);
  });

  it.each<[string, unknown]>([
    ['[users not admin]', ['admin']],
    ['[users not admin]', ['users', 'not admin', 'ops']],
    ['map[roles:[ops]]', { roles: ['admin'] }],
    ['[users not admin]', null],
  ])('of %j does not become %j, which another token has', (text, claim) => {
    const alone = claimFromText(text, 'groups', {}, false);
    expect(claimFromText(text, 'groups', { groups: claim }, false)).toEqual(alone);
    expect(
      claimFromText(text, 'groups', JSON.parse('{"__proto__":{"groups":["users not admin"]}}'), false),
    ).toEqual(alone);
  });

  it('of a token that nests too deeply is read without it', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(claimFromText('[x y]', 'groups', { groups: deep }, false)).toBe(null);
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

  it('has the lists of the token that its authorizer verified, and what it left out because it is null', () => {
    const payload = {
      sub: '42',
      groups: ['users', 'not admin'],
      team: null,
      realm_access: { roles: ['ops'] },
    };
    const token = `x.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.y`;
    const claims = { sub: '42', groups: '[users not admin]', realm_access: 'map[roles:[ops]]' };
    const event = withClaims(
      httpEvent('POST', '{}', { headers: { authorization: `Bearer ${token}` } }),
      claims,
    );
    expect(callerOf(event, 'authorization')?.extra).toEqual(payload);
  });

  it('has nothing of a token of which nothing says that it was verified, although it repeats all verified claims', () => {
    // The verified token, which is in a cookie, has the one group "not admin".
    const verified = { iss: 'https://login.example/', sub: '42', iat: '1', exp: '1795176000' };
    const forged = { ...verified, exp: 1795176000, groups: ['not', 'admin'], team: null };
    const token = `x.${Buffer.from(JSON.stringify(forged)).toString('base64url')}.y`;
    const event = withClaims(httpEvent('POST', '{}', { headers: { authorization: `Bearer ${token}` } }), {
      ...verified,
      groups: '[not admin]',
    });
    for (const caller of [callerOf(event), callerOf(event, 'none')]) {
      expect(caller?.extra).toMatchObject({ sub: '42', groups: null });
      expect(caller?.extra).not.toHaveProperty('team');
    }
  });

  it('does not have what only the token in its headers has', () => {
    const forged = {
      sub: '1',
      'cognito:groups': ['admin'],
      role: 'admin',
      realm_access: { roles: ['admin'] },
    };
    const token = `x.${Buffer.from(JSON.stringify(forged)).toString('base64url')}.y`;
    const claims = { sub: '42', 'cognito:groups': '[users]', realm_access: 'map[roles:[ops]]' };
    const event = withClaims(
      httpEvent('POST', '{}', { headers: { authorization: `Bearer ${token}` } }),
      claims,
    );
    for (const verified of VERIFIED_TOKENS)
      expect(callerOf(event, verified)?.extra).toEqual({
        sub: '42',
        'cognito:groups': ['users'],
        realm_access: null,
      });
  });

  it.each(['t.o.k', 'opaque', 'x.bnVsbA.y', `x.${Buffer.from('[1]').toString('base64url')}.y`])(
    'has its claims with the token %s, which is not a JWT with claims',
    (token) => {
      const event = httpEvent('POST', '{}', { headers: { authorization: `Bearer ${token}` } });
      expect(callerOf(withClaims(event, { sub: '42' }), 'authorization')?.extra).toEqual({ sub: '42' });
    },
  );

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

  it.each<[string, string[] | undefined, unknown]>([
    ['readers,editors', ['readers', 'editors'], ['readers', 'editors']],
    ['x,admin', ['x,admin'], ['x,admin']],
    // One group with a comma, or two groups.
    ['x,admin', undefined, null],
    ['readers', undefined, ['readers']],
    ['[readers]', undefined, ['[readers]']],
  ])(
    'has the groups of Amazon Cognito behind a REST API, which writes %j, as a list if its token has %j',
    (text, sent, groups) => {
      const claims = { sub: '42', 'cognito:groups': text, name: 'Lee, Ann' };
      const token = `x.${Buffer.from(JSON.stringify({ 'cognito:groups': sent })).toString('base64url')}.y`;
      const multiValueHeaders = { Authorization: [`Bearer ${token}`] };
      const event = readEvent(
        restEvent('POST', {}, { requestContext: { authorizer: { claims } }, multiValueHeaders }),
      );
      const rest = { sub: '42', name: 'Lee, Ann' };
      expect(callerOf(event, 'authorization')?.extra).toEqual({ ...rest, 'cognito:groups': groups });
      const alone = text.includes(',') ? null : [text];
      expect(callerOf(event)?.extra).toEqual({ ...rest, 'cognito:groups': alone });
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
