import { describe, expect, it } from 'vitest';
import { findingsOf, POLICY_WITHOUT_RULES, reportOf, yaml } from './author.js';

/** The expression begins in line 11, column 57. */
const ruleOf = (when: string) =>
  `${POLICY_WITHOUT_RULES}rules:\n  - { id: my-rule, reason: Reason, hide: [tools], when: ${when} }\n`;
/** Without what the rule does for callers without a claim, which has tests of its own. */
const found = (when: string) =>
  findingsOf(ruleOf(when)).filter((each) => !each.endsWith('closed-without-claim'));
const messageOf = (when: string) =>
  reportOf({ 'policy.yaml': ruleOf(when) }).findings.map(({ message }) => message);

const ENVIRONMENT = '{ var: concerns.environment }';
const BUDGET = '{ var: concerns.budget }';
const HINT = '{ var: primitive.annotations.readOnlyHint }';

describe('a valid rule', () => {
  it.each([
    `{ "===": [{ var: claims.roles }, null] }`,
    `{ "===": [{ var: claims.plan }, pro] }`,
    `{ in: [admin, { var: claims.roles }] }`,
    `{ ends-with: [{ var: claims.email }, "@acme.example"] }`,
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
    ['an undeclared field', '{ "!!": { var: primitive.icons } }', ['11:72 unknown-path']],
    ['all annotations at once', '{ "!!": { var: primitive.annotations } }', ['11:72 unknown-path']],
    ['all claims at once', '{ "!!": { var: claims } }', ['11:72 unknown-path']],
    ['the icons of the client', '{ "!!": { var: client.icons } }', ['11:72 unknown-path']],
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
      '"substr" is not a valid operator. Use var, missing, ===, !==, !, !!, and, or, if, in, <, <=, >, >=, some, all, none, starts-with, ends-with, contains.',
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
      '"session.user" is not a path that a rule can read. A rule can read concerns.<name>, primitive.<field>, arguments.<name>, claims.<name>, caller.scopes, client.capabilities, client.name, client.title, client.version, protocol.era.',
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
    expect(findingsOf(POLICY_WITHOUT_RULES + text)).toEqual([
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
        'concerns.budget counts as 0 here if it is not set. If that is meant, write {var: [concerns.budget, 0]}. To exclude that case, add {"!!": {var: concerns.budget}} with "and".',
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
    expect(findingsOf(POLICY_WITHOUT_RULES + rules)).toEqual(['11:5 hide-or-show', '12:5 hide-or-show']);
  });

  it('include an id that is unique across files', () => {
    const rules = yaml`
      rules:
        - { id: same, hide: [tools], when: true }
        - { id: same, show: [tools], when: true }
    `;
    const { findings } = reportOf({
      'policy.yaml': `version: 1\ninclude: [common.yaml]\nrules: [{ id: same, hide: [tools], when: true }]\n`,
      'common.yaml': POLICY_WITHOUT_RULES + rules,
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
    expect(findingsOf(`${POLICY_WITHOUT_RULES}rules:\n  - ${rule}\n`)).toContain(finding);
  });

  it('the message about assign names what it can read', () => {
    const assign = 'assign: [{ when: { "!!": { var: claims.admin } }, to: { security: low } }]\n';
    expect(
      reportOf({ 'policy.yaml': POLICY_WITHOUT_RULES + assign }).findings.map(({ message }) => message),
    ).toEqual([
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
    expect(findingsOf(POLICY_WITHOUT_RULES + assign)).toEqual([
      '11:30 assign-reads-caller',
      '12:28 assign-reads-caller',
      '13:28 assign-reads-caller',
      '14:13 loose-equality',
      '14:37 unknown-concern',
      '14:64 unknown-value',
    ]);
  });
});
