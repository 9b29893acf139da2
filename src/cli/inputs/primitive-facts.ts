import { type Mapping, mapPrimitive, type Primitive, tagsOf } from '../../engine/mapping.js';
import { changeOf } from '../../engine/pins.js';
import type { Kind, Policy } from '../../engine/policy.js';
import { descriptionWords, WORDS_FIELD } from '../../policy/propose/description-words.js';
import { read } from '../../wire/messages.js';

/**
 * Maps a primitive of an input, and compares its definition with the pinned one. The facts of a primitive, or its name alone,
 * are not a definition.
 *
 * @param policy the policy
 * @param kind the kind of the primitive
 * @param primitive the primitive as the input has it
 * @returns what the policy says about it
 * @example
 * mapListed(policy, 'tools', tool).change; // 'changed'
 */
export function mapListed(policy: Policy, kind: Kind, primitive: Primitive): Mapping {
  const isDefinition = !('tokens' in primitive) && Object.keys(primitive).length > 1;
  const change = isDefinition ? changeOf(policy, kind, primitive) : undefined;
  return { ...mapPrimitive(policy, kind, primitive), change };
}

/**
 * Reduces the definition of a primitive to its facts: the fields that policies can read, the words of the description that
 * `init` reads, and the number of tokens.
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
  const own = read(primitive._meta, 'concerns');
  const ui = read(primitive._meta, 'ui');
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
    // Values that the server itself declares, which a policy can override, and who can call the tool.
    _meta: own === undefined && ui === undefined ? undefined : { concerns: own, ui },
    [WORDS_FIELD]: 'verb' in words || 'writes' in words || words.nouns.length > 0 ? words : undefined,
    tokens,
  };
}
