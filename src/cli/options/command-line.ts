import type { ParseArgsConfig } from 'node:util';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { CliError } from '../errors.js';
import { type DefaultValue, findProject, type Project } from '../project/read-project.js';
import { readArguments } from './arguments.js';
import { splitCommand } from './input-options.js';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What a command takes from the project file if the command line does not name it. */
export interface ProjectUse {
  /** The option for the policy of the project. */
  readonly policy?: 'policy' | 'output';
  /** Whether the command reads the input of the project. */
  readonly input?: boolean;
  /** What the arguments without an option are, if the project file can name them. */
  readonly positionals?: 'policies' | 'tests';
}

/** A command line with everything that the project file adds to it. */
export interface CommandLine<O extends Options> extends Pick<Parsed<O>, 'values' | 'positionals'> {
  /** The command of the server, after `--`. */
  readonly command: readonly string[];
}

type Parsed<O extends Options> = ReturnType<typeof readArguments<O>>;

/**
 * Parses the arguments of a command, and adds what the project file says and the command line does not.
 *
 * The input of a project belongs to the policy of the project, so it is not used with a policy of the command line.
 *
 * @param name the name of the command
 * @param argv the arguments
 * @param options the options, as `parseArgs` takes them
 * @param use what the command takes from the project file
 * @returns the options, the other arguments, and the command of the server
 * @throws {UsageError} for an argument that is not valid
 * @throws {CliError} for a project file that is not valid
 * @example
 * const { values, positionals, command } = readCommandLine('list', argv, OPTIONS, { policy: 'policy', input: true });
 */
export function readCommandLine<O extends Options>(
  name: string,
  argv: readonly string[],
  options: O,
  use: ProjectUse,
): CommandLine<O> {
  const [own, command] = splitCommand(argv);
  const parsed = readArguments(name, own, options);
  const project = findProject(process.cwd());
  if (project === undefined) return { ...parsed, command };
  const given = new Set(Object.keys(parsed.values));
  const hasPositionals = parsed.positionals.length > 0;
  const namesPolicy =
    use.policy !== undefined && (given.has(use.policy) || (use.positionals === 'policies' && hasPositionals));
  const namesInput = command.length > 0 || ['catalog', 'url', 'server'].some((each) => given.has(each));
  const addsInput = use.input === true && !namesInput && !namesPolicy;

  const added = defaultsOf(name, project, options, given);
  if (use.policy !== undefined && !namesPolicy) {
    added.push(...project.policy.map((path) => `--${use.policy}=${path}`));
  }
  if (addsInput && project.catalog !== undefined && Object.hasOwn(options, 'catalog')) {
    added.push(`--catalog=${project.catalog}`);
  }
  if (addsInput && project.url !== undefined) added.push(`--url=${project.url}`);
  // Without tests of its own, a project has those beside its policy.
  const ofProject = project.tests.length > 0 ? project.tests : project.policy;
  const tests = use.positionals === 'tests' && !hasPositionals ? ofProject : [];
  return {
    ...readArguments(name, [...added, ...own, ...tests], options),
    command: addsInput && project.server !== undefined ? project.server : command,
  };
}

/** @returns the defaults of a command as arguments, except for the options that the command line has */
function defaultsOf(
  name: string,
  { file, defaults }: Project,
  options: Options,
  given: ReadonlySet<string>,
): string[] {
  return [...(defaults.get(name) ?? [])].flatMap(([key, value]) => {
    const option = Object.hasOwn(options, key) ? options[key] : undefined;
    const where = `${file}: defaults.${name}`;
    if (option === undefined) {
      const hint = didYouMean(key, Object.keys(options)) || ` See "mcp-concerns ${name} --help".`;
      throw new CliError(`${where} has "${key}", which is not an option of ${name}.${hint}`);
    }
    const fits =
      option.type === 'boolean'
        ? typeof value === 'boolean'
        : typeof value !== 'boolean' && (option.multiple === true || !Array.isArray(value));
    if (!fits) {
      const expected =
        option.type === 'boolean' ? 'true or false' : option.multiple ? 'text or a list' : 'text';
      throw new CliError(`${where} has a value for "${key}" that is not ${expected}. Correct the value.`);
    }
    return given.has(key) ? [] : argumentsOf(key, value);
  });
}

function argumentsOf(key: string, value: DefaultValue): string[] {
  if (typeof value === 'boolean') return value ? [`--${key}`] : [];
  return [value].flat().map((each) => `--${key}=${each}`);
}
