import { type Configuration, describeConfiguration } from '../../core/engine/configuration.js';
import { type Decision, evaluate } from '../../core/engine/evaluate.js';
import {
  IDENTITY,
  type Mapping,
  type Primitive,
  primitivesIn,
  type ServerCatalog,
} from '../../core/engine/mapping.js';
import { mapListed } from '../../core/engine/pins.js';
import { KINDS, type Kind, type Policy } from '../../core/engine/policy.js';
import { narrowTool } from '../../core/engine/uses/narrow.js';
import { type Remaining, remainingOf } from '../../core/engine/uses/remaining.js';
import { usesOf } from '../../core/engine/uses/tool-uses.js';
import { ENCODING, type TokenCounter } from '../inputs/token-counter.js';
import { leftInWords } from './left-in-words.js';

/** The decisions about all primitives of a server, for one configuration. */
export interface ListReport {
  /** The values in effect, by concern. */
  readonly configuration: Readonly<Record<string, string | number | readonly (string | number)[]>>;
  readonly all: readonly DecidedPrimitive[];
}

/** One primitive of a server, with what every configuration needs of it. */
export interface WeighedPrimitive {
  readonly kind: Kind;
  readonly name: string;
  readonly primitive: Primitive;
  readonly mapping: Mapping;
  /** The tokens of its definition as the server lists it. */
  readonly tokens: number;
  readonly tokensOf: TokenCounter;
}

/** One primitive of a server, and the decision about it. */
export interface DecidedPrimitive extends WeighedPrimitive {
  readonly asShown: AsShown;
  readonly decision: Decision;
}

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
export const weighCatalog = (
  policy: Policy,
  catalog: ServerCatalog,
  tokensOf: TokenCounter,
): readonly WeighedPrimitive[] =>
  primitivesIn(catalog).map((each) => ({
    ...each,
    tokens: tokensOf(each.primitive),
    tokensOf,
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
export const decideAll = (
  configuration: Configuration,
  weighed: readonly WeighedPrimitive[],
): ListReport => ({
  configuration: describeConfiguration(configuration),
  all: weighed.map((each) => ({
    ...each,
    asShown: asShown(configuration, each),
    decision: evaluate(each.mapping, configuration),
  })),
});

/** What hosts get of a primitive. */
export interface AsShown {
  readonly primitive: Primitive;
  readonly tokens: number;
  /** What is left of the arguments of a tool of which not every call is left. */
  readonly left: readonly Remaining[];
}

function asShown(
  configuration: Configuration,
  { kind, primitive, tokens, tokensOf }: WeighedPrimitive,
): AsShown {
  const uses = kind === 'tools' ? usesOf(configuration.policy, primitive) : undefined;
  const left = uses && remainingOf(uses, configuration);
  if (uses === undefined || left === undefined || left.isSame) return { primitive, tokens, left: [] };
  const isEnforced = configuration.policy.settings.enforcement === 'enforce';
  const narrowed = narrowTool(uses, left, primitive, isEnforced);
  return { primitive: narrowed, tokens: tokensOf(narrowed), left: left.parts };
}

/** @returns the visible ones of some primitives */
export const shownOf = (all: readonly DecidedPrimitive[]): DecidedPrimitive[] =>
  all.filter(({ decision }) => decision.effect === 'show');

/** @returns the definitions of the visible tools, in the order of the server */
export const shownTools = ({ all }: ListReport): object[] =>
  shownOf(all).flatMap(({ kind, asShown }) => (kind === 'tools' ? [asShown.primitive] : []));

/** The number and the tokens of some primitives. */
export interface ListSum {
  readonly total: number;
  readonly shown: number;
  readonly hidden: number;
  readonly tokens: { readonly total: number; readonly shown: number; readonly saved: number };
}

/** @returns the number and the tokens of some primitives: all, shown and hidden */
export function sumOf(all: readonly DecidedPrimitive[]): ListSum {
  const visible = shownOf(all);
  const tokens = {
    total: all.reduce((sum, each) => sum + each.tokens, 0),
    shown: visible.reduce((sum, { asShown }) => sum + asShown.tokens, 0),
  };
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
    of(kind).map(({ name, decision, tokens, asShown }) => ({
      [IDENTITY[kind]]: name,
      ...decision,
      tokens: decision.effect === 'show' ? asShown.tokens : tokens,
      ...(decision.effect === 'show' && asShown.left.length > 0
        ? { arguments: leftInWords(asShown.left) }
        : {}),
    })),
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
