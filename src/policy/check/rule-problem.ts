import { OPERAND_COUNTS } from '../../engine/expression/expression.js';
import type { ParseProblem } from '../../engine/expression/parse.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import type { FindingCode } from '../language/finding-codes.js';

/**
 * Describes a part of a condition that is not JSON Logic as this package reads it.
 *
 * @param problem the problem, as the parser found it
 * @returns the code and the message of its finding
 * @example
 * describeProblem({ code: 'computed-path', place: ['var'] })[0]; // 'computed-path'
 */
export function describeProblem(problem: ParseProblem): readonly [FindingCode, string] {
  switch (problem.code) {
    case 'not-an-operation': {
      const keys = problem.keys === 0 ? 'without a key' : `with ${problem.keys} keys`;
      const message = `JSON Logic treats a mapping ${keys} as data, which is always true. Write one operator, or "and" with several conditions.`;
      return ['rule-is-data', message];
    }
    case 'unknown-operator': {
      const { operator } = problem;
      if (operator === '==' || operator === '!=') {
        const message = `"${operator}" converts types before it compares ("high" == ["high"] and 1 == "1" are true). Write "${operator}=".`;
        return ['loose-equality', message];
      }
      const known = Object.keys(OPERAND_COUNTS);
      const hint = didYouMean(operator, known) || ` Use ${known.join(', ')}.`;
      return ['unknown-operator', `"${operator}" is not a valid operator.${hint}`];
    }
    case 'operand-count': {
      const { operator, count } = problem;
      const [least, most] = OPERAND_COUNTS[operator];
      const takes = least === most ? `${least}` : `${least} to ${most}`;
      const message = `"${operator}" takes ${takes} operand${most === 1 ? '' : 's'}, but has ${count}.`;
      return ['operand-count', message];
    }
    case 'computed-path':
      return [
        'computed-path',
        'A path must be a constant text such as concerns.security. A computed path cannot be checked.',
      ];
  }
}
