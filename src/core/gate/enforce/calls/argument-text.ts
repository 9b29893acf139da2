import { isObject, readOwn } from '../../../engine/expression/evaluate.js';
import type { Primitive } from '../../../engine/mapping.js';

/**
 * Says what is wrong with an argument of a call, in the form that SEP-1303 asks for: a model can correct itself.
 *
 * @param tool the name of the tool
 * @param definition its definition as the client was shown it
 * @param argument the argument; empty if the arguments are not an object
 * @param sent what the call sends as its arguments
 * @example
 * wrongArgument('projects', definition, 'action', { action: 'delete' });
 * // 'Invalid arguments for tool projects: action must be one of "list", "get".'
 */
export const wrongArgument = (tool: string, definition: Primitive, argument: string, sent: unknown): string =>
  `Invalid arguments for tool ${tool}: ${whatIsWrong(definition, argument, sent)}.`;

function whatIsWrong({ inputSchema }: Primitive, argument: string, sent: unknown): string {
  if (argument === '') return 'they must be an object';
  const properties = readOwn(inputSchema, 'properties');
  const schema = readOwn(properties, argument);
  if (!isObject(schema)) return `${JSON.stringify(argument)} is not an argument`;
  const values = allowedValues(schema);
  if (sent === undefined || sent === null || !Object.hasOwn(sent, argument))
    return values === undefined
      ? `${argument} is required`
      : `${argument} is required, and must be ${values}`;
  return values === undefined
    ? `${argument} does not have a value that is allowed`
    : `${argument} must be ${values}`;
}

function allowedValues(schema: Readonly<Record<string, unknown>>): string | undefined {
  const { enum: values, pattern, type } = schema;
  if (Array.isArray(values)) return `one of ${values.map((each) => JSON.stringify(each)).join(', ')}`;
  if (typeof pattern === 'string') return `a text that matches ${pattern}`;
  const isNumber = [type].flat().some((each) => each === 'number' || each === 'integer');
  if (!isNumber) return [type].flat().includes('boolean') ? 'true or false' : undefined;
  const bounds = BOUNDS.flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [`${words} ${schema[keyword]}`],
  );
  const noun = type === 'integer' ? 'an integer' : 'a number';
  return bounds.length === 0 ? noun : `${noun} ${bounds.join(' and ')}`;
}

const BOUNDS = [
  ['minimum', 'of at least'],
  ['exclusiveMinimum', 'above'],
  ['maximum', 'of at most'],
  ['exclusiveMaximum', 'below'],
] as const;
