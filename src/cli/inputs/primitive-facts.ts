import type { Primitive } from '../../engine/mapping.js';
import { read } from '../../protocol/messages/wire.js';

/**
 * Reduces a definition to what policies can read of it, and what it costs.
 *
 * @param primitive the definition as a server lists it
 * @param tokens what the whole definition costs
 * @returns the facts, in one order whatever that of the definition
 * @example
 * factsOf({ name: 'echo', description: 'Says it again' }, 12); // { name: 'echo', tokens: 12 }
 */
export function factsOf(primitive: Primitive, tokens: number): object {
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
    // What a server itself says of concerns is the weakest source of values.
    _meta: own === undefined ? undefined : { concerns: own },
    tokens,
  };
}
