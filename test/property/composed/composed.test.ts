import { expect, it } from 'vitest';
import { compareDecisions } from './compare.js';

it('decides about each primitive of several servers as the policy of its server does alone', () => {
  const { decisions, different } = compareDecisions(40, 1);
  expect(different).toEqual([]);
  expect(decisions).toBeGreaterThan(5_000);
});
