import { type Configuration, describeConfiguration } from '../../engine/configuration.js';
import { type Decision, evaluate } from '../../engine/evaluate.js';
import {
  IDENTITY,
  identityOf,
  type Mapping,
  mapPrimitive,
  type ServerCatalog,
} from '../../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { ENCODING } from '../inputs/token-counter.js';

/** One primitive of a server: the decision about it, and the tokens of its definition. */
export interface DecidedPrimitive {
  readonly id: string;
  readonly tokens: number;
  readonly decision: Decision;
}

/** The decisions about all primitives of a server, for one configuration. */
export interface ListReport {
  readonly configuration: ReturnType<typeof describeConfiguration>;
  readonly kinds: readonly { readonly kind: Kind; readonly all: readonly DecidedPrimitive[] }[];
}

/** One primitive, with its properties that do not depend on the configuration. */
interface WeighedPrimitive {
  readonly id: string;
  readonly tokens: number;
  readonly mapping: Mapping;
}

/** The primitives of a server, by kind, in the order of the server. */
export type WeighedCatalog = readonly { readonly kind: Kind; readonly all: readonly WeighedPrimitive[] }[];

/**
 * Maps and counts every primitive once, for use with several configurations.
 *
 * @param policy the policy
 * @param catalog the catalog of the server
 * @param tokensOf counts the tokens of a definition
 * @returns all primitives, for `decideAll`
 * @example
 * const weighed = weighCatalog(policy, catalog, await loadTokenCounter());
 */
export function weighCatalog(
  policy: Policy,
  catalog: ServerCatalog,
  tokensOf: (definition: object) => number,
): WeighedCatalog {
  return KINDS.flatMap((kind) => {
    const items = catalog[kind];
    if (items === undefined) return [];
    const all = items.map((item) => ({
      id: identityOf(kind, item),
      tokens: tokensOf(item),
      mapping: mapPrimitive(policy, kind, item),
    }));
    return [{ kind, all }];
  });
}

/**
 * Decides about every primitive of a server.
 *
 * @param configuration the configuration
 * @param weighed the primitives, from `weighCatalog`
 * @returns the decisions, by kind, in the order of the server
 * @example
 * const { kinds } = decideAll(configuration, weighed);
 */
export function decideAll(configuration: Configuration, weighed: WeighedCatalog): ListReport {
  const kinds = weighed.map(({ kind, all }) => ({
    kind,
    all: all.map(({ id, tokens, mapping }) => ({
      id,
      tokens,
      decision: evaluate(mapping, configuration),
    })),
  }));
  return { configuration: describeConfiguration(configuration), kinds };
}

/** The number and the tokens of some primitives: all, shown and hidden. */
export interface Sum {
  readonly total: number;
  readonly shown: number;
  readonly hidden: number;
  readonly tokens: { readonly total: number; readonly shown: number; readonly saved: number };
}

/** @returns the sums over some primitives */
export function sumOf(all: readonly DecidedPrimitive[]): Sum {
  const visible = all.filter(({ decision }) => decision.effect === 'show');
  const cost = (some: readonly DecidedPrimitive[]) => some.reduce((sum, { tokens }) => sum + tokens, 0);
  const tokens = { total: cost(all), shown: cost(visible) };
  return {
    total: all.length,
    shown: visible.length,
    hidden: all.length - visible.length,
    tokens: { ...tokens, saved: tokens.total - tokens.shown },
  };
}

/** @returns the report as a JSON value; each primitive has the key that identifies it in MCP: `name`, `uri` or `uriTemplate` */
export function toJson({ configuration, kinds }: ListReport): object {
  const { tokens, ...counts } = sumOf(kinds.flatMap(({ all }) => all));
  const byKind = kinds.map(({ kind, all }) => {
    const primitives = all.map(({ id, decision, tokens }) => ({ [IDENTITY[kind]]: id, ...decision, tokens }));
    const { tokens: cost, ...counted } = sumOf(all);
    return { kind, counts: { ...counted, tokens: cost }, primitives };
  });
  return {
    configuration,
    ...counts,
    tokens: { encoding: ENCODING, ...tokens },
    counts: Object.fromEntries(byKind.map(({ kind, counts }) => [kind, counts])),
    ...Object.fromEntries(byKind.map(({ kind, primitives }) => [kind, primitives])),
  };
}

/** @returns the names of the visible primitives: tools, prompts, resources, then resource templates */
export function toNames({ kinds }: ListReport): readonly string[] {
  return kinds.flatMap(({ all }) =>
    all.filter(({ decision }) => decision.effect === 'show').map(({ id }) => id),
  );
}
