import { primitivesIn } from '../../engine/mapping.js';
import { type CompiledPolicy, KINDS } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import { readCatalogFile } from '../inputs/catalog-file.js';
import type { Commands } from '../options/command-line.js';
import { findProject, type Project } from '../project/read-project.js';
import { plain, type Terminal } from '../terminal/output.js';

/**
 * Finds the words that can follow a command line: commands, options and their choices, concerns and values of the policy,
 * and names of primitives.
 *
 * @param line the command line up to the cursor
 * @param commands all commands
 * @returns the words that begin with the last word of the line; empty if a file name is expected, or nothing is known
 * @throws {CliError} if a catalog that the line names cannot be read
 * @throws {PolicyFileError} if a policy that the line names cannot be read
 * @example
 * await wordsAfter('mcp-concerns che', COMMANDS); // ['check']
 */
export async function wordsAfter(line: string, commands: Commands, terminal: Terminal): Promise<string[]> {
  const words = line.trimStart().split(/\s+/);
  const start = words.findIndex((word) => /(?:^|\/)mcp-concerns$/.test(word));
  const [command, ...rest] = words.slice(start + 1);
  const last = words.at(-1) ?? '';
  if (command === undefined || rest.length === 0) return beginning(commands.keys(), last);
  // The command of a server is not ours.
  if (rest.slice(0, -1).includes('--')) return [];
  const loaded = await commands.get(command)?.();
  if (loaded === undefined) return [];
  const { definition } = loaded;
  const project = findProject(process.cwd(), terminal);
  const before = rest.at(-2) ?? '';
  const option = definition.options.find(({ long, short }) => long === before || short === before);
  if (option?.argChoices !== undefined) return beginning(option.argChoices, last);
  if (before === '--concern') return beginning(preferences(policyOf(rest, project), last), last);
  const options = definition.options.flatMap(({ long }) => long ?? []);
  if (last.startsWith('-')) return beginning(options, last);
  if (option?.required === true) return [];
  if (command === 'switch') return beginning(switches(policyOf(rest, project), last), last);
  if (command === 'explain') return beginning(names(policyOf(rest, project), rest, project), last);
  return beginning(definition.registeredArguments[0]?.argChoices ?? [], last);
}

const beginning = (all: Iterable<string>, word: string): string[] =>
  [...new Set(all)].filter((each) => each.startsWith(word) && !/\s/.test(each)).map(plain);

/** The policy that the line names, or the policy of the project. */
function policyOf(words: readonly string[], project: Project | undefined): CompiledPolicy | undefined {
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
function names(policy: CompiledPolicy | undefined, words: readonly string[], project: Project | undefined) {
  const file = words.find((_word, index) => words[index - 1] === '--catalog') ?? project?.catalog;
  const catalog = file === undefined ? {} : readCatalogFile(file);
  const inPolicy = KINDS.flatMap((kind) => policy?.primitives[kind] ?? []);
  return [...primitivesIn(catalog), ...inPolicy].map(({ name }) => name);
}
