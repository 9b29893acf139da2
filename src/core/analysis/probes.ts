import { IDENTITY, identityOf, type Primitive, type ServerCatalog } from '../engine/mapping.js';
import { byKind, type CompiledPolicy, KINDS, type Kind } from '../engine/policy.js';
import { boundArgument } from '../engine/uses/policy-uses.js';
import { parseUse, type UseName } from '../engine/uses/use-name.js';
import { groupBy } from '../once.js';

/** A catalog with primitives that the server does not list, but may add. */
export interface Probed {
  readonly catalog: ServerCatalog;
  /** Whether the server lists the primitive, so that it is not a probe. */
  readonly isListed: (kind: Kind, name: string) => boolean;
  /** The pattern or entry that a probe matches; `undefined` for one that matches nothing. */
  readonly likeOf: (kind: Kind, name: string) => string | undefined;
}

const PROBE = 'mcp-concerns-probe';

const probeName = (pattern: string): string => pattern.replaceAll('*', PROBE);

/** A schema in which these uses, and others that nothing names, are possible. */
function schemaWith(uses: readonly UseName[]): object {
  const values = [...groupBy(uses, ({ argument }) => argument)].map(([argument, own]) => {
    const named = own.flatMap(({ value = '' }) => (value === '' ? [] : [value]));
    return [argument, { type: 'string', enum: [...new Set([...named, PROBE])] }] as const;
  });
  return { type: 'object', properties: Object.fromEntries(values) };
}

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
  policies: readonly Pick<CompiledPolicy, 'patterns' | 'primitives' | 'bind'>[],
  catalog: ServerCatalog,
): Probed {
  const listed = byKind((kind) => new Set((catalog[kind] ?? []).map((each) => identityOf(kind, each))));
  const likes = byKind((kind) => {
    const names = policies.flatMap(({ patterns, primitives }) => [
      ...patterns[kind].map(({ name }) => [probeName(name), name] as const),
      ...primitives[kind].map(({ name }) => [name, name] as const),
    ]);
    const ofTools = names.map(([name, like]) => [parseUse(name)?.tool ?? name, like] as const);
    const probes = new Map<string, string | undefined>([
      [PROBE, undefined],
      ...(kind === 'tools' ? ofTools : names),
    ]);
    return new Map([...probes].filter(([name]) => !listed[kind].has(name)));
  });
  const uses = policies.flatMap(({ patterns, primitives, bind = [] }) => {
    const names = [
      ...patterns.tools.map(({ name }) => probeName(name)),
      ...primitives.tools.map(({ name }) => name),
    ];
    const bound = bind.map(({ name }) => boundArgument(name));
    return [
      ...names.flatMap((name) => parseUse(name) ?? []),
      ...bound.map(({ tool, argument }) => ({ tool: probeName(tool), argument, value: PROBE })),
    ];
  });
  const probed = KINDS.map((kind): [Kind, Primitive[]] => {
    const probes = [...likes[kind].keys()].map((name): Primitive => {
      const own = kind === 'tools' ? uses.filter(({ tool }) => tool === name) : [];
      return { [IDENTITY[kind]]: name, ...(own.length === 0 ? {} : { inputSchema: schemaWith(own) }) };
    });
    return [kind, [...(catalog[kind] ?? []), ...probes]];
  });
  return {
    catalog: Object.fromEntries(probed),
    isListed: (kind, name) => {
      const use = kind === 'tools' ? parseUse(name) : undefined;
      return listed[kind].has(use?.value === PROBE ? name : (use?.tool ?? name));
    },
    likeOf: (kind, name) => likes[kind].get((kind === 'tools' ? parseUse(name)?.tool : undefined) ?? name),
  };
}
