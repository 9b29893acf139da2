import { describe, expect, it } from 'vitest';
import { combinations, cutRange } from '../../src/core/analysis/candidate-values.js';
import { mapPrimitive, type Primitive } from '../../src/core/engine/index.js';
import { listPolicy } from '../engine/small-policies.js';
import { policyOf, yaml } from '../policy/author.js';

describe('the numbers to try in a range', () => {
  const policy = policyOf(yaml`
    version: 1
    concerns:
      price: { values: { min: 0, max: 10 } }
      size: { values: { min: 0, max: 4 } }
      one: { values: { min: 2, max: 8 } }
      other: { values: { min: 0, max: 8 } }
    primitives: { tools: { t: { price: 4 } } }
    rules:
      - { id: cheap, hide: [tools], when: { "<": [7, { var: concerns.price }, 99] } }
      - { id: declared, hide: [tools], when: { "===": [{ var: primitive.annotations.size }, { var: concerns.size }] } }
      - { id: pair, hide: [tools], when: { "<": [{ var: concerns.one }, { var: concerns.other }] } }
  `);
  const cuts = (name: string, tool: Primitive, present?: readonly (number | undefined)[]) => {
    const index = policy.indexOf.get(name) ?? -1;
    const range = policy.concerns[index]?.values as { min: number; max: number };
    return cutRange(policy, index, [mapPrimitive(policy, 'tools', tool)], range, present);
  };

  it('are its bounds, the values of primitives, the numbers in rules, and one number between each two', () => {
    expect(cuts('price', { name: 't' })).toEqual([0, 2, 4, 5.5, 7, 8.5, 10]);
  });

  it('include a field of the primitive if a rule compares it with the range', () => {
    expect(cuts('size', { name: 'x', annotations: { size: 2 } })).toEqual([0, 1, 2, 3, 4]);
  });

  it('include the value in effect', () => {
    expect(cuts('size', { name: 'x' }, [undefined, 3])).toEqual([0, 1.5, 3, 3.5, 4]);
  });

  it('have two numbers between each two, and the bounds of both ranges, if another range is compared with it', () => {
    expect(cuts('other', { name: 'x' })).toEqual([0, 2 / 3, 4 / 3, 2, 4, 6, 8]);
    expect(cuts('one', { name: 'x' })).toEqual([2, 4, 6, 8]);
    expect(cuts('one', { name: 'x' }, [undefined, undefined, undefined, 5])).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('several values at once', () => {
  const combined = (values: readonly string[], when: unknown) => {
    const { concerns, ...policy } = listPolicy({ topic: values }, {}, [{ id: 'r', effect: 'hide', when }]);
    const [topic] = concerns.map((concern) => ({ ...concern, multiple: true }));
    return topic && combinations({ ...policy, concerns: [topic] }, topic);
  };
  const read = { in: ['a', { var: 'concerns.topic' }] };

  it('are tried if a rule reads the concern, single values first', () => {
    expect(combined(['a', 'b', 'c'], read)).toEqual([[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]);
  });

  it('are not tried if no rule reads the concern or there are too many', () => {
    expect(combined(['a', 'b', 'c'], { var: 'claims.a' })).toEqual([[0], [1], [2]]);
    expect(combined([...'abcdefgh'], read)).toHaveLength(255);
    expect(combined([...'abcdefghi'], read)).toHaveLength(9);
  });
});
