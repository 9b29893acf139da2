import { type Primitive, tagsOf } from '../../core/engine/mapping.js';
import type { Kind, Policy } from '../../core/engine/policy.js';
import { OWN_META, SERVER_META } from '../../core/engine/servers/outside-names.js';
import { needsTexts, textRead } from '../../core/policy/check/check-texts.js';
import { actionSchema } from '../../core/policy/propose/actions.js';
import { descriptionWords, WORDS_FIELD } from '../../core/policy/propose/words/description-words.js';
import { read } from '../../core/wire/messages.js';
import { CliError } from '../errors.js';
import type { CatalogFile } from './catalog-file.js';

/**
 * Leaves the pins out of a policy if a catalog has no definitions to compare with them: only facts, or only names.
 *
 * @param policy the policy
 * @param catalog the catalog; undefined if only the names in the policy are known
 * @returns the policy for this catalog
 * @throws {CliError} if the policy reads texts of definitions, and the catalog keeps only facts
 * @example
 * mapListed(policyFor(policy, catalog), 'tools', tool).change; // 'changed'
 */
export function policyFor(policy: Policy, catalog: CatalogFile | undefined): Policy {
  if (catalog !== undefined && catalog.encoding === undefined) return policy;
  const unknown = catalog && textRead(policy, catalog.tools);
  if (unknown !== undefined) throw new CliError(`The policy reads ${needsTexts(unknown)}`);
  return { ...policy, pins: undefined };
}

/** Values that a server declares, which a policy can override, who can call a tool, and which of several servers has it. */
const KEPT_META = ['concerns', 'ui', SERVER_META, OWN_META];

/**
 * Reduces the definition of a primitive to its facts: the fields that policies can read, the words of the description and
 * the actions that `init` reads, and the number of tokens.
 *
 * @param kind the kind of the primitive; only the words of tools are kept
 * @param primitive the definition as the server lists it
 * @param tokens the number of tokens of the whole definition
 * @returns the facts, always in the same order
 * @example
 * primitiveFacts('tools', { name: 'echo', description: 'Returns the text' }, 12);
 * // { name: 'echo', words: { verb: 'return', nouns: ['text'] }, tokens: 12 }
 */
export function primitiveFacts(kind: Kind, primitive: Primitive, tokens: number): object {
  const { name, uri, uriTemplate, title, mimeType, annotations, execution } = primitive;
  const kept = KEPT_META.map((key) => [key, read(primitive._meta, key)] as const);
  const meta = kept.filter(([, value]) => value !== undefined);
  const words = kind === 'tools' ? descriptionWords(primitive) : { nouns: [] };
  return {
    name,
    uri,
    uriTemplate,
    title,
    mimeType,
    annotations,
    tags: tagsOf(primitive),
    execution,
    inputSchema: kind === 'tools' ? actionSchema(primitive) : undefined,
    _meta: meta.length === 0 ? undefined : Object.fromEntries(meta),
    [WORDS_FIELD]: 'verb' in words || 'writes' in words || words.nouns.length > 0 ? words : undefined,
    tokens,
  };
}
