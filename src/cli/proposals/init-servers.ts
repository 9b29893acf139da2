import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { membersOf } from '../../core/engine/expression/evaluate.js';
import { outsideName, slugOf } from '../../core/engine/servers/outside-names.js';
import { ownCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { isPolicyFile } from '../../core/policy/compile/load.js';
import { formatOwnYaml } from '../../core/policy/language/format-yaml.js';
import { readPolicyText } from '../../core/policy/language/read-yaml.js';
import { toYamlFlow, toYamlScalar } from '../../core/policy/language/yaml-scalars.js';
import { everydayTools, serverLines } from '../../core/policy/propose/server-lines.js';
import { read } from '../../core/wire/messages.js';
import { CliError } from '../errors.js';
import { readCounted } from '../inputs/token-counter.js';
import type { Input } from '../options/input-options.js';
import { newProject } from '../project/new-project.js';
import { plain, type Terminal } from '../terminal/output.js';
import { jsonText } from '../terminal/write-output.js';
import { writePolicy } from '../terminal/write-policy.js';
import { firstPolicy, proposeFiles } from './first-policy.js';
import { factsOf, filesBeside, refuseToOverwrite, schemaBeside } from './policy-files.js';
import { checkProposal } from './proposal-check.js';
import { checkLine } from './proposal-report.js';
import { updateFiles } from './update-files.js';

type Servers = Extract<Input, { readonly path: string; readonly seconds: number }>;

/** The servers that could be listed, each with its own names, and the file that its policy has. */
async function listServers(output: string, input: Servers, terminal: Terminal) {
  const [catalog, tokensOf] = await readCounted(input, terminal);
  const { readServersFile } = await import('../inputs/several/servers-file.js');
  const listed = [...(await readServersFile(input.path, terminal.env)).keys()].flatMap((slug) => {
    const own = ownCatalog(catalog, slug);
    const files = filesBeside(join(dirname(output), `${slug}.yaml`));
    return own === undefined ? [] : [{ slug, counted: [own, tokensOf] as const, files }];
  });
  return { catalog, facts: jsonText(factsOf(catalog, tokensOf)), listed };
}

type Listed = Awaited<ReturnType<typeof listServers>>['listed'][number];

function firstOf({ slug, counted, files }: Listed, present: boolean) {
  const proposed = proposeFiles(files.policy, counted[0], slug, present);
  return { slug, catalog: counted[0], ...firstPolicy(files, proposed, counted, false) };
}

/**
 * Writes a policy for each server of a host's file, with tests and a catalog, and one policy that joins them. A server that
 * does not answer is left out.
 *
 * @param output the path of the policy that joins the others, which are written beside it
 * @param input the file
 * @param force whether existing files are overwritten
 * @param present whether the policies also have the titles and the hints that the servers do not give
 * @param terminal how the command writes its output
 * @returns the exit code
 * @throws {CliError} if no server answers, or a file exists
 */
export async function initServers(
  output: string,
  input: Servers,
  force: boolean,
  present: boolean,
  terminal: Terminal,
): Promise<number> {
  const { catalog, facts, listed } = await listServers(output, input, terminal);
  const joined = filesBeside(output).catalog;
  const all = listed.map(({ files }) => files);
  if (all.some(({ policy }) => policy === output))
    throw new CliError(`${output} is the policy of a server. Pass another file with -o.`);
  if (!force)
    refuseToOverwrite([output, joined, ...all.flatMap(({ policy, tests, lock }) => [policy, tests, lock])]);
  const written = listed.map((each) => firstOf(each, present));
  const texts = new Map([
    [output, topPolicy(output, input.path, written)],
    ...written.flatMap((each) => [...each.texts]),
    [joined, facts],
  ]);
  const policies = new Map([...texts].filter(([name]) => name === output || isPolicyFile(name)));
  const { findings } = checkProposal(policies, catalog);
  const project = newProject({ policy: output, catalog: joined, servers: input.path });
  writePolicy([], new Map([...texts, ...project.texts]));
  terminal.note([
    ...written.flatMap(({ notes }) => notes),
    `Wrote ${joined}, and ${output}, which joins the policies of ${written.map(({ slug }) => slug).join(', ')}.`,
    checkLine(findings, undefined),
    ...project.notes,
  ]);
  return 0;
}

const entryOf = (slug: string, line?: string): string =>
  `  ${toYamlScalar(slug)}: ${toYamlFlow({ policy: `${slug}.yaml`, ...(line === undefined ? {} : { description: line }) })}`;

/** Writes the policy that joins those of the servers. */
function topPolicy(output: string, path: string, servers: readonly ReturnType<typeof firstOf>[]): string {
  const lines = serverLines(new Map(servers.map(({ slug, catalog }) => [slug, catalog])));
  return formatOwnYaml(
    [
      `# yaml-language-server: $schema=${schemaBeside(output, 'schema.json').path}`,
      '#',
      `# One policy for the servers of ${plain(basename(path))}. Each server has a policy of its own, with the names that it uses itself.`,
      'version: 1',
      '',
      'servers:',
      ...servers.map(({ slug }) => entryOf(slug, lines.get(slug))),
      '',
      '# Concerns with one name are one switch for all servers. All their values are declared here.',
      'concerns:',
      '  effect:',
      '    description: What a call may do',
      '    values: [read-only, changes, destroys]',
      '    match: at-most',
      '',
      '  # A switch for each server and, below it, for its own topics. A model may choose too, as settings.panel says.',
      '  topic:',
      '    description: What you are going to work on',
      '    values: servers',
      '    model: free',
      '',
      ...everydayLines(servers),
      '# These replace the presets of the same names in the policies of the servers.',
      'presets:',
      '  look: { effect: read-only }',
      '  careful: { effect: changes }',
      '',
    ].join('\n'),
  );
}

/** A clock fits the topics of all servers, and its own server has no topics. */
function everydayLines(servers: readonly ReturnType<typeof firstOf>[]): readonly string[] {
  const names = servers.flatMap(({ slug, catalog }) =>
    everydayTools(catalog).map((name) => outsideName(slug, 'tools', name)),
  );
  if (names.length === 0) return [];
  const lines = names.map((name) => `    ${toYamlScalar(name)}: { topic: any }`);
  return ['# These fit every topic, also those of other servers.', 'primitives:', '  tools:', ...lines, ''];
}

/**
 * Updates the policies of all servers that answer, and adds those that the policy does not have yet. What belongs to a server
 * that does not answer stays as it is.
 *
 * @param output the path of the policy that joins the others
 * @param input the host's file
 * @param terminal how the command writes its output
 * @param open the names of new primitives that a person agreed to show
 * @param present whether new tools also get the titles and the hints that their servers do not give
 * @returns the exit code
 * @throws {CliError} if the policy does not exist or names no servers, or one of its parts cannot be updated
 */
export async function updateServers(
  output: string,
  input: Servers,
  terminal: Terminal,
  open: readonly string[] = [],
  present = false,
): Promise<number> {
  const text = existsSync(output) ? readFileSync(output, 'utf8') : '';
  const entries = Object.entries(membersOf(read(readPolicyText(text, output).data, 'servers')));
  const known = new Map(entries.map(([key, entry]) => [slugOf(key), read(entry, 'policy')]));
  if (known.size === 0 || !/^servers:\s*$/m.test(text))
    throw new CliError(
      `${output} has no list of servers, one in each line, so it cannot be updated. Run the command without --update.`,
    );
  const { facts, listed } = await listServers(output, input, terminal);
  const joined = filesBeside(output).catalog;
  const added = listed.filter(({ slug }) => !known.has(slug));
  const updates = listed.flatMap(({ slug, counted }) => {
    const policy = known.get(slug);
    // A server can have an entry without a policy, because somebody wants none.
    if (typeof policy !== 'string') return [];
    return [updateFiles(filesBeside(join(dirname(output), policy)), counted, false, open, present)];
  });
  const written = [...updates, ...added.map((each) => firstOf(each, present))];
  const texts = new Map(written.flatMap((each) => [...each.texts]));
  const top = ['servers:', ...added.map(({ slug }) => entryOf(slug))].join('\n');
  if (existsSync(joined)) texts.set(joined, facts);
  if (added.length > 0) texts.set(output, text.replace(/^servers:\s*$/m, top));
  writePolicy(
    written.flatMap((each) => each.changes),
    texts,
  );
  terminal.note(written.flatMap(({ notes }) => notes));
  return 0;
}
