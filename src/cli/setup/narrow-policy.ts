import type { ServerCatalog } from '../../core/engine/mapping.js';
import { identityOf } from '../../core/engine/mapping.js';
import { formatOwnYaml } from '../../core/policy/language/format-yaml.js';
import { proposePolicy, withStart } from '../../core/policy/propose/propose-policy.js';
import { everydayTools } from '../../core/policy/propose/server-lines.js';
import { writeProposal } from '../../core/policy/propose/write-proposal.js';
import type { TokenCounter } from '../inputs/token-counter.js';
import { schemaBeside } from '../proposals/policy-files.js';

/** A first list with more of either is narrowed. */
export interface Room {
  readonly tools: number;
  readonly tokens: number;
}

/** The first list of one server. */
const FIRST_LIST: Room = { tools: 10, tokens: 4000 };

/**
 * Chooses the tools that a host is shown first: everyday tools, and those that were called, the most used first.
 *
 * @param catalog what the server lists
 * @param used the names of tools that were called, the most used first
 * @param tokens the room that the host has left
 * @param tokensOf counts the tokens of a tool
 * @returns the names of the tools that fit
 * @example
 * startOf(catalog, ['list_mail'], 10_000, tokensOf); // Set { 'get_current_time', 'list_mail' }
 */
export function startOf(
  catalog: ServerCatalog,
  used: readonly string[],
  tokens: number,
  tokensOf: TokenCounter,
): ReadonlySet<string> {
  const listed = new Map((catalog.tools ?? []).map((tool) => [identityOf('tools', tool), tool]));
  const start = new Set<string>();
  let left = Math.min(tokens, FIRST_LIST.tokens);
  for (const name of new Set([...everydayTools(catalog), ...used])) {
    const tool = listed.get(name);
    const size = tool === undefined ? Number.POSITIVE_INFINITY : tokensOf(tool);
    if (size > left || start.size === FIRST_LIST.tools) continue;
    left -= size;
    start.add(name);
  }
  return start;
}

/**
 * Writes the policy of a server that begins with few tools. All others can be found and shown, by the person and by the model.
 *
 * @param file the path of the policy
 * @param server what the host calls the server
 * @param catalog what the server lists, also what its host hides: a tool without a value would be shown
 * @param start the tools that the host is shown first
 * @returns the texts of the policy and of the files that it includes, by path relative to its folder; the policy is the first
 */
export function narrowPolicy(
  file: string,
  server: string,
  catalog: ServerCatalog,
  start: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const stem = file.replace(/\.yaml$/, '');
  const schema = schemaBeside(file, 'schema.json').path;
  const facts = { server, schema, folder: stem };
  const { text, parts } = writeProposal(withStart(proposePolicy(catalog), start), facts);
  return new Map([[file, formatOwnYaml(text)], ...parts]);
}
