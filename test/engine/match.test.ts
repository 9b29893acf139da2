import { describe, expect, it } from 'vitest';
import { policyOf, shown, yaml } from '../policy/author.js';

describe('a list of values', () => {
  const levels = (match: string) =>
    policyOf(yaml`
      version: 1
      concerns:
        security: { values: [low, medium, high]${match} }
      primitives:
        tools:
          low: { security: low }
          medium: { security: medium }
          high: { security: high }
          ends: { security: [low, high] }
          none: {}
    `);
  const tools = ['low', 'medium', 'high', 'ends', 'none', 'unmapped'];

  it.each([
    ['exact is the default', '', 'medium', ['medium', 'none', 'unmapped']],
    ['exact: one matching value is enough', ', match: exact', 'low', ['low', 'ends', 'none', 'unmapped']],
    ['exact: the last value', ', match: exact', 'high', ['high', 'ends', 'none', 'unmapped']],
    [
      'at-least: the same or higher',
      ', match: at-least',
      'medium',
      ['medium', 'high', 'ends', 'none', 'unmapped'],
    ],
    ['at-least: the highest', ', match: at-least', 'high', ['high', 'ends', 'none', 'unmapped']],
    ['at-least: the lowest shows everything', ', match: at-least', 'low', tools],
    [
      'at-most: the same or lower',
      ', match: at-most',
      'medium',
      ['low', 'medium', 'ends', 'none', 'unmapped'],
    ],
    ['at-most: the lowest', ', match: at-most', 'low', ['low', 'ends', 'none', 'unmapped']],
    ['at-most: the highest shows everything', ', match: at-most', 'high', tools],
  ])('shows the tools whose values match: %s', (_name, match, security, kept) => {
    expect(shown(levels(match), tools, { security })).toEqual(kept);
  });

  it('is ordered as written, not alphabetically', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        size: { values: [small, large, huge], match: at-most }
      primitives:
        tools: { small: { size: small }, large: { size: large }, huge: { size: huge } }
    `);
    expect(shown(policy, ['small', 'large', 'huge'], { size: 'large' })).toEqual(['small', 'large']);
  });

  it('can contain quoted names that look like numbers', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        level: { values: ["10", "9", "true"], match: at-least }
      primitives:
        tools: { ten: { level: "10" }, nine: { level: "9" }, yes: { level: "true" } }
    `);
    expect(shown(policy, ['ten', 'nine', 'yes'], { level: '9' })).toEqual(['nine', 'yes']);
  });
});

describe('a range', () => {
  const priced = (match: string) =>
    policyOf(yaml`
      version: 1
      concerns:
        price: { values: { min: -10, max: 500 }${match} }
      primitives:
        tools:
          free: { price: 0 }
          cheap: { price: 2.5 }
          dear: { price: 500 }
          either: { price: [1, 400] }
          refund: { price: -10 }
          none: {}
    `);
  const tools = ['free', 'cheap', 'dear', 'either', 'refund', 'none'];

  it.each([
    ['at-most is the default', '', 2.5, ['free', 'cheap', 'either', 'refund', 'none']],
    ['at-most: the lower bound', '', -10, ['refund', 'none']],
    ['at-most: 0 is a normal value', '', 0, ['free', 'refund', 'none']],
    ['at-most: between two values', ', match: at-most', 2.4999, ['free', 'either', 'refund', 'none']],
    ['at-least', ', match: at-least', 3, ['dear', 'either', 'none']],
    ['at-least: the upper bound', ', match: at-least', 500, ['dear', 'none']],
    ['exact', ', match: exact', 400, ['either', 'none']],
    ['exact: a number that no primitive has', ', match: exact', 3, ['none']],
  ])('shows the tools whose values match: %s', (_name, match, price, kept) => {
    expect(shown(priced(match), tools, { price })).toEqual(kept);
  });
});

describe('a concern with multiple: true', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      topic: { values: [documents, charts, maps, code], multiple: true }
    primitives:
      tools:
        write: { topic: documents }
        plot: { topic: [charts, maps] }
        build: { topic: code }
        help: {}
  `);
  const tools = ['write', 'plot', 'build', 'help'];

  it.each([
    ['any of the preferred values matches', ['documents', 'maps'], ['write', 'plot', 'help']],
    ['a single value is a list of one', 'code', ['build', 'help']],
    ['order and repetition do not matter', ['maps', 'documents', 'maps'], ['write', 'plot', 'help']],
    ['all values', ['code', 'maps', 'charts', 'documents'], tools],
  ])('shows the tools with a matching value: %s', (_name, topic, kept) => {
    expect(shown(policy, tools, { topic })).toEqual(kept);
  });
});

describe('several concerns', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      security: { values: [low, medium, high], match: at-least }
      cost: { values: [minimal, moderate, high], match: at-most }
      access: { values: [read, write] }
    primitives:
      tools:
        encrypt: { security: high, cost: moderate }
        hash: { security: high, cost: minimal, access: read }
        log: { security: low, access: write }
        help: {}
  `);
  const tools = ['encrypt', 'hash', 'log', 'help'];

  it.each([
    ['all of them must match', { security: 'high', cost: 'minimal' }, ['hash', 'help']],
    [
      'a primitive without a value for one must match the others',
      { access: 'write' },
      ['encrypt', 'log', 'help'],
    ],
    [
      'only a primitive without values can remain',
      { security: 'high', access: 'write', cost: 'minimal' },
      ['help'],
    ],
    ['empty preferences show everything', {}, tools],
    ['no preferences show everything', undefined, tools],
  ])('show the tools that match all of them: %s', (_name, concerns, kept) => {
    expect(shown(policy, tools, concerns)).toEqual(kept);
  });
});
