import type { Facts } from '../request/facts.js';

/** The members of every result that the protocol has. */
const KNOWN_MEMBERS = ['_meta', 'resultType', 'ttlMs', 'cacheScope'];

/**
 * Returns the members of a result besides a list. Under `enforce`, members that the protocol does not have are left out:
 * nothing tells what they reveal.
 */
export function otherMembers(facts: Facts, result: unknown, list: string): Record<string, unknown> {
  if (typeof result !== 'object' || result === null) return {};
  const others = Object.entries(result).filter(([name]) => name !== list && name !== 'nextCursor');
  const kept = facts.isEnforced ? others.filter(([name]) => KNOWN_MEMBERS.includes(name)) : others;
  return Object.fromEntries(kept);
}
