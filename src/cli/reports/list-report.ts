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

/** One primitive of a server: whether it stays and why, and what its definition costs. */
export interface Judged {
  readonly id: string;
  readonly tokens: number;
  readonly decision: Decision;
}

/** What a configuration makes of a server. */
export interface Report {
  readonly configuration: ReturnType<typeof describeConfiguration>;
  readonly kinds: readonly { readonly kind: Kind; readonly all: readonly Judged[] }[];
}

/** A primitive before anybody asked: what the policy says of it, and what its definition costs. */
interface Weighed {
  readonly id: string;
  readonly tokens: number;
  readonly mapping: Mapping;
}

/** The primitives of a server that way, by kind, in the server's order. */
export type Weighing = readonly { readonly kind: Kind; readonly all: readonly Weighed[] }[];

/**
 * Finds what is the same for all configurations.
 *
 * @param policy the policy
 * @param surface the server's definitions
 * @param tokensOf counts the tokens of a definition
 * @returns all primitives, to be judged
 */
export function weighSurface(
  policy: Policy,
  surface: ServerCatalog,
  tokensOf: (definition: object) => number,
): Weighing {
  return KINDS.flatMap((kind) => {
    const items = surface[kind];
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
 * Judges every primitive of a server.
 *
 * @param policy the policy
 * @param configuration what a host asks for
 * @param weighing the server's primitives
 * @returns all of them, by kind, in the server's order
 * @example
 * const { kinds } = judge(policy, configuration, weighSurface(policy, surface, await loadTokenCounter()));
 */
export function judge(policy: Policy, configuration: Configuration, weighing: Weighing): Report {
  const kinds = weighing.map(({ kind, all }) => ({
    kind,
    all: all.map(({ id, tokens, mapping }) => ({
      id,
      tokens,
      decision: evaluate(policy, mapping, configuration),
    })),
  }));
  return { configuration: describeConfiguration(policy, configuration), kinds };
}

/** How many primitives there are and what they cost, those that stay and those that go. */
export interface Sum {
  readonly total: number;
  readonly shown: number;
  readonly hidden: number;
  readonly tokens: { readonly total: number; readonly shown: number; readonly saved: number };
}

/** @returns the sum over some primitives */
export function sumOf(all: readonly Judged[]): Sum {
  const kept = all.filter(({ decision }) => decision.effect === 'show');
  const cost = (some: readonly Judged[]) => some.reduce((sum, { tokens }) => sum + tokens, 0);
  const tokens = { total: cost(all), shown: cost(kept) };
  return {
    total: all.length,
    shown: kept.length,
    hidden: all.length - kept.length,
    tokens: { ...tokens, saved: tokens.total - tokens.shown },
  };
}

/** @returns the report as one JSON value; primitives are named by the key that MCP names them by */
export function toJson({ configuration, kinds }: Report): object {
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

/** @returns what stays, one a line: tools, then prompts, resources and resource templates */
export function toNames({ kinds }: Report): readonly string[] {
  return kinds.flatMap(({ all }) =>
    all.filter(({ decision }) => decision.effect === 'show').map(({ id }) => id),
  );
}
