import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../../engine/match/nearest.js';
import { UsageError } from '../errors.js';
import { whyNotHere } from './unavailable-options.js';

type Options = NonNullable<ParseArgsConfig['options']>;
interface Config<O extends Options> {
  readonly args: string[];
  readonly options: O;
  readonly allowPositionals: true;
}
type Parsed<O extends Options> = ReturnType<typeof parseArgs<Config<O>>>;

/**
 * Reads the arguments of a command.
 *
 * `parseArgs` explains a wrong argument in several sentences and knows no near misses, so what can be wrong is looked
 * for first.
 *
 * @param command the command's name, for messages
 * @param argv its arguments
 * @param options as for `parseArgs`
 * @returns as `parseArgs` returns it
 * @throws {UsageError} for an unknown option, a value that is missing, or one that an option does not take
 * @example
 * const { values, positionals } = readArguments('compile', argv, { output: { type: 'string', short: 'o' } });
 */
export function readArguments<O extends Options>(command: string, argv: string[], options: O): Parsed<O> {
  const { tokens } = parseArgs({ args: argv, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) {
      const why = whyNotHere(command, token.name);
      if (why !== undefined) throw new UsageError(command, `${command} takes no ${token.rawName}: ${why}`);
      const near = token.rawName.startsWith('--') ? nearest(token.name, Object.keys(options)) : undefined;
      const hint = near === undefined ? '' : ` (did you mean --${near}?)`;
      throw new UsageError(command, `There is no option ${token.rawName}${hint}`);
    }
    const { value } = token;
    if (option.type === 'boolean' && value !== undefined) {
      throw new UsageError(command, `${token.rawName} takes no value`);
    }
    // `--policy --concern x`: a name that was forgotten. `-o -` is stdout, and `--policy=-x` is meant.
    const forgotten =
      value === undefined || (!token.inlineValue && value.length > 1 && value.startsWith('-'));
    if (option.type === 'string' && forgotten) {
      throw new UsageError(command, `${token.rawName} needs a value`);
    }
  }
  return parseArgs<Config<O>>({ args: argv, options, allowPositionals: true });
}

/**
 * @param command the command's name, for messages
 * @param option the option that the text was given for
 * @param text what was given
 * @param known the texts that it takes
 * @returns the one that was given
 * @throws {UsageError} if it is none of them
 * @example
 * oneOf('list', '--format', 'jsn', ['table', 'json']); // throws: ... did you mean "json"?
 */
export function oneOf<T extends string>(
  command: string,
  option: string,
  text: string,
  known: readonly T[],
): T {
  const found = known.find((each) => each === text);
  if (found !== undefined) return found;
  const near = nearest(text, known);
  const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
  throw new UsageError(command, `${option} takes ${known.join(', ')}, not ${JSON.stringify(text)}${hint}`);
}
