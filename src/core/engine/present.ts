import { membersOf } from './expression/evaluate.js';
import { identityOf, type Primitive } from './mapping.js';
import type { Kind, Policy, Presentation } from './policy.js';

/** The value of each hint that promises the least harm. */
export const HARMLESS_HINTS: ReadonlyMap<string, boolean> = new Map([
  ['readOnlyHint', true],
  ['destructiveHint', false],
  ['idempotentHint', true],
  ['openWorldHint', false],
]);

/**
 * Returns a primitive as hosts get it. Rules, `assign` and pins read what the server lists.
 *
 * @param policy the policy
 * @param kind the kind of the primitive
 * @param primitive the primitive as the server lists it
 * @returns the same primitive if the policy does not present it
 * @example
 * present(policy, 'tools', { name: 'tree' }).title; // 'List a folder'
 */
export function present<T extends Primitive>(policy: Policy, kind: Kind, primitive: T): T {
  const own = kind === 'tools' ? policy.presented.get(identityOf(kind, primitive)) : undefined;
  if (own === undefined) return primitive;
  const { annotations: hints, ...texts } = own;
  if (hints === undefined) return { ...primitive, ...texts };
  const weaker = weakerHints(primitive, own);
  const added = Object.entries(hints).filter(([hint]) => !weaker.includes(hint));
  return {
    ...primitive,
    ...texts,
    annotations: { ...annotationsOf(primitive), ...Object.fromEntries(added) },
  };
}

/**
 * Returns the hints that promise less harm than the server does. They are not presented: a host may run a tool without asking
 * because of such a hint.
 *
 * @param primitive the tool as the server lists it
 * @param presented how the policy presents it
 * @returns the names of the hints
 * @example
 * weakerHints({ annotations: { destructiveHint: true } }, { annotations: { readOnlyHint: true } }); // ['readOnlyHint']
 */
export function weakerHints(primitive: Primitive, { annotations = {} }: Presentation): readonly string[] {
  const own = annotationsOf(primitive);
  return Object.entries(annotations).flatMap(([hint, value]) => {
    const isHarmless = HARMLESS_HINTS.get(hint) === value;
    const isDenied = own[hint] === !value || (hint === 'readOnlyHint' && own.destructiveHint === true);
    return isHarmless && isDenied ? [hint] : [];
  });
}

/** @returns the annotations of a primitive; empty if it has none */
export const annotationsOf = ({ annotations }: Primitive): Readonly<Record<string, unknown>> =>
  membersOf(annotations);
