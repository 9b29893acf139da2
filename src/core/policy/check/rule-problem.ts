import { OPERAND_COUNTS } from '../../engine/expression/expression.js';
import type { ParseProblem } from '../../engine/expression/parse.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { type Problem, problem } from '../language/problem.js';

/**
 * Describes a part of a condition that is not JSON Logic as this package reads it.
 *
 * @param found the problem, as the parser found it
 * @returns the problem of its finding
 * @example
 * describeProblem({ code: 'computed-path', place: ['var'] }).code; // 'computed-path'
 */
export function describeProblem(found: ParseProblem): Problem {
  switch (found.code) {
    case 'not-an-operation':
      return problem('rule-is-data', {
        keys: found.keys === 0 ? 'without a key' : `with ${found.keys} keys`,
      });
    case 'unknown-operator': {
      const { operator } = found;
      if (operator === '==' || operator === '!=') return problem('loose-equality', { operator });
      const known = Object.keys(OPERAND_COUNTS);
      const hint = didYouMean(operator, known) || ` Use ${known.join(', ')}.`;
      return problem('unknown-operator', { operator, hint });
    }
    case 'operand-count': {
      const { operator, count } = found;
      const [least, most] = OPERAND_COUNTS[operator];
      const takes = `${least === most ? least : `${least} to ${most}`} operand${most === 1 ? '' : 's'}`;
      return problem('operand-count', { operator, takes, count });
    }
    case 'computed-path':
      return problem('computed-path', {});
  }
}
