import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { HELPS } from './generated/help.js';

export type CommandName = keyof typeof HELPS;

/**
 * Defines a command of the command line. What is generated from `commands.yaml` adds its arguments and its options.
 *
 * @param name the name of the command, by which `help.yaml` has its help
 * @returns the command, which throws a `CommanderError` in place of ending the process
 * @example
 * defineCommand('fmt').option('--check', 'change nothing');
 */
export const defineCommand = (name: CommandName): Command =>
  new Command(`mcp-concerns ${name}`)
    .description(HELPS[name].about)
    .addHelpText('after', `\n${HELPS[name].after}`)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: 80, sortOptions: true })
    // `main.ts` prints errors.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();

/** Collects the values of an option that may be repeated. Commander's own lists also take the arguments after a value. */
export const repeated = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

/**
 * Does the same for an option that takes one of a few values.
 *
 * @param choices the values
 * @returns what parses the value of an option
 * @throws {InvalidArgumentError} when it parses, if the value is none of them
 */
export const repeatedOf =
  <T extends string>(choices: readonly T[]) =>
  (value: string, before: readonly T[] | undefined): readonly T[] => {
    const known = choices.find((each) => each === value);
    if (known === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return [...(before ?? []), known];
  };

/**
 * @param min the smallest number
 * @param max the largest number
 * @param digits whether the number may have a fraction
 * @returns what parses the value of an option
 * @throws {InvalidArgumentError} when it parses, if the value is not such a number
 */
export const numberFrom =
  (min: number, max: number, digits: 'whole' | 'fraction' = 'whole') =>
  (text: string): number => {
    const value = (digits === 'whole' ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It takes a number from ${min} to ${max}.`);
  };
