import fc from 'fast-check';
import jsonLogic, { type RulesLogic } from 'json-logic-js';
import { describe, expect, it, vi } from 'vitest';
import { type ExplainedPart, explainRule } from '../../src/core/analysis/index.js';
import { isTruthy } from '../../src/core/engine/expression/evaluate.js';
import { parseExpression } from '../../src/core/engine/expression/parse.js';
import {
  type Configuration,
  type Mapping,
  mapPrimitive,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { allConfigurations, mappingsOf, smallPolicies } from '../engine/small-policies.js';
import { policyOf, requested, yaml } from '../policy/author.js';
import { sample } from '../sample.js';

const policy = policyOf(yaml`
  version: 1
  concerns:
    environment: { values: [development, production] }
    topic: { values: [charts, maps], multiple: true }
  rules:
    - id: example
      hide: [tools]
      when:
        and:
          - { "===": [{ var: concerns.environment }, production] }
          - { "!": { var: [primitive.annotations.readOnlyHint, false] } }
          - { some: [{ var: concerns.topic }, { "===": [{ var: "" }, maps] }] }
          - { missing: [claims.admin] }
`);
const [rule] = policy.rules;

const explainJson = (when: unknown, mapping: Mapping, configuration: Configuration): ExplainedPart =>
  explainRule(parseExpression(when).expression, mapping, configuration);

function explain(concerns: unknown, tool: object, when: unknown = rule?.when.json): ExplainedPart {
  const configuration = resolveConfiguration(policy, requested(concerns));
  return explainJson(when, mapPrimitive(policy, 'tools', tool), configuration);
}

/** The values of all parts, the whole condition first. */
const valuesOf = ({ value, parts }: ExplainedPart): unknown[] => [value, ...parts.flatMap(valuesOf)];

describe('the explanation of a rule', () => {
  it('contains each part with its value and its own parts', () => {
    const explained = explain({ environment: 'production', topic: ['maps'] }, { name: 'a' });
    expect(explained).toEqual({
      logic: rule?.when.json,
      value: ['claims.admin'],
      parts: [
        {
          logic: { '===': [{ var: 'concerns.environment' }, 'production'] },
          value: true,
          parts: [{ logic: { var: 'concerns.environment' }, value: 'production', parts: [] }],
        },
        {
          logic: { '!': { var: ['primitive.annotations.readOnlyHint', false] } },
          value: true,
          parts: [{ logic: { var: ['primitive.annotations.readOnlyHint', false] }, value: false, parts: [] }],
        },
        {
          // The condition on each item has no single value.
          logic: { some: [{ var: 'concerns.topic' }, { '===': [{ var: '' }, 'maps'] }] },
          value: true,
          parts: [{ logic: { var: 'concerns.topic' }, value: ['maps'], parts: [] }],
        },
        { logic: { missing: ['claims.admin'] }, value: ['claims.admin'], parts: [] },
      ],
    });
  });

  it('contains the parts that did not matter, and null for unset values', () => {
    const explained = explain({}, { name: 'a', annotations: { readOnlyHint: true } });
    expect(valuesOf(explained)).toEqual([false, false, null, false, true, false, null, ['claims.admin']]);
  });

  it('has the list of a quantifier and the operands of other operators as parts', () => {
    const tags = { var: 'primitive.tags' };
    const item = { '===': [{ var: '' }, 'x'] };
    const tool = { name: 'a', tags: ['x'] };
    for (const operator of ['some', 'all', 'none']) {
      expect(explain({}, tool, { [operator]: [tags, item] }).parts.map(({ logic }) => logic)).toEqual([tags]);
    }
    expect(explain({}, tool, { in: ['x', tags] }).parts.map(({ logic }) => logic)).toEqual([tags]);
    expect(explain({}, tool, { or: [tags, item] }).parts.map(({ logic }) => logic)).toEqual([tags, item]);
  });

  it('does not treat a text as a list, like the decision', () => {
    const when = {
      and: [{ in: ['admin', { var: 'claims.groups' }] }, { in: ['x', { var: 'primitive.tags' }] }],
    };
    const grouped = policyOf(yaml`
      version: 1
      rules: [{ id: r, hide: [tools], when: { in: [admin, { var: claims.groups }] } }]
    `);
    const caller = { claims: new Map([['groups', 'administrators']]) };
    const configuration = resolveConfiguration(grouped, [], caller);
    const mapping = mapPrimitive(grouped, 'tools', { name: 'a', tags: 'xyz' });
    expect(valuesOf(explainJson(when, mapping, configuration))).toEqual([
      false,
      false,
      'administrators',
      false,
      'xyz',
    ]);
    const listed = resolveConfiguration(grouped, [], { claims: new Map([['groups', ['admin']]]) });
    expect(explainJson({ '!': { in: ['admin', { var: 'claims.groups' }] } }, mapping, listed).value).toBe(
      false,
    );
    expect(
      explainJson({ '!': { in: ['admin', { var: 'claims.groups' }] } }, mapping, configuration).value,
    ).toBe(true);
  });

  it('explains the fallback of a path', () => {
    const when = { var: ['primitive.title', { var: 'primitive.name' }] };
    expect(explain({}, { name: 'a' }, when)).toEqual({
      logic: when,
      value: 'a',
      parts: [{ logic: { var: 'primitive.name' }, value: 'a', parts: [] }],
    });
  });

  it("explains null in an expression and in the server's data", () => {
    const when = { '!==': [{ var: 'primitive.annotations.hint' }, null] };
    expect(explain({}, { name: 'a', annotations: { hint: null } }, when)).toEqual({
      logic: when,
      value: false,
      parts: [{ logic: { var: 'primitive.annotations.hint' }, value: null, parts: [] }],
    });
  });

  it('explains a rule that is a constant', () => {
    expect(explain({}, { name: 'a' }, true)).toEqual({ logic: true, value: true, parts: [] });
    expect(explain({}, { name: 'a' }, ['x'])).toEqual({ logic: ['x'], value: ['x'], parts: [] });
    expect(explain({}, { name: 'a' }, null)).toEqual({ logic: null, value: null, parts: [] });
  });

  it('does not read inherited properties', () => {
    const tool = { name: 'a', annotations: { deep: { list: [{}] } } };
    for (const path of [
      'claims.constructor',
      'claims.toString',
      'concerns.hasOwnProperty',
      'client.capabilities.constructor',
      'primitive.annotations.toString',
      'primitive.annotations.deep.constructor',
      'primitive.annotations.deep.list.0.constructor',
    ]) {
      expect(explain({}, tool, { var: path }).value, path).toBeNull();
    }
  });
});

it('agrees with the decision, and in each part with json-logic-js', () => {
  fc.assert(
    fc.property(smallPolicies, fc.nat(), (small, pick) => {
      const configurations = allConfigurations(small.policy);
      const { configuration } = configurations[pick % configurations.length] ?? {};
      if (configuration === undefined) return;
      for (const mapping of mappingsOf(small)) {
        const data = { primitive: mapping.primitive, ...configuration.data };
        for (const { when, fires } of small.policy.rules) {
          const explained = explainRule(when, mapping, configuration);
          expect(isTruthy(explained.value)).toBe(isTruthy(fires(configuration.data, mapping.slots)));
          /** The library does not know that a part without an answer counts as what hides most. */
          const isAnswered = ({ unanswered, parts }: ExplainedPart): boolean =>
            unanswered === undefined && parts.every(isAnswered);
          const check = (part: ExplainedPart): void => {
            const { logic, value, parts } = part;
            if (isAnswered(part)) expect(value).toEqual(jsonLogic.apply(logic as RulesLogic, data) ?? null);
            parts.forEach(check);
          };
          check(explained);
        }
      }
    }),
    { numRuns: sample(500) },
  );
});

it('does not change the operators of json-logic-js, which the whole process shares', () => {
  // json-logic-js keeps its operators in a closure, so this listens to every attempt to change one.
  const changed = vi.spyOn(jsonLogic, 'add_operation');
  const removed = vi.spyOn(jsonLogic, 'rm_operation');
  const unknown: unknown = { 'in a list': ['a', ['a']] };
  expect(() => jsonLogic.apply(unknown as RulesLogic)).toThrow('Unrecognized operation');
  explain({}, { name: 'a' }, { in: ['a', ['a']] });
  expect(() => jsonLogic.apply(unknown as RulesLogic)).toThrow('Unrecognized operation');
  expect(jsonLogic.apply({ in: ['a', 'abc'] })).toBe(true);
  expect(changed).not.toHaveBeenCalled();
  expect(removed).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
