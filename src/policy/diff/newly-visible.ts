import { IDENTITY, identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import { type CompiledPolicy, KINDS, type Kind } from '../../engine/policy.js';
import { compareSides } from './compare.js';
import { describeCondition } from './conditions.js';

/** A primitive that a change of a policy shows to some host or caller that did not see it. */
export interface NewlyVisible {
  readonly kind: Kind;
  /** `undefined` if no primitive of today is meant, but one that the server can add. */
  readonly name: string | undefined;
  /** A pattern or entry that such a primitive would match; `undefined` for one that matches nothing. */
  readonly like: string | undefined;
  readonly when: string;
}

const PROBE = 'mcp-concerns-probe';

/**
 * Finds what a change of a policy opens: on what the server lists now, and on what it may list later. Each pattern and each
 * entry of either policy gets a primitive that it matches, and each kind one that matches nothing.
 *
 * @param before the policy as it is
 * @param after the policy as it would be
 * @param catalog what the server lists
 * @returns what becomes visible, and when; empty if the change opens nothing
 * @example
 * newlyVisible(before, after, catalog).length === 0; // the change may be written
 */
export function newlyVisible(
  before: CompiledPolicy,
  after: CompiledPolicy,
  catalog: ServerCatalog,
): readonly NewlyVisible[] {
  const listed = new Set<string>();
  const likes = new Map<string, string | undefined>();
  const probed = Object.fromEntries(
    KINDS.map((kind): [Kind, Primitive[]] => {
      const own = catalog[kind] ?? [];
      for (const each of own) listed.add(`${kind} ${identityOf(kind, each)}`);
      const names = [before, after].flatMap(({ patterns, primitives }) => [
        ...patterns[kind].map(({ name }) => [name.replaceAll('*', PROBE), name] as const),
        ...primitives[kind].map(({ name }) => [name, name] as const),
      ]);
      const probes = new Map<string, string | undefined>([...names, [PROBE, undefined]]);
      const added = [...probes].filter(([name]) => !listed.has(`${kind} ${name}`));
      for (const [name, like] of added) likes.set(`${kind} ${name}`, like);
      return [kind, [...own, ...added.map(([name]): Primitive => ({ [IDENTITY[kind]]: name }))]];
    }),
  );
  const { groups } = compareSides(
    { compiled: before, catalog: probed },
    { compiled: after, catalog: probed },
  );
  return groups.flatMap(({ shown, when }) =>
    shown.map(({ kind, name }) => {
      const key = `${kind} ${name}`;
      return {
        kind,
        name: listed.has(key) ? name : undefined,
        like: likes.get(key),
        when: describeCondition(when),
      };
    }),
  );
}
