import { describe, expect, it } from 'vitest';
import type { IndexedDecision } from '../../src/core/engine/evaluate.js';
import { countHidden } from '../../src/core/engine/hidden.js';
import { policyOf, yaml } from '../policy/author.js';

const policy = policyOf(yaml`
  version: 1
  concerns: { level: { values: [low, high] }, constructor: { values: [low, high] } }
  rules:
    - { id: first, hide: [tools], when: { "!!": { var: concerns.level } } }
    - { id: constructor, hide: [tools], when: { "!!": { var: concerns.level } } }
    - { id: keep, show: [tools], when: { "!!": { var: concerns.level } } }
`);
const SHOWN: IndexedDecision = { effect: 'show', reason: 'fits' };
const KEPT: IndexedDecision = { effect: 'show', reason: { rule: 2 } };
const UNMAPPED: IndexedDecision = { effect: 'hide', reason: 'unmapped' };
const byConcern = (concern: number): IndexedDecision => ({ effect: 'hide', reason: { concern } });
const byRule = (rule: number): IndexedDecision => ({ effect: 'hide', reason: { rule } });

describe('counts of hidden primitives', () => {
  it('count one primitive per decision', () => {
    const decisions = [byRule(0), SHOWN, byConcern(0), KEPT, byRule(0), UNMAPPED, byConcern(0), UNMAPPED];
    expect(countHidden(decisions, { policy })).toEqual({
      concerns: { level: 2 },
      rules: { first: 2 },
      unmapped: 2,
    });
  });

  it('count the primitives that each decision is about', () => {
    const decisions = [byConcern(1), byConcern(0), SHOWN, byConcern(1), byRule(1), byRule(1), KEPT, UNMAPPED];
    expect(countHidden(decisions, { policy }, [3, 0, 7, 2, 1, 4, 5, 6])).toEqual({
      concerns: { constructor: 5 },
      rules: { constructor: 5 },
      unmapped: 6,
    });
  });

  it('are in the order of the policy', () => {
    const { concerns = {}, rules = {} } = countHidden([byConcern(1), byRule(1), byRule(0), byConcern(0)], {
      policy,
    });
    expect([Object.keys(concerns), Object.keys(rules)]).toEqual([
      ['level', 'constructor'],
      ['first', 'constructor'],
    ]);
  });

  it('are empty if everything is shown', () => {
    expect(countHidden([SHOWN, KEPT], { policy })).toEqual({});
    expect(countHidden([], { policy })).toEqual({});
  });
});
