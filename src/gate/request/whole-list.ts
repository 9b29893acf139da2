import type { Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import { bindCatalog, type Catalog } from '../../engine/select.js';
import { read } from '../../wire/messages.js';

/** A server's whole list: its primitives, bound to a policy, and the other members of its first page. */
export interface WholeList {
  readonly bound: Catalog<Primitive>;
  readonly rest: Record<string, unknown>;
}

/** Returns the primitives of a list result; `undefined` if the result has no list of that kind. */
export function itemsOf(kind: Kind, result: unknown): readonly Primitive[] | undefined {
  const items = read(result, kind);
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : undefined;
}

/** Joins the pages of one list and binds them to a policy. */
export function wholeListOf(
  policy: Policy,
  kind: Kind,
  pages: readonly Record<string, unknown>[],
): WholeList {
  const items = pages.flatMap((page) => itemsOf(kind, page) ?? []);
  const { [kind]: _items, nextCursor: _cursor, ...rest } = pages[0] ?? {};
  return { bound: bindCatalog(policy, kind, items), rest };
}
