import { describe, expect, it } from 'vitest';
import { findingsOf, reportOf, yaml } from './author.js';

const messagesOf = (text: string) => reportOf({ 'policy.yaml': text }).findings.map(({ message }) => message);

const TOPICS = Array.from({ length: 120 }, (_, index) => `t-${index}`).join(', ');

/** A policy without findings, to which tests append the part that they check. It has five lines. */
const GOOD = yaml`
  version: 1
  concerns:
    security: { values: [low, medium, high], match: at-least }
    price: { values: { min: 0, max: 500 } }
    topic: { values: [charts, maps], multiple: true }
`;

describe('a valid policy', () => {
  it.each([
    ['only a version', 'version: 1\n'],
    [
      'all features',
      yaml`
      # A comment.
      version: 1
      include: []
      concerns:
        security: { description: How secure, values: [low, "1", a.b-c_D], match: exact, default: "1" }
        price: { values: { min: -1.5, max: -1.5 }, match: at-least, default: -1.5 }
        topic: { values: [charts, maps], multiple: true, match: exact, default: maps }
        tier: { values: [free, pro], set-by: operator, claim: "custom:tier", default: free }
        a-b_9: { values: [x], set-by: host, model: narrow }
      presets:
        safe: { security: low, price: -1.5, topic: [charts, maps], a-b_9: null }
        nothing: {}
      primitives:
        tools: { log: { security: [low, "1"], price: [-1.5], topic: charts, tier: pro }, none: {} }
        prompts: { log: { security: any } }
        resources: { "vault://audit": { price: any } }
        resourceTemplates: { "vault://{+path*}": {} }
      patterns:
        tools: { "log*": { security: low }, "*": {} }
        prompts: {}
        resources: { "vault://*": {} }
        resourceTemplates: { "vault://*": {} }
      settings: { unmapped: hide, defaults: never, invalid: ignore, enforcement: shadow, transparency: true }
    `,
    ],
  ])('has no findings with %s', (_name, text) => {
    const { findings, compiled } = reportOf({ 'policy.yaml': text });
    expect(findings).toEqual([]);
    expect(compiled?.format).toBe(2);
  });
});

describe('schema errors', () => {
  it.each<[string, string, string[]]>([
    ['a missing version', 'concerns: {}\n', ['1:1 missing-key']],
    ['a missing version in an empty file', '', ['1:1 missing-key']],
    ['an unknown version', 'version: 2\n', ['1:10 unknown-version']],
    ['a version as text', 'version: "1"\n', ['1:10 unknown-version']],
    ['a list as the file', '- version: 1\n', ['1:1 wrong-type']],
    ['text as the file', 'version\n', ['1:1 wrong-type']],
    ['an unknown key', 'version: 1\nconcern: {}\n', ['2:1 unknown-key']],
    [
      'an unknown key of a concern',
      'version: 1\nconcerns:\n  cost: { values: [a], defualt: a }\n',
      ['3:24 unknown-key'],
    ],
    [
      'an unknown key of a range',
      'version: 1\nconcerns: { cost: { values: { min: 0, max: 1, step: 1 } } }\n',
      ['2:47 unknown-key'],
    ],
    ['an unknown kind of primitive', 'version: 1\nprimitives: { tool: {} }\n', ['2:15 unknown-key']],
    ['an unknown kind of pattern', 'version: 1\npatterns: { resourcetemplates: {} }\n', ['2:13 unknown-key']],
    ['an unknown setting', 'version: 1\nsettings: { default: never }\n', ['2:13 unknown-key']],
    ['a concern without values', 'version: 1\nconcerns:\n  cost: {}\n', ['3:9 missing-key']],
    ['a range without max', 'version: 1\nconcerns:\n  cost: { values: { min: 0 } }\n', ['3:19 missing-key']],
    [
      'a range without min and max',
      'version: 1\nconcerns:\n  cost: { values: {} }\n',
      ['3:19 missing-key', '3:19 missing-key'],
    ],
    [
      'an unknown match',
      'version: 1\nconcerns:\n  cost: { values: [a], match: atleast }\n',
      ['3:31 unknown-choice'],
    ],
    [
      'an unknown set-by',
      'version: 1\nconcerns:\n  cost: { values: [a], set-by: user }\n',
      ['3:32 unknown-choice'],
    ],
    [
      'an unknown choice of a setting',
      'version: 1\nsettings: { unmapped: hidden }\n',
      ['2:23 unknown-choice'],
    ],
    ['a name with a capital letter', 'version: 1\nconcerns:\n  Cost: { values: [a] }\n', ['3:3 bad-name']],
    ['a name that starts with a digit', 'version: 1\nconcerns:\n  2nd: { values: [a] }\n', ['3:3 bad-name']],
    [
      'a name that is too long',
      `version: 1\nconcerns:\n  ${'c'.repeat(65)}: { values: [a] }\n`,
      ['3:3 bad-name'],
    ],
    ['a name of 64 characters', `version: 1\nconcerns:\n  ${'c'.repeat(64)}: { values: [a] }\n`, []],
    ['a concern named __proto__', 'version: 1\nconcerns:\n  __proto__: { values: [a] }\n', ['3:3 bad-name']],
    ['a preset whose name has a space', 'version: 1\npresets:\n  so safe: {}\n', ['3:3 bad-name']],
    [
      'values with invalid names',
      'version: 1\nconcerns:\n  cost: { values: [a, b c, "-x", é, ok] }\n',
      ['3:23 bad-name', '3:28 bad-name', '3:34 bad-name'],
    ],
    ['an empty value', 'version: 1\nconcerns:\n  cost: { values: [""] }\n', ['3:20 bad-name']],
    [
      'a value of 65 characters',
      `version: 1\nconcerns:\n  cost: { values: [${'v'.repeat(65)}] }\n`,
      ['3:20 bad-name'],
    ],
    ['a duplicate value', 'version: 1\nconcerns:\n  cost: { values: [a, b, a] }\n', ['3:19 duplicate']],
    ['an empty list of values', 'version: 1\nconcerns:\n  cost: { values: [] }\n', ['3:19 empty']],
    [
      '257 values',
      `version: 1\nconcerns:\n  cost: { values: [${Array.from({ length: 257 }, (_, n) => `v${n}`)}] }\n`,
      ['3:19 too-many'],
    ],
    [
      '256 values',
      `version: 1\nconcerns:\n  cost: { values: [${Array.from({ length: 256 }, (_, n) => `v${n}`)}] }\n`,
      [],
    ],
    ['an empty include', 'version: 1\ninclude: [""]\n', ['2:11 empty']],
    [
      'a number for a value',
      'version: 1\nconcerns:\n  cost: { values: [a, 1, 2.5] }\n',
      ['3:23 unquoted', '3:26 unquoted'],
    ],
    [
      'true for a value',
      'version: 1\nconcerns:\n  cost:\n    values:\n      - true\n      - yes\n',
      ['5:9 unquoted'],
    ],
    [
      'null for a value',
      'version: 1\nconcerns:\n  cost: { values: [~, null, a] }\n',
      ['3:19 duplicate', '3:20 unquoted', '3:23 unquoted'],
    ],
    [
      'true for a default',
      'version: 1\nconcerns:\n  cost: { values: [a], default: true }\n',
      ['3:33 unquoted'],
    ],
    [
      'a number for a description',
      'version: 1\nconcerns:\n  cost: { values: [a], description: 7 }\n',
      ['3:37 unquoted'],
    ],
    ['values as text', 'version: 1\nconcerns:\n  cost: { values: low }\n', ['3:19 wrong-type']],
    [
      'a concern with nothing after the colon',
      'version: 1\nconcerns:\n  cost:\nprimitives: {}\n',
      ['3:8 wrong-type'],
    ],
    [
      'infinite bounds',
      'version: 1\nconcerns:\n  cost: { values: { min: 0, max: .inf } }\n',
      ['3:34 wrong-type'],
    ],
    [
      'a bound as text',
      'version: 1\nconcerns:\n  cost: { values: { min: "0", max: 1 } }\n',
      ['3:26 wrong-type'],
    ],
    [
      'multiple as text',
      'version: 1\nconcerns:\n  cost: { values: [a], multiple: yes }\n',
      ['3:34 wrong-type'],
    ],
    ['a list of entries', 'version: 1\nprimitives:\n  tools: [log]\n', ['3:10 wrong-type']],
    [
      'an entry without values',
      'version: 1\nprimitives:\n  tools:\n    log:\n    hash: {}\n',
      ['4:9 wrong-type'],
    ],
    ['an include that is not a list', 'version: 1\ninclude: common.yaml\n', ['2:10 wrong-type']],
    [
      'null for the value of an entry',
      `${GOOD}primitives: { tools: { log: { security: ~ } } }\n`,
      ['6:41 unquoted'],
    ],
    [
      'an object for the value of an entry',
      `${GOOD}primitives: { tools: { log: { security: { is: low } } } }\n`,
      ['6:41 wrong-type'],
    ],
    [
      'an empty list of values in an entry',
      `${GOOD}primitives: { tools: { log: { security: [] } } }\n`,
      ['6:41 empty'],
    ],
  ])('are reported at their place: %s', (_name, text, findings) => {
    expect(findingsOf(text)).toEqual(findings);
  });

  it.each([
    [
      'version: 1\nconcern: {}\n',
      '"concern" is not a valid key of a policy (version, include, servers, concerns, presets, defaults-for, primitives, patterns, review, present, bind, assign, rules, settings). Did you mean "concerns"?',
    ],
    [
      'version: 1\nconcerns: { cost: { values: [a], foo: 1 } }\n',
      '"foo" is not a valid key of cost (description, values, match, multiple, default, set-by, model, lists, claim, obtainable, claim-values).',
    ],
    [
      'version: 1\nsettings: { unmapped: hid }\n',
      '"hid" is not a valid value for unmapped (show, hide). Did you mean "hide"?',
    ],
    ['version: 2\n', 'version must be 1, the only version of the policy language.'],
    [
      'version: 1\nconcerns: { cost: { values: [1] } }\n',
      '1 is a number in YAML, but text is expected here. Write it in quotes: "1".',
    ],
    [
      'version: 1\nconcerns: { cost: { values: [true] } }\n',
      'true is a boolean in YAML, but text is expected here. Write it in quotes: "true".',
    ],
    [
      'version: 1\nconcerns: { cost: { values: [~] } }\n',
      'This value is null in YAML, but text is expected here. Write it in quotes: "~".',
    ],
    [
      'version: 1\nconcerns: { cost: { values: low } }\n',
      'concerns.cost.values must be a list or a mapping such as [low, medium, high], or servers.',
    ],
    [
      'version: 1\nprimitives: { tools: { log: } }\n',
      'primitives.tools.log must be a mapping. Write {} for an empty mapping.',
    ],
    ['concerns: {}\n', 'The key "version" is required in the policy.'],
    ['version: 1\nrules: [{ id: a }]\n', 'The key "when" is required in entry 1 of rules.'],
    [
      'version: 1\nrules: [{ id: a, when: true, hide: [prompts, tool] }]\n',
      '"tool" is not a valid value for entry 2 of hide (tools, prompts, resources, resourceTemplates). Did you mean "tools"?',
    ],
    [
      'version: 1\nassign: [{ when: true, to: [] }]\n',
      'to must be a mapping such as { security: high, cost: minimal }.',
    ],
    ['version: 1\nsettings: { page-size: 1.5 }\n', 'settings.page-size must be a whole number.'],
    [
      'version: 1\nconcerns: { Cost: { values: [a] } }\n',
      '"Cost" is not a valid name here. Use lowercase letters, digits, "_" and "-", starting with a letter, at most 64 characters.',
    ],
    [
      'version: 1\nconcerns: { cost: { values: [a b] } }\n',
      '"a b" is not a valid name for a value that hosts set. Use letters, digits, "_", "." and "-", starting with a letter or digit, at most 64 characters. Only values of "set-by: operator" can be any text.',
    ],
    [
      `version: 1\nconcerns: { cost: { values: [${Array.from({ length: 257 }, (_, n) => `v${n}`)}] } }\n`,
      'values has more than 256 entries. Remove some.',
    ],
  ])('are explained: %j', (text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });
});

describe('errors that the schema cannot express', () => {
  it.each<[string, string, string[]]>([
    [
      'an entry with an undeclared concern',
      'primitives:\n  tools:\n    log: { securty: low }\n',
      ['8:12 unknown-concern'],
    ],
    [
      'a pattern with an undeclared concern',
      'patterns:\n  prompts:\n    "log*": { cost: low }\n',
      ['8:15 unknown-concern'],
    ],
    [
      'a preset with an undeclared concern',
      'presets:\n  safe: { securty: high }\n',
      ['7:11 unknown-concern'],
    ],
    [
      'a concern named like a member of Object.prototype',
      'primitives: { tools: { log: { constructor: low } } }\n',
      ['6:31 unknown-concern'],
    ],
    [
      'an entry with an unknown value',
      'primitives:\n  tools:\n    log: { security: hihg }\n',
      ['8:22 unknown-value'],
    ],
    [
      'one of several values unknown',
      'primitives:\n  tools:\n    log: { security: [low, hihg, top] }\n',
      ['8:28 unknown-value', '8:34 unknown-value'],
    ],
    ['any in a list', 'primitives:\n  tools:\n    log: { security: [low, any] }\n', ['8:28 unknown-value']],
    [
      'a pattern with an unknown value',
      'patterns:\n  resources:\n    "log*": { topic: chart }\n',
      ['8:22 unknown-value'],
    ],
    [
      'a preset with an unknown value',
      'presets:\n  safe: { topic: [maps, chart] }\n',
      ['7:25 unknown-value'],
    ],
    ['any in a preset', 'presets:\n  safe: { security: any }\n', ['7:21 unknown-value']],
    [
      'a number outside its range',
      'primitives:\n  tools:\n    log: { price: 501 }\n',
      ['8:19 unknown-value'],
    ],
    ['text for a number', 'primitives:\n  tools:\n    log: { price: "5" }\n', ['8:19 unknown-value']],
    ['a number for a name', 'primitives:\n  tools:\n    log: { security: 1 }\n', ['8:22 unquoted']],
    ['several values in a preset', 'presets:\n  safe: { security: [low, high] }\n', ['7:21 several-values']],
    [
      'a pattern without wildcard',
      'patterns:\n  tools:\n    log: { security: low }\n',
      ['8:5 pattern-without-wildcard'],
    ],
    [
      'a pattern of 257 characters',
      `patterns:\n  tools:\n    "${'x'.repeat(256)}*": {}\n`,
      ['8:5 pattern-too-long'],
    ],
    ['a pattern of 256 characters', `patterns:\n  tools:\n    "${'x'.repeat(255)}*": {}\n`, []],
    [
      'a pattern with 17 wildcards',
      `patterns:\n  tools:\n    "${'x*'.repeat(17)}": {}\n`,
      ['8:5 pattern-too-long'],
    ],
    ['a pattern with 16 wildcards', `patterns:\n  tools:\n    "${'x*'.repeat(16)}": {}\n`, []],
    [
      'a wildcard in a name',
      'primitives:\n  tools:\n    "log*": { security: low }\n',
      ['8:5 wildcard-in-name'],
    ],
    ['a wildcard in a URI template', 'primitives:\n  resourceTemplates:\n    "vault://{path*}": {}\n', []],
  ])('are reported at their place: %s', (_name, text, findings) => {
    expect(findingsOf(GOOD + text)).toEqual(findings);
  });

  it.each<[string, string, string[]]>([
    ['`preset` as a concern', 'concerns:\n  preset: { values: [a] }\n', ['3:3 reserved-name']],
    ['`any` as a value', 'concerns:\n  cost: { values: [low, any] }\n', ['3:25 reserved-name']],
    ['an empty range', 'concerns:\n  cost: { values: { min: 2, max: 1 } }\n', ['3:19 empty-range']],
    [
      'a default that is not a value',
      'concerns:\n  cost: { values: [low, high], default: hihg }\n',
      ['3:41 unknown-value'],
    ],
    [
      'a default outside the range',
      'concerns:\n  cost: { values: { min: 0, max: 1 }, default: 2 }\n',
      ['3:48 unknown-value'],
    ],
    [
      'a number as default of a list',
      'concerns:\n  cost: { values: ["1"], default: 1 }\n',
      ['3:35 unquoted'],
    ],
    [
      'several values of a range',
      'concerns:\n  cost: { values: { min: 0, max: 1 }, multiple: true }\n',
      ['3:39 multiple-not-exact'],
    ],
    [
      'several values, at least',
      'concerns:\n  cost: { values: [a], match: at-least, multiple: true }\n',
      ['3:41 multiple-not-exact'],
    ],
    [
      'multiple: false with at least',
      'concerns:\n  cost: { values: [a], match: at-least, multiple: false }\n',
      [],
    ],
    [
      'an operator concern without claim',
      'concerns:\n  tier: { values: [a], default: a, set-by: operator }\n',
      ['3:44 missing-claim'],
    ],
    [
      'a claim without operator',
      'concerns:\n  tier: { values: [a], claim: tier }\n',
      ['3:24 claim-without-operator'],
    ],
    [
      'a claim of a host concern',
      'concerns:\n  tier: { values: [a], set-by: host, claim: tier }\n',
      ['3:38 claim-without-operator'],
    ],
    [
      'an operator concern that is open to a model',
      'concerns:\n  tier: { values: [a], default: a, set-by: operator, claim: tier, model: narrow }\n',
      ['3:67 model-not-host'],
    ],
    [
      'a concern with an unknown choice for models',
      'concerns:\n  tier: { values: [a], model: all }\n',
      ['3:31 unknown-choice'],
    ],
    [
      'a default that shows more than other values',
      'concerns:\n  tier: { values: [a, b], match: at-most, set-by: operator, claim: tier, default: b }\n',
      ['3:83 open-without-claim'],
    ],
    [
      'an operator concern in a preset',
      'concerns:\n  tier: { values: [a], set-by: operator, claim: tier, default: a }\npresets:\n  safe: { tier: a }\n',
      ['5:11 operator-in-preset'],
    ],
    [
      'clamp with a list',
      'concerns:\n  cost: { values: [low, high] }\n  price: { values: { min: 0, max: 1 } }\nsettings: { invalid: clamp }\n',
      ['3:3 clamp-on-list'],
    ],
    [
      'enforce with only host concerns',
      'settings:\n  enforcement: enforce\n',
      ['3:16 enforce-without-operator'],
    ],
    [
      'methods that nothing filters',
      'settings:\n  enforcement: shadow\n  methods:\n    - vendor/status\n    - "vendor/*"\n',
      ['5:7 unfiltered-method', '6:7 unfiltered-method'],
    ],
    [
      'preferences that do not fit into a session id, at the concern that needs the most room',
      `concerns:\n  short: { values: [a] }\n  long: { values: [${TOPICS}], multiple: true }\n  cost: { values: { min: 0, max: 1 } }\n`,
      ['4:3 long-preferences'],
    ],
    ['preferences that fit', `concerns:\n  long: { values: [${TOPICS}] }\n`, []],
    [
      'values of an operator concern, which no host prefers',
      `concerns:\n  long: { values: [${TOPICS}], multiple: true, set-by: operator, claim: a, default: t-0 }\n`,
      [],
    ],
    ['no methods that nothing filters', 'settings: { methods: [] }\n', []],
    [
      'enforce with an operator concern',
      'concerns:\n  tier: { values: [a], set-by: operator, claim: tier, default: a }\nsettings: { enforcement: enforce }\n',
      [],
    ],
    [
      'clamp with a list of an operator concern',
      'concerns:\n  tier: { values: [a], set-by: operator, claim: tier, default: a }\nsettings: { invalid: clamp }\n',
      [],
    ],
  ])('are reported at their place: %s', (_name, text, findings) => {
    expect(findingsOf(`version: 1\n${text}`)).toEqual(findings);
  });

  it('include warnings, which do not prevent compiling', () => {
    const { findings, compiled } = reportOf({
      'policy.yaml': yaml`
        version: 1
        concerns:
          cost: { values: [low, high] }
          tier: { values: [a], set-by: operator, claim: tier }
        primitives: { tools: { "log*": {} } }
        patterns: { tools: { log: {} } }
        settings: { invalid: clamp }
      `,
    });
    expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'warning clamp-on-list',
      'warning wildcard-in-name',
      'warning pattern-without-wildcard',
    ]);
    expect(compiled?.patterns.tools).toHaveLength(1);
  });

  it.each([
    [
      'primitives: { tools: { log: { security: hihg } } }',
      '"hihg" is not a valid value for security (low, medium, high). Did you mean "high"?',
    ],
    [
      'primitives: { tools: { log: { security: enormous } } }',
      '"enormous" is not a valid value for security (low, medium, high).',
    ],
    [
      'primitives: { tools: { log: { price: 501 } } }',
      '501 is not a valid value for price. Write a number from 0 to 500.',
    ],
    [
      'primitives: { tools: { log: { price: cheap } } }',
      '"cheap" is not a valid value for price. Write a number from 0 to 500.',
    ],
    [
      'primitives: { tools: { log: { security: 1 } } }',
      '1 is a number in YAML, but the values of security are text (low, medium, high). If it is the name of a value, write it in quotes: "1".',
    ],
    [
      'primitives: { tools: { log: { securty: low } } }',
      '"securty" is not a concern of this policy (security, price, topic). Did you mean "security"?',
    ],
    [
      'primitives: { tools: { log: { color: red } } }',
      '"color" is not a concern of this policy (security, price, topic).',
    ],
    [
      'presets: { safe: { security: [low, high] } }',
      'security takes only one value here. Keep one, or declare the concern with "multiple: true".',
    ],
    [
      'primitives: { tools: { "log*": {} } }',
      '"log*" is an exact name here, and "*" is not a wildcard. If you mean a wildcard, move the entry to "patterns".',
    ],
    [
      'patterns: { tools: { log: {} } }',
      '"log" does not contain "*", so it matches only one name. Move the entry to "primitives", where lookups are faster.',
    ],
  ])('are explained: %s', (text, message) => {
    expect(messagesOf(`${GOOD}${text}\n`)).toEqual([message]);
  });

  it('include an unknown concern in a policy without concerns', () => {
    expect(messagesOf('version: 1\nprimitives: { tools: { log: { cost: low } } }\n')).toEqual([
      '"cost" is not a concern of this policy (it declares none).',
    ]);
  });
});

describe('several mistakes', () => {
  it('are reported at once, in the order of the file', () => {
    const text = yaml`
      version: 1
      concern: {}
      concerns:
        security: { values: [low, medium, high], match: atleast }
        Cost: { values: [a] }
        price: { values: { min: 9, max: 1 } }
        tier: { values: [free, pro], set-by: operator }
      presets:
        safe: { securty: high, tier: pro }
      primitives:
        tools:
          log: { color: red }
          hash: { tier: por }
        tool: {}
      patterns:
        tools:
          same: {}
          same: {}
      settings: { enforcement: enforced, unmapped: maybe }
    `;
    expect(findingsOf(text)).toEqual([
      '2:1 unknown-key',
      '4:51 unknown-choice',
      '5:3 bad-name',
      '6:20 empty-range',
      '7:40 missing-claim',
      '9:11 unknown-concern',
      '9:26 operator-in-preset',
      '12:12 unknown-concern',
      '13:19 unknown-value',
      '14:3 unknown-key',
      '17:5 pattern-without-wildcard',
      '18:5 duplicate',
      '19:26 unknown-choice',
      '19:46 unknown-choice',
    ]);
  });

  it('of the same kind are reported one by one', () => {
    const entries = Array.from({ length: 300 }, (_, index) => `    tool${index}: { security: hihg }\n`).join(
      '',
    );
    const findings = findingsOf(`${GOOD}primitives:\n  tools:\n${entries}`);
    expect(findings).toEqual(
      Array.from({ length: 300 }, (_, index) => `${index + 8}:${String(index).length + 23} unknown-value`),
    );
  });

  it('in one concern do not hide mistakes in references to another concern', () => {
    const text = yaml`
      version: 1
      concerns:
        cost: { values: [low, high] }
        cost-center: { values: [a, b], match: nearly }
      primitives:
        tools: { log: { cost: hihg } }
    `;
    expect(findingsOf(text)).toEqual(['4:41 unknown-choice', '6:25 unknown-value']);
  });

  it('in a concern are not repeated for each reference to it', () => {
    const refers = yaml`
      presets: { safe: { cost: low } }
      primitives: { tools: { log: { cost: low } } }
      patterns: { tools: { "log*": { cost: [low, high] } } }
    `;
    expect(findingsOf(`version: 1\nconcerns:\n  cost: { valeus: [low, high] }\n${refers}`)).toEqual([
      '3:9 missing-key',
      '3:11 unknown-key',
    ]);
    expect(findingsOf(`version: 1\nconcerns:\n  cost: { values: [low, high, 1] }\n${refers}`)).toEqual([
      '3:31 unquoted',
    ]);
    expect(findingsOf(`version: 1\nconcerns:\n  cost:\n${refers}`)).toEqual(['3:8 wrong-type']);
  });

  it('in a list do not shift the places of later findings', () => {
    const entry = (values: string) =>
      findingsOf(`${GOOD}primitives: { tools: { log: { security: ${values} } } }\n`);
    expect(entry('[true, hihg]')).toEqual(['6:42 unquoted', '6:48 unknown-value']);
    expect(entry('[low, ~, high, true, top]')).toEqual([
      '6:47 unquoted',
      '6:56 unquoted',
      '6:62 unknown-value',
    ]);
    expect(findingsOf('version: 1\nconcerns: { cost: { values: [1, any] } }\n')).toEqual([
      '2:30 unquoted',
      '2:33 reserved-name',
    ]);
    expect(findingsOf('version: 1\ninclude: [1, none.yaml]\n')).toEqual([
      '2:11 unquoted',
      '2:14 include-unreadable',
    ]);
    const rules = yaml`
      version: 1
      rules:
        - { id: first, hide: [tools] }
        - { id: second, hide: [tools], when: { "===": [{ var: concerns.cost }, low] } }
    `;
    expect(findingsOf(rules).map((finding) => finding.split(':')[0])).toEqual(['3', '4']);
  });

  it('in a range are not repeated for each number', () => {
    const text = 'version: 1\nconcerns:\n  cost: { values: { min: 2, max: 1 } }\n';
    expect(findingsOf(`${text}primitives: { tools: { log: { cost: 1 } } }\n`)).toEqual(['3:19 empty-range']);
  });

  it('in a claim or a default are not reported as a missing key', () => {
    const tier = (rest: string) =>
      `version: 1\nconcerns:\n  tier: { values: [a], set-by: operator, ${rest} }\n`;
    expect(findingsOf(tier('default: a, claim: ""'))).toEqual(['3:61 empty']);
    expect(findingsOf(tier('claim: tier, default: true'))).toEqual(['3:64 unquoted']);
  });

  it('in the section of concerns are not repeated for each reference to a concern', () => {
    const refers = 'primitives: { tools: { log: { c1: low } } }\n';
    expect(findingsOf(`version: 1\nconcerns: []\n${refers}`)).toEqual(['2:11 wrong-type']);
    const concerns = Array.from({ length: 65 }, (_, index) => `  c${index}: { values: [low] }\n`).join('');
    expect(findingsOf(`version: 1\nconcerns:\n${concerns}${refers}`)).toEqual(['3:3 too-many']);
  });

  it('are reported although the version is missing', () => {
    const text =
      'concerns:\n  cost: { values: [low, high], match: nearly }\nprimitives: { tools: { log: { color: red } } }\n';
    expect(findingsOf(text)).toEqual(['1:1 missing-key', '2:39 unknown-choice', '3:31 unknown-concern']);
  });
});
