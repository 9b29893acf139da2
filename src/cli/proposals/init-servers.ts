import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { membersOf } from '../../engine/expression/evaluate.js';
import { ownCatalog } from '../../policy/check/servers/own-catalog.js';
import { isPolicyFile } from '../../policy/compile/load.js';
import { formatOwnYaml } from '../../policy/language/format-yaml.js';
import { readPolicyText } from '../../policy/language/read-yaml.js';
import { policySchema } from '../../policy/language/schema.js';
import { toYamlScalar } from '../../policy/language/yaml-scalars.js';
import { read } from '../../wire/messages.js';
import { slugOf } from '../../wire/server-names.js';
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
async function listServers(output: string, input: Servers, quiet: boolean) {
  const [catalog, tokensOf] = await readCounted(input, quiet);
  const { readServersFile } = await import('../inputs/several/servers-file.js');
  const listed = [...(await readServersFile(input.path, process.env)).keys()].flatMap((slug) => {
    const own = ownCatalog(catalog, slug);
    const files = filesBeside(join(dirname(output), `${slug}.yaml`));
    return own === undefined ? [] : [{ slug, own, files }];
  });
  return { catalog, tokensOf, listed };
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
  { note, quiet }: Terminal,
): Promise<number> {
  const { catalog, tokensOf, listed } = await listServers(output, input, quiet);
  const all = listed.map(({ files }) => files);
  if (all.some(({ policy }) => policy === output))
    throw new CliError(`${output} is the policy of a server. Pass another file with -o.`);
  if (!force) refuseToOverwrite([output, ...all.flatMap(({ policy, tests, lock }) => [policy, tests, lock])]);
  const written = listed.map(({ slug, own, files }) => {
    const proposed = proposeFiles(files.policy, own, slug);
    return {
      slug,
      hasWorld: proposed.proposal.hasWorld,
      ...firstPolicy(files, proposed, [own, tokensOf], false),
    };
  });
  const text = topPolicy(output, input.path, written);
  const texts = new Map([...written.flatMap((each) => [...each.texts]), [output, text]]);
  const { findings } = checkProposal(
    new Map([
      [output, text],
      ...written.flatMap((each) => [...each.texts].filter(([name]) => isPolicyFile(name))),
    ]),
    catalog,
  );
  writeFiles(texts);
  for (const { notes } of written) for (const each of notes) note(each);
  note(`Wrote ${output}, which joins the policies of ${written.map(({ slug }) => slug).join(', ')}.`);
  note(checkLine(findings, undefined));
  return 0;
}

const entryOf = (slug: string): string => `  ${toYamlScalar(slug)}: { policy: ${slug}.yaml }`;

function topPolicy(
  output: string,
  path: string,
  servers: readonly { readonly slug: string; readonly hasWorld: boolean }[],
): string {
  const texts = new Map([
    ['SCHEMA', schemaBeside(output, 'schema.json', policySchema.title).path],
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
export async function updateServers(
  output: string,
  input: Servers,
  { note, quiet }: Terminal,
): Promise<number> {
  const text = existsSync(output) ? readFileSync(output, 'utf8') : '';
  const keys = Object.entries(membersOf(read(readPolicyText(text, output).data, 'servers')));
  if (keys.length === 0 || !/^servers:\s*$/m.test(text))
    throw new CliError(
      `${output} has no list of servers, one in each line, so it cannot be updated. Run the command without --update.`,
    );
  const { tokensOf, listed } = await listServers(output, input, quiet);
  const updates = listed.map(({ slug, own, files }) => {
    const policy = read(keys.find(([key]) => slugOf(key) === slug)?.[1], 'policy');
    if (typeof policy === 'string')
      return updateFiles(filesBeside(join(dirname(output), policy)), [own, tokensOf], false);
    const isNew = keys.every(([key]) => slugOf(key) !== slug);
    // A server can have an entry without a policy, because somebody wants none.
    if (!isNew) return { texts: new Map(), notes: [] };
    const first = firstPolicy(files, proposeFiles(files.policy, own, slug), [own, tokensOf], false);
    return { ...first, slug };
  });
  const added = updates.flatMap((each) => ('slug' in each ? [entryOf(each.slug)] : []));
  const texts = new Map<string, string>(updates.flatMap((each) => [...each.texts]));
  if (added.length > 0) texts.set(output, text.replace(/^servers:\s*$/m, ['servers:', ...added].join('\n')));
  writeFiles(texts);
  for (const { notes } of updates) for (const each of notes) note(each);
  return 0;
}
