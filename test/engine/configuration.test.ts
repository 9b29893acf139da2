import { describe, expect, it } from 'vitest';
import {
  describeAccepted,
  describeConfiguration,
  describeOrigins,
  type Policy,
  type PreferenceSource,
  type PreferenceSourceName,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { policyOf, shown, yaml } from '../policy/author.js';

const SOURCES: readonly PreferenceSourceName[] = [
  'update',
  'request',
  'session',
  'capabilities',
  'header',
  'url',
];

/** The values in effect, as the policy writes them. */
function effective(
  policy: Policy,
  sources: readonly PreferenceSource[],
  claims?: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const configuration = resolveConfiguration(
    policy,
    sources,
    claims && { claims: new Map(Object.entries(claims)) },
  );
  return describeConfiguration(configuration);
}

const request = (concerns: unknown): PreferenceSource[] => [{ from: 'request', concerns }];
const warnings = (policy: Policy, sources: readonly PreferenceSource[]) =>
  resolveConfiguration(policy, sources).warnings.map(({ code }) => code);

describe('declared defaults', () => {
  const withDefaults = (defaults: string) =>
    policyOf(yaml`
      version: 1
      concerns:
        security: { values: [low, medium, high], default: medium }
        cost: { values: [minimal, high] }
        price: { values: { min: 0, max: 100 }, default: 0 }
        topic: { values: [charts, maps], multiple: true, default: maps }
      presets: { thrifty: { cost: minimal } }
      settings: { invalid: ignore${defaults} }
    `);
  const ALL = { security: 'medium', price: 0, topic: ['maps'] };

  it.each<[string, string, unknown, Record<string, unknown>]>([
    ['aware (the default): do not apply without preferences', '', {}, {}],
    ['aware: do not apply with undeclared names only', '', { securty: 'low' }, {}],
    ['aware: do not apply with ignored values only', '', { cost: 'free', price: 101 }, {}],
    ['aware: do not apply with null only', '', { cost: null }, {}],
    ['aware: apply with a preference for any concern', '', { cost: 'high' }, { ...ALL, cost: 'high' }],
    ['aware: apply with a preset', '', { preset: 'thrifty' }, { ...ALL, cost: 'minimal' }],
    ['aware: are weaker than preferences', '', { security: 'low' }, { ...ALL, security: 'low' }],
    ['aware: can be the preferred value itself', '', { security: 'medium' }, ALL],
    [
      'aware: are weaker than null',
      '',
      { security: 'low', price: null },
      { security: 'low', topic: ['maps'] },
    ],
    [
      'aware: apply with null for one concern and a value for another',
      '',
      { security: null, cost: 'high' },
      { cost: 'high', price: 0, topic: ['maps'] },
    ],
    ['always: apply without preferences', ', defaults: always', {}, ALL],
    [
      'always: are weaker than null',
      ', defaults: always',
      { security: null, price: null },
      { topic: ['maps'] },
    ],
    ['never: do not apply', ', defaults: never', { cost: 'high' }, { cost: 'high' }],
  ])('%s', (_name, defaults, concerns, expected) => {
    expect(effective(withDefaults(defaults), request(concerns))).toEqual(expected);
  });

  it('apply to a client that never sent preferences only with `always`', () => {
    expect(effective(withDefaults(', defaults: always'), [])).toEqual(ALL);
    expect(effective(withDefaults(''), [])).toEqual({});
    expect(resolveConfiguration(withDefaults(''), []).active).toBe(false);
    expect(resolveConfiguration(withDefaults(', defaults: always'), []).active).toBe(true);
  });

  it('are not accepted preferences', () => {
    const policy = withDefaults('');
    const configuration = resolveConfiguration(policy, request({ preset: 'thrifty', security: null }));
    expect(describeAccepted(configuration)).toEqual({ cost: 'minimal', security: null });
  });
});

describe('null', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, high], default: high }
      cost: { values: [minimal, high] }
    presets: { anything: { security: null, cost: high } }
    settings: { defaults: always }
  `);

  it('means no value and overrides a weaker source', () => {
    const sources: PreferenceSource[] = [
      { from: 'request', concerns: { security: null } },
      { from: 'session', concerns: { security: 'low', cost: 'minimal' } },
    ];
    expect(effective(policy, sources)).toEqual({ cost: 'minimal' });
  });

  it('means the same in a preset', () => {
    expect(effective(policy, request({ preset: 'anything' }))).toEqual({ cost: 'high' });
  });
});

describe('presets', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, medium, high] }
      access: { values: [read, write] }
      price: { values: { min: 0, max: 100 } }
      topic: { values: [charts, maps, code], multiple: true }
    presets:
      safe: { security: high, access: read }
      visual: { topic: [maps, charts], price: 10 }
    settings: { invalid: ignore }
  `);

  it.each<[string, unknown, Record<string, unknown>]>([
    ['expand to their entries', { preset: 'safe' }, { security: 'high', access: 'read' }],
    ['can contain lists and numbers', { preset: 'visual' }, { topic: ['charts', 'maps'], price: 10 }],
    [
      'are weaker than an explicit entry',
      { preset: 'safe', security: 'low' },
      { security: 'low', access: 'read' },
    ],
    [
      'are weaker than an explicit entry before them',
      { access: 'write', preset: 'safe' },
      { security: 'high', access: 'write' },
    ],
    ['are weaker than an explicit null', { preset: 'safe', access: null }, { security: 'high' }],
    [
      'replace an ignored explicit entry',
      { preset: 'safe', security: 'hihg' },
      { security: 'high', access: 'read' },
    ],
    ['are ignored if unknown', { preset: 'saef', access: 'write' }, { access: 'write' }],
    ['are ignored if of the wrong type', { preset: ['safe'], access: 'write' }, { access: 'write' }],
  ])('%s', (_name, concerns, expected) => {
    expect(effective(policy, request(concerns))).toEqual(expected);
  });

  it('of a stronger source override an entry of a weaker one', () => {
    const sources: PreferenceSource[] = [
      { from: 'request', concerns: { preset: 'safe' } },
      { from: 'header', concerns: { security: 'low', price: 5 } },
      { from: 'url', concerns: { preset: 'visual' } },
    ];
    expect(effective(policy, sources)).toEqual({
      security: 'high',
      access: 'read',
      price: 5,
      topic: ['charts', 'maps'],
    });
  });

  it('that do not exist cause a warning with a suggestion', () => {
    expect(resolveConfiguration(policy, request({ preset: 'saef' })).warnings).toEqual([
      {
        code: 'unknown-preset',
        message:
          '"saef" (request) is not a valid value for preset (safe, visual). It was ignored. Did you mean "safe"?',
      },
    ]);
    for (const preset of ['__proto__', 'constructor', 'toString', '']) {
      expect(warnings(policy, request({ preset }))).toEqual(['unknown-preset']);
    }
    expect(warnings(policy, request({ preset: null }))).toEqual(['malformed-value']);
  });
});

describe('preference sources', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, medium, high], default: low }
      cost: { values: [minimal, high] }
      topic: { values: [charts, maps], multiple: true }
    settings: { invalid: ignore }
  `);

  it('are read per concern, the strongest first', () => {
    const sources: PreferenceSource[] = [
      { from: 'request', concerns: { security: 'high' } },
      { from: 'session', concerns: { security: 'medium', topic: ['maps'] } },
      { from: 'header', concerns: { topic: 'charts' } },
      { from: 'url', concerns: { security: 'low', cost: 'minimal' } },
    ];
    expect(effective(policy, sources)).toEqual({ security: 'high', cost: 'minimal', topic: ['maps'] });
  });

  it.each<[string, unknown]>([
    ['a value outside `values`', { security: 'hihg' }],
    ['a value of the wrong type', { security: ['high'] }],
    ['no value for it', { cost: 'high' }],
    ['nothing', {}],
    ['a list instead of an object', ['high']],
    ['text instead of an object', 'high'],
    ['null instead of an object', null],
    ['a number instead of an object', 7],
  ])('are skipped for the next one if the stronger has %s', (_name, concerns) => {
    const sources: PreferenceSource[] = [
      { from: 'request', concerns },
      { from: 'url', concerns: { security: 'medium' } },
    ];
    expect(effective(policy, sources).security).toBe('medium');
  });

  it('that are absent are skipped', () => {
    const sources: PreferenceSource[] = [{ from: 'request', concerns: undefined }];
    expect(resolveConfiguration(policy, sources)).toMatchObject({
      active: false,
      warnings: [],
      invalid: [],
    });
  });

  it('that are weaker are not validated if a stronger one decides', () => {
    const sources: PreferenceSource[] = [
      { from: 'request', concerns: { security: 'high' } },
      { from: 'url', concerns: { security: 'nonsense' } },
    ];
    const strict = policyOf('version: 1\nconcerns: { security: { values: [low, high] } }\n');
    expect(resolveConfiguration(strict, sources)).toMatchObject({ warnings: [], invalid: [] });
  });
});

describe('values outside the declared ones', () => {
  const withInvalid = (invalid: string) =>
    policyOf(yaml`
      version: 1
      concerns:
        security: { values: [low, medium, high] }
        price: { values: { min: 0, max: 100 } }
        topic: { values: [charts, maps], multiple: true }
      presets: { safe: { security: high } }
      settings: { invalid: ${invalid} }
    `);
  const error = withInvalid('error');

  it('are errors by default', () => {
    const policy = policyOf('version: 1\nconcerns: { security: { values: [low, high] } }\n');
    expect(resolveConfiguration(policy, request({ security: 'top' })).invalid).toHaveLength(1);
  });

  it.each<[string, unknown, unknown]>([
    [
      'a name',
      { security: 'hihg' },
      { concern: 'security', value: 'hihg', values: ['low', 'medium', 'high'], suggestion: 'high' },
    ],
    [
      'a name without a similar one',
      { security: 'enormous' },
      { concern: 'security', value: 'enormous', values: ['low', 'medium', 'high'] },
    ],
    [
      'a number above the range',
      { price: 101 },
      { concern: 'price', value: 101, values: { min: 0, max: 100 } },
    ],
    [
      'a number below the range',
      { price: -0.5 },
      { concern: 'price', value: -0.5, values: { min: 0, max: 100 } },
    ],
    [
      'one of several names',
      { topic: ['maps', 'chart'] },
      { concern: 'topic', value: 'chart', values: ['charts', 'maps'], suggestion: 'charts' },
    ],
    [
      'a preset',
      { preset: 'saef' },
      { concern: 'preset', value: 'saef', values: ['safe'], suggestion: 'safe' },
    ],
  ])('error: rejects %s and names the valid values', (_name, concerns, refused) => {
    for (const from of ['update', 'request', 'header', 'url'] as const) {
      expect(resolveConfiguration(error, [{ from, concerns }]).invalid).toEqual([refused]);
    }
  });

  it('error: reports every value, not only the first', () => {
    const sent = { security: 'top', price: 1000, topic: ['x', 'maps', 'y'], preset: 'none' };
    const { invalid } = resolveConfiguration(error, request(sent));
    expect(invalid.map(({ concern, value }) => [concern, value])).toEqual([
      ['security', 'top'],
      ['price', 1000],
      ['topic', 'x'],
      ['topic', 'y'],
      ['preset', 'none'],
    ]);
  });

  it('error: does not reject values from a session, which were accepted earlier', () => {
    const concerns = { security: 'top', price: 1000, topic: ['x', 'maps'], preset: 'none', color: 'red' };
    const { invalid, warnings } = resolveConfiguration(error, [{ from: 'session', concerns }]);
    expect(invalid).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual([
      'unknown-value',
      'unknown-value',
      'unknown-value',
      'undeclared-concern',
      'unknown-preset',
    ]);
    expect(effective(error, [{ from: 'session', concerns }])).toEqual({ topic: ['maps'] });
  });

  it('ignore: leaves the entry out with a warning that names the valid values', () => {
    const policy = withInvalid('ignore');
    const sent = { security: 'hihg', price: 101, topic: ['maps', 'chart'] };
    const configuration = resolveConfiguration(policy, request(sent));
    expect(configuration.invalid).toEqual([]);
    expect(describeConfiguration(configuration)).toEqual({ topic: ['maps'] });
    expect(configuration.warnings).toEqual([
      {
        code: 'unknown-value',
        message:
          '"hihg" (request) is not a valid value for security (low, medium, high). It was ignored. Did you mean "high"?',
      },
      {
        code: 'unknown-value',
        message: '101 (request) is not a valid value for price (0 to 100). It was ignored.',
      },
      {
        code: 'unknown-value',
        message:
          '"chart" (request) is not a valid value for topic (charts, maps). It was ignored. Did you mean "charts"?',
      },
    ]);
  });

  it.each([
    [101, 100],
    [1e300, 100],
    [-0.001, 0],
    [100, 100],
    [0, 0],
    [99.5, 99.5],
  ])('clamp: changes %d to %d', (price, expected) => {
    const policy = withInvalid('clamp');
    for (const from of SOURCES) {
      const configuration = resolveConfiguration(policy, [{ from, concerns: { price } }]);
      expect(describeConfiguration(configuration)).toEqual({ price: expected });
      expect(configuration.invalid).toEqual([]);
      expect(configuration.warnings.map(({ code }) => code)).toEqual(
        price === expected ? [] : ['clamped-value'],
      );
    }
  });

  it('clamp: leaves an unknown name out with a warning, because a list has no nearest value', () => {
    const policy = withInvalid('clamp');
    expect(effective(policy, request({ security: 'hihg', price: 1 }))).toEqual({ price: 1 });
    expect(warnings(policy, request({ security: 'hihg' }))).toEqual(['unknown-value']);
  });

  it.each<[string, unknown]>([
    ['a number for a name', { security: 1 }],
    ['true for a name', { security: true }],
    ['a list for one name', { security: ['high'] }],
    ['an object for a name', { security: { value: 'high' } }],
    ['text for a number', { price: '50' }],
    ['a list for a number', { price: [50] }],
    ['true for a number', { price: true }],
    ['not a number', { price: Number.NaN }],
    ['infinity', { price: Number.POSITIVE_INFINITY }],
    ['an empty list', { topic: [] }],
    ['a list in a list', { topic: [['maps']] }],
    ['null in a list', { topic: [null] }],
    ['a number for a preset', { preset: 7 }],
  ])('leaves %s out with a warning', (_name, concerns) => {
    for (const from of ['request', 'session'] as const) {
      const {
        effective: found,
        invalid,
        warnings: codes,
      } = resolveConfiguration(error, [{ from, concerns }]);
      expect([found.filter((value) => value !== undefined), invalid]).toEqual([[], []]);
      expect(codes.map(({ code }) => code)).toEqual(['malformed-value']);
    }
  });

  it('rejects the wrong type in an update, which its sender can correct at once', () => {
    const { invalid } = resolveConfiguration(error, [
      { from: 'update', concerns: { security: 1, topic: [] } },
    ]);
    expect(invalid).toEqual([
      { concern: 'security', value: 1, values: ['low', 'medium', 'high'] },
      { concern: 'topic', value: [], values: ['charts', 'maps'] },
    ]);
    const lenient = resolveConfiguration(withInvalid('ignore'), [
      { from: 'update', concerns: { security: 1 } },
    ]);
    expect(lenient.invalid).toEqual([]);
  });

  it('keeps the valid entries of the same source', () => {
    const sent = { security: 'hihg', price: 7, topic: ['maps', 7] };
    expect(effective(withInvalid('ignore'), request(sent))).toEqual({ price: 7, topic: ['maps'] });
  });
});

describe('numbers in sources that can send only text', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      price: { values: { min: -100, max: 100 } }
      level: { values: ["1", "2"] }
    settings: { invalid: ignore }
  `);

  it.each<[string, PreferenceSourceName, unknown, unknown]>([
    ['a decimal is read in the header', 'header', { price: '12.5' }, { price: 12.5 }],
    ['a decimal is read in the URL', 'url', { price: '-7' }, { price: -7 }],
    ['a decimal as text is not read in a request', 'request', { price: '12' }, {}],
    ['a decimal as text is not read in a session', 'session', { price: '12' }, {}],
    ['a decimal as text is not read in an update', 'update', { price: '12' }, {}],
    ['a number can name a value of a list', 'header', { level: 2 }, { level: '2' }],
    ['a number does not name a value in a request', 'request', { level: 2 }, {}],
  ])('%s', (_name, from, concerns, expected) => {
    expect(effective(policy, [{ from, concerns }])).toEqual(expected);
  });

  it.each(['', ' ', '1e1', '0x1F', '+5', '.5', '5.', '1 2', 'NaN', 'Infinity', '١', '--1', '1,5'])(
    'does not read %j as a decimal',
    (price) => {
      for (const from of ['header', 'url'] as const) {
        expect(warnings(policy, [{ from, concerns: { price } }])).toEqual(['malformed-value']);
      }
    },
  );
});

describe('operator concerns', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      tier: { values: [free, pro], match: at-most, set-by: operator, claim: "custom:tier" }
      region: { values: [eu, us], default: eu, set-by: operator, claim: address.region }
      quota: { values: { min: 0, max: 10 }, set-by: operator, claim: quota, match: at-most, default: 1 }
      team: { values: [red, blue, green], multiple: true, set-by: operator, claim: teams }
      security: { values: [low, high] }
    primitives:
      tools:
        free: { tier: free }
        pro: { tier: pro }
        european: { region: eu }
        cheap: { quota: 1 }
        dear: { quota: 5 }
        reds: { team: red }
        blues: { team: [blue, green] }
        open: { security: low }
        plain: {}
  `);
  const tools = ['free', 'pro', 'european', 'cheap', 'dear', 'reds', 'blues', 'open', 'plain'];

  it('without a claim and a default hide every primitive that has a value for them', () => {
    expect(shown(policy, tools, undefined)).toEqual(['european', 'cheap', 'open', 'plain']);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['come from claims', { 'custom:tier': 'pro' }, { tier: 'pro', region: 'eu', quota: 1 }],
    ['read the claim with exactly this name', { 'address.region': 'us' }, { region: 'us', quota: 1 }],
    [
      'do not read a path',
      { address: { region: 'us' }, custom: { tier: 'pro' } },
      { region: 'eu', quota: 1 },
    ],
    ['are denied for an unknown value, also with a default', { 'address.region': 'cn' }, { quota: 1 }],
    ['are denied for null, also with a default', { 'address.region': null }, { quota: 1 }],
    ['can be numbers', { quota: 7 }, { region: 'eu', quota: 7 }],
    ['can be decimals as text', { quota: '2.5' }, { region: 'eu', quota: 2.5 }],
    ['are denied outside the range', { quota: 11 }, { region: 'eu' }],
    ['are denied for a text that is not a number', { quota: 'many' }, { region: 'eu' }],
    ['can be lists', { teams: ['green', 'red', 'gray'] }, { region: 'eu', quota: 1, team: ['red', 'green'] }],
    ['can be a single value of a list', { teams: 'blue' }, { region: 'eu', quota: 1, team: ['blue'] }],
    ['are the only element of a list', { 'address.region': ['us'] }, { region: 'us', quota: 1 }],
    [
      'are denied for a list of several values if the concern takes one',
      { 'address.region': ['us', 'eu'] },
      { quota: 1 },
    ],
  ])('%s', (_name, claims, expected) => {
    expect(effective(policy, [], claims)).toEqual(expected);
  });

  it('filter by the claim', () => {
    expect(
      shown(policy, tools, undefined, { claims: { 'custom:tier': 'pro', teams: ['green'], quota: 5 } }),
    ).toEqual(['free', 'pro', 'european', 'cheap', 'dear', 'blues', 'open', 'plain']);
  });

  it.each(SOURCES)('are never read from a host (%s), not even null', (from) => {
    for (const tier of ['pro', null, 'nonsense', 7]) {
      const configuration = resolveConfiguration(policy, [{ from, concerns: { tier } }]);
      expect(configuration.warnings.map(({ code }) => code)).toEqual(['operator-concern']);
      expect(configuration.invalid).toEqual([]);
      expect(configuration.effective[0]).toBe('denied');
      expect(describeAccepted(configuration)).toEqual({});
    }
  });

  it('do not count as a preference of the host', () => {
    const withDefault = policyOf(yaml`
      version: 1
      concerns:
        tier: { values: [free, pro], set-by: operator, claim: tier }
        security: { values: [low, high], default: low }
    `);
    expect(effective(withDefault, request({ tier: 'pro' }), { tier: 'pro' })).toEqual({ tier: 'pro' });
  });

  it('have their default whatever `defaults` is', () => {
    for (const defaults of ['aware', 'always', 'never']) {
      const withDefault = policyOf(yaml`
        version: 1
        concerns:
          tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
        settings: { defaults: ${defaults} }
      `);
      expect(effective(withDefault, [])).toEqual({ tier: 'free' });
    }
  });

  it('do not treat a missing claim, null or an object as the value of the same name', () => {
    const odd = policyOf(yaml`
      version: 1
      concerns:
        tier: { values: [undefined, "null", pro], set-by: operator, claim: tier }
        team: { values: [a, b], set-by: operator, claim: team, multiple: true }
    `);
    expect(effective(odd, [])).toEqual({});
    expect(effective(odd, [], { tier: null })).toEqual({});
    expect(effective(odd, [], { team: [['a']] })).toEqual({});
    expect(effective(odd, [], { tier: 'null' })).toEqual({ tier: 'null' });
  });

  it.each<[string, unknown]>([
    ['an object', { free: true }],
    ['an object that cannot become text', { toString: 1 }],
    ['a list of such objects', [{ toString: 1 }, { valueOf: null, toString: null }]],
    ['true', true],
    ['an empty list', []],
    ['a list in a list', [['pro']]],
    ['a name of Object.prototype', 'constructor'],
  ])('do not fail on a claim that is %s', (_name, claim) => {
    const claims = { 'custom:tier': claim, 'address.region': claim, quota: claim, teams: claim };
    expect(effective(policy, [], claims)).toEqual({});
  });
});

describe('names that a host sends', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, high] }
      topic: { values: [charts, maps], multiple: true }
    presets: { safe: { security: high } }
    primitives: { tools: { log: { security: low } } }
  `);

  it.each(SOURCES)('that are members of Object.prototype are undeclared (%s)', (from) => {
    const concerns: unknown = JSON.parse(
      '{"__proto__": {"security": "high"}, "constructor": "high", "toString": "high", "hasOwnProperty": null, "": 1}',
    );
    const configuration = resolveConfiguration(policy, [{ from, concerns }]);
    // A person wrote a header or a URL for this endpoint. Other sources have what a host sends to every server.
    const isWritten = from === 'header' || from === 'url';
    const { warnings, invalid } = configuration;
    expect((isWritten ? invalid : warnings).map(({ code }) => code)).toEqual(
      new Array(5).fill('undeclared-concern'),
    );
    expect((isWritten ? warnings : invalid).length).toBe(0);
    expect(configuration.active).toBe(false);
    expect(configuration.effective).toEqual([undefined, undefined]);
  });

  it.each(SOURCES)('are read only from own properties (%s)', (from) => {
    const concerns: unknown = Object.create({ security: 'high', preset: 'safe' });
    expect(effective(policy, [{ from, concerns }])).toEqual({});
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'cannot be used as values: %s',
    (value) => {
      const { invalid, active } = resolveConfiguration(policy, request({ security: value, topic: [value] }));
      expect(invalid.map(({ concern }) => concern)).toEqual(['security', 'topic']);
      expect(active).toBe(false);
    },
  );

  it('can be declared as concerns', () => {
    const odd = policyOf('version: 1\nconcerns: { constructor: { values: [low, high] } }\n');
    expect(effective(odd, request({ constructor: 'high' }))).toEqual({ constructor: 'high' });
    expect(effective(odd, request({}))).toEqual({});
  });

  it('that are undeclared cause a warning with a suggestion', () => {
    const { warnings: found } = resolveConfiguration(policy, request({ securty: 'high', zzz: 1 }));
    expect(found).toEqual([
      {
        code: 'undeclared-concern',
        message:
          '"securty" (request) is not a concern of this server. It was ignored. Did you mean "security"?',
      },
      {
        code: 'undeclared-concern',
        message: '"zzz" (request) is not a concern of this server. It was ignored.',
      },
    ]);
  });

  it.each([500, 100_000])('of %d characters are shortened in warnings', (length) => {
    const long = 'x'.repeat(length);
    const sent = { [long]: 1, security: long, topic: [long], preset: long };
    const { warnings: found } = resolveConfiguration(policy, [{ from: 'session', concerns: sent }]);
    expect(found).toHaveLength(4);
    expect(Math.max(...found.map(({ message }) => message.length))).toBeLessThan(200);
  });

  it('beyond 128 in one source are not read', () => {
    const names = Array.from({ length: 127 }, (_, index) => [`n${index}`, 'x']);
    const fits = Object.fromEntries([...names, ['security', 'high']]);
    expect(effective(policy, request(fits))).toEqual({ security: 'high' });
    expect(warnings(policy, request(fits))).not.toContain('too-many-entries');
    const over = Object.fromEntries([['n', 'x'], ...names, ['security', 'high']]);
    const configuration = resolveConfiguration(policy, request(over));
    expect(describeConfiguration(configuration)).toEqual({});
    expect(configuration.warnings.filter(({ code }) => code === 'too-many-entries')).toHaveLength(1);
    // The weaker source is still read.
    expect(effective(policy, [...request(over), { from: 'url', concerns: { security: 'low' } }])).toEqual({
      security: 'low',
    });
  });

  it('in a list of a million values do not stop the process', () => {
    const topic = [...new Array(1_000_000).fill('x'), 'maps'];
    const configuration = resolveConfiguration(policy, request({ topic }));
    expect(configuration.invalid.length).toBeLessThanOrEqual(128);
    expect(configuration.active).toBe(false);
  });
});

describe('the key of a configuration', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, high], default: low }
      price: { values: { min: -1000, max: 1000 } }
      topic: { values: [charts, maps, code], multiple: true }
      tier: { values: [free, pro], set-by: operator, claim: tier }
  `);
  const key = (concerns: unknown, tier?: string) =>
    resolveConfiguration(policy, request(concerns), {
      claims: new Map(tier === undefined ? [] : [['tier', tier]]),
    }).key;

  it('is equal for equivalent preferences', () => {
    expect(key({ topic: ['maps', 'charts'] })).toBe(key({ topic: ['charts', 'maps', 'maps'] }));
    expect(key({ topic: 'maps' })).toBe(key({ topic: ['maps'] }));
    expect(key({ price: 1, security: 'low' })).toBe(key({ price: 1 }));
    expect(key({})).toBe(key({ security: null, color: 'red' }));
    expect(key({ price: 0 })).toBe(key({ price: -0 }));
  });

  it('differs for different preferences', () => {
    const keys = [
      key({}),
      key({}, 'free'),
      key({}, 'pro'),
      key({ security: 'low' }),
      key({ security: 'high' }),
      key({ security: 'high', price: 1 }),
      key({ security: null, price: 1 }),
      key({ price: 1 }),
      key({ price: 12 }),
      key({ price: -1 }),
      key({ price: 1.2 }),
      key({ price: 1, topic: 'charts' }),
      key({ price: 1, topic: 'maps' }),
      key({ price: 1, topic: ['charts', 'maps'] }),
      key({ price: 1, topic: ['maps', 'code'] }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('the accepted preferences', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, high], default: high }
      price: { values: { min: 0, max: 100 } }
      topic: { values: [charts, maps], multiple: true }
      cost: { values: [minimal, high] }
    presets: { safe: { security: low, topic: maps, cost: null } }
    settings: { invalid: clamp }
  `);

  it('resolve to the same configuration when they are sent again', () => {
    const sent = { preset: 'safe', price: 1000, color: 'red' };
    const configuration = resolveConfiguration(policy, [{ from: 'update', concerns: sent }]);
    const accepted = describeAccepted(configuration);
    expect(accepted).toEqual({ security: 'low', topic: ['maps'], price: 100, cost: null });
    const again = resolveConfiguration(policy, [
      { from: 'session', concerns: JSON.parse(JSON.stringify(accepted)) },
    ]);
    expect(again.key).toBe(configuration.key);
    expect(again.warnings).toEqual([]);
  });
});

describe('the origin of a value in effect', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, high], default: low }
      cost: { values: [minimal, high] }
      price: { values: { min: 0, max: 100 } }
      tier: { values: [free, pro], set-by: operator, claim: tier }
      region: { values: [eu, us], set-by: operator, claim: region, default: eu }
    presets: { safe: { security: high, cost: minimal } }
    settings: { invalid: clamp }
  `);
  const origins = (
    sources: readonly PreferenceSource[],
    claims: Record<string, unknown> = {},
    forgotten = false,
  ) =>
    describeOrigins(
      resolveConfiguration(policy, sources, { claims: new Map(Object.entries(claims)), forgotten }),
    );
  const OPERATOR_ONLY = { tier: 'no-claim', region: 'default' };

  it('exists only for operator concerns if there are no preferences', () => {
    expect(origins([])).toEqual(OPERATOR_ONLY);
  });

  it.each(SOURCES)('is %s, and the default once a host states any preference', (from) => {
    expect(origins([{ from, concerns: { cost: 'high' } }])).toEqual({
      ...OPERATOR_ONLY,
      cost: from,
      security: 'default',
    });
  });

  it('is the strongest source that has the concern, for each concern on its own', () => {
    const sources: PreferenceSource[] = [
      { from: 'request', concerns: { cost: 'high' } },
      { from: 'session', concerns: { cost: 'minimal', security: 'high' } },
      { from: 'url', concerns: { security: 'low', price: '5' } },
    ];
    expect(origins(sources)).toEqual({
      ...OPERATOR_ONLY,
      cost: 'request',
      security: 'session',
      price: 'url',
    });
  });

  it('is a weaker source if the entry of the stronger one was not accepted', () => {
    const sources: PreferenceSource[] = [
      { from: 'header', concerns: { cost: 'gratis', security: 'none', price: 'much' } },
      { from: 'url', concerns: { cost: 'high' } },
    ];
    expect(origins(sources)).toEqual({ ...OPERATOR_ONLY, cost: 'url', security: 'default' });
  });

  it('is absent for a concern that a host set to null', () => {
    const sources: PreferenceSource[] = [
      { from: 'request', concerns: { cost: null, security: null } },
      { from: 'url', concerns: { preset: 'safe' } },
    ];
    expect(origins(sources)).toEqual(OPERATOR_ONLY);
  });

  it('names the preset, but not for explicit entries of the same source', () => {
    const concerns = { preset: 'safe', cost: 'high' };
    expect(origins([{ from: 'url', concerns }])).toEqual({
      ...OPERATOR_ONLY,
      security: 'url preset safe',
      cost: 'url',
    });
  });

  it('is the claim if its value is declared', () => {
    expect(origins([], { tier: 'pro', region: 'us' })).toEqual({ tier: 'claim', region: 'claim' });
    const unmatched = { tier: 'unmatched-claim', region: 'unmatched-claim' };
    expect(origins([], { tier: 'gold', region: 'mars' })).toEqual(unmatched);
  });

  it('is marked for concerns that are denied because the session is not known', () => {
    expect(origins([{ from: 'header', concerns: { cost: 'high' } }], {}, true)).toEqual({
      ...OPERATOR_ONLY,
      cost: 'header',
      security: 'forgotten',
      price: 'forgotten',
    });
  });

  it('never contains a name that the policy does not declare', () => {
    const concerns = { preset: 'S3CR3T', S3CR3T: 'high', cost: 'S3CR3T', tier: 'pro' };
    expect(JSON.stringify(origins([{ from: 'url', concerns }], { tier: 'S3CR3T' }))).not.toContain('S3CR3T');
  });
});
