import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  type Command,
  CommanderError,
  type CommandUnknownOpts,
  type OptionValues,
} from '@commander-js/extra-typings';
import { UsageError } from '../errors.js';
import { requireOwnFile } from '../project/project-file.js';
import { findProject, type Project } from '../project/read-project.js';
import { requireTrust } from '../project/trust.js';
import { type Io, type Terminal, type TerminalValues, terminalOf } from '../terminal/output.js';

/** What a command takes from the project file if the command line does not name it. */
export interface ProjectUse {
  /** The option for the policy of the project. */
  readonly policy?: 'policy' | 'output' | undefined;
  /** Which input of the project the command reads first. A project can have a catalog beside its server. */
  readonly input?: 'catalog' | 'server' | undefined;
}

/** A command line with everything that the project file adds to it. */
export interface CommandLine<A extends unknown[], O> {
  readonly values: O;
  readonly terminal: Terminal;
  readonly positionals: A;
  /** The arguments without an option, if they are policies. */
  readonly policies: readonly string[];
  /** Whether the project file named the arguments without an option. */
  readonly areFound: boolean;
  /** The command of the server, after `--`. */
  readonly command: readonly string[];
}

/** A command that can be run. */
export interface RunnableCommand {
  /** Its arguments and options. */
  readonly definition: CommandUnknownOpts;
  /** Runs the command with the arguments after its name, and returns the exit code. */
  run(argv: readonly string[], io: Io): Promise<number>;
}

/** Loads the module of a command, which nothing needs before. */
export type LoadCommand = () => Promise<{ readonly command: RunnableCommand }>;

/**
 * Makes a command of its definition and of what it does with a command line. The project file adds what the command line
 * does not say. The input of a project belongs to the policy of the project, so it is not used with a policy of the command
 * line.
 *
 * @param definition its arguments and options
 * @param act does it. Returns the exit code, if it is not 0
 * @param useOf returns what the command takes from the project file, if its options do not tell; false if it takes nothing
 * @returns the command. `run` throws a `UsageError` for an argument that is not valid, a `CliError`
 *   for a project file that is not valid, or that the person does not trust, and a `CommanderError` after `--help` was printed
 * @example
 * export const command: RunnableCommand = commandOf(checkCommand(), async ({ values }) => (values.fix ? 1 : 0));
 */
export const commandOf = <
  A extends unknown[],
  O extends OptionValues & TerminalValues,
  G extends OptionValues,
>(
  definition: Command<A, O, G>,
  act: (line: CommandLine<A, O>) => Promise<number | undefined>,
  useOf: (argv: readonly string[]) => ProjectUse | false = () => useOfOptions(definition),
): RunnableCommand => ({
  definition,
  run: async (argv, io) => {
    const use = useOf(argv);
    const end = argv.indexOf('--');
    const own = end === -1 ? argv : argv.slice(0, end);
    const server = end === -1 ? [] : argv.slice(end + 1);
    definition.configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    });
    parse(definition, own);
    const isUsed = use !== false && definition.getOptionValue('project') !== false;
    // Before the project file is read, only `--color` and `--quiet` of the command line are known.
    const added = isUsed ? ofProject(definition, server, use, terminalOf(io, { color: 'auto' })) : NOTHING;
    const { options, positionals } = added;
    if (options.length + positionals.length > 0) parse(definition, [...options, ...own, ...positionals]);
    const values = definition.opts();
    const line = {
      values,
      terminal: terminalOf(io, values),
      positionals: definition.processedArgs,
      policies: policyArguments(definition),
      areFound: positionals.length > 0,
      command: added.server ?? server,
    };
    return (await act(line)) ?? 0;
  },
});

/** What `init` writes where nobody says otherwise. Without a project file, it is the policy of its folder. */
export const FIRST_POLICY = 'policy.yaml';

/** @returns the arguments that are policies. Where a command takes something else, too, the policy comes first and that last */
function policyArguments({ registeredArguments: [argument], args }: CommandUnknownOpts): readonly string[] {
  if (argument?.name() === 'policy') return args;
  return argument?.required === true && argument.variadic ? args.slice(0, -1) : [];
}

/** Only the commands with `--no-project` use the project file. */
function useOfOptions({ options }: CommandUnknownOpts): ProjectUse | false {
  const has = (name: string): boolean => options.some((option) => option.name() === name);
  if (!has('no-project')) return false;
  return {
    policy: has('policy') ? 'policy' : undefined,
    // A catalog starts nothing, and always gives the same answer.
    input: has('catalog') ? 'catalog' : has('url') ? 'server' : undefined,
  };
}

function parse(definition: CommandUnknownOpts, argv: readonly string[]): void {
  // In `--policy --concern x` the value of --policy is missing. `-o -` and `--policy=-x` are valid.
  const missing = definition.options.find(({ long, short, required }) =>
    argv.some((each, index) => required && [long, short].includes(each) && /^-./.test(argv[index + 1] ?? '')),
  );
  if (missing !== undefined) throw new UsageError(`${missing.long} needs a value`);
  try {
    definition.parse(argv, { from: 'user' });
  } catch (cause) {
    if (!(cause instanceof CommanderError) || cause.exitCode === 0) throw cause;
    throw new UsageError(problemOf(cause, definition), { cause });
  }
}

/** Returns a message of commander as the sentences of our messages. */
function problemOf({ code, message }: CommanderError, { options }: CommandUnknownOpts): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\n\((.*)\)$/, '. $1')
    .replace(/\.$/, '');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  const takesServer = code === 'commander.excessArguments' && options.some(({ long }) => long === '--url');
  return takesServer ? `${sentence}. The command of a server is passed after --` : sentence;
}

const NOTHING = { options: [], positionals: [], server: undefined };

/** Finds what the project file, or the first policy of the folder, adds to a command line that was parsed, which wins. */
function ofProject(
  definition: CommandUnknownOpts,
  command: readonly string[],
  { policy: policyOption, input }: ProjectUse,
  terminal: Terminal,
) {
  const isGiven = (name: string): boolean => definition.getOptionValueSource(name) === 'cli';
  const separate = policyArguments(definition);
  const merged =
    policyOption !== undefined && isGiven(policyOption) ? optionPaths(definition, policyOption) : [];
  const namesPolicy = policyOption !== undefined && merged.length + separate.length > 0;
  // The file itself cannot say that it is trusted.
  const isTrusted = definition.getOptionValue('trust') === true;
  const project = findProject(process.cwd(), terminal, isTrusted);
  if (project === undefined) {
    if (namesPolicy || policyOption !== 'policy' || !existsSync(FIRST_POLICY)) return NOTHING;
    if (!isTrusted) requireOwnFile(resolve(FIRST_POLICY), FIRST_POLICY);
    return { ...NOTHING, options: [`--policy=${FIRST_POLICY}`] };
  }
  const namesInput = command.length > 0 || ['catalog', 'url', 'server', 'servers'].some(isGiven);
  const isSame = isSamePolicy(project.policy, merged, separate);
  const addsInput = input !== undefined && !namesInput && (!namesPolicy || isSame);
  // A person who names a policy of the project does not ask to start its server, unless the command is about the server.
  const named = namesPolicy && input === 'catalog' ? { catalog: project.catalog } : undefined;
  const { catalog, server, servers, url, protocol }: Partial<UsedInput> = addsInput
    ? (named ?? inputOf(project, input))
    : {};
  const policies = policyOption === undefined || namesPolicy ? [] : project.policy;
  const inputs = Object.entries({ catalog, servers, url, protocol }).filter(
    ([name, value]) => value !== undefined && definition.options.some((option) => option.name() === name),
  );
  // Without tests of its own, a project has those beside its policy.
  const tests = project.tests.length > 0 ? project.tests : project.policy;
  const takesTests = definition.registeredArguments[0]?.name() === 'path';
  const positionals = takesTests && definition.args.length === 0 ? tests : [];
  if (!isTrusted) {
    const reads = [...policies, ...(catalog === undefined ? [] : [catalog]), ...positionals];
    requireTrust(project, { server, servers, reads, folder: dirname(project.path) }, terminal);
  }
  return {
    options: [
      ...policies.map((path) => `--${policyOption}=${path}`),
      ...inputs.map(([name, value]) => `--${name}=${value}`),
    ],
    positionals,
    server,
  };
}

function optionPaths(definition: CommandUnknownOpts, name: string): readonly string[] {
  const value: unknown = definition.getOptionValue(name);
  return [value].flat().filter((path) => typeof path === 'string');
}

/** Whether the command line names the policy of the project: its only path, or all paths that it merges. */
function isSamePolicy(
  own: readonly string[],
  merged: readonly string[],
  separate: readonly string[],
): boolean {
  if (separate.length > (merged.length === 0 ? 1 : 0)) return false;
  const named = [...merged, ...separate].map((path) => resolve(path));
  return named.length === own.length && own.every((path, index) => resolve(path) === named[index]);
}

type UsedInput = {
  readonly [Key in 'catalog' | 'server' | 'servers' | 'url' | 'protocol']: Project[Key] | undefined;
};

/** @returns the input of a project that a command reads: the catalog or the server, if it has both */
function inputOf(project: Project, first: 'catalog' | 'server'): Partial<UsedInput> {
  const { catalog, server, servers, url, protocol } = project;
  const hasServer = [server, servers, url].some((each) => each !== undefined);
  if (catalog !== undefined && (first === 'catalog' || !hasServer)) return { catalog, protocol };
  return { server, servers, url, protocol };
}
