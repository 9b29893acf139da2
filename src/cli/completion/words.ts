import { identityOf } from '../../engine/mapping.js';
import { type CompiledPolicy, KINDS } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import { readCatalogFile } from '../inputs/catalog-file.js';
import type { Project } from '../project/read-project.js';
import { plain } from '../terminal/output.js';

/** What the words of a command line can be. */
export interface CommandHelp {
  readonly commands: readonly string[];
  /** Returns the help of a command; undefined if there is none. */
  helpOf(command: string): Promise<string | undefined>;
  readonly project: Project | undefined;
}

/**
 * Finds the words that can follow a command line: commands, options and their choices, concerns and values of the policy,
 * and names of primitives.
 *
 * @param line the command line up to the cursor
 * @param known the commands, and the project
 * @returns the words that begin with the last word of the line; empty if a file name is expected, or nothing is known
 * @throws {CliError} if a catalog that the line names cannot be read
 * @throws {PolicyFileError} if a policy that the line names cannot be read
 * @example
 * await wordsAfter('mcp-concerns che', known); // ['check']
 */
export async function wordsAfter(line: string, known: CommandHelp): Promise<string[]> {
  const words = line.trimStart().split(/\s+/);
  const start = words.findIndex((word) => /(?:^|\/)mcp-concerns$/.test(word));
  const [command, ...rest] = words.slice(start + 1);
  const last = words.at(-1) ?? '';
  if (command === undefined || rest.length === 0) return beginning(known.commands, last);
  // The command of a server is not ours.
  if (rest.slice(0, -1).includes('--')) return [];
  const help = await known.helpOf(command);
  if (help === undefined) return [];
  const before = rest.at(-2) ?? '';
  const choices = choicesOf(help, before);
  if (choices.length > 0) return beginning(choices, last);
  if (before === '--concern') return beginning(preferences(policyOf(rest, known), last), last);
  if (last.startsWith('-')) return beginning(optionsOf(help), last);
  if (before.startsWith('-') && takesValue(help, before)) return [];
  if (command === 'switch') return beginning(switches(policyOf(rest, known), last), last);
  if (command === 'explain') return beginning(names(policyOf(rest, known), rest, known), last);
  return command === 'completion' ? beginning(['bash', 'zsh', 'fish'], last) : [];
}

const beginning = (all: Iterable<string>, word: string): string[] =>
  [...new Set(all)].filter((each) => each.startsWith(word) && !/\s/.test(each)).map(plain);

/** The part of a help that describes options. */
const optionLines = (help: string): string => /^Options:\n([\s\S]*?)^Exit codes/m.exec(help)?.[1] ?? '';

const optionsOf = (help: string): string[] => optionLines(help).match(/--[a-z][a-z-]+/g) ?? [];

/** Whether the help shows a value behind the option, such as `--policy PATH`. */
const takesValue = (help: string, option: string): boolean =>
  new RegExp(`${option}(?:, --[a-z-]+)? ['A-Z]`).test(optionLines(help));

/** The choices that a help names, such as `pretty (default), json or junit`. */
function choicesOf(help: string, option: string): string[] {
  if (!['--format', '--color', '--panel', '--isolation', '--fail-on'].includes(option)) return [];
  const [, head = '', text = ''] =
    new RegExp(`^ {2}${option} (\\S+) +(.*(?:\\n {24}.*)*)`, 'm').exec(optionLines(help)) ?? [];
  if (head.includes('|')) return head.split('|');
  const list = text.replace(/\([^)]*\)/g, '').replace(/^.*\bfor\b/, '');
  return (/^[\s\w,-]+/.exec(list)?.[0] ?? '').split(/,\s*(?:or\s+)?|\s+or\s+/).flatMap((each) => {
    return /^\s*[a-z]+(?:-[a-z]+)*\s*$/.test(each) ? [each.trim()] : [];
  });
}

/** The policy that the line names, or the policy of the project. */
function policyOf(words: readonly string[], { project }: CommandHelp): CompiledPolicy | undefined {
  const named = words.filter((_word, index) => words[index - 1] === '--policy');
  const paths = named.length > 0 ? named : words.slice(0, -1).filter((word) => /\.ya?ml$/.test(word));
  const all = paths.length > 0 ? paths : (project?.policy ?? []);
  return all.length === 0 ? undefined : readPolicy(all).compiled;
}

/** `name=`, or `name=value` once the name is written. */
function preferences(policy: CompiledPolicy | undefined, word: string): string[] {
  if (policy === undefined) return [];
  if (!word.includes('='))
    return ['preset', ...policy.concerns.map(({ name }) => name)].map((each) => `${each}=`);
  const [name = ''] = word.split('=');
  if (name === 'preset') return Object.keys(policy.presets).map((preset) => `preset=${preset}`);
  const values = policy.concerns.find((concern) => concern.name === name)?.values ?? [];
  return 'min' in values ? [] : values.map((value) => `${name}=${value}`);
}

function switches(policy: CompiledPolicy | undefined, word: string): string[] {
  if (policy === undefined) return [];
  if (word.includes('=')) return [...preferences(policy, word), `${word.split('=')[0]}=any`];
  const presets = Object.keys(policy.presets);
  return [...presets, 'everything', ...preferences(policy, word).filter((each) => each !== 'preset=')];
}

/** The primitives of the catalog and of the policy. */
function names(
  policy: CompiledPolicy | undefined,
  words: readonly string[],
  { project }: CommandHelp,
): string[] {
  const file = words.find((_word, index) => words[index - 1] === '--catalog') ?? project?.catalog;
  const catalog = file === undefined ? {} : readCatalogFile(file);
  return KINDS.flatMap((kind) => [
    ...(catalog[kind] ?? []).map((primitive) => identityOf(kind, primitive)),
    ...(policy?.primitives[kind] ?? []).map(({ name }) => name),
  ]);
}
