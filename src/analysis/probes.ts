import { IDENTITY, identityOf, type Primitive, type ServerCatalog } from '../engine/mapping.js';
import { byKind, type CompiledPolicy, KINDS, type Kind } from '../engine/policy.js';

/** A catalog with primitives that the server does not list, but may add. */
export interface Probed {
  readonly catalog: ServerCatalog;
  /** Whether the server lists the primitive, so that it is not a probe. */
  readonly isListed: (kind: Kind, name: string) => boolean;
  /** The pattern or entry that a probe matches; `undefined` for one that matches nothing. */
  readonly likeOf: (kind: Kind, name: string) => string | undefined;
}

const PROBE = 'mcp-concerns-probe';

/**
 * Adds to a catalog what the server may list later: for each pattern and entry a primitive that it matches, and for each kind one
 * that matches nothing.
 *
 * @param policies the policies that have the patterns and entries
 * @param catalog what the server lists
 * @returns the catalog with the probes
 * @example
 * withProbes([compiled], {}).catalog.tools?.length; // at least 1
 */
export function withProbes(
  policies: readonly Pick<CompiledPolicy, 'patterns' | 'primitives'>[],
  catalog: ServerCatalog,
): Probed {
  const listed = byKind((kind) => new Set((catalog[kind] ?? []).map((each) => identityOf(kind, each))));
  const likes = byKind((kind) => {
    const names = policies.flatMap(({ patterns, primitives }) => [
      ...patterns[kind].map(({ name }) => [name.replaceAll('*', PROBE), name] as const),
      ...primitives[kind].map(({ name }) => [name, name] as const),
    ]);
    const probes = new Map<string, string | undefined>([[PROBE, undefined], ...names]);
    return new Map([...probes].filter(([name]) => !listed[kind].has(name)));
  });
  const probed = KINDS.map((kind): [Kind, Primitive[]] => {
    const probes = [...likes[kind].keys()].map((name): Primitive => ({ [IDENTITY[kind]]: name }));
    return [kind, [...(catalog[kind] ?? []), ...probes]];
  });
  return {
    catalog: Object.fromEntries(probed),
    isListed: (kind, name) => listed[kind].has(name),
    likeOf: (kind, name) => likes[kind].get(name),
  };
}
