import type { Primitive } from '../../engine/mapping.js';
import { read } from '../../protocol/messages/wire.js';

/**
 * Reduces the definition of a primitive to its facts: the fields that policies can read, and its number of tokens.
 *
 * @param primitive the definition as the server lists it
 * @param tokens the number of tokens of the whole definition
 * @returns the facts, always in the same order
 * @example
 * primitiveFacts({ name: 'echo', description: 'Says it again' }, 12); // { name: 'echo', tokens: 12 }
 */
export function primitiveFacts(primitive: Primitive, tokens: number): object {
  const { name, uri, uriTemplate, title, mimeType, annotations } = primitive;
  const own = read(primitive._meta, 'concerns');
  return {
    name,
    uri,
    uriTemplate,
    title,
    mimeType,
    annotations,
    tags: primitive.tags ?? read(primitive._meta, 'tags'),
    // Values that the server itself declares; a policy can override them.
    _meta: own === undefined ? undefined : { concerns: own },
    tokens,
  };
}
