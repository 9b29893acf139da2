import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'yaml';

const SOURCE = 'src/cli/options/commands.yaml';

/** An argument or an option: its sentence, or also which values it takes. */
type Taken =
  | string
  | {
      readonly about: string;
      readonly choices?: readonly string[];
      readonly default?: string | number;
      readonly repeatable?: boolean;
      readonly whole?: readonly [min: number, max: number];
      readonly fraction?: readonly [min: number, max: number];
    };

interface CommandWords {
  readonly is?: string;
  readonly usage?: string;
  readonly arguments?: Readonly<Record<string, Taken>>;
  /** By their flags. What has no flags is a group of options, by its heading. */
  readonly options?: Readonly<Record<string, Taken | Readonly<Record<string, Taken>>>>;
}

/** @returns the module that defines the commands, with its path in the repository */
export function commandsFile(): [file: string, text: string] {
  const commands: Readonly<Record<string, CommandWords>> = parse(readFileSync(SOURCE, 'utf8'));
  const common = new Set(Object.values(commands).map(({ is }) => is));
  const text = [
    '// Made by "npm run generate" from commands.yaml.',
    "import { Argument, type Command, Option } from '@commander-js/extra-typings';",
    "import { type CommandName, defineCommand, numberFrom, repeated, repeatedOf } from '../define-command.js';",
    ...Object.entries(commands).map(([name, words]) => definition(name, words, common)),
    ...Object.entries(commands).map(([name, words]) => optionsType(name, words)),
    '/** The values of the options, by the name of the command. */',
    'export interface Options {',
    ...Object.keys(commands).map((name) => `  readonly ${constantOf(name)}: ${typeOf(name)};`),
    '}',
    '',
  ];
  return [`${dirname(SOURCE)}/generated/commands.ts`, text.join('\n')];
}

const constantOf = (name: string): string =>
  name.replace(/ --(\w)/, (_flag, letter: string) => letter.toUpperCase());

const functionOf = (name: string, common: ReadonlySet<unknown>): string =>
  common.has(name) ? name : `${constantOf(name)}Command`;

/** @returns the name of the type of a command's options: `InitLambdaOptions` */
const typeOf = (name: string): string => `${capitalized(constantOf(name))}Options`;

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Writes the type of the options of a command. */
function optionsType(name: string, { is, options = {} }: CommandWords): string {
  const all = Object.entries(options).flatMap(([flags, taken]) =>
    flags.startsWith('-')
      ? [[flags, taken as Taken] as const]
      : Object.entries(taken as Record<string, Taken>),
  );
  // A type that is no interface has the index signature that commander demands.
  const base = is === undefined ? '' : `${typeOf(is)} & `;
  return [
    `export type ${typeOf(name)} = ${base}{`,
    ...all.map(([flags, taken]) => member(flags, taken)),
    '};',
  ].join('\n');
}

/** Writes one member: `-o, --output <file>` is `output`. */
function member(flags: string, taken: Taken): string {
  const [, negated, long = '', value] = /--(no-)?([\w-]+)(?: <(.+)>)?$/.exec(flags) ?? [];
  const name = long.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
  const words = typeof taken === 'string' ? { about: taken } : taken;
  const isSet = negated !== undefined || words.default !== undefined;
  const type = value === undefined ? (negated === undefined ? 'true' : 'boolean') : valueType(words);
  const doc = `  /** ${words.about} */\n`;
  return `${doc}  readonly ${name}${isSet ? '' : '?'}: ${type}${isSet ? '' : ' | undefined'};`;
}

function valueType({ choices, repeatable, whole, fraction }: Exclude<Taken, string>): string {
  const one =
    choices?.map((each) => JSON.stringify(each)).join(' | ') ?? ((whole ?? fraction) ? 'number' : 'string');
  const each = one.includes(' | ') ? `(${one})` : one;
  return repeatable === true ? `readonly ${each}[]` : one;
}

/** The types of the arguments of a command, in order. */
const argumentTypes = ({ arguments: all = {} }: CommandWords): string =>
  Object.keys(all)
    .map((flags) =>
      flags.includes('...') ? 'string[]' : flags.startsWith('[') ? 'string | undefined' : 'string',
    )
    .join(', ');

/** Writes the function that makes a command. What commands have in common takes the name of the command. */
function definition(
  name: string,
  { is = 'defineCommand', ...own }: CommandWords,
  common: ReadonlySet<unknown>,
) {
  const constant = functionOf(name, common);
  const head = common.has(name)
    ? `const ${constant} = (name: CommandName): Command<[], ${typeOf(name)}> => ${is}(name)`
    : `export const ${constant} = (): Command<[${argumentTypes(own)}], ${typeOf(name)}> => ${is}(${JSON.stringify(name)})`;
  const parts = [
    ...(own.usage === undefined ? [] : [`.usage(${JSON.stringify(own.usage)})`]),
    ...Object.entries(own.arguments ?? {}).map(
      ([flags, taken]) => `.addArgument(${made('Argument', flags, taken)})`,
    ),
    ...Object.entries(own.options ?? {}).flatMap(([flags, taken]) =>
      flags.startsWith('-') ? [option(flags, taken as Taken)] : group(flags, taken as Record<string, Taken>),
    ),
  ];
  return `${[head, ...parts].join('\n  ')};`;
}

const option = (flags: string, taken: Taken): string => `.addOption(${made('Option', flags, taken)})`;

const group = (heading: string, options: Readonly<Record<string, Taken>>): string[] => [
  `.optionsGroup(${JSON.stringify(heading)})`,
  ...Object.entries(options).map(([flags, taken]) => option(flags, taken)),
  `.optionsGroup('Options:')`,
];

const repeatedParser = (choices: readonly string[] | undefined): string =>
  choices === undefined ? 'repeated' : `repeatedOf([${choices.map((each) => `'${each}'`).join(', ')}])`;

function made(what: 'Argument' | 'Option', flags: string, taken: Taken): string {
  const words = typeof taken === 'string' ? { about: taken } : taken;
  const { about, choices, default: byDefault, repeatable, whole, fraction } = words;
  const isOne = choices !== undefined && typeof byDefault === 'string';
  const values = [
    ...(choices === undefined ? [] : [`.choices(${JSON.stringify(choices)})`]),
    ...(repeatable === true ? [`.argParser(${repeatedParser(choices)})`] : []),
    ...(whole === undefined ? [] : [`.argParser(numberFrom(${whole.join(', ')}))`]),
    ...(fraction === undefined ? [] : [`.argParser(numberFrom(${fraction.join(', ')}, 'fraction'))`]),
    ...(byDefault === undefined ? [] : [`.default(${JSON.stringify(byDefault)}${isOne ? ' as const' : ''})`]),
  ];
  return `new ${what}(${[flags, about].map((text) => JSON.stringify(text)).join(', ')})${values.join('')}`;
}
