import { describe, expect, it } from 'vitest';
import { findingsOf, reportOf, yaml } from './author.js';

const said = (text: string) => reportOf({ 'policy.yaml': text }).findings.map(({ message }) => message);
const tier = (rest: string) => `version: 1\nconcerns:\n  tier: { values: [free, pro], ${rest} }\n`;

describe('what the check says', () => {
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
      '"multiple: true" requires a list of values and "match: exact". Remove "multiple" from cost, or change "values" or "match".',
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
      tier('set-by: operator, claim: tier'),
      'Callers without the claim see no primitive that has a value for tier. Add a "default" if this is not intended.',
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
      'Hosts can undo everything that this policy hides, so "enforce" does not protect anything. Add an operator concern, or a rule that does not read the concerns of the host.',
    ],
    [
      'version: 1\nrules: [{ id: none, when: true }]\n',
      'The rule "none" needs either "hide" or "show", with a list of kinds.',
    ],
    [
      `version: 1\npatterns: { tools: { "${'a*'.repeat(17)}": {} } }\n`,
      'A pattern can have at most 256 characters and 16 "*". Split it.',
    ],
  ])('%j', (text, message) => {
    expect(said(text)).toEqual([message]);
  });

  it('a range of one number is a range', () => {
    const one = 'version: 1\nconcerns: { cost: { values: { min: 1, max: 1 } } }\n';
    expect(findingsOf(one)).toEqual([]);
    expect(findingsOf(`${one}primitives: { tools: { a: { cost: 1 }, b: { cost: 2 } } }\n`)).toEqual([
      '3:51 unknown-value',
    ]);
  });

  it('too many concerns of several files, at the first that is too many', () => {
    const some = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `  c${from + index}: { values: [a] }\n`).join('');
    const { findings } = reportOf({
      'common.yaml': `version: 1\nconcerns:\n${some(0, 40)}`,
      'policy.yaml': `version: 1\ninclude: [common.yaml]\nconcerns:\n${some(40, 66)}`,
    });
    expect(findings).toMatchObject([
      { file: 'policy.yaml', line: 28, column: 3, length: 3, code: 'too-many' },
    ]);
    expect(findings[0]?.message).toMatch(/64 concerns/);
  });

  it('a concern and a preset written twice, in two files', () => {
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

  it('nothing of concerns that a file may have had of which nothing fits', () => {
    const { findings } = reportOf({
      'common.yaml': '- concerns\n',
      'policy.yaml': 'version: 1\ninclude: [common.yaml]\nprimitives: { tools: { a: { cost: low } } }\n',
    });
    expect(findings.map(({ file, code }) => `${file} ${code}`)).toEqual(['common.yaml wrong-type']);
  });

  it('an unknown concern, also where a preset of its name is misshapen', () => {
    expect(
      findingsOf('version: 1\npresets: { cost: 1 }\nprimitives: { tools: { a: { cost: low } } }\n'),
    ).toEqual(['2:18 wrong-type', '3:29 unknown-concern']);
  });

  it('no disagreement with a setting that is overridden', () => {
    const settings = (unmapped: string) => `settings: { unmapped: ${unmapped} }\n`;
    const { findings } = reportOf({
      'common.yaml': `version: 1\n${settings('show')}`,
      'stricter.yaml': `version: 1\ninclude: [common.yaml]\n${settings('hide')}`,
      'strict.yaml': `version: 1\n${settings('hide')}`,
      'policy.yaml': 'version: 1\ninclude: [stricter.yaml, strict.yaml]\n',
    });
    expect(findings).toEqual([]);
  });

  it('numbers on either side of a range', () => {
    const entry = (value: number) =>
      findingsOf(
        `version: 1\nconcerns: { cost: { values: { min: 1, max: 3 } } }\nprimitives: { tools: { a: { cost: ${value} } } }\n`,
      );
    expect([0, 1, 3, 4].map((value) => entry(value).length)).toEqual([1, 0, 0, 1]);
  });
});

describe('enforcement that protects nothing', () => {
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
    ['a concern that says that hosts set it', '  tier: { values: [x], set-by: host }\n', true],
    ['a rule that hides for everybody', rule('hide', ofTool), false],
    ['a rule that a host can lift', rule('hide', ofHost), true],
    ['a rule that shows', rule('show', ofTool), true],
    [
      'one of two rules',
      `rules:\n  - { id: a, hide: [tools], when: ${ofHost} }\n  - { id: b, hide: [tools], when: ${ofTool} }\n`,
      false,
    ],
  ])('%s', (_name, rest, found) => {
    expect(enforcing(rest)).toEqual(found ? [`2:26 ${CODE}`] : []);
  });

  it('a rule of an included file protects as well', () => {
    const { findings } = reportOf({
      'common.yaml': `version: 1\n${rule('hide', ofTool)}`,
      'policy.yaml': 'version: 1\ninclude: [common.yaml]\nsettings: { enforcement: enforce }\n',
    });
    expect(findings).toEqual([]);
  });

  it.each(['advisory', 'shadow'])('%s promises nothing', (enforcement) => {
    expect(findingsOf(`version: 1\nsettings: { enforcement: ${enforcement} }\n`)).toEqual([]);
  });
});

describe('what always has a value', () => {
  const unequal = (concern: string) =>
    findingsOf(yaml`
      version: 1
      concerns:
        tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
        seat: { values: [free, pro], set-by: operator, claim: seat }
        cost: { values: [free, pro], default: free }
      rules: [{ id: r, hide: [tools], when: { "!==": [{ var: concerns.${concern} }, pro] } }]
    `).filter((finding) => finding.includes('unset-is-true'));

  it('is an operator concern with a default, and no other', () => {
    expect(unequal('tier')).toEqual([]);
    expect(unequal('seat')).toEqual(['6:48 unset-is-true']);
    expect(unequal('cost')).toEqual(['6:48 unset-is-true']);
  });
});
