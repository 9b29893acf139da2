import { describe, expect, it } from 'vitest';
import { type HttpEvent, toRequest } from '../../src/core/lambda/event.js';
import { type RestEvent, readEvent } from '../../src/core/lambda/read-event.js';
import { toResult } from '../../src/core/lambda/result.js';
import { httpEvent, restEvent } from './events.js';

/** The event of a function URL as AWS documents it. An HTTP API adds `routeKey` and the parameters of the path. */
const functionUrlEvent = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/mcp',
  rawQueryString: 'concerns=topic%3Acharts%7Cmaps&concerns=security:high',
  cookies: ['a=1', 'b=2'],
  headers: {
    host: 'id.lambda-url.eu-central-1.on.aws',
    accept: 'text/html,application/json',
    'x-two': 'a,b',
  },
  requestContext: {
    accountId: 'anonymous',
    apiId: 'id',
    domainName: 'id.lambda-url.eu-central-1.on.aws',
    http: { method: 'POST', path: '/mcp', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'agent' },
    requestId: 'url-1',
    stage: '$default',
    time: '20/Nov/2026:12:00:00 +0000',
    timeEpoch: 1795176000000,
  },
  body: 'Grüße',
  isBase64Encoded: false,
};

describe('an event', () => {
  it('becomes the request that it describes', async () => {
    const request = toRequest(functionUrlEvent);
    expect(request.method).toBe('POST');
    expect(request.url).toBe(
      'https://id.lambda-url.eu-central-1.on.aws/mcp?concerns=topic%3Acharts%7Cmaps&concerns=security:high',
    );
    expect(new URL(request.url).searchParams.getAll('concerns')).toEqual([
      'topic:charts|maps',
      'security:high',
    ]);
    expect(request.headers.get('x-two')).toBe('a,b');
    expect(request.headers.get('cookie')).toBe('a=1; b=2');
    expect(await request.text()).toBe('Grüße');
  });

  it('can have a base64 body with any bytes', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const body = Buffer.from(bytes).toString('base64');
    const request = toRequest(httpEvent('POST', undefined, { body, isBase64Encoded: true }));
    expect(new Uint8Array(await request.arrayBuffer())).toEqual(bytes);
  });

  it.each(['GET', 'HEAD'])('of a %s has no body', (method) => {
    expect(toRequest(httpEvent(method, undefined, { body: 'x' })).body).toBeNull();
  });

  it('can have no headers, no query, no body and no domain', async () => {
    const request = toRequest({ rawPath: '/mcp', requestContext: { http: { method: 'POST' } } });
    expect(request.url).toBe('https://localhost/mcp');
    expect(await request.text()).toBe('');
  });

  it.each(['//elsewhere.example/mcp', '/\\elsewhere.example', '/@elsewhere.example'])(
    'with the path %s keeps its host',
    (rawPath) => {
      expect(new URL(toRequest({ ...httpEvent('GET'), rawPath }).url).host).toBe(
        'abc.execute-api.eu-central-1.amazonaws.com',
      );
    },
  );

  it('loses only headers that a request cannot have', () => {
    const headers = { 'x-bad': 'a\nb', 'bad name': 'x', 'x-wide': '€', 'x-good': 'ü' };
    const request = toRequest(httpEvent('POST', '{}', { headers }));
    expect([...request.headers.keys()]).toEqual(['accept', 'content-type', 'host', 'x-good']);
  });

  it('becomes a request that its signal aborts', () => {
    const controller = new AbortController();
    const request = toRequest(httpEvent('POST', '{}'), controller.signal);
    controller.abort();
    expect(request.signal.aborted).toBe(true);
  });
});

/** The event of a REST API as AWS documents it, without the members that are not read. */
const restApiEvent: RestEvent = {
  httpMethod: 'POST',
  path: '/mcp',
  headers: { Accept: 'application/json', Cookie: 'b=2', 'X-Two': 'b' },
  multiValueHeaders: {
    Accept: ['application/json'],
    Cookie: ['a=1', 'b=2'],
    'X-Two': ['a', 'b'],
    'x-two': ['c'],
  },
  queryStringParameters: { concerns: 'security:high' },
  multiValueQueryStringParameters: { concerns: ['topic:charts|maps&x', 'security:high'] },
  requestContext: {
    requestId: 'rest-1',
    domainName: 'id.execute-api.eu-central-1.amazonaws.com',
    stage: 'dev',
    identity: { accountId: null, userArn: null, caller: null },
  },
  body: Buffer.from('Grüße').toString('base64'),
  isBase64Encoded: true,
};

describe('an event of a REST API', () => {
  it('becomes the request that it describes', async () => {
    const request = toRequest(readEvent(restApiEvent));
    expect(request.method).toBe('POST');
    expect(new URL(request.url).host).toBe('id.execute-api.eu-central-1.amazonaws.com');
    expect(new URL(request.url).pathname).toBe('/mcp');
    expect(new URL(request.url).searchParams.getAll('concerns')).toEqual([
      'topic:charts|maps&x',
      'security:high',
    ]);
    expect(request.headers.get('x-two')).toBe('a, b, c');
    expect(request.headers.get('cookie')).toBe('a=1; b=2');
    expect(await request.text()).toBe('Grüße');
    expect(readEvent(restApiEvent).requestContext).toMatchObject({ requestId: 'rest-1' });
  });

  it('can have only single values, or neither headers nor query', () => {
    const { multiValueHeaders: _, multiValueQueryStringParameters: __, ...single } = restApiEvent;
    const request = toRequest(readEvent(single));
    expect([request.headers.get('x-two'), new URL(request.url).search]).toEqual([
      'b',
      '?concerns=security%3Ahigh',
    ]);
    const bare = toRequest(readEvent({ httpMethod: 'GET', path: '/mcp', requestContext: {} }));
    expect(bare.url).toBe('https://localhost/mcp');
  });

  it.each(['/a?b', '/a#b', '//elsewhere.example/mcp'])('with the decoded path %s keeps its path', (path) => {
    const { host, search, hash } = new URL(toRequest(readEvent(restEvent('GET', undefined, { path }))).url);
    expect([host, search, hash]).toEqual(['abc.execute-api.eu-central-1.amazonaws.com', '', '']);
  });

  it('gets cookies as a REST API expects them', async () => {
    const response = new Response('x', {
      headers: [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ],
    });
    const result = await toResult(response, readEvent(restApiEvent));
    expect(result).toMatchObject({ multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] } });
    // A REST API answers 502 to members that it does not know.
    expect(Object.keys(result).sort()).toEqual([
      'body',
      'headers',
      'isBase64Encoded',
      'multiValueHeaders',
      'statusCode',
    ]);
  });
});

describe('an event that is not an HTTP request', () => {
  it.each<[string, unknown]>([
    ['a test event of the console', { key1: 'value1' }],
    ['null', null],
    [
      'an event of a load balancer',
      { httpMethod: 'POST', path: '/mcp', requestContext: { elb: { targetGroupArn: 'arn' } } },
    ],
    ['an event of a REST API without a path', { httpMethod: 'POST', requestContext: {} }],
    ['a message of a queue', { Records: [] }],
  ])('is rejected with a message: %s', (_what, event) => {
    expect(() => readEvent(event as HttpEvent)).toThrow(
      'The event is not an HTTP request of payload format 2.0 or 1.0. Call the function through an HTTP API, a REST API or its URL.',
    );
  });
});

describe('a response', () => {
  it.each(['application/json', 'text/event-stream', 'application/problem+json; charset=utf-8', undefined])(
    'of type %s stays text',
    async (type) => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const result = await toResult(new Response(Buffer.from('Grüße 🔐'), { status: 201, headers }));
      expect(result).toMatchObject({ statusCode: 201, body: 'Grüße 🔐', isBase64Encoded: false });
    },
  );

  it('of any other type becomes base64', async () => {
    const bytes = Uint8Array.from([0, 255, 128, 13, 10]);
    const response = new Response(bytes, { headers: { 'content-type': 'image/png' } });
    expect(await toResult(response)).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'image/png' },
      body: Buffer.from(bytes).toString('base64'),
      isBase64Encoded: true,
    });
  });

  it('without a body becomes an empty body', async () => {
    const empty = { statusCode: 202, headers: {}, body: '', isBase64Encoded: false };
    expect(await toResult(new Response(null, { status: 202 }))).toEqual(empty);
  });

  it('keeps cookies separate, and joins other headers', async () => {
    const response = new Response('x');
    for (const value of ['a=1; Path=/', 'b=2; Expires=Thu, 01 Jan 2026 00:00:00 GMT']) {
      response.headers.append('set-cookie', value);
      response.headers.append('x-two', value.slice(0, 3));
    }
    const { headers, cookies } = await toResult(response);
    expect(cookies).toEqual(['a=1; Path=/', 'b=2; Expires=Thu, 01 Jan 2026 00:00:00 GMT']);
    expect(headers).toMatchObject({ 'x-two': 'a=1, b=2' });
    expect(headers).not.toHaveProperty('set-cookie');
  });
});
