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
import { type Terminal, type TerminalValues, terminalOf } from '../terminal/output.js';

/** What a command takes from the project file if the command line does not name it. */
interface ProjectUse {
  /** The option for the policy of the project. */
  readonly policy?: 'policy' | 'output' | undefined;
  /** Whether the command reads the input of the project. */
  readonly input?: boolean;
}

/** A command line with everything that the project file adds to it. */
export interface CommandLine<A extends unknown[], O> {
  /** The name of our command, for messages. */
  readonly name: string;
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

/**
 * Parses the arguments of a command, and adds what the project file says and the command line does not.
 *
 * The input of a project belongs to the policy of the project, so it is not used with a policy of the command line.
 *
 * @param definition the command
 * @param argv the arguments
 * @param use what the command takes from the project file: what its options can name. False if it takes nothing
 * @returns the options, the other arguments, the command of the server, and how the command writes its output
 * @throws {UsageError} for an argument that is not valid
 * @throws {CliError} for a project file that is not valid, or that the person does not trust
 * @throws {CommanderError} for `--help`, after it was printed
 * @example
 * const { values, output, command } = readCommandLine(definition, argv);
 */
export function readCommandLine<
  A extends unknown[],
  O extends OptionValues & TerminalValues,
  G extends OptionValues,
>(
  definition: Command<A, O, G>,
  argv: readonly string[],
  use: ProjectUse | false = useOf(definition),
): CommandLine<A, O> {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const command = end === -1 ? [] : argv.slice(end + 1);
  parse(definition, own);
  // The file itself cannot say that it is trusted.
  const isTrusted = definition.getOptionValue('trust') === true;
  const isUsed = use !== false && definition.getOptionValue('project') !== false;
  const project = isUsed ? findProject(process.cwd(), isTrusted) : undefined;
  const added = project && use ? ofProject(definition, project, command, use) : undefined;
  if (project !== undefined && added !== undefined && !isTrusted) {
    requireTrust(project, { ...added, folder: dirname(project.path) });
  }
  if (added !== undefined) parse(definition, [...added.options, ...own, ...added.positionals]);
  else if (
    isUsed &&
    use.policy === 'policy' &&
    !namesPolicy(definition, use.policy) &&
    existsSync(FIRST_POLICY)
  ) {
    if (!isTrusted) requireOwnFile(resolve(FIRST_POLICY), FIRST_POLICY);
    parse(definition, [`--policy=${FIRST_POLICY}`, ...own]);
  }
  const values = definition.opts();
  return {
    name: nameOf(definition),
    values,
    terminal: terminalOf(values),
    positionals: definition.processedArgs,
    policies: takes(definition, 'policy') ? definition.args : [],
    areFound: (added?.positionals.length ?? 0) > 0,
    command: added?.server ?? command,
  };
}

/** What `init` writes where nobody says otherwise. Without a project file, it is the policy of its folder. */
export const FIRST_POLICY = 'policy.yaml';

const nameOf = (definition: { name(): string }): string => definition.name().replace('mcp-concerns ', '');

/** Whether the arguments without an option are of this kind. */
const takes = (
  { registeredArguments: [argument] }: Pick<CommandUnknownOpts, 'registeredArguments'>,
  kind: 'policy' | 'path',
): boolean => argument?.name() === kind;

/** Whether the command line names a policy. */
const namesPolicy = (
  definition: Pick<CommandUnknownOpts, 'args' | 'registeredArguments' | 'getOptionValueSource'>,
  option: string,
): boolean =>
  definition.getOptionValueSource(option) === 'cli' ||
  (takes(definition, 'policy') && definition.args.length > 0);

/** Only the commands with `--no-project` use the project file. */
function useOf({ options }: Pick<CommandUnknownOpts, 'options'>): ProjectUse | false {
  const has = (name: string): boolean => options.some((option) => option.name() === name);
  return has('no-project') && { policy: has('policy') ? 'policy' : undefined, input: has('url') };
}

function parse<A extends unknown[], O extends OptionValues, G extends OptionValues>(
  definition: Command<A, O, G>,
  argv: readonly string[],
): void {
  const name = nameOf(definition);
  // In `--policy --concern x` the value of --policy is missing. `-o -` and `--policy=-x` are valid.
  const missing = definition.options.find(({ long, short, required }) =>
    argv.some((each, index) => required && [long, short].includes(each) && /^-./.test(argv[index + 1] ?? '')),
  );
  if (missing !== undefined) throw new UsageError(name, `${missing.long} needs a value`);
  try {
    definition.parse(argv, { from: 'user' });
  } catch (cause) {
    if (!(cause instanceof CommanderError) || cause.exitCode === 0) throw cause;
    throw new UsageError(name, problemOf(cause, definition), { cause });
  }
}

/** Returns a message of commander as the sentences of our messages. */
function problemOf({ code, message }: CommanderError, { options }: Pick<CommandUnknownOpts, 'options'>) {
  const text = message
    .replace(/^error: /, '')
    .replace(/\n\((.*)\)$/, '. $1')
    .replace(/\.$/, '');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  const takesServer = code === 'commander.excessArguments' && options.some(({ long }) => long === '--url');
  return takesServer ? `${sentence}. The command of a server is passed after --` : sentence;
}

/** What the project file adds to a command line that was parsed. */
function ofProject(
  definition: Pick<CommandUnknownOpts, 'options' | 'args' | 'registeredArguments' | 'getOptionValueSource'>,
  project: Project,
  command: readonly string[],
  use: ProjectUse,
) {
  const names = definition.options.map((option) => option.name());
  const given = new Set(
    definition.options
      .filter((option) => definition.getOptionValueSource(option.attributeName()) === 'cli')
      .map((option) => option.name()),
  );
  const hasPolicy = use.policy !== undefined && namesPolicy(definition, use.policy);
  const namesInput =
    command.length > 0 || ['catalog', 'url', 'server', 'servers'].some((each) => given.has(each));
  const addsInput = use.input === true && !namesInput && !hasPolicy;

  const policies = use.policy === undefined || hasPolicy ? [] : project.policy;
  const options = policies.map((path) => `--${use.policy}=${path}`);
  const { catalog, servers, url, protocol } = project;
  for (const [name, value] of Object.entries(addsInput ? { catalog, servers, url, protocol } : {})) {
    if (value !== undefined && names.includes(name) && !given.has(name)) options.push(`--${name}=${value}`);
  }
  // Without tests of its own, a project has those beside its policy.
  const tests = project.tests.length > 0 ? project.tests : project.policy;
  const positionals = takes(definition, 'path') && definition.args.length === 0 ? tests : [];
  const file = options.some((each) => each.startsWith('--servers=')) ? servers : undefined;
  return {
    options,
    positionals,
    servers: file,
    server: addsInput ? project.server : undefined,
    reads: [...policies, ...(addsInput && catalog !== undefined ? [catalog] : []), ...positionals],
  };
}
