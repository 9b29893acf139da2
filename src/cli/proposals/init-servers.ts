import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { membersOf } from '../../engine/expression/evaluate.js';
import { slugOf } from '../../engine/servers/outside-names.js';
import { ownCatalog } from '../../policy/check/servers/own-catalog.js';
import { isPolicyFile } from '../../policy/compile/load.js';
import { formatOwnYaml } from '../../policy/language/format-yaml.js';
import { readPolicyText } from '../../policy/language/read-yaml.js';
import { toYamlScalar } from '../../policy/language/yaml-scalars.js';
import { read } from '../../wire/messages.js';
import { CliError } from '../errors.js';
import { readCounted } from '../inputs/token-counter.js';
import type { Input } from '../options/input-options.js';
import { plain, type Terminal } from '../terminal/output.js';
import { writeFiles } from '../terminal/write-files.js';
import { firstPolicy, proposeFiles } from './first-policy.js';
import { SERVERS_POLICY } from './generated/servers-policy.js';
import { filesBeside, refuseToOverwrite, schemaBeside } from './policy-files.js';
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
  return { catalog, listed };
}

type Listed = Awaited<ReturnType<typeof listServers>>['listed'][number];

function firstOf({ slug, counted, files }: Listed) {
  const proposed = proposeFiles(files.policy, counted[0], slug);
  return { slug, hasWorld: proposed.proposal.hasWorld, ...firstPolicy(files, proposed, counted, false) };
}

/**
 * Writes a policy for each server of a host's file, with tests and a catalog, and one policy that joins them. A server that
 * does not answer is left out.
 *
 * @param output the path of the policy that joins the others, which are written beside it
 * @param input the file
 * @param force whether existing files are overwritten
 * @param terminal how the command writes its output
 * @returns the exit code
 * @throws {CliError} if no server answers, or a file exists
 */
export async function initServers(
  output: string,
  input: Servers,
  force: boolean,
  terminal: Terminal,
): Promise<number> {
  const { catalog, listed } = await listServers(output, input, terminal);
  const all = listed.map(({ files }) => files);
  if (all.some(({ policy }) => policy === output))
    throw new CliError(`${output} is the policy of a server. Pass another file with -o.`);
  if (!force) refuseToOverwrite([output, ...all.flatMap(({ policy, tests, lock }) => [policy, tests, lock])]);
  const written = listed.map(firstOf);
  const texts = new Map([
    [output, topPolicy(output, input.path, written)],
    ...written.flatMap((each) => [...each.texts]),
  ]);
  const policies = new Map([...texts].filter(([name]) => name === output || isPolicyFile(name)));
  const { findings } = checkProposal(policies, catalog);
  writeFiles(texts);
  terminal.note([
    ...written.flatMap(({ notes }) => notes),
    `Wrote ${output}, which joins the policies of ${written.map(({ slug }) => slug).join(', ')}.`,
    checkLine(findings, undefined),
  ]);
  return 0;
}

const entryOf = (slug: string): string => `  ${toYamlScalar(slug)}: { policy: ${slug}.yaml }`;

function topPolicy(output: string, path: string, servers: readonly ReturnType<typeof firstOf>[]): string {
  const texts = new Map([
    ['SCHEMA', schemaBeside(output, 'schema.json').path],
    ['FILE', plain(basename(path))],
    ['SERVERS', servers.map(({ slug }) => entryOf(slug)).join('\n')],
    ['WORLD', servers.some(({ hasWorld }) => hasWorld) ? ', world: closed' : ''],
  ]);
  return formatOwnYaml(SERVERS_POLICY.replace(/SCHEMA|FILE|SERVERS|WORLD/g, (word) => texts.get(word) ?? ''));
}

/**
 * Updates the policies of all servers that answer, and adds those that the policy does not have yet. What belongs to a server
 * that does not answer stays as it is.
 *
 * @param output the path of the policy that joins the others
 * @param input the host's file
 * @param terminal how the command writes its output
 * @returns the exit code
 * @throws {CliError} if the policy does not exist or names no servers, or one of its parts cannot be updated
 */
export async function updateServers(output: string, input: Servers, terminal: Terminal): Promise<number> {
  const text = existsSync(output) ? readFileSync(output, 'utf8') : '';
  const entries = Object.entries(membersOf(read(readPolicyText(text, output).data, 'servers')));
  const known = new Map(entries.map(([key, entry]) => [slugOf(key), read(entry, 'policy')]));
  if (known.size === 0 || !/^servers:\s*$/m.test(text))
    throw new CliError(
      `${output} has no list of servers, one in each line, so it cannot be updated. Run the command without --update.`,
    );
  const { listed } = await listServers(output, input, terminal);
  const added = listed.filter(({ slug }) => !known.has(slug));
  const updates = listed.flatMap(({ slug, counted }) => {
    const policy = known.get(slug);
    // A server can have an entry without a policy, because somebody wants none.
    if (typeof policy !== 'string') return [];
    return [updateFiles(filesBeside(join(dirname(output), policy)), counted, false)];
  });
  const written = [...updates, ...added.map(firstOf)];
  const texts = new Map(written.flatMap((each) => [...each.texts]));
  const top = ['servers:', ...added.map(({ slug }) => entryOf(slug))].join('\n');
  if (added.length > 0) texts.set(output, text.replace(/^servers:\s*$/m, top));
  writeFiles(texts);
  terminal.note(written.flatMap(({ notes }) => notes));
  return 0;
}
