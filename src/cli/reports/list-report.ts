import { type Configuration, describeConfiguration } from '../../engine/configuration.js';
import { evaluate } from '../../engine/evaluate.js';
import { IDENTITY, primitivesIn, type ServerCatalog } from '../../engine/mapping.js';
import { mapListed } from '../../engine/pins.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { ENCODING, type TokenCounter } from '../inputs/token-counter.js';

/** The decisions about all primitives of a server, for one configuration. */
export type ListReport = ReturnType<typeof decideAll>;

/** One primitive of a server, and the decision about it. */
export type DecidedPrimitive = ListReport['all'][number];

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
export const weighCatalog = (policy: Policy, catalog: ServerCatalog, tokensOf: TokenCounter) =>
  primitivesIn(catalog).map((each) => ({
    ...each,
    tokens: tokensOf(each.primitive),
    mapping: mapListed(policy, each.kind, each.primitive),
  }));

/**
 * Decides about every primitive of a server.
 *
 * @param configuration the configuration
 * @param weighed the primitives, from `weighCatalog`
 * @returns the decisions, by kind, in the order of the server
 * @example
 * const { all } = decideAll(configuration, weighed);
 */
export const decideAll = (configuration: Configuration, weighed: ReturnType<typeof weighCatalog>) => ({
  configuration: describeConfiguration(configuration),
  all: weighed.map((each) => ({ ...each, decision: evaluate(each.mapping, configuration) })),
});

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
export function toJson({ configuration, all }: ListReport, catalog: ServerCatalog): object {
  const { tokens, ...counts } = sumOf(all);
  // A list that is empty has its key, too.
  const kinds = KINDS.filter((kind) => catalog[kind] !== undefined);
  const of = (kind: Kind) => all.filter((each) => each.kind === kind);
  const primitives = kinds.map((kind) => [
    kind,
    of(kind).map(({ name, decision, tokens }) => ({ [IDENTITY[kind]]: name, ...decision, tokens })),
  ]);
  return {
    configuration,
    ...counts,
    tokens: { encoding: ENCODING, ...tokens },
    counts: Object.fromEntries(kinds.map((kind) => [kind, sumOf(of(kind))])),
    ...Object.fromEntries(primitives),
  };
}

/** @returns the names of the visible primitives: tools, prompts, resources, then resource templates */
export const toNames = ({ all }: ListReport): readonly string[] => shownOf(all).map(({ name }) => name);
