import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import { decide, evaluate } from '../../src/core/engine/evaluate.js';
import { parseExpression } from '../../src/core/engine/expression/parse.js';
import type { Primitive } from '../../src/core/engine/mapping.js';
import { mapListed } from '../../src/core/engine/pins.js';
import { bindCatalog, select } from '../../src/core/engine/select.js';
import { argumentsOf, valueIn } from '../../src/core/engine/uses/domain.js';
import { judgeCall } from '../../src/core/engine/uses/judge-call.js';
import { narrowTool } from '../../src/core/engine/uses/narrow.js';
import { bindsIn } from '../../src/core/engine/uses/policy-uses.js';
import { remainingOf } from '../../src/core/engine/uses/remaining.js';
import { usesOf } from '../../src/core/engine/uses/tool-uses.js';
import { parseUse } from '../../src/core/engine/uses/use-name.js';
import { usePrimitives } from '../../src/core/engine/uses/use-primitives.js';
import { parseExact } from '../../src/core/exact-json.js';
import { growth, LINEAR, timeRatio } from '../growth.js';
import { policyFromText } from '../policy-text.js';

const domainOf = (schema: object, root: object = {}) =>
  argumentsOf({ inputSchema: { ...root, properties: { a: schema } } })[0]?.domain;

describe('the name of a use', () => {
  it.each([
    ['deploy(environment=production)', { tool: 'deploy', argument: 'environment', value: 'production' }],
    ['deploy(environment=)', { tool: 'deploy', argument: 'environment', value: '' }],
    ['deploy(force)', { tool: 'deploy', argument: 'force', value: undefined }],
    ['*(sql=SELECT (1=1))', { tool: '*', argument: 'sql', value: 'SELECT (1=1)' }],
    ['tool.action', undefined],
    ['deploy()', undefined],
    ['deploy(a', undefined],
  ])('%s', (name, parts) => {
    expect(parseUse(name)).toEqual(parts);
  });
});

describe('what an argument can be', () => {
  it.each([
    ['an enum', { type: 'string', enum: ['a', 'b', 1] }, { type: 'closed', values: ['a', 'b'] }],
    ['a boolean or null', { type: ['boolean', 'null'] }, { type: 'closed', values: [true, false, null] }],
    ['constants', { oneOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'closed', values: ['a', 'b'] }],
    [
      'a text or null',
      { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
      { type: 'text', isNullable: true },
    ],
    ['a text with a length', { type: 'string', maxLength: 3 }, { type: 'other' }],
    ['several types', { type: ['string', 'number'] }, { type: 'other' }],
    ['an object', { type: 'object' }, { type: 'other' }],
    ['values that are objects', { enum: [{}] }, { type: 'other' }],
    ['anything', true, { type: 'other' }],
    ['a reference with more beside it', { $ref: '#/$defs/A', enum: ['a'] }, { type: 'other' }],
    ['a reference that leads nowhere', { $ref: '#/$defs/B' }, { type: 'other' }],
    [
      'alternatives that refer to themselves',
      { anyOf: [{ $ref: '#/properties/a' }, { type: 'null' }] },
      { type: 'other' },
    ],
    ['a reference elsewhere', { $ref: 'https://example.com/a' }, { type: 'other' }],
    ['a reference', { $ref: '#/$defs/A', description: 'd' }, { type: 'closed', values: ['a'] }],
  ])('%s', (_what, schema, expected) => {
    expect(domainOf(schema as object, { $defs: { A: { enum: ['a'] } } })).toEqual(expected);
  });

  it.each([
    ['{"type":"integer"}', '1.0', 1],
    ['{"type":"integer"}', '"1"', undefined],
    ['{"type":"integer"}', '9007199254740993', undefined],
    ['{"type":"number"}', '9007199254740993', undefined],
    ['{"type":"number"}', '1e400', undefined],
    ['{"type":"number"}', '0.1000000000000000055', undefined],
    ['{"type":"integer","minimum":1.0}', '1', 1],
    ['{"enum":[1.0,2]}', '1', 1],
    ['{"enum":[9007199254740993]}', '9007199254740992', undefined],
  ])('a number of %s: %s', (schema, sent, value) => {
    const domain = domainOf(parseExact(schema) as object);
    expect(domain && valueIn(domain, parseExact(sent))).toEqual(value === undefined ? undefined : { value });
  });
});

const tool = (properties: object, more: object = {}): Primitive => ({
  name: 't',
  inputSchema: { type: 'object', properties, ...more },
});
function narrowed(policy: string, primitive: Primitive, claims: object = {}) {
  const prepared = policyFromText(`version: 1\n${policy}`);
  const uses = usesOf(prepared, primitive);
  if (uses === undefined) throw new Error('The policy is not about the tool.');
  const configuration = resolveConfiguration(prepared, [], { claims: new Map(Object.entries(claims)) });
  const left = remainingOf(uses, configuration);
  const { inputSchema } = narrowTool(uses, left, primitive, true);
  const { properties, required } = inputSchema as {
    properties: Record<string, unknown>;
    required?: readonly string[];
  };
  return { left, properties, required, judge: (args: unknown) => judgeCall(uses, args, configuration) };
}
const hides = (when: object) => `rules: ${JSON.stringify([{ id: 'r', hide: ['tools'], when }])}`;
const amount = { var: 'arguments.amount' };

describe('a narrowed schema', () => {
  it.each([
    [{ '>': [amount, 100] }, { type: 'number' }, { type: 'number', maximum: 100 }],
    [
      { '>=': [amount, 100] },
      { type: 'number', minimum: 1 },
      { type: 'number', minimum: 1, exclusiveMaximum: 100 },
    ],
    [{ '!': { '<=': [amount, 55.5] } }, { type: 'integer' }, { type: 'integer', maximum: 55 }],
    [{ '!': { '<': [10, amount, 60] } }, { type: 'integer' }, { type: 'integer', minimum: 11, maximum: 59 }],
    [{ '>': [amount, 100] }, { type: ['number', 'null'] }, { type: 'number', maximum: 100 }],
  ])('says the numbers that %j leaves', (when, schema, expected) => {
    expect(narrowed(hides(when), tool({ amount: schema })).properties.amount).toEqual(expected);
  });

  it('counts a claim that is missing, and one that is not a number, as what hides most', () => {
    const policy = hides({ '>': [amount, { var: 'claims.limit' }] });
    const primitive = tool({ amount: { type: 'integer' } });
    expect(narrowed(policy, primitive, { limit: 7 }).properties.amount).toEqual({
      type: 'integer',
      maximum: 7,
    });
    for (const claims of [{}, { limit: '7' }, { limit: [7] }])
      expect(narrowed(policy, primitive, claims).properties).toEqual({});
  });

  it('takes texts as they are written, and no conversion from text to number', () => {
    const { judge } = narrowed(hides({ '<': [amount, 10] }), tool({ amount: { type: 'string' } }));
    for (const value of ['5', '', '50', 'x']) expect(judge({ amount: value }).effect).toBe('refuse');
  });

  it.each(['A', 'a ', 'B', 'c', '', null, 1, ['a']])('takes a value only as it is written: %j', (x) => {
    const { judge } = narrowed(
      hides({ '===': [{ var: 'arguments.x' }, 'b'] }),
      tool({ x: { enum: ['a', 'b'] } }),
    );
    expect(judge({ x })).toEqual({ effect: 'refuse', argument: 'x' });
    expect(judge({ x: 'a' }).effect).toBe('pass');
  });

  it.each([
    [{ enum: [1, 2, 3] }, 1, '1'],
    [{ enum: ['1', '2', '3'] }, '1', 1],
    [{ type: 'boolean' }, true, 'true'],
    [{ enum: [null, 'a', '3'] }, null, 'null'],
  ])('does not convert what a call sends: %j', (schema, value, other) => {
    const { judge } = narrowed(hides({ in: [{ var: 'arguments.x' }, [3, '3', false]] }), tool({ x: schema }));
    expect(judge({ x: value }).effect).toBe('pass');
    expect(judge({ x: other })).toEqual({ effect: 'refuse', argument: 'x' });
  });

  it('has no default that is hidden, and requires the argument then', () => {
    const schema = { type: 'string', enum: ['a', 'b', 'c'], default: 'b', examples: ['b', 'c'] };
    const policy = hides({ '===': [{ var: 'arguments.x' }, 'b'] });
    const { left, properties, judge } = narrowed(policy, tool({ x: schema }));
    expect(properties).toEqual({ x: { type: 'string', enum: ['a', 'c'], examples: ['c'] } });
    expect(left.parts[0]?.canBeAbsent).toBe(false);
    expect(judge({}).effect).toBe('refuse');
    const other = narrowed(policy, tool({ x: { ...schema, default: 'a' } }));
    expect(other.properties).toEqual({
      x: { type: 'string', enum: ['a', 'c'], default: 'a', examples: ['c'] },
    });
    expect(other.judge({}).effect).toBe('pass');
  });

  it.each([
    ['a pattern that is not a prefix', { type: 'string' }, 'x=*b', 'ab'],
    ['a value of an object', { type: 'object' }, 'x=a', { a: 1 }],
    ['a value of several types', { type: ['string', 'object'] }, 'x=a', 'a'],
  ])('lets nobody send what cannot be decided: %s', (_what, schema, use, x) => {
    const policy = `concerns: { c: { values: [a, b], match: at-most, default: a } }
patterns: { tools: { "t(${use})": { c: a } } }
settings: { defaults: always }`;
    const { judge, properties } = narrowed(policy, tool({ x: schema }));
    expect(properties).toEqual({});
    expect(judge({ x })).toEqual({ effect: 'refuse', argument: 'x' });
    expect(judge({}).effect).toBe('pass');
  });

  it('has one of several bound values only if the call names it', () => {
    const policy = 'bind: { x: { var: claims.x } }\nsettings: { enforcement: enforce }';
    const { judge } = narrowed(policy, tool({ x: { type: 'string' } }), { x: ['a', 'b'] });
    expect(judge({})).toEqual({ effect: 'refuse', argument: 'x' });
    expect(judge({ x: 'b' })).toMatchObject({ effect: 'pass', args: { x: 'b' } });
    expect(judge({ x: 'c' })).toEqual({ effect: 'refuse', argument: 'x' });
  });

  it('lets only words follow a prefix', () => {
    const policy = `concerns: { c: { values: [a, b], match: at-most, default: a } }
patterns: { tools: { "t(path=*)": { c: b }, "t(path=reports/*)": { c: a } } }
settings: { defaults: always }`;
    const { properties, judge } = narrowed(policy, tool({ path: { type: 'string' } }));
    const { pattern = '' } = properties.path as { pattern?: string };
    for (const path of ['reports/', 'reports/2026', 'reports/a.b/c-d']) {
      expect([judge({ path }).effect, new RegExp(pattern).test(path)]).toEqual(['pass', true]);
    }
    for (const path of [
      'reports',
      'reports/../x',
      'reports/a/../x',
      'reports/a..b',
      'reports/a//b',
      'reports//x',
      'reports/.x',
      'reports/%2e',
      'reports/a b',
      'Reports/x',
      '../reports/x',
    ]) {
      expect([judge({ path }).effect, new RegExp(pattern).test(path)]).toEqual(['refuse', false]);
    }
  });

  it('is not whole if one range does not say what is left, or null is not left', () => {
    const hole = narrowed(hides({ '<': [10, amount, 60] }), tool({ amount: { type: 'number' } }));
    expect(hole.left).toMatchObject({ isWhole: false, parts: [{ isExact: false }] });
    expect([30, 5, 70].map((each) => hole.judge({ amount: each }).effect)).toEqual([
      'refuse',
      'pass',
      'pass',
    ]);
    const noNull = narrowed(hides({ '===': [amount, null] }), tool({ amount: { type: ['string', 'null'] } }));
    expect(noNull.left).toMatchObject({ isWhole: false, parts: [{ isExact: false }] });
    expect([null, 'a'].map((each) => noNull.judge({ amount: each }).effect)).toEqual(['refuse', 'pass']);
  });

  it('has the names of the values that are left, and requires what a call may not leave out', () => {
    const enumNames = ['One', 'Two', 'Three'];
    const policy = 'patterns: { tools: { "t(x=*)": { c: b }, "t(x=a)": { c: a }, "t(x=c)": { c: a } } }';
    const both = narrowed(
      `concerns: { c: { values: [a, b], match: at-most, default: a } }\n${policy}\nsettings: { defaults: always }`,
      tool({ x: { type: 'string', enum: ['a', 'b', 'c'], enumNames } }),
    );
    expect(both.properties.x).toEqual({ type: 'string', enum: ['a', 'c'], enumNames: ['One', 'Three'] });
    expect(both.required).toEqual(['x']);
    expect(both.judge({}).effect).toBe('refuse');
  });

  it.each([2 ** 53, -(2 ** 53), 1e300])('has no integer that another one could be: %d', (sent) => {
    const { judge } = narrowed(
      hides({ '>': [amount, { var: 'claims.limit' }] }),
      tool({ amount: { type: 'number' } }),
      {
        limit: Number.MAX_VALUE,
      },
    );
    expect(judge({ amount: sent }).effect).toBe('refuse');
    expect(judge({ amount: 2 ** 53 - 1 }).effect).toBe('pass');
  });

  it.each([
    [7, 7],
    ['7', 7],
    ['7.0', undefined],
    [' 7', undefined],
    ['0x7', undefined],
    ['', undefined],
    [true, undefined],
    ['true', undefined],
  ])('takes a bound claim %j as %j for a number', (claim, value) => {
    const { left } = narrowed(
      'bind: { amount: { var: claims.amount } }\nsettings: { enforcement: enforce }',
      tool({ amount: { type: 'number' } }),
      { amount: claim },
    );
    expect([left.parts[0]?.fill, left.gone]).toEqual([value, value === undefined ? 'amount' : undefined]);
  });

  it.each([
    [['a', 'b'], ['b', 'c'], ['b']],
    [['a', 'b'], 'a', ['a']],
    [['a'], ['c'], []],
    [['a'], undefined, []],
  ])('has the values that two parts of `bind` both give: %j and %j', (all, own, values) => {
    const { left } = narrowed(
      'bind: { x: { var: claims.all }, "t(x)": { var: claims.own } }\nsettings: { enforcement: enforce }',
      tool({ x: { type: 'string' } }),
      { all, own },
    );
    expect(left.parts[0]?.values).toEqual(
      values.length === 0 ? { type: 'none' } : { type: 'values', values },
    );
  });

  it('of a tool that a rule is not about stays as it is', () => {
    const when = { and: [{ '===': [{ var: 'primitive.name' }, 'other'] }, { '>': [amount, 1] }] };
    const policy = policyFromText(`version: 1\n${hides(when)}`);
    expect(usesOf(policy, tool({ amount: { type: 'object' } }))).toBeUndefined();
    expect(
      usesOf(policy, { ...tool({ amount: { type: 'object' } }), name: 'other' })?.arguments,
    ).toHaveLength(1);
  });

  it('is bound only where calls are checked', () => {
    const parse = (from: unknown) => parseExpression(from).expression;
    const bind = [{ name: 'x', from: 'a' }];
    const boundUnder = (enforcement: 'advisory' | 'shadow' | 'enforce') =>
      bindsIn({ bind, settings: { ...policyFromText('version: 1').settings, enforcement } }, parse).length;
    expect([boundUnder('advisory'), boundUnder('shadow'), boundUnder('enforce')]).toEqual([0, 1, 1]);
  });

  it('gives what refers to a narrowed property what that was', () => {
    const policy = hides({ '===': [{ var: 'arguments.x' }, 'b'] });
    const { properties } = narrowed(policy, tool({ x: { enum: ['a', 'b'] }, y: { $ref: '#/properties/x' } }));
    expect(properties).toEqual({ x: { type: 'string', enum: ['a'] }, y: { enum: ['a', 'b'] } });
  });

  it('follows few references of a property that refers to itself many times', () => {
    const policy = hides({ '===': [{ var: 'arguments.x' }, 'b'] });
    // Ten in each, eight deep, would be a hundred million.
    const refs = Array.from({ length: 10 }, () => ({ $ref: '#/properties/x' }));
    const { properties } = narrowed(policy, tool({ x: { enum: ['a', 'b'], 'x-more': refs }, y: refs[0] }));
    expect(Object(properties).x.enum).toEqual(['a']);
    expect(JSON.stringify(properties).length).toBeLessThan(20_000);
  });

  it('keeps the numbers of the server as they are written', () => {
    const policy = hides({ '===': [amount, 3] });
    const primitive = tool(parseExact('{"amount":{"type":"number","enum":[1.0,2,3]}}') as object);
    const text = JSON.stringify(narrowed(policy, primitive).properties);
    expect(text).toBe(JSON.stringify(parseExact('{"amount":{"type":"number","enum":[1.0,2]}}')));
  });

  it('stays as it is, byte for byte, if nothing is taken away', () => {
    const policy = policyFromText(`version: 1\n${hides({ '===': [{ var: 'arguments.none' }, 1] })}`);
    const list = [tool({ x: { enum: ['a'] } })];
    const { kept, narrowed: left } = select(
      bindCatalog(policy, 'tools', list),
      resolveConfiguration(policy, []),
    );
    expect([kept[0], left.size]).toEqual([list[0], 0]);
    expect(kept[0]).toBe(list[0]);
  });
});

it('is hidden with its tool, whatever the policy says of it', () => {
  const policy = policyFromText(`version: 1
concerns: { c: { values: [a, b], match: at-most } }
primitives: { tools: { t: { c: b }, t(x=a): { c: a } } }
`);
  const configuration = resolveConfiguration(policy, [{ from: 'request', concerns: { c: 'a' } }]);
  const uses = usePrimitives(policy, tool({ x: { enum: ['a'] } }, { required: ['x'] }));
  expect(uses.map(({ name }) => name)).toEqual(['t(x=a)']);
  for (const use of uses) {
    const mapping = mapListed(policy, 'tools', use);
    expect(decide(mapping, configuration).effect).toBe('hide');
    expect(evaluate(mapping, configuration)).toMatchObject({ effect: 'hide', reason: { actual: ['b'] } });
    expect(decide(mapping, resolveConfiguration(policy, [])).effect).toBe('show');
  }
});

it('is not computed for policies that say nothing about arguments', () => {
  const policy = policyFromText('version: 1\nprimitives: { tools: { t: {} } }');
  const bound = bindCatalog(policy, 'tools', [tool({ x: { enum: ['a'] } })]);
  expect(policy.isAboutArguments).toBe(false);
  expect(bound.uses).toEqual([]);
  expect(bound.classes[0]?.impossible).toBeUndefined();
});

describe('what is left of a tool', () => {
  const text = { type: 'string' };
  const [ab, bc] = [
    { type: 'string', enum: ['a', 'b'] },
    { type: 'string', enum: ['b', 'c'] },
  ];
  const number = { type: 'number' };
  const named = (name: string, schema: object, required: readonly string[] = []): Primitive => ({
    name,
    inputSchema: { type: 'object', properties: { x: schema }, required },
    annotations: { readOnlyHint: name.endsWith('r') },
  });
  /** Each differs from another in one thing that decides. */
  const TOOLS = [
    named('text', text),
    named('required', text, ['x']),
    named('nullable', { type: ['string', 'null'] }),
    named('default', { ...text, default: 'a' }),
    named('ab', ab),
    named('bc', bc),
    named('ab_default', { ...ab, default: 'b' }),
    named('number', number),
    named('least', { ...number, minimum: 2 }),
    named('above', { ...number, exclusiveMinimum: 2 }),
    named('integer', { type: 'integer', minimum: 2 }),
    named('other', { type: 'object' }),
    named('pattern', { ...text, pattern: 'a' }),
    named('own', text),
    named('given', text),
    named('reader', text),
    named('switched', text),
    named('twin', text),
  ];

  it.each([
    ['names', ''],
    ['names, where nothing else is shown', 'settings: { unmapped: hide }'],
    [
      'an assign that maps some tools',
      'assign: [{ when: { "===": [{ var: primitive.name }, reader] }, to: {} }]\nsettings: { unmapped: hide }',
    ],
    [
      'a rule about some tools',
      'rules: [{ id: r, hide: [tools], when: { and: [{ var: primitive.annotations.readOnlyHint }, { "===": [{ var: arguments.x }, a] }] } }]',
    ],
    [
      'a rule that shows a tool',
      'rules: [{ id: r, show: [tools], when: { "===": [{ var: primitive.name }, reader] } }]',
    ],
    ['a bound argument', 'bind: { "twin(x)": a }'],
  ])('is the same in a list of many as alone: %s', (_what, more) => {
    const policy = policyFromText(`version: 1
concerns: { c: { values: [low, high], match: at-most } }
primitives:
  tools:
    own(x=a): { c: high }
    given(x): { c: high }
    given: {}
patterns: { tools: { "*(x=b)": { c: high }, "*(x=2)": { c: high }, "*(x=a*)": { c: low }, "te*(x=c)": { c: high } } }
${more.startsWith('bind') ? 'settings: { enforcement: enforce }\n' : ''}${more}
`);
    const bound = bindCatalog(policy, 'tools', TOOLS);
    for (const concerns of [{ c: 'low' }, { c: 'low', '+tools': ['switched'] }, {}, { c: 'high' }]) {
      const configuration = resolveConfiguration(policy, [{ from: 'session', concerns }]);
      // One after the other, as a list is chosen.
      const leftOf = ({ uses, items }: typeof bound) =>
        items.map(({ name }, at) => {
          const left = uses[at] && remainingOf(uses[at], configuration);
          const parts = left?.parts.map((part) => ({ ...part, argument: part.argument.domain }));
          return [name, { ...left, parts }];
        });
      const alone = TOOLS.map((tool) => leftOf(bindCatalog(policy, 'tools', [tool]))[0]);
      expect(leftOf(bound)).toEqual(alone);
    }
  });
});

describe('the time', () => {
  const policy = policyFromText(`version: 1
concerns: { c: { values: [a, b], match: at-most } }
patterns: { tools: { "*(x=*)": { c: b }, "*(x=v1*)": { c: a } } }`);
  const configuration = resolveConfiguration(policy, [{ from: 'request', concerns: { c: 'a' } }]);

  it('grows with the number of values', async () => {
    const ratio = await growth((size) => {
      const values = Array.from({ length: size }, (_, index) => `v${index}`);
      const primitive = tool({ x: { enum: values } });
      return () => {
        const uses = usesOf(policy, { ...primitive });
        return uses && remainingOf(uses, { ...configuration });
      };
    }, 500);
    expect(ratio).toBeLessThan(LINEAR);
  });

  it('grows with the number of tools and entries', async () => {
    const ratio = await growth((size) => {
      const list = Array.from({ length: size }, (_, index) => ({
        ...tool({ x: { enum: ['v1', 'v2'] } }),
        name: `t${index}`,
      }));
      const entries = list.map(({ name }) => `    ${name}(x=v1): { c: a }`).join('\n');
      const many = policyFromText(`version: 1
concerns: { c: { values: [a, b], match: at-most } }
primitives:
  tools:
${entries}
`);
      return () => bindCatalog(many, 'tools', list);
      // With fewer, what the first calls of a function cost is a part of the ratio.
    }, 600);
    expect(ratio).toBeLessThan(LINEAR);
  });

  it('grows with the number of tools', async () => {
    const ratio = await growth((size) => {
      const list = Array.from({ length: size }, (_, index) => ({
        ...tool({ x: { enum: ['v1', 'v2'] } }),
        name: `t${index}`,
      }));
      return () => select(bindCatalog(policy, 'tools', list), configuration);
    }, 600);
    expect(ratio).toBeLessThan(LINEAR);
  });

  it('of a configuration is that of one argument for all that are alike', async () => {
    const listOf = (schemaOf: (at: number) => object) => {
      const list = Array.from({ length: 100 }, (_tool, at) => {
        const properties = Object.fromEntries(
          Array.from({ length: 6 }, (_argument, each) => [`x${each}`, schemaOf(6 * at + each)]),
        );
        return { name: `t${at}`, inputSchema: { type: 'object', properties } };
      });
      const wide = policyFromText(`version: 1
concerns: { c: { values: [a, b], match: at-most } }
patterns: { tools: { "*(*=*)": { c: a }, "*(*=v1*)": { c: b }, "*(*)": { c: a } } }
`);
      const bound = bindCatalog(wide, 'tools', list);
      const request = resolveConfiguration(wide, [{ from: 'request', concerns: { c: 'a' } }]);
      let key = 0;
      return () => {
        for (let times = 0; times < 8; times++) select(bound, { ...request, key: String(key++) });
      };
    };
    const alike = listOf(() => ({ type: 'number' }));
    const different = listOf((at) => ({ type: 'number', minimum: at }));
    // A fortieth. Without it, both take the same.
    expect(await timeRatio(alike, different)).toBeLessThan(0.3);
  });
});
