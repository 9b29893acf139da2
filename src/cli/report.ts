import { type Configuration, describeConfiguration } from '../engine/configuration.js';
import { evaluate, type Verdict } from '../engine/evaluate.js';
import type { Surface } from '../engine/mapping.js';
import { IDENTITY, identityOf, mapPrimitive } from '../engine/mapping.js';
import { KINDS, type Kind, type Policy } from '../engine/policy.js';
import { ENCODING } from './tokens.js';

/** One primitive of a server: whether it stays and why, and what its definition costs. */
export interface Judged {
  readonly id: string;
  readonly tokens: number;
  readonly verdict: Verdict;
}

/** What a configuration makes of a server. */
export interface Report {
  readonly configuration: ReturnType<typeof describeConfiguration>;
  readonly kinds: readonly { readonly kind: Kind; readonly all: readonly Judged[] }[];
}

/**
 * Judges every primitive of a server.
 *
 * @param policy the policy
 * @param configuration what a host asks for
 * @param surface the server's definitions
 * @param tokensOf counts the tokens of a definition
 * @returns all of them, by kind, in the server's order
 * @example
 * const { kinds } = judge(policy, configuration, surface, await loadTokenCounter());
 */
export function judge(
  policy: Policy,
  configuration: Configuration,
  surface: Surface,
  tokensOf: (definition: object) => number,
): Report {
  const kinds = KINDS.flatMap((kind) => {
    const items = surface[kind];
    if (items === undefined) return [];
    const all = items.map((item): Judged => {
      const verdict = evaluate(policy, mapPrimitive(policy, kind, item), configuration);
      return { id: identityOf(kind, item), tokens: tokensOf(item), verdict };
    });
    return [{ kind, all }];
  });
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
  const kept = all.filter(({ verdict }) => verdict.shown);
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
    const primitives = all.map(({ id, verdict, tokens }) => ({ [IDENTITY[kind]]: id, ...verdict, tokens }));
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
  return kinds.flatMap(({ all }) => all.filter(({ verdict }) => verdict.shown).map(({ id }) => id));
}
