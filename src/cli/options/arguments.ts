import { type ParseArgsConfig, parseArgs } from 'node:util';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { UsageError } from '../errors.js';
import { whyUnavailable } from './unavailable-options.js';

type Options = NonNullable<ParseArgsConfig['options']>;
interface Config<O extends Options> {
  readonly args: string[];
  readonly options: O;
  readonly allowPositionals: true;
}
type Parsed<O extends Options> = ReturnType<typeof parseArgs<Config<O>>>;

/**
 * Parses the arguments of a command. Every mistake is reported in one sentence with a suggestion, which `parseArgs`
 * does not do, so the arguments are checked before `parseArgs` checks them.
 *
 * @param command the name of the command, for messages
 * @param argv the arguments
 * @param options the options, as `parseArgs` takes them
 * @returns the result of `parseArgs`
 * @throws {UsageError} for an unknown option, a missing value, or a value that an option does not take
 * @example
 * const { values, positionals } = readArguments('compile', argv, { output: { type: 'string', short: 'o' } });
 */
export function readArguments<O extends Options>(command: string, argv: string[], options: O): Parsed<O> {
  const { tokens } = parseArgs({ args: argv, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) throw unknownOption(command, token.name, token.rawName, Object.keys(options));
    const { value } = token;
    if (option.type === 'boolean' && value !== undefined) {
      throw new UsageError(command, `${token.rawName} does not take a value`);
    }
    // In `--policy --concern x` the value of --policy is missing. `-o -` and `--policy=-x` are valid.
    const missing = value === undefined || (!token.inlineValue && value.length > 1 && value.startsWith('-'));
    if (option.type === 'string' && missing) {
      throw new UsageError(command, `${token.rawName} needs a value`);
    }
  }
  return parseArgs<Config<O>>({ args: argv, options, allowPositionals: true });
}

/**
 * Rejects positional arguments, for commands whose server follows `--`.
 *
 * @param command the name of the command, for messages
 * @param positionals the positional arguments
 * @throws {UsageError} if there is one
 * @example
 * refusePositionals('list', positionals);
 */
export function refusePositionals(command: string, [first]: readonly string[]): void {
  if (first === undefined) return;
  throw new UsageError(command, `"${first}" is unexpected. Pass the command of the server after --`);
}

function unknownOption(command: string, name: string, rawName: string, known: readonly string[]): UsageError {
  const reason = whyUnavailable(command, name);
  if (reason !== undefined)
    return new UsageError(command, `"${command}" does not take ${rawName}: ${reason}`);
  const hint = rawName.startsWith('--')
    ? didYouMean(
        rawName,
        known.map((each) => `--${each}`),
      )
    : '';
  return new UsageError(command, `There is no option ${rawName}${hint === '' ? '' : `.${hint}`}`);
}

/**
 * Checks the value of an option that takes one of several words.
 *
 * @param command the name of the command, for messages
 * @param option the name of the option, for messages
 * @param text the value on the command line
 * @param known the words that the option takes
 * @returns the word that equals the value
 * @throws {UsageError} if no word equals the value
 * @example
 * oneOf('list', '--format', 'jsn', ['table', 'json']); // throws: ... Did you mean "json"?
 */
export function oneOf<T extends string>(
  command: string,
  option: string,
  text: string,
  known: readonly T[],
): T {
  const found = known.find((each) => each === text);
  if (found !== undefined) return found;
  const hint = didYouMean(text, known);
  const problem = `${JSON.stringify(text)} is not a valid value for ${option} (${known.join(', ')})`;
  throw new UsageError(command, hint === '' ? problem : `${problem}.${hint}`);
}
