import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { HELPS } from './generated/help.js';

/**
 * Defines a command of the command line, with the options of every command. The file of each command adds its own.
 *
 * @param name the name of the command, by which `help.yaml` has its help
 * @returns the command, which throws a `CommanderError` in place of ending the process
 * @example
 * export const definition = defineCommand('fmt').option('--check', 'change nothing');
 */
export const defineCommand = (name: keyof typeof HELPS) =>
  new Command(`mcp-concerns ${name}`)
    .description(HELPS[name].about)
    .addHelpText('after', `\n${HELPS[name].after}`)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: 80, sortOptions: true })
    // `main.ts` prints errors.
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .addOption(
      new Option('--color <when>', 'auto obeys NO_COLOR')
        .choices(['auto', 'always', 'never'])
        .default('auto' as const),
    )
    .option('-q, --quiet', 'write only errors to stderr');

/** Defines a command that uses the project file. */
export const defineProjectCommand = (name: keyof typeof HELPS) =>
  defineCommand(name)
    .option('--trust', 'let found files start servers and read any file')
    .option('--no-project', 'ignore the project file');

/**
 * @param formats the formats that the command writes, the default first
 * @returns the option that chooses one of them
 */
export const formatOption = <const F extends readonly [string, ...string[]]>(formats: F) =>
  new Option('--format <format>', 'how the output is written')
    .choices(formats)
    .default<F[number]>(formats[0]);

/** Collects the values of an option that may be repeated. Commander's own lists also take the arguments after a value. */
export const repeated = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

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
