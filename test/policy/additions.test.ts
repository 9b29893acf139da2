import { describe, expect, it } from 'vitest';
import { bindCatalog, type Primitive, resolveConfiguration, select } from '../../src/core/engine/index.js';
import { readPolicyText, runTestFile } from '../../src/core/policy/index.js';
import { findingsOf, policyOf, reportOf, requested, yaml } from './author.js';

describe('a value with a description', () => {
  const text = yaml`
    version: 1
    concerns:
      topic:
        values: [{ stocks: Prices of companies }, news]
        default: stocks
    presets: { money: { topic: stocks } }
    primitives: { tools: { quote: { topic: stocks }, headlines: { topic: [news, stocks] } } }
  `;

  it('is a value like any other', () => {
    const { compiled, findings } = reportOf({ 'policy.yaml': text });
    expect(findings).toEqual([]);
    expect(compiled?.concerns).toEqual([
      {
        name: 'topic',
        values: ['stocks', 'news'],
        valueDescriptions: { stocks: 'Prices of companies' },
        match: 'exact',
        multiple: false,
        default: 'stocks',
        setBy: 'host',
      },
    ]);
    const policy = policyOf(text);
    const configuration = resolveConfiguration(policy, requested({ topic: 'news' }));
    const tools = [{ name: 'quote' }, { name: 'headlines' }];
    expect(select(bindCatalog(policy, 'tools', tools), configuration).kept).toEqual([tools[1]]);
  });

  it('leaves the compiled form of other policies as it was', () => {
    const { compiled } = reportOf({ 'policy.yaml': 'version: 1\nconcerns: { a: { values: [x] } }\n' });
    expect(compiled?.concerns).toEqual([
      { name: 'a', values: ['x'], match: 'exact', multiple: false, setBy: 'host' },
    ]);
  });

  it.each([
    ['a reserved name', '[{ any: x }]', ['2:27 reserved-name']],
    ['the same name twice', '[{ x: one }, x]', ['2:39 duplicate']],
    ['two names', '[{ x: one, y: two }]', ['2:27 too-many']],
    ['no name', '[{}]', ['2:27 empty']],
    ['a bad name', '[{ "x y": one }]', ['2:29 bad-name']],
    ['a number as description', '[{ x: 1 }]', ['2:32 unquoted']],
    ['an empty description', '[{ x: "" }]', ['2:32 empty']],
  ])('must not have %s', (_name, values, findings) => {
    expect(findingsOf(`version: 1\nconcerns: { a: { values: ${values} } }\n`)).toEqual(findings);
  });
});

describe('a concern with match: within', () => {
  const values = (list: string, rest = '') =>
    `version: 1\nconcerns: { topic: { match: within, values: ${list}${rest} } }\n`;

  it.each([
    ['[a, a.b, a.b.c]', []],
    ['[a]', []],
    ['[{ a: everything }, { a.b: part }]', []],
    ['[a.b]', ['2:46 missing-parent']],
    ['[a.b, a]', ['2:46 missing-parent']],
    ['[a.b.c, a.b.d]', ['2:46 missing-parent']],
    ['[a, a..b]', ['2:49 bad-name']],
    ['[a, a.]', ['2:49 bad-name']],
    ['{ min: 0, max: 1 }', ['2:29 within-on-range']],
  ])('can have the values %s: %j', (list, findings) => {
    expect(findingsOf(values(list))).toEqual(findings);
  });

  it('names the values that are missing', () => {
    const messages = (list: string) =>
      reportOf({ 'policy.yaml': values(list) }).findings.map((each) => each.message);
    expect(messages('[a.b.c]')).toEqual([
      'A host can ask for everything in a and a.b, so each must be a value before "a.b.c". Add a, a.b.',
    ]);
    expect(messages('[a.b, a]')).toEqual([
      'A host can ask for everything in a, so it must be a value before "a.b". Move a.',
    ]);
  });

  it('can take several values', () => {
    expect(findingsOf(values('[a, a.b]', ', multiple: true'))).toEqual([]);
  });

  it.each([
    ['{ "===": [{ var: concerns.topic }, a] }', true],
    ['{ and: [{ "!!": { var: concerns.topic } }, { "!==": [a, { var: concerns.topic }] }] }', true],
    ['{ in: [{ var: concerns.topic }, [a]] }', true],
    ['{ "!!": { var: concerns.topic } }', false],
    ['{ "!==": [{ var: concerns.topic }, null] }', false],
    ['{ "!": { missing: [concerns.topic] } }', false],
  ])('can be read by a rule %s: %j', (when, wrong) => {
    const codes = findingsOf(`${values('[a, a.b]')}rules: [{ id: r, hide: [tools], when: ${when} }]\n`);
    expect(codes.map((each) => each.split(' ')[1])).toEqual(wrong ? ['within-compared'] : []);
  });

  it.each([
    '{ in: [a, { var: concerns.topic }] }',
    '{ some: [{ var: concerns.topic }, { "===": [{ var: "" }, a] }] }',
  ])('cannot be searched by a rule: %s', (when) => {
    const text = `${values('[a, a.b]', ', multiple: true')}rules: [{ id: r, hide: [tools], when: ${when} }]\n`;
    expect(findingsOf(text).map((each) => each.split(' ')[1])).toEqual(['within-compared']);
  });
});

describe('what a rule can read of a primitive', () => {
  const hides = (when: object, tool: Primitive, era?: 'legacy' | 'modern'): boolean => {
    const policy = policyOf(JSON.stringify({ version: 1, rules: [{ id: 'r', hide: ['tools'], when }] }));
    const configuration = resolveConfiguration(policy, [], { era });
    return select(bindCatalog(policy, 'tools', [{ name: 't', ...tool }]), configuration).kept.length === 0;
  };
  const meta = { 'example.com/team': { name: 'red', 'a.b': [1] }, plain: true };

  it.each<[string, object, Primitive]>([
    [
      'a key with dots',
      { '===': [{ var: 'primitive.meta.example\\.com/team.name' }, 'red'] },
      { _meta: meta },
    ],
    ['a key with dots in it', { '!!': { var: 'primitive.meta.example\\.com/team.a\\.b' } }, { _meta: meta }],
    ['a plain key', { '===': [{ var: 'primitive.meta.plain' }, true] }, { _meta: meta }],
    [
      'task support',
      { '===': [{ var: 'primitive.execution.taskSupport' }, 'required'] },
      { execution: { taskSupport: 'required' } },
    ],
    [
      'its server, of several',
      { '===': [{ var: 'primitive.server' }, 'files'] },
      { _meta: { 'io.github.mcp-concerns/server': 'files' } },
    ],
    ['tags', { in: ['x', { var: 'primitive.tags' }] }, { tags: ['x'] }],
    ['tags in _meta', { in: ['x', { var: 'primitive.tags' }] }, { _meta: { tags: ['x'] } }],
    ['tags of FastMCP', { in: ['x', { var: 'primitive.tags' }] }, { _meta: { fastmcp: { tags: ['x'] } } }],
    [
      'tags of older FastMCP',
      { in: ['x', { var: 'primitive.tags' }] },
      { _meta: { _fastmcp: { tags: ['x'] } } },
    ],
  ])('includes %s', (_name, when, tool) => {
    expect(hides(when, tool)).toBe(true);
    expect(hides(when, {})).toBe(false);
  });

  it('includes no inherited key and no key behind an unescaped dot', () => {
    expect(hides({ '!!': { var: 'primitive.meta.constructor' } }, { _meta: {} })).toBe(false);
    expect(hides({ '!!': { var: 'primitive.meta.example.com/team.name' } }, { _meta: meta })).toBe(false);
  });

  it('gives the first tags, in the order of the documentation', () => {
    const tool = { tags: ['own'], _meta: { tags: ['meta'], fastmcp: { tags: ['fast'] } } };
    expect(hides({ in: ['own', { var: 'primitive.tags' }] }, tool)).toBe(true);
    expect(hides({ in: ['fast', { var: 'primitive.tags' }] }, tool)).toBe(false);
  });

  it('includes the era of the request, and does not fire if it is not known', () => {
    const legacy = { '===': [{ var: 'protocol.era' }, 'legacy'] };
    const notModern = { '!==': [{ var: 'protocol.era' }, 'modern'] };
    for (const when of [legacy, notModern]) {
      expect([hides(when, {}, 'legacy'), hides(when, {}, 'modern'), hides(when, {})]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  it.each([
    ['{ "===": [{ var: protocol.era }, modren] }', 'unknown-value'],
    ['{ "!!": { var: protocol.version } }', 'unknown-path'],
    ['{ "===": [{ var: primitive.execution.taskSupport }, always] }', 'unknown-value'],
    ['{ "===": [{ var: primitive.execution.taskSupport }, forbidden] }', 'hint-default'],
    ['{ "!!": { var: primitive.execution } }', 'unknown-path'],
    ['{ "!!": { var: primitive.meta } }', 'unknown-path'],
  ])('is checked: %s', (when, code) => {
    const text = `version: 1\nrules: [{ id: r, hide: [tools], when: ${when} }]\n`;
    expect(findingsOf(text).map((each) => each.split(' ')[1])).toEqual([code]);
  });

  it('can be used in assign, except the era', () => {
    const text = (path: string) =>
      `version: 1\nconcerns: { a: { values: [x] } }\nassign: [{ when: { "!!": { var: ${path} } }, to: { a: x } }]\n`;
    expect(findingsOf(text('primitive.meta.io\\.example/kind'))).toEqual([]);
    expect(findingsOf(text('protocol.era')).map((each) => each.split(' ')[1])).toEqual([
      'assign-reads-caller',
    ]);
  });

  it('separates lists for each era, if a rule reads it', () => {
    const keys = (when: object) => {
      const policy = policyOf(JSON.stringify({ version: 1, rules: [{ id: 'r', hide: ['tools'], when }] }));
      return new Set(
        (['legacy', 'modern', undefined] as const).map(
          (era) => resolveConfiguration(policy, [], { era }).key,
        ),
      ).size;
    };
    expect(keys({ '!!': { var: 'protocol.era' } })).toBe(3);
    expect(keys({ '!!': { var: 'claims.x' } })).toBe(1);
  });
});

describe('values that are sent and not accepted', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      level: { values: [low, high] }
      price: { values: { min: 0, max: 9 } }
      topic: { values: [a, b], multiple: true }
      tier: { values: [free], set-by: operator, claim: tier, default: free }
    presets: { safe: { level: high } }
    settings: { invalid: ignore }
  `);
  it.each<[unknown, string[]]>([
    [{}, []],
    [{ level: 'high', price: null }, []],
    [{ level: 'hihg', price: 3 }, ['level']],
    [{ price: 'much', topic: ['c'] }, ['price', 'topic']],
    [{ topic: ['a', 'c'] }, []],
    [{ tier: 'pro', nope: 1 }, []],
    [{ preset: 'saef', price: 3 }, ['level', 'topic']],
    [{ level: 'hihg', preset: 'safe' }, []],
  ])('of %j are %j', (concerns, names) => {
    expect(resolveConfiguration(policy, [{ from: 'update', concerns }]).notAccepted).toEqual(names);
  });
});

describe('the era in a policy test', () => {
  const policy = policyOf(
    JSON.stringify({
      version: 1,
      rules: [{ id: 'r', hide: ['tools'], when: { '===': [{ var: 'protocol.era' }, 'legacy'] } }],
    }),
  );
  const passes = (test: object) => {
    const text = JSON.stringify({ policy: 'p.yaml', catalog: 'c.json', tests: [{ name: 'a', ...test }] });
    return runTestFile(readPolicyText(text, 't.test.yaml'), policy, { tools: [{ name: 't' }] });
  };

  it('decides as for a request of that era', () => {
    const count = (of: number) => ({ tools: { count: of } });
    expect(passes({ protocol: { era: 'legacy' }, ...count(0) })).toMatchObject({
      passed: true,
      findings: [],
    });
    expect(passes({ protocol: { era: 'modern' }, ...count(1) })).toMatchObject({
      passed: true,
      findings: [],
    });
    expect(passes(count(1))).toMatchObject({ passed: true });
    expect(passes({ protocol: { era: 'old' }, ...count(1) }).findings.map(({ code }) => code)).toEqual([
      'unknown-choice',
    ]);
  });
});
