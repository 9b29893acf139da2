import jsonLogic, { type RulesLogic } from 'json-logic-js';

/**
 * Prepares JSON Logic. Operators are those of json-logic-js; none is added or removed, because the whole process shares them.
 * In a file of its own, so that bundles of what only reads paths leave the library out.
 *
 * @param logic the JSON Logic
 * @returns evaluates it with the data that its paths read
 */
export function prepare(logic: unknown): (data: unknown) => unknown {
  // The package's type of JSON Logic lists each operator. `parseExpression` has checked more than it says.
  return (data) => jsonLogic.apply(logic as RulesLogic, data);
}
