import { describe, expect, it } from 'vitest';
import { describeConfiguration, resolveConfiguration } from '../../../src/core/engine/index.js';
import {
  type HttpRequestInfo,
  parseHeader,
  parseParameter,
  readPreferenceSources,
} from '../../../src/core/gate/request/preference-sources.js';
import { EXTENSION_ID, type Request } from '../../../src/core/wire/messages.js';
import { policyOf, yaml } from '../../policy/author.js';

const list = (params?: Record<string, unknown>): Request => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  ...(params === undefined ? {} : { params }),
});
const withMeta = (concerns: unknown) => list({ _meta: { [EXTENSION_ID]: { concerns } } });
const withHeader = (header: string | readonly string[]): HttpRequestInfo => ({
  headers: { 'mcp-concerns': header },
});
const withUrl = (query: string): HttpRequestInfo => ({ url: new URL(`https://example.test/mcp${query}`) });

/** Returns the preferences in a header or URL. */
const sent = (http: HttpRequestInfo) => readPreferenceSources(undefined, [], http).sources[0]?.concerns;

it.each([
  ['an absolute URL', 'https://example.test/mcp?concerns=security:high#cost'],
  ['a path', '/mcp?x=1&concerns=security:high'],
  ['an encoded value', '/mcp?concerns=security%3Ahigh'],
])('reads the parameter of %s', (_name, url) => {
  expect(sent({ url })).toEqual({ security: 'high' });
});

describe('the header', () => {
  it.each<[string, string, unknown]>([
    ['tokens', 'security=high, cost=minimal', { security: 'high', cost: 'minimal' }],
    ['without spaces', 'security=high,cost=minimal', { security: 'high', cost: 'minimal' }],
    ['with more spaces', '  security=high  ,\tcost=minimal ', { security: 'high', cost: 'minimal' }],
    ['strings', 'security="high", word="a \\"b\\" c"', { security: 'high', word: 'a "b" c' }],
    ['numbers', 'price=12, ratio=-1.5', { price: 12, ratio: -1.5 }],
    ['tokens that look odd', 'level=*a:b/c.d', { level: '*a:b/c.d' }],
    [
      'inner lists',
      'topic=(documents charts), security=high',
      { topic: ['documents', 'charts'], security: 'high' },
    ],
    ['inner lists of strings and numbers', 'topic=("a" b 3)', { topic: ['a', 'b', 3] }],
    ['an empty inner list', 'topic=()', { topic: [] }],
    ['a preset', 'preset=safe', { preset: 'safe' }],
    ['a preset by its name alone', 'safe, cost=minimal', { preset: 'safe', cost: 'minimal' }],
    ['the spelling of the URL', 'security:high', { security: 'high' }],
    [
      'the spelling of the URL, beside others',
      'safe,security:high, price=12',
      { preset: 'safe', security: 'high', price: '12' },
    ],
    [
      'several values in the spelling of the URL',
      'topic:documents|charts',
      { topic: ['documents', 'charts'] },
    ],
    ['several values in a token', 'topic=documents|charts', { topic: ['documents', 'charts'] }],
    ['several numbers', 'price:1|-2.5', { price: ['1', '-2.5'] }],
    ['one value in quotes', 'topic="documents|charts"', { topic: 'documents|charts' }],
    [
      'parameters, which are ignored',
      'security=high;q=0.5, topic=(a;x b);y=1',
      { security: 'high', topic: ['a', 'b'] },
    ],
    [
      'a repeated name: the last value counts',
      'security=low, cost=minimal, security=high',
      { security: 'high', cost: 'minimal' },
    ],
    ['a name of Object.prototype', 'constructor=x', { constructor: 'x' }],
    ['nothing', '', {}],
  ])('carries %s', (_name, header, concerns) => {
    expect(parseHeader(header)).toEqual(concerns);
    expect(readPreferenceSources(undefined, [], withHeader(header))).toEqual({
      sources: [{ from: 'header', concerns }],
      warnings: [],
      malformed: [],
    });
  });

  it.each([
    'security=high, ',
    'security=high,, cost=minimal',
    'security=high cost=minimal',
    'Security=high',
    'security: high',
    'security="high',
    'topic=(a b',
    '{"security": "high"}',
    '__proto__=x',
    'security=hö',
    'security=',
    '=high',
  ])('is ignored with a warning if it is malformed: %s', (header) => {
    const { sources, warnings, malformed } = readPreferenceSources(undefined, [], withHeader(header));
    expect(sources).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(['malformed-header']);
    expect(malformed).toEqual([
      { code: 'malformed-header', concern: 'Mcp-Concerns', value: header, values: [] },
    ]);
  });

  it('may be repeated', () => {
    const concerns = { security: 'high', cost: 'minimal' };
    expect(sent(withHeader(['security=low', 'cost=minimal', 'security=high']))).toEqual(concerns);
    expect(sent(withHeader(['security=high', 'cost=minimal']))).toEqual(concerns);
    expect(readPreferenceSources(undefined, [], withHeader(['security=high', '?']))).toMatchObject({
      sources: [],
    });
  });

  it('gets a warning for values that are not names, and is not refused', () => {
    const policy = policyOf('version: 1\nconcerns: { security: { values: [low, high] } }\n');
    for (const header of ['security=?0', 'security=:aGlnaA==:', 'security=@1659578233']) {
      const { sources } = readPreferenceSources(undefined, [], withHeader(header));
      const { invalid, warnings, active } = resolveConfiguration(policy, sources);
      expect({ header, invalid, active, codes: warnings.map(({ code }) => code) }).toEqual({
        header,
        invalid: [],
        active: false,
        codes: ['malformed-value'],
      });
    }
  });

  it('is ignored under another name', () => {
    expect(readPreferenceSources(undefined, [], { headers: { 'x-concerns': 'security=high' } })).toEqual({
      sources: [],
      warnings: [],
      malformed: [],
    });
    expect(readPreferenceSources(undefined, [], { headers: { 'mcp-concerns': undefined } }).sources).toEqual(
      [],
    );
  });
});

describe("the URL's parameter", () => {
  it.each<[string, string, unknown]>([
    ['pairs', '?concerns=security:high,cost:minimal', { security: 'high', cost: 'minimal' }],
    ['one pair', '?concerns=security:high', { security: 'high' }],
    ['a preset', '?concerns=safe', { preset: 'safe' }],
    ['a preset and pairs', '?concerns=safe,cost:minimal', { preset: 'safe', cost: 'minimal' }],
    ['a preset by its name', '?concerns=preset:safe', { preset: 'safe' }],
    [
      'lists',
      '?concerns=topic:documents|charts,security:high',
      { topic: ['documents', 'charts'], security: 'high' },
    ],
    ['numbers as text', '?concerns=price:-1.5', { price: '-1.5' }],
    [
      'escaped characters',
      '?concerns=security%3Ahigh%2Ctopic%3Aa%7Cb',
      { security: 'high', topic: ['a', 'b'] },
    ],
    ['a value with a colon', '?concerns=level:a:b', { level: 'a:b' }],
    [
      'a repeated parameter',
      '?concerns=security:high&concerns=cost:minimal',
      { security: 'high', cost: 'minimal' },
    ],
    [
      'a repeated parameter with the same name: the last value counts',
      '?concerns=security:low&x=1&concerns=security:high',
      { security: 'high' },
    ],
    ['empty parts, which are ignored', '?concerns=,security:high,,', { security: 'high' }],
    [
      'the spelling of the header',
      '?concerns=security=high,cost=minimal',
      { security: 'high', cost: 'minimal' },
    ],
    ['both spellings', '?concerns=security=high,cost:minimal', { security: 'high', cost: 'minimal' }],
    ['other parameters next to it', '?token=a:b&concerns=safe&x=y', { preset: 'safe' }],
  ])('carries %s: %s', (_name, query, concerns) => {
    expect(readPreferenceSources(undefined, [], withUrl(query))).toEqual({
      sources: [{ from: 'url', concerns }],
      warnings: [],
      malformed: [],
    });
  });

  it.each(['security:', 'security=', ':high', '=high', 'topic:a|', 'cost:minimal,security:', ':'])(
    'is ignored with a warning if a name or a value is missing: %s',
    (text) => {
      const { sources, warnings, malformed } = readPreferenceSources(
        undefined,
        [],
        withUrl(`?concerns=${encodeURIComponent(text)}`),
      );
      expect(sources).toEqual([]);
      expect(warnings.map(({ code }) => code)).toEqual(['malformed-parameter']);
      expect(malformed).toEqual([
        { code: 'malformed-parameter', concern: '?concerns', value: text, values: [] },
      ]);
    },
  );

  it.each(['', '?', '?concerns', '?concerns=', '?Concerns=safe', '?concern=safe'])(
    'is missing in %j',
    (query) => {
      expect(readPreferenceSources(undefined, [], withUrl(query)).sources).toEqual([]);
    },
  );

  it('may have names of Object.prototype', () => {
    const found = parseParameter('__proto__:x,constructor:y') ?? {};
    expect(Object.keys(found)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  });

  it('may have any length', () => {
    const policy = policyOf('version: 1\nconcerns: { security: { values: [low, high] } }\n');
    const long = parseParameter(`security:high,${'a:b|c,'.repeat(100_000)}`);
    expect(resolveConfiguration(policy, [{ from: 'url', concerns: long }]).active).toBe(true);
  });
});

describe("a request's _meta", () => {
  it.each<[string, Request | undefined]>([
    ['no request', undefined],
    ['no params', list()],
    ['no _meta', list({})],
    ['another _meta', list({ _meta: { progressToken: 1 } })],
    ['_meta of the wrong type', list({ _meta: 'concerns' })],
    ['an extension of the wrong type', list({ _meta: { [EXTENSION_ID]: 'high' } })],
    ['an extension without concerns', list({ _meta: { [EXTENSION_ID]: { presets: {} } } })],
    ['an inherited extension', list({ _meta: Object.create({ [EXTENSION_ID]: { concerns: {} } }) })],
    ['params.concerns, which is the wrong place', list({ concerns: { security: 'high' } })],
  ])('carries no preferences in %s', (_name, request) => {
    expect(readPreferenceSources(request, [], undefined)).toEqual({
      sources: [],
      warnings: [],
      malformed: [],
    });
  });

  it.each([{ security: 'high' }, {}, null, 'safe', ['security']])(
    'is passed on unchecked: %j',
    (concerns) => {
      expect(readPreferenceSources(withMeta(concerns), [], undefined).sources).toEqual([
        { from: 'request', concerns },
      ]);
    },
  );
});

describe('several preference sources', () => {
  const inSession = (concerns: unknown) => [{ from: 'session', concerns }] as const;
  const http = { ...withHeader('security=high, price=3'), ...withUrl('?concerns=security:low,topic:maps') };

  it('come strongest first: request, session, header, URL', () => {
    const { sources } = readPreferenceSources(
      withMeta({ security: 'top' }),
      inSession({ cost: 'minimal' }),
      http,
    );
    expect(sources).toEqual([
      { from: 'request', concerns: { security: 'top' } },
      { from: 'session', concerns: { cost: 'minimal' } },
      { from: 'header', concerns: { security: 'high', price: 3 } },
      { from: 'url', concerns: { security: 'low', topic: 'maps' } },
    ]);
  });

  it('omit a malformed header and keep the others', () => {
    const broken = { ...http, headers: { 'mcp-concerns': 'security=' } };
    const { sources, warnings } = readPreferenceSources(withMeta({ security: 'top' }), [], broken);
    expect(sources.map(({ from }) => from)).toEqual(['request', 'url']);
    expect(warnings).toHaveLength(1);
  });

  it('are empty without HTTP, _meta and session', () => {
    const nothing = { sources: [], warnings: [], malformed: [] };
    expect(readPreferenceSources(list(), [], undefined)).toEqual(nothing);
    expect(readPreferenceSources(list(), inSession(undefined), {})).toEqual(nothing);
    expect(readPreferenceSources(list(), inSession({}), {}).sources).toEqual([
      { from: 'session', concerns: {} },
    ]);
  });

  it('are combined per concern', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        security: { values: [low, medium, high] }
        cost: { values: [minimal, high] }
        price: { values: { min: 0, max: 10 } }
        topic: { values: [documents, charts, maps], multiple: true }
        level: { values: ["1", "2"] }
      presets: { careful: { security: high, cost: minimal, level: "1" } }
    `);
    const effective = (...from: Parameters<typeof readPreferenceSources>) =>
      describeConfiguration(resolveConfiguration(policy, readPreferenceSources(...from).sources));

    expect(
      effective(withMeta({ security: 'low' }), inSession({ security: 'medium', cost: 'high' }), {
        ...withHeader('cost=minimal, price=2.5, topic=(maps charts), level=2'),
        ...withUrl('?concerns=careful,price:9'),
      }),
    ).toEqual({ security: 'low', cost: 'high', price: 2.5, topic: ['charts', 'maps'], level: '2' });
    expect(effective(undefined, [], withUrl('?concerns=careful,price:7.5,topic:maps|documents'))).toEqual({
      security: 'high',
      cost: 'minimal',
      price: 7.5,
      topic: ['documents', 'maps'],
      level: '1',
    });
    expect(
      effective(withMeta({ security: null }), inSession({ security: 'low' }), withHeader('security=high')),
    ).toEqual({});
  });
});
