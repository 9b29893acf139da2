import { describe, expect, it } from 'vitest';
import {
  type Caller,
  evaluate,
  mapPrimitive,
  type Policy,
  type Primitive,
  resolveConfiguration,
} from '../../src/engine/index.js';
import { findingsOf, policyOf, reportOf, requested, shown, yaml } from './author.js';

/** A valid policy of nine lines, to which a test adds rules. */
const GOOD = yaml`
  version: 1
  concerns:
    security: { values: [low, medium, high] }
    environment: { values: [development, production] }
    topic: { values: [charts, maps], multiple: true }
    budget: { values: { min: 0, max: 500 } }
    tier: { values: [free, pro], set-by: operator, claim: "custom:tier", default: free }
    seat: { values: [yes, no], set-by: operator, claim: seat, default: no }
  # The rules begin in line 10.
`;

/** The expression begins in line 11, column 57. */
const ruleOf = (when: string) =>
  `${GOOD}rules:\n  - { id: my-rule, reason: Reason, hide: [tools], when: ${when} }\n`;
const found = (when: string) => findingsOf(ruleOf(when));
const messageOf = (when: string) =>
  reportOf({ 'policy.yaml': ruleOf(when) }).findings.map(({ message }) => message);

const ENVIRONMENT = '{ var: concerns.environment }';
const BUDGET = '{ var: concerns.budget }';
const HINT = '{ var: primitive.annotations.readOnlyHint }';

describe('a valid rule', () => {
  it.each([
    'true',
    `{ "===": [${ENVIRONMENT}, production] }`,
    `{ "===": [production, ${ENVIRONMENT}] }`,
    `{ "===": [${HINT}, true] }`,
    '{ "===": [{ var: [primitive.annotations.destructiveHint, true] }, true] }',
    `{ in: [${ENVIRONMENT}, [development, production]] }`,
    '{ in: [maps, { var: concerns.topic }] }',
    '{ in: [beta, { var: primitive.tags }] }',
    '{ in: [admin, { var: claims.groups }] }',
    '{ some: [{ var: claims.groups }, { "===": [{ var: name }, admin] }] }',
    '{ none: [{ var: primitive.tags }, { in: [{ var: "" }, [beta]] }] }',
    '{ all: [{ var: concerns.topic }, { "!==": [{ var: "" }, maps] }] }',
    '{ "!!": { var: client.capabilities.sampling } }',
    '{ "!": { missing: [client.capabilities.roots.listChanged] } }',
    '{ missing: concerns.security }',
    '{ if: [{ "!!": { var: claims.admin } }, false, true] }',
    '{ ">": [{ var: primitive.annotations.price }, 3] }',
    '{ "<": [1, { var: claims.age }, 3] }',
    '{ or: [{ "===": [{ var: primitive.kind }, tools] }, { "===": [{ var: primitive.mimeType }, text/plain] }] }',
    '{ "===": [{ var: "claims.custom:tier" }, pro] }',
  ])('has no findings: %s', (when) => {
    expect(found(when)).toEqual([]);
  });
});

describe('a rule with errors', () => {
  it.each<[string, string, string[]]>([
    ['loose equality', `{ "==": [${ENVIRONMENT}, production] }`, ['11:57 loose-equality']],
    ['loose inequality', `{ "!=": [${ENVIRONMENT}, production] }`, ['11:57 loose-equality']],
    ['nested loose equality', `{ and: [true, { "!": [{ "==": [1, 1] }] }] }`, ['11:79 loose-equality']],
    [
      'two operators in one mapping',
      `{ "===": [${ENVIRONMENT}, production], "!!": true }`,
      ['11:57 rule-is-data'],
    ],
    ['a mapping without an operator', '{}', ['11:57 rule-is-data']],
    ['an unknown operator', '{ cat: [a, b] }', ['11:57 unknown-operator']],
    [
      'an operator with the name of an inherited property',
      '{ constructor: [1] }',
      ['11:57 unknown-operator'],
    ],
    ['a misspelled operator', '{ nd: [true, true] }', ['11:57 unknown-operator']],
    ['an undeclared concern', '{ "!!": { var: concerns.securty } }', ['11:72 unknown-path']],
    ['a part of a concern', '{ "!!": { var: concerns.security.level } }', ['11:72 unknown-path']],
    ['all concerns at once', '{ "!!": { var: concerns } }', ['11:72 unknown-path']],
    ['an undeclared field', '{ "!!": { var: primitive.description } }', ['11:72 unknown-path']],
    ['all annotations at once', '{ "!!": { var: primitive.annotations } }', ['11:72 unknown-path']],
    ['all claims at once', '{ "!!": { var: claims } }', ['11:72 unknown-path']],
    ['the name of the client', '{ "!!": { var: client.name } }', ['11:72 unknown-path']],
    ['another root', '{ "!!": { var: request.name } }', ['11:72 unknown-path']],
    ['missing with an undeclared concern', '{ missing: [concerns.securty] }', ['11:68 unknown-path']],
    ['the whole data', '{ "!!": { var: "" } }', ['11:72 computed-path']],
    ['an index', '{ "!!": { var: 1 } }', ['11:72 computed-path']],
    ['a computed path', '{ "!!": { var: { var: claims.path } } }', ['11:72 computed-path']],
    ['missing with a computed path', '{ missing: [{ var: claims.path }] }', ['11:68 computed-path']],
    [
      'an undeclared path as a fallback',
      '{ "!!": { var: [primitive.title, { var: primitive.nam }] } }',
      ['11:97 unknown-path'],
    ],
    [
      'an unknown operator as a fallback',
      '{ "!!": { var: [primitive.title, { cat: [a] }] } }',
      ['11:90 unknown-operator'],
    ],
    ['too few operands', `{ "===": [${ENVIRONMENT}] }`, ['11:66 operand-count']],
    ['too many operands', `{ "!": [true, false] }`, ['11:64 operand-count']],
    ['an empty and', `{ and: [] }`, ['11:64 operand-count']],
    ['an if with one operand', `{ if: [true] }`, ['11:63 operand-count']],
    ['between with >', `{ ">": [3, { var: claims.age }, 1] }`, ['11:64 operand-count']],
    ['a comparison of names', `{ ">=": [{ var: concerns.security }, medium] }`, ['11:66 order-on-list']],
    [
      'a comparison of names, on the right',
      `{ "<": [low, { var: concerns.security }] }`,
      ['11:70 order-on-list'],
    ],
    ['a comparison of a text', `{ "<": [{ var: primitive.name }, 5] }`, ['11:65 number-expected']],
    ['a comparison with a text', `{ "<": [{ var: claims.age }, "5"] }`, ['11:86 number-expected']],
    ['a comparison with null', `{ "<": [{ var: claims.age }, ~] }`, ['11:86 number-expected']],
    ['a comparison of a list', `{ "<": [{ var: primitive.tags }, 5] }`, ['11:65 number-expected']],
    ['a text on the right of in', `{ in: [prod, production] }`, ['11:70 list-expected']],
    [
      'a path of a text on the right of in',
      `{ in: [delete, { var: primitive.name }] }`,
      ['11:72 list-expected'],
    ],
    [
      'a concern of one value on the right of in',
      `{ in: [low, { var: concerns.security }] }`,
      ['11:69 list-expected'],
    ],
    ['some of a text', `{ some: [{ var: primitive.name }, true] }`, ['11:66 list-expected']],
    ['some of a number', `{ all: [5, true] }`, ['11:65 list-expected']],
    ['a list compared with a value', `{ "===": [{ var: concerns.topic }, maps] }`, ['11:66 list-compared']],
    ['tags compared with a value', `{ "===": [beta, { var: primitive.tags }] }`, ['11:66 list-compared']],
    ['an invalid value', `{ "===": [${ENVIRONMENT}, prodction] }`, ['11:98 unknown-value']],
    ['an invalid value on the left', `{ "===": [prodction, ${ENVIRONMENT}] }`, ['11:67 unknown-value']],
    ['true as a value', `{ "===": [${ENVIRONMENT}, true] }`, ['11:98 unknown-value']],
    [
      'an invalid value in a list',
      `{ in: [${ENVIRONMENT}, [production, staging]] }`,
      ['11:108 unknown-value'],
    ],
    [
      'an invalid value as the left operand of in',
      `{ in: [map, { var: concerns.topic }] }`,
      ['11:64 unknown-value'],
    ],
    ['an unknown operator in a nested list', '{ in: [low, [[{ cat: [a] }]]] }', ['11:71 unknown-operator']],
    ['null as a list', '{ in: [low, ~] }', ['11:69 list-expected']],
    ['an invalid kind', `{ "===": [{ var: primitive.kind }, tool] }`, ['11:92 unknown-value']],
  ])('is reported for %s: %s', (_name, when, findings) => {
    expect(found(when)).toEqual(findings);
  });

  it.each([
    ['{ nd: [true, true] }', '"nd" is not a valid operator. Did you mean "and"?'],
    [
      '{ substr: [a, 1] }',
      '"substr" is not a valid operator. Use var, missing, ===, !==, !, !!, and, or, if, in, <, <=, >, >=, some, all, none.',
    ],
    [
      '{ "==": [1, 1] }',
      '"==" converts types before it compares ("high" == ["high"] and 1 == "1" are true). Write "===".',
    ],
    [
      '{ "!=": [1, 1] }',
      '"!=" converts types before it compares ("high" == ["high"] and 1 == "1" are true). Write "!==".',
    ],
    [
      '{ "!!": { var: concerns.securty } }',
      '"concerns.securty" is not a path that a rule can read. Did you mean "concerns.security"?',
    ],
    [
      '{ "!!": { var: primitive.annotations.readonlyHint.deep } }',
      '"primitive.annotations.readonlyHint.deep" is not a path that a rule can read. Did you mean "primitive.annotations.readOnlyHint"?',
    ],
    [
      '{ "!!": { var: session.user } }',
      '"session.user" is not a path that a rule can read. A rule can read concerns.<name>, primitive.<field>, claims.<name> and client.capabilities.',
    ],
    ['{ "!": [true, false] }', '"!" takes 1 operand, but has 2.'],
    ['{ "===": [1] }', '"===" takes 2 operands, but has 1.'],
    ['{ "<": [1] }', '"<" takes 2 to 3 operands, but has 1.'],
    [
      '{}',
      'JSON Logic treats a mapping without a key as data, which is always true. Write one operator, or "and" with several conditions.',
    ],
    [
      '{ "!": true, "!!": true }',
      'JSON Logic treats a mapping with 2 keys as data, which is always true. Write one operator, or "and" with several conditions.',
    ],
    [
      `{ "===": [${ENVIRONMENT}, prodction] }`,
      '"prodction" is not a valid value for concerns.environment (development, production). Did you mean "production"?',
    ],
    [
      `{ "===": [${ENVIRONMENT}, x] }`,
      '"x" is not a valid value for concerns.environment (development, production).',
    ],
    [
      '{ "!!": { var: 1 } }',
      'A path must be a constant text such as concerns.security. A computed path cannot be checked.',
    ],
    [
      '{ ">=": [{ var: concerns.security }, medium] }',
      '">=" compares texts alphabetically, not in the order of your values ("high" < "low"). List the values with "in".',
    ],
    ['{ "<=": [{ var: primitive.name }, 5] }', '"<=" compares only numbers.'],
    ['{ ">": [{ var: claims.age }, "5"] }', '">" compares only numbers.'],
    [
      '{ "===": [{ var: concerns.topic }, maps] }',
      'concerns.topic holds a list, and a list is not equal to anything. Use "in" or "some".',
    ],
    [
      '{ "!==": [{ var: primitive.annotations.destructiveHint }, true] }',
      '"!==" is true if primitive.annotations.destructiveHint is not set. Add {"!!": {var: primitive.annotations.destructiveHint}} with "and", or compare with "===".',
    ],
    [
      `{ or: [${new Array(4).fill(`{ or: [${new Array(250).fill('false')}] }`)}] }`,
      'A rule can have at most 1000 parts and be nested at most 32 levels deep. Split it into several rules.',
    ],
    [
      '{ some: [beta, true] }',
      'The first operand of "some" must be a list, or a path that holds a list. Texts are not searched.',
    ],
    [
      '{ in: [a, beta] }',
      'The second operand of "in" must be a list, or a path that holds a list. Texts are not searched.',
    ],
  ])('explains the error in %s', (when, message) => {
    expect(messageOf(when)).toEqual([message]);
  });

  it('reports all errors at once, each at its position', () => {
    const text = yaml`
      rules:
        - id: many
          hide: [tools]
          when:
            and:
              - "==": [{ var: concerns.securty }, low]
              - "===":
                  - var: concerns.environment
                  - prod
              - "<": [{ var: concerns.budget }, 5]
    `;
    expect(findingsOf(GOOD + text)).toEqual([
      '15:11 loose-equality',
      '18:15 unknown-value',
      '19:17 order-on-unset',
    ]);
  });
});

describe('the size of a rule', () => {
  const nested = (depth: number) => `${'{ "!": '.repeat(depth)}true${' }'.repeat(depth)}`;
  const wide = (parts: number) => `{ or: [${new Array(parts).fill('false')}] }`;

  it.each<[string, string, string[]]>([
    ['32 operators deep', nested(32), []],
    ['33 operators deep', nested(33), ['11:57 rule-too-large']],
    ['a hundred operators deep', nested(100), ['11:57 rule-too-large']],
    // An operator and its list of operands count as one part each.
    ['1000 parts', `{ or: [${[...new Array(3).fill(wide(247)), wide(249)]}] }`, []],
    ['1001 parts', `{ or: [${[...new Array(3).fill(wide(247)), wide(250)]}] }`, ['11:57 rule-too-large']],
    ['257 operands', wide(257), ['11:63 operand-count']],
  ])('is limited: %s', (_name, when, findings) => {
    expect(found(when)).toEqual(findings);
  });
});

describe('comparisons that an unset value makes true or zero', () => {
  const unequal = `{ "!==": [${ENVIRONMENT}, development] }`;

  it.each<[string, string]>([
    ['!! before it', `{ and: [{ "!!": ${ENVIRONMENT} }, ${unequal}] }`],
    ['!! after it', `{ and: [${unequal}, { "!!": [${ENVIRONMENT}] }] }`],
    ['the path itself', `{ and: [${ENVIRONMENT}, ${unequal}] }`],
    ['not missing', `{ and: [{ "!": { missing: [concerns.environment] } }, ${unequal}] }`],
    ['not missing, without a list', `{ and: [{ "!": { missing: concerns.environment } }, ${unequal}] }`],
    [
      'not missing, in a nested list',
      `{ and: [{ "!": { missing: [[concerns.environment]] } }, ${unequal}] }`,
    ],
    ['an equality before it', `{ and: [{ "===": [${ENVIRONMENT}, production] }, ${unequal}] }`],
    ['a reversed equality before it', `{ and: [{ "===": [production, ${ENVIRONMENT}] }, ${unequal}] }`],
    ['an inequality with null before it', `{ and: [{ "!==": [${ENVIRONMENT}, ~] }, ${unequal}] }`],
    ['in before it', `{ and: [{ in: [${ENVIRONMENT}, [production]] }, ${unequal}] }`],
    ['an and before it', `{ and: [{ and: [true, { "!!": ${ENVIRONMENT} }] }, ${unequal}] }`],
    [
      'an or that proves it in both cases',
      `{ and: [{ or: [${ENVIRONMENT}, { "===": [${ENVIRONMENT}, production] }] }, ${unequal}] }`,
    ],
    ['!! in an outer and', `{ and: [{ "!!": ${ENVIRONMENT} }, { or: [false, ${unequal}] }] }`],
    ['!! as the condition of if', `{ if: [{ "!!": ${ENVIRONMENT} }, ${unequal}, false] }`],
    ['!! as the condition of else if', `{ if: [false, false, { "!!": ${ENVIRONMENT} }, ${unequal}, false] }`],
    ['null as the other operand', `{ "!==": [${ENVIRONMENT}, ~] }`],
    ['a fallback', '{ "!==": [{ var: [concerns.environment, development] }, development] }'],
    ['an operator concern that has a default', '{ "!==": [{ var: concerns.tier }, pro] }'],
    [
      'a field that every primitive has',
      '{ and: [{ "!==": [{ var: primitive.name }, a] }, { "!==": [{ var: primitive.kind }, tools] }] }',
    ],
  ])('accepts "!==" with %s', (_name, when) => {
    expect(found(when)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['nothing else', unequal, '11:66'],
    ['an or before it', `{ or: [{ "!!": ${ENVIRONMENT} }, ${unequal}] }`, '11:114'],
    ['a test of another concern', `{ and: [{ "!!": { var: concerns.security } }, ${unequal}] }`, '11:112'],
    ['missing before it', `{ and: [{ missing: [concerns.environment] }, ${unequal}] }`, '11:111'],
    ['an equality with null before it', `{ and: [{ "===": [${ENVIRONMENT}, ~] }, ${unequal}] }`, '11:121'],
    ['in with null before it', `{ and: [{ in: [${ENVIRONMENT}, [~, production]] }, ${unequal}] }`, '11:132'],
    [
      'in with a claim before it',
      `{ and: [{ in: [${ENVIRONMENT}, { var: claims.list }] }, ${unequal}] }`,
      '11:137',
    ],
    ['an or that proves it in one case', `{ and: [{ or: [${ENVIRONMENT}, true] }, ${unequal}] }`, '11:121'],
    ['! before it', `{ and: [{ "!": ${ENVIRONMENT} }, ${unequal}] }`, '11:114'],
    ['the else branch of if', `{ if: [{ "!!": ${ENVIRONMENT} }, true, ${unequal}] }`, '11:120'],
    ['the condition of if', `{ if: [${unequal}, true, false] }`, '11:73'],
    ['null as the fallback', '{ "!==": [{ var: [concerns.environment, ~] }, development] }', '11:66'],
    [
      'another path as the fallback',
      '{ "!==": [{ var: [concerns.environment, { var: claims.environment }] }, development] }',
      '11:66',
    ],
    [
      '!! of a path with a fallback before it',
      `{ and: [{ "!!": { var: [concerns.environment, production] } }, ${unequal}] }`,
      '11:129',
    ],
    [
      'an equality of a path with a fallback before it',
      `{ and: [{ "===": [{ var: [concerns.environment, production] }, production] }, ${unequal}] }`,
      '11:144',
    ],
    ['an absent hint', `{ "!==": [${HINT}, true] }`, '11:66'],
    ['a field that not every primitive has', '{ "!==": [{ var: primitive.title }, a] }', '11:66'],
    ['a claim', '{ "!==": [{ var: claims.role }, admin] }', '11:66'],
    ['a value on the left', `{ "!==": [development, ${ENVIRONMENT}] }`, '11:66'],
  ])('reports "!==" with %s', (_name, when, place) => {
    expect(found(when)).toEqual([`${place} unset-is-true`]);
  });

  it('warns that an unset number counts as zero', () => {
    expect(found(`{ "<": [${BUDGET}, 100] }`)).toEqual(['11:65 order-on-unset']);
    expect(found(`{ ">=": [100, ${BUDGET}] }`)).toEqual(['11:71 order-on-unset']);
    expect(found(`{ and: [{ "!!": ${BUDGET} }, { "<": [${BUDGET}, 100] }] }`)).toEqual([]);
    expect(found('{ "<": [{ var: [concerns.budget, 500] }, 100] }')).toEqual([]);
    const { findings, compiled } = reportOf({ 'policy.yaml': ruleOf(`{ "<": [${BUDGET}, 100] }`) });
    expect(findings[0]).toMatchObject({
      severity: 'warning',
      message:
        'concerns.budget counts as 0 here if it is not set. To exclude that case, add {"!!": {var: concerns.budget}} with "and".',
    });
    expect(compiled).toBeDefined();
  });

  it.each<[string, string, string[]]>([
    ['destructive', 'destructiveHint }, true', ['11:66 hint-default']],
    ['open world', 'openWorldHint }, true', ['11:66 hint-default']],
    ['not read-only', 'readOnlyHint }, false', ['11:66 hint-default']],
    ['not idempotent', 'idempotentHint }, false', ['11:66 hint-default']],
    ['read-only', 'readOnlyHint }, true', []],
    ['not destructive', 'destructiveHint }, false', []],
    ['a custom hint', 'myHint }, true', []],
  ])('warns about the default of an absent hint: %s', (_name, end, findings) => {
    expect(found(`{ "===": [{ var: primitive.annotations.${end}] }`)).toEqual(findings);
  });

  it('names the hint and how to include its default', () => {
    expect(messageOf('{ "===": [true, { var: primitive.annotations.destructiveHint }] }')).toEqual([
      'In MCP, an absent destructiveHint means true, but here it is not equal to true. To include that case, write {var: [primitive.annotations.destructiveHint, true]}.',
    ]);
  });
});

describe('the other parts of a rule', () => {
  it('include either hide or show', () => {
    const rules = yaml`
      rules:
        - { id: neither, when: true }
        - { id: both, hide: [tools], show: [prompts], when: true }
        - { id: hides, hide: [tools], when: true }
    `;
    expect(findingsOf(GOOD + rules)).toEqual(['11:5 hide-or-show', '12:5 hide-or-show']);
  });

  it('include an id that is unique across files', () => {
    const rules = yaml`
      rules:
        - { id: same, hide: [tools], when: true }
        - { id: same, show: [tools], when: true }
    `;
    const { findings } = reportOf({
      'policy.yaml': `version: 1\ninclude: [common.yaml]\nrules: [{ id: same, hide: [tools], when: true }]\n`,
      'common.yaml': GOOD + rules,
    });
    expect(findings.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`)).toEqual([
      'common.yaml:12:11 duplicate',
      'policy.yaml:3:15 duplicate',
    ]);
    expect(findings.map(({ message }) => message)).toEqual(
      new Array(2).fill('The rule "same" is defined twice, here and in common.yaml:11:11. Remove one.'),
    );
  });

  it.each([
    ['{ id: My Rule, hide: [tools], when: true }', '11:11 bad-name'],
    ['{ id: kinds, hide: [tool], when: true }', '11:25 unknown-choice'],
    ['{ id: none, hide: [], when: true }', '11:23 empty'],
    ['{ id: twice, hide: [tools, tools], when: true }', '11:24 duplicate'],
    ['{ id: no-when, hide: [tools] }', '11:5 missing-key'],
    ['{ id: extra, hide: [tools], when: true, then: 1 }', '11:45 unknown-key'],
  ])('are checked against the schema: %s', (rule, finding) => {
    expect(findingsOf(`${GOOD}rules:\n  - ${rule}\n`)).toContain(finding);
  });

  it('the message about assign names what it can read', () => {
    const assign = 'assign: [{ when: { "!!": { var: claims.admin } }, to: { security: low } }]\n';
    expect(reportOf({ 'policy.yaml': GOOD + assign }).findings.map(({ message }) => message)).toEqual([
      '"assign" gives values before any request, so it can read only the primitive, not claims.admin. Write a rule instead.',
    ]);
  });

  it('assign can read only the primitive and can give only declared values', () => {
    const assign = yaml`
      assign:
        - { when: { "===": [{ var: concerns.security }, low] }, to: { security: low } }
        - { when: { "!!": { var: claims.admin } }, to: { security: low } }
        - { when: { "!!": { var: client.capabilities } }, to: { security: low } }
        - { when: { "==": [1, 1] }, to: { securty: low, environment: prod } }
        - { when: true, to: { security: any, topic: [maps] } }
    `;
    expect(findingsOf(GOOD + assign)).toEqual([
      '11:30 assign-reads-caller',
      '12:28 assign-reads-caller',
      '13:28 assign-reads-caller',
      '14:13 loose-equality',
      '14:37 unknown-concern',
      '14:64 unknown-value',
    ]);
  });
});

describe('assign', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      access: { values: [read, write] }
      stage: { values: [beta, stable] }
    primitives:
      tools:
        own: { access: write }
        freed: { access: any }
    patterns:
      tools: { "pat*": { access: write } }
    assign:
      - { when: { "===": [{ var: primitive.annotations.readOnlyHint }, true] }, to: { access: read, stage: beta } }
      - { when: { in: [stable, { var: primitive.tags }] }, to: { stage: stable } }
      - { when: { "===": [{ var: primitive.kind }, prompts] }, to: { access: read } }
    settings: { unmapped: hide }
  `);
  const readOnly = { annotations: { readOnlyHint: true } };

  it('gives values that depend on the definition of the server, and maps the primitives that it fires for', () => {
    const tools = [{ name: 'reads', ...readOnly }, { name: 'silent' }];
    expect(shown(policy, tools, undefined)).toEqual(['reads']);
    expect(shown(policy, tools, { access: 'read' })).toEqual(['reads']);
    expect(shown(policy, tools, { access: 'write' })).toEqual([]);
    expect(shown(policy, ['p'], { access: 'write' }, { kind: 'prompts' })).toEqual([]);
    expect(shown(policy, ['p'], { access: 'read' }, { kind: 'prompts' })).toEqual(['p']);
  });

  it("overrides the server's own values and earlier items, but not patterns and entries", () => {
    const sources = (primitive: Primitive) =>
      mapPrimitive(policy, 'tools', primitive).offers.map((offer) =>
        offer?.source.replace(/.*policy/, 'policy'),
      );
    expect(sources({ name: 'own', ...readOnly })).toEqual(['policy.yaml:7', 'policy.yaml:12']);
    expect(sources({ name: 'pattern', ...readOnly })).toEqual(['policy.yaml:10', 'policy.yaml:12']);
    expect(sources({ name: 'freed', ...readOnly })).toEqual([undefined, 'policy.yaml:12']);
    expect(sources({ name: 'x', ...readOnly, _meta: { concerns: { access: 'write' } } })).toEqual([
      'policy.yaml:12',
      'policy.yaml:12',
    ]);
    expect(sources({ name: 'x', ...readOnly, tags: ['stable'] })).toEqual([
      'policy.yaml:12',
      'policy.yaml:13',
    ]);
    expect(sources({ name: 'x', ...readOnly, _meta: { tags: ['stable'] } })).toEqual([
      'policy.yaml:12',
      'policy.yaml:13',
    ]);
  });
});

describe('the effect of rules', () => {
  const decisionOn = (policy: Policy, primitive: Primitive, concerns: unknown, caller?: Caller) => {
    const configuration = resolveConfiguration(
      policy,
      concerns === undefined ? [] : requested(concerns),
      caller,
    );
    return evaluate(policy, mapPrimitive(policy, 'tools', primitive), configuration);
  };

  it('lets a hide rule override a show rule in any order, and a show rule override a host concern', () => {
    const rules = (first: string, second: string) =>
      policyOf(
        `${GOOD}primitives: { tools: { a: { security: high } } }\nrules:\n  - ${first}\n  - ${second}\n`,
      );
    const hide = '{ id: hides, hide: [tools], when: { "===": [{ var: concerns.environment }, production] } }';
    const show = '{ id: shows, show: [tools], when: { "===": [{ var: primitive.name }, a] } }';
    for (const policy of [rules(hide, show), rules(show, hide)]) {
      expect(shown(policy, ['a', 'b'], { environment: 'production' })).toEqual([]);
      expect(shown(policy, ['a', 'b'], { security: 'low' })).toEqual(['a', 'b']);
      expect(decisionOn(policy, { name: 'a' }, { security: 'low' }).reason).toMatchObject({
        code: 'rule',
        rule: 'shows',
      });
      expect(decisionOn(policy, { name: 'a' }, { environment: 'production' }).reason).toMatchObject({
        rule: 'hides',
      });
    }
  });

  it('does not let a show rule override an operator concern, but lets it show an unmapped primitive', () => {
    const policy = policyOf(`${GOOD}primitives: { tools: { paid: { tier: pro } } }
settings: { unmapped: hide }
rules: [{ id: shows, show: [tools], when: { in: [{ var: primitive.name }, [paid, new]] } }]
`);
    expect(shown(policy, ['paid', 'new', 'other'], undefined)).toEqual(['new']);
    expect(shown(policy, ['paid', 'new', 'other'], undefined, { claims: { 'custom:tier': 'pro' } })).toEqual([
      'paid',
      'new',
    ]);
    expect(decisionOn(policy, { name: 'other' }, undefined).reason).toEqual({ code: 'unmapped' });
  });

  it('applies to clients that never sent preferences, and only to the kinds that the rules name', () => {
    const policy = policyOf(`${GOOD}rules:
  - { id: hidden, hide: [tools, resources], when: { in: [{ var: primitive.name }, [a, b]] } }
  - { id: secret, hide: [resources], when: { "===": [{ var: primitive.uri }, "vault://a"] } }
  - { id: templates, hide: [resourceTemplates], when: { "===": [{ var: primitive.uri }, "vault://{a}"] } }
`);
    expect(shown(policy, ['a', 'c'], undefined)).toEqual(['c']);
    expect(shown(policy, ['a', 'c'], undefined, { kind: 'prompts' })).toEqual(['a', 'c']);
    expect(shown(policy, ['vault://a', 'vault://b'], undefined, { kind: 'resources' })).toEqual([
      'vault://b',
    ]);
    expect(shown(policy, ['vault://{a}'], undefined, { kind: 'resourceTemplates' })).toEqual([]);
    expect(shown(policy, [{ uri: 'vault://c', name: 'a' }], undefined, { kind: 'resources' })).toEqual([]);
  });

  it('depends on the values in effect, including defaults, claims and lists', () => {
    const policy = policyOf(yaml`
      version: 1
      concerns:
        level: { values: [low, high], default: high }
        topic: { values: [charts, maps], multiple: true }
        tier: { values: [free, pro], set-by: operator, claim: "custom:tier", default: free }
      rules:
        - { id: level, hide: [tools], when: { and: [{ "===": [{ var: concerns.level }, high] }, { "===": [{ var: primitive.name }, level] }] } }
        - { id: topic, hide: [tools], when: { and: [{ in: [maps, { var: concerns.topic }] }, { "===": [{ var: primitive.name }, topic] }] } }
        - { id: tier, hide: [tools], when: { and: [{ "===": [{ var: concerns.tier }, free] }, { "===": [{ var: primitive.name }, tier] }] } }
      settings: { defaults: aware }
    `);
    const tools = ['level', 'topic', 'tier'];
    expect(shown(policy, tools, undefined)).toEqual(['level', 'topic']);
    expect(shown(policy, tools, { topic: ['maps', 'charts'] })).toEqual([]);
    expect(shown(policy, tools, { topic: 'charts', level: 'low' })).toEqual(['level', 'topic']);
    expect(shown(policy, tools, undefined, { claims: { 'custom:tier': 'pro' } })).toEqual(tools);
  });

  it('is absent for rules about the client while its capabilities are not known', () => {
    const policy = policyOf(`${GOOD}rules:
  - { id: needs, hide: [tools], when: { and: [{ "!": { var: client.capabilities.sampling } }, { "===": [{ var: primitive.name }, a] }] } }
`);
    const shows = (capabilities: unknown) =>
      decisionOn(policy, { name: 'a' }, undefined, { capabilities }).effect === 'show';
    expect(shows(undefined)).toBe(true);
    expect(shows({})).toBe(false);
    expect(shows({ sampling: {} })).toBe(true);
    expect(shows(null)).toBe(false);
  });

  it('depends only on verified claims, never on inherited properties', () => {
    const policy = policyOf(`${GOOD}rules:
  - { id: group, hide: [tools], when: { "!": { in: [admin, { var: claims.groups }] } } }
  - { id: inherited, hide: [tools], when: { or: [{ var: claims.constructor }, { var: claims.toString }] } }
`);
    const shows = (claims?: [string, unknown][]) =>
      decisionOn(policy, { name: 'a' }, undefined, claims && { claims: new Map(claims) }).effect === 'show';
    expect(shows()).toBe(false);
    expect(shows([['groups', 'admin']])).toBe(false);
    expect(shows([['groups', ['staff', 'admin']]])).toBe(true);
    expect(
      shows([
        ['groups', ['admin']],
        ['__proto__', { polluted: true }],
      ]),
    ).toBe(true);
  });

  it('differs between callers that differ in what a rule reads', () => {
    const policy = policyOf(
      `${GOOD}rules: [{ id: blocked, hide: [tools], when: { "===": [{ var: claims.blocked }, true] } }]\n`,
    );
    const keyOf = (claims: [string, unknown][]) =>
      resolveConfiguration(policy, [], { claims: new Map(claims) }).key;
    expect(keyOf([['blocked', true]])).not.toBe(keyOf([['blocked', false]]));
    expect(keyOf([['blocked', true]])).toBe(
      keyOf([
        ['blocked', true],
        ['name', 'else'],
      ]),
    );
  });

  it('is explained with the reason of the rule and the values that it read', () => {
    const policy = policyOf(`${GOOD}rules:
  - id: no-destruction
    hide: [tools]
    when:
      and:
        - { "===": [{ var: concerns.environment }, production] }
        - { "===": [{ var: [primitive.annotations.destructiveHint, true] }, true] }
        - { "!": { var: claims.admin } }
    reason: Destructive tools are hidden in production
  - { id: silent, hide: [tools], when: { "===": [{ var: primitive.name }, b] } }
`);
    const { effect, reason } = decisionOn(policy, { name: 'a' }, { environment: 'production' });
    expect(effect).toBe('hide');
    expect(reason).toEqual({
      code: 'rule',
      rule: 'no-destruction',
      source: expect.stringMatching(/policy\.yaml:11$/),
      reason: 'Destructive tools are hidden in production',
      values: {
        'concerns.environment': 'production',
        'primitive.annotations.destructiveHint': null,
        'claims.admin': null,
      },
    });
    expect(decisionOn(policy, { name: 'b' }, undefined).reason).toEqual({
      code: 'rule',
      rule: 'silent',
      source: expect.stringMatching(/policy\.yaml:19$/),
      values: { 'primitive.name': 'b' },
    });
  });
});
