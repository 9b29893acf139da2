import { describe, expect, it } from 'vitest';
import { findingsOf, reportOf, yaml } from './author.js';

const messagesOf = (text: string) => reportOf({ 'policy.yaml': text }).findings.map(({ message }) => message);
const tier = (rest: string) => `version: 1\nconcerns:\n  tier: { values: [free, pro], ${rest} }\n`;

describe('the check of a policy', () => {
  it.each<[string, string]>([
    [
      'version: 1\nconcerns: { preset: { values: [a] } }\n',
      '"preset" is reserved: hosts use it to choose a preset. Rename the concern.',
    ],
    [
      'version: 1\nconcerns: { cost: { values: [any] } }\n',
      '"any" is reserved: mappings use it to remove a value. Rename the value.',
    ],
    [
      'version: 1\nconcerns: { cost: { values: { min: 2, max: 1 } } }\n',
      'The range of cost is empty: min 2 is above max 1. Swap them.',
    ],
    [
      'version: 1\nconcerns: { cost: { values: [a], match: at-most, multiple: true } }\n',
      '"multiple: true" requires a list of values and "match: exact" or "match: within". Remove "multiple" from cost, or change "values" or "match".',
    ],
    [
      tier('set-by: operator, default: free'),
      'tier is set by the operator, but "claim" is missing. Add the name of the claim.',
    ],
    [
      tier('claim: tier'),
      '"claim" is read only for operator concerns. Add "set-by: operator" to tier, or remove "claim".',
    ],
    [
      'version: 1\nconcerns: { cost: { values: [a] } }\nsettings: { invalid: clamp }\n',
      '"invalid: clamp" does not apply to cost: a list has no nearest value, so unknown values are ignored.',
    ],
    [
      `${tier('set-by: operator, claim: tier, default: free')}presets: { all: { tier: pro } }\n`,
      'tier is set by the operator, so a preset cannot set it. Remove it from the preset.',
    ],
    [
      'version: 1\nsettings: { enforcement: enforce }\n',
      'Hosts can undo everything that this policy hides, so "enforce" does not protect anything. Add an operator concern, or a rule that reads neither the concerns of the host nor the name of the client.',
    ],
    [
      'version: 1\nrules: [{ id: none, when: true }]\n',
      'The rule "none" needs either "hide" or "show", with a list of kinds.',
    ],
    [
      `version: 1\npatterns: { tools: { "${'a*'.repeat(17)}": {} } }\n`,
      'A pattern can have at most 256 characters and 16 "*". Split it.',
    ],
  ])('explains %j', (text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });

  it('accepts a range of one number', () => {
    const one = 'version: 1\nconcerns: { cost: { values: { min: 1, max: 1 } } }\n';
    expect(findingsOf(one)).toEqual([]);
    expect(findingsOf(`${one}primitives: { tools: { a: { cost: 1 }, b: { cost: 2 } } }\n`)).toEqual([
      '3:51 unknown-value',
    ]);
  });

  it('reports too many concerns in several files at the first one above the limit', () => {
    const some = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `  c${from + index}: { values: [a] }\n`).join('');
    const { findings } = reportOf({
      'common.yaml': `version: 1\nconcerns:\n${some(0, 40)}`,
      'policy.yaml': `version: 1\ninclude: [common.yaml]\nconcerns:\n${some(40, 66)}`,
    });
    const errors = findings.filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([{ file: 'policy.yaml', line: 28, column: 3, length: 3, code: 'too-many' }]);
    expect(errors[0]?.message).toMatch(/64 concerns/);
  });

  it('reports a concern and a preset that two files define', () => {
    const text = 'concerns: { cost: { values: [a] } }\npresets: { safe: { cost: a } }\n';
    const { findings } = reportOf({
      'common.yaml': `version: 1\n${text}`,
      'policy.yaml': `version: 1\ninclude: [common.yaml]\n${text}`,
    });
    expect(findings.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`)).toEqual(
      [
        '3:13 duplicate The concern "cost" is defined twice, here and in common.yaml:2:13. Remove one.',
        '4:12 duplicate The preset "safe" is defined twice, here and in common.yaml:3:12. Remove one.',
      ],
    );
  });

  it('does not report unknown concerns if a file does not fit the schema at all', () => {
    const { findings } = reportOf({
      'common.yaml': '- concerns\n',
      'policy.yaml': 'version: 1\ninclude: [common.yaml]\nprimitives: { tools: { a: { cost: low } } }\n',
    });
    expect(findings.map(({ file, code }) => `${file} ${code}`)).toEqual(['common.yaml wrong-type']);
  });

  it('reports an unknown concern although a preset of the same name has the wrong type', () => {
    expect(
      findingsOf('version: 1\npresets: { cost: 1 }\nprimitives: { tools: { a: { cost: low } } }\n'),
    ).toEqual(['2:18 wrong-type', '3:29 unknown-concern']);
  });

  it('does not compare a setting with one that is overridden', () => {
    const settings = (unmapped: string) => `settings: { unmapped: ${unmapped} }\n`;
    const { findings } = reportOf({
      'common.yaml': `version: 1\n${settings('show')}`,
      'stricter.yaml': `version: 1\ninclude: [common.yaml]\n${settings('hide')}`,
      'strict.yaml': `version: 1\n${settings('hide')}`,
      'policy.yaml': 'version: 1\ninclude: [stricter.yaml, strict.yaml]\n',
    });
    expect(findings).toEqual([]);
  });

  it('reports numbers below and above a range', () => {
    const entry = (value: number) =>
      findingsOf(
        `version: 1\nconcerns: { cost: { values: { min: 1, max: 3 } } }\nprimitives: { tools: { a: { cost: ${value} } } }\n`,
      );
    expect([0, 1, 3, 4].map((value) => entry(value).length)).toEqual([1, 0, 0, 1]);
  });
});

describe('enforcement that does not protect anything', () => {
  const CODE = 'enforce-without-operator';
  const enforcing = (rest: string) =>
    findingsOf(
      `version: 1\nsettings: { enforcement: enforce }\nconcerns:\n  cost: { values: [a, b] }\n${rest}`,
    );
  const rule = (effect: string, when: string) => `rules: [{ id: r, ${effect}: [tools], when: ${when} }]\n`;
  const ofHost = '{ "===": [{ var: concerns.cost }, a] }';
  const ofTool = '{ "===": [{ var: primitive.name }, a] }';

  it.each<[string, string, boolean]>([
    ['only host concerns', '', true],
    ['an operator concern', '  tier: { values: [x], set-by: operator, claim: tier, default: x }\n', false],
    ['a concern with set-by: host', '  tier: { values: [x], set-by: host }\n', true],
    ['a rule that hides from all hosts', rule('hide', ofTool), false],
    ['a rule that hosts can undo', rule('hide', ofHost), true],
    [
      'a rule with a text that looks like a path',
      rule('hide', '{ "===": [{ var: primitive.name }, concerns.cost] }'),
      false,
    ],
    [
      'a rule that reads a concern as a fallback',
      rule('hide', '{ "!!": { var: [claims.a, { var: concerns.cost }] } }'),
      true,
    ],
    ['a rule that shows', rule('show', ofTool), true],
    [
      'one of two rules',
      `rules:\n  - { id: a, hide: [tools], when: ${ofHost} }\n  - { id: b, hide: [tools], when: ${ofTool} }\n`,
      false,
    ],
  ])('is reported only if hosts can undo everything: %s', (_name, rest, found) => {
    const own = enforcing(rest).filter((each) => !each.endsWith('closed-without-claim'));
    expect(own).toEqual(found ? [`2:26 ${CODE}`] : []);
  });

  it('is not reported if an included file has a protecting rule', () => {
    const { findings } = reportOf({
      'common.yaml': `version: 1\n${rule('hide', ofTool)}`,
      'policy.yaml': 'version: 1\ninclude: [common.yaml]\nsettings: { enforcement: enforce }\n',
    });
    expect(findings).toEqual([]);
  });

  it.each(['advisory', 'shadow'])('is not reported for %s', (enforcement) => {
    expect(findingsOf(`version: 1\nsettings: { enforcement: ${enforcement} }\n`)).toEqual([]);
  });
});

describe('the finding unset-is-true', () => {
  const unequal = (concern: string) =>
    findingsOf(yaml`
      version: 1
      concerns:
        tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
        seat: { values: [free, pro], set-by: operator, claim: seat }
        cost: { values: [free, pro], default: free }
      rules: [{ id: r, hide: [tools], when: { "!==": [{ var: concerns.${concern} }, pro] } }]
    `).filter((finding) => finding.includes('unset-is-true'));

  it('is reported for concerns of hosts, because a caller without a claim never sees more', () => {
    expect(unequal('tier')).toEqual([]);
    expect(unequal('seat')).toEqual([]);
    expect(unequal('cost')).toEqual(['6:48 unset-is-true']);
  });
});
