import type { ConcernWarning } from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import { bindCatalog, type Catalog } from '../../engine/select.js';
import { ONE_SERVER } from '../../engine/servers/outside-names.js';
import { read } from '../../wire/messages.js';
import { strictestHints } from '../../wire/page-walker.js';
import { isReserved } from '../table/routes.js';

/** A server's whole list: its primitives, bound to a policy, and the other members of its first page. */
export interface WholeList {
  readonly bound: Catalog<Primitive>;
  readonly rest: Record<string, unknown>;
  /** For the log. */
  readonly warnings: readonly ConcernWarning[];
}

/** Lists of the server, bound to the policy. One that the server does not have is missing. */
export type Lists = { readonly [K in Kind]?: Catalog<Primitive> | undefined } & {
  /** The servers whose names the lists have; none if there is one server, whose names are its own. */
  readonly servers: ReadonlySet<string>;
};

/** What is known of one server before it listed anything, and where no list and no name of one of several servers is read. */
export const NO_LISTS: Lists = { servers: ONE_SERVER };

/** Returns the primitives of a list result; `undefined` if the result has no list of that kind. */
export function itemsOf(kind: Kind, result: unknown): readonly Primitive[] | undefined {
  const items = read(result, kind);
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : undefined;
}

const RESERVED_NAME: ConcernWarning = {
  code: 'reserved-name',
  message: 'The server has a primitive with a name that is reserved for "settings.panel". It is left out.',
};

/** Leaves out what has a name that is reserved for the gate. The same list if there is none. */
export function withoutReserved(
  { settings }: Policy,
  kind: Kind,
  listed: readonly Primitive[],
): { readonly items: readonly Primitive[]; readonly warnings: readonly ConcernWarning[] } {
  const isOurs = (item: Primitive): boolean => isReserved(settings, kind, identityOf(kind, item));
  return listed.some(isOurs)
    ? { items: listed.filter((item) => !isOurs(item)), warnings: [RESERVED_NAME] }
    : { items: listed, warnings: [] };
}

/** Joins the pages of one list and binds them to a policy. */
export function wholeListOf(
  policy: Policy,
  kind: Kind,
  pages: readonly Record<string, unknown>[],
  servers: ReadonlySet<string>,
): WholeList {
  const listed = pages.flatMap((page) => itemsOf(kind, page) ?? []);
  const { items, warnings } = withoutReserved(policy, kind, listed);
  const { [kind]: _items, nextCursor: _cursor, ...rest } = pages[0] ?? {};
  return {
    bound: bindCatalog(policy, kind, items, servers),
    rest: { ...rest, ...strictestHints(pages) },
    warnings,
  };
}
