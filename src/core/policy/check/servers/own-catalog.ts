import type { ServerCatalog } from '../../../engine/mapping.js';
import { byKind, KINDS, type Kind } from '../../../engine/policy.js';
import { insideName, ownForm, serverOf } from '../../../engine/servers/outside-names.js';

/** What a server lists, or several servers do. */
export interface SeveralCatalog extends ServerCatalog {
  /** Whether the server filters its lists itself, so that a name that it does not list may exist. */
  readonly isFiltered?: boolean | undefined;
  /** Of several servers, those that could not be listed, with the reason. */
  readonly unavailable?: Readonly<Record<string, string>> | undefined;
  /** Of several servers, the entries that the endpoint leaves out of their lists, each with where it is wrong. */
  readonly leftOut?: Readonly<Record<string, readonly string[]>> | undefined;
  /** In a catalog of facts: the encoding of the `tokens` of its primitives. It has no definitions to judge, or to compare with pins. */
  readonly encoding?: string | undefined;
  /** Whether it is that of one of several servers, whose names differ outside. */
  readonly isOneOfSeveral?: boolean | undefined;
  /** The lists that the server refused, with the reason: it may still have what was there. */
  readonly unlisted?: { readonly [K in Kind]?: string } | undefined;
}

/** The catalog of a server: the primitives that it lists, and its instructions. */
export interface PolicyCatalog extends SeveralCatalog {
  /** The text that the server sends to models in the result of `initialize`. */
  readonly instructions?: string | undefined;
}

/**
 * Whether the server refused a list, so that a name that it does not list may exist. Resources and their templates say
 * something about each other, so this is about both.
 *
 * @param catalog the lists that the server gave
 * @param kind the kind of the primitive
 */
export const isUnlisted = ({ unlisted = {} }: SeveralCatalog, kind: Kind): boolean =>
  KINDS.some((each) => unlisted[each] !== undefined && groupOf(each) === groupOf(kind));

const groupOf = (kind: Kind): Kind => (kind === 'resourceTemplates' ? 'resources' : kind);

/**
 * Returns the catalog of one of several servers, with the names that the server itself uses.
 *
 * @param catalog the catalog of all servers
 * @param slug the name of the server
 * @returns `undefined` if the catalog has nothing of this server: it may be down, so nothing is known
 * @example
 * ownCatalog(catalog, 'files')?.tools?.[0]?.name; // 'write'
 */
export function ownCatalog(catalog: SeveralCatalog | undefined, slug: string): SeveralCatalog | undefined {
  const lists = byKind((kind) =>
    catalog?.[kind]?.filter((each) => serverOf(each) === slug).map((each) => ownForm(kind, each)),
  );
  const { unavailable = {}, leftOut, encoding } = catalog ?? {};
  const own = leftOut?.[slug];
  const isListed = KINDS.some((kind) => lists[kind]?.length) && !Object.hasOwn(unavailable, slug);
  if (!isListed) return undefined;
  const told = own === undefined ? {} : { leftOut: { [slug]: own } };
  return { isFiltered: catalog?.isFiltered, isOneOfSeveral: true, encoding, ...told, ...lists };
}

/**
 * Whether a name can be one of a list that is not known, or of a server that could not be listed, so that it may exist.
 *
 * @param catalog what could be listed
 * @param kind the kind of the primitive
 * @param name its name, URI, URI template or a pattern of them
 */
export function mayExist(catalog: SeveralCatalog, kind: Kind, name: string): boolean {
  if (isUnlisted(catalog, kind)) return true;
  const absent = Object.keys(catalog.unavailable ?? {});
  const slug = insideName(kind, name)?.slug;
  return absent.length > 0 && (slug === undefined || absent.includes(slug));
}
