import { type Configuration, describeConfiguration } from '../../engine/configuration.js';
import { type Decision, evaluate } from '../../engine/evaluate.js';
import {
  IDENTITY,
  identityOf,
  type Mapping,
  type Primitive,
  type ServerCatalog,
} from '../../engine/mapping.js';
import { mapListed } from '../../engine/pins.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { ENCODING } from '../inputs/token-counter.js';

/** One primitive, with its properties that do not depend on the configuration. */
interface WeighedPrimitive {
  readonly kind: Kind;
  readonly id: string;
  readonly primitive: Primitive;
  readonly tokens: number;
  readonly mapping: Mapping;
}

/** One primitive of a server, and the decision about it. */
export interface DecidedPrimitive extends WeighedPrimitive {
  readonly decision: Decision;
}

/** The primitives of a server, by kind, in the order of the server. */
export type WeighedCatalog = ReturnType<typeof weighCatalog>;

/** The decisions about all primitives of a server, for one configuration. */
export type ListReport = ReturnType<typeof decideAll>;

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
) {
  return KINDS.flatMap((kind) => {
    const all = catalog[kind]?.map(
      (primitive): WeighedPrimitive => ({
        kind,
        id: identityOf(kind, primitive),
        primitive,
        tokens: tokensOf(primitive),
        mapping: mapListed(policy, kind, primitive),
      }),
    );
    return all === undefined ? [] : [{ kind, all }];
  });
}

/**
 * Decides about every primitive of a server.
 *
 * @param configuration the configuration
 * @param weighed the primitives, from `weighCatalog`
 * @returns the decisions, by kind, in the order of the server, and in one list
 * @example
 * const { kinds } = decideAll(configuration, weighed);
 */
export function decideAll(configuration: Configuration, weighed: WeighedCatalog) {
  const kinds = weighed.map(({ kind, all }) => ({
    kind,
    all: all.map((each): DecidedPrimitive => ({ ...each, decision: evaluate(each.mapping, configuration) })),
  }));
  return {
    configuration: describeConfiguration(configuration),
    kinds,
    all: kinds.flatMap(({ all }) => all),
  };
}

/** @returns the visible ones of some primitives */
export const shownOf = (all: readonly DecidedPrimitive[]): DecidedPrimitive[] =>
  all.filter(({ decision }) => decision.effect === 'show');

/** @returns the definitions of the visible tools, in the order of the server */
export const shownTools = ({ all }: ListReport): object[] =>
  shownOf(all).flatMap(({ kind, primitive }) => (kind === 'tools' ? [primitive] : []));

/** @returns the number and the tokens of some primitives: all, shown and hidden */
export function sumOf(all: readonly DecidedPrimitive[]) {
  const visible = shownOf(all);
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
export function toJson({ configuration, kinds, all }: ListReport): object {
  const { tokens, ...counts } = sumOf(all);
  const primitives = kinds.map(({ kind, all }) => [
    kind,
    all.map(({ id, decision, tokens }) => ({ [IDENTITY[kind]]: id, ...decision, tokens })),
  ]);
  return {
    configuration,
    ...counts,
    tokens: { encoding: ENCODING, ...tokens },
    counts: Object.fromEntries(kinds.map(({ kind, all }) => [kind, sumOf(all)])),
    ...Object.fromEntries(primitives),
  };
}

/** @returns the names of the visible primitives: tools, prompts, resources, then resource templates */
export const toNames = ({ all }: ListReport): readonly string[] => shownOf(all).map(({ id }) => id);
