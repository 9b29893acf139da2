import { sha256Of } from '../../sha256.js';
import { membersOf, readOwn } from '../expression/evaluate.js';
import type { Kind } from '../policy.js';

/** Everything that one of several servers has names for. */
export type NamedKind = Kind | 'tasks';

/** What names an entry of each kind, and what stands between the server and its own name. `+` is legal in the scheme of a URI. */
const NAMING = {
  tools: { member: 'name', mark: '__' },
  prompts: { member: 'name', mark: '__' },
  resources: { member: 'uri', mark: '+' },
  resourceTemplates: { member: 'uriTemplate', mark: '+' },
  tasks: { member: 'taskId', mark: '+' },
} as const satisfies Record<NamedKind, { readonly member: string; readonly mark: string }>;

/** The member that names an entry of each list. */
export const NAMED_BY: Readonly<Record<NamedKind, string>> = {
  tools: NAMING.tools.member,
  prompts: NAMING.prompts.member,
  resources: NAMING.resources.member,
  resourceTemplates: NAMING.resourceTemplates.member,
  tasks: NAMING.tasks.member,
};

/** One of several servers, and what it calls something itself. */
export interface Inside {
  readonly slug: string;
  readonly own: string;
}

/** The keys of `_meta` that say which server lists an entry, and what it calls it. Only this module writes them. */
export const SERVER_META = 'io.github.mcp-concerns/server';
export const OWN_META = 'io.github.mcp-concerns/own';
/** The key of `_meta` of a list that says which servers are missing from it, and why. */
export const UNAVAILABLE_META = 'io.github.mcp-concerns/unavailable';

/** The key of `_meta` of a list that says which entries were left out, by server, and where they are wrong. */
export const LEFT_OUT_META = 'io.github.mcp-concerns/left-out';

const SLUG = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_SLUG = 24;
/** Hosts put `mcp__concerns__` before a name, and APIs of models allow 64 characters. */
const MAX_NAME = 48;
const DIGEST = 8;
/** APIs of models refuse all other characters. */
const FITS = /^[\w-]+$/;
const MINTED = /__[0-9a-f]{8}$/;

const digest = (text: string): string => sha256Of(text).slice(0, DIGEST);

/**
 * Returns the name of a server within the names of its primitives. It depends on the key alone, so adding, removing or
 * reordering servers renames nothing.
 *
 * @param key the key of the server in a host's file
 * @returns at most 24 characters: letters and digits, with single hyphens between
 * @example
 * slugOf('Azure DevOps'); // 'azure-devops'
 */
export function slugOf(key: string): string {
  const plain = key
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (plain === '') return `s${digest(key)}`;
  const slug = /^[a-z]/.test(plain) ? plain : `s-${plain}`;
  if (slug.length <= MAX_SLUG) return slug;
  return `${slug.slice(0, MAX_SLUG - DIGEST - 1).replace(/-+$/, '')}-${digest(key)}`;
}

/**
 * Returns the name that hosts see. A slug has neither `_` nor `+`, so the first mark ends it, and two servers never share a
 * name. The name of a tool or prompt that is too long, or that APIs of models refuse, is minted: it ends with `__` and a digest
 * of the whole name, and only the list tells what it stands for. No other name ends so.
 *
 * @example
 * outsideName('acme', 'tools', '_status'); // 'acme___status'
 * outsideName('acme', 'tools', 'get.status'); // 'acme__get_status__' and 8 digits
 */
export function outsideName(slug: string, kind: NamedKind, own: string): string {
  const { mark } = NAMING[kind];
  const full = fullName(slug, kind, own);
  if (mark === '+' || (full.length <= MAX_NAME && FITS.test(own) && !MINTED.test(full))) return full;
  return `${full.replace(/[^\w-]+/g, '_').slice(0, MAX_NAME - DIGEST - 2)}__${digest(full)}`;
}

/** Returns the name with which patterns are compared: as it is before it is minted. */
export const fullName = (slug: string, kind: NamedKind, own: string): string =>
  `${slug}${NAMING[kind].mark}${own}`;

/** Whether only the list tells what a name of a tool or prompt stands for. */
export const isMinted = (name: string): boolean => MINTED.test(name);

/**
 * Returns which server a name outside belongs to, and what that server calls it.
 *
 * @returns `undefined` if it is not a name of one of several servers, or if only the list tells
 * @example
 * insideName('resources', 'files+file:///a'); // { slug: 'files', own: 'file:///a' }
 */
export function insideName(kind: NamedKind, outside: string): Inside | undefined {
  const { mark } = NAMING[kind];
  const at = outside.indexOf(mark);
  const slug = outside.slice(0, at);
  if (at <= 0 || slug.length > MAX_SLUG || !SLUG.test(slug)) return undefined;
  return { slug, own: outside.slice(at + mark.length) };
}

/** The names of the servers in front of one server: its names are its own. */
export const ONE_SERVER: ReadonlySet<string> = new Set();

/** Rewrites the URI that a server gets; a URI that belongs to none of the servers as a whole. */
export function inOwnUri(
  servers: ReadonlySet<string>,
  uri: string,
  forms: (own: string) => readonly string[],
): readonly string[] {
  const inside = servers.size === 0 ? undefined : insideName('resources', uri);
  if (inside === undefined || !servers.has(inside.slug)) return forms(uri);
  return forms(inside.own).map((own) => outsideName(inside.slug, 'resources', own));
}

/** The members of `_meta` in which a tool names the page that shows its result. */
const PAGE_MEMBERS = ['ui/resourceUri', 'openai/outputTemplate'];

/**
 * Gives what one server lists the name that it has outside, also that of its page. The list that it is from decides which
 * member is its name, whatever other members it has. Texts stay as they are.
 *
 * @returns a copy
 * @example
 * outsideEntry('files', 'tools', { name: 'write' }).name; // 'files__write'
 */
export function outsideEntry(slug: string, kind: NamedKind, entry: object): Record<string, unknown> {
  const { member } = NAMING[kind];
  const given = readOwn(entry, member);
  const own = typeof given === 'string' ? given : '';
  const names = { [SERVER_META]: slug, [OWN_META]: { [member === 'name' ? 'name' : 'uri']: own } };
  const page = (uri: string) => outsideName(slug, 'resources', uri);
  const _meta = { ...withPages(readOwn(entry, '_meta'), page), ...names };
  return { ...entry, [member]: outsideName(slug, kind, own), _meta };
}

function withPages(meta: unknown, rename: (uri: string) => string): Record<string, unknown> {
  const members = { ...membersOf(meta) };
  for (const key of PAGE_MEMBERS) {
    const uri = members[key];
    if (typeof uri === 'string') members[key] = rename(uri);
  }
  const uri = readOwn(members.ui, 'resourceUri');
  if (typeof uri === 'string') members.ui = { ...membersOf(members.ui), resourceUri: rename(uri) };
  return members;
}

interface Listed {
  readonly _meta?: unknown;
}

/** Returns the name of the server that lists a primitive, if it is one of several. */
export const serverOf = ({ _meta }: Listed): unknown => readOwn(_meta, SERVER_META);

/** Returns what one of several servers calls a primitive: `{ name }` or `{ uri }`. */
export const ownNames = ({ _meta }: Listed): unknown => readOwn(_meta, OWN_META);

/**
 * Returns what `outsideEntry` noted of an entry.
 *
 * @returns `undefined` if the entry is that of a single server
 */
export function insideOf(entry: Listed): Inside | undefined {
  const slug = serverOf(entry);
  const names = ownNames(entry);
  const own = readOwn(names, 'name') ?? readOwn(names, 'uri');
  return typeof slug === 'string' && typeof own === 'string' ? { slug, own } : undefined;
}

/** Returns the names that a tool or prompt of one of several servers had in earlier versions: policies may still have them. */
export function formerNames(entry: Listed & { readonly name?: unknown }): readonly string[] {
  const inside = insideOf(entry);
  if (inside === undefined || typeof entry.name !== 'string' || !isMinted(entry.name)) return [];
  const full = fullName(inside.slug, 'tools', inside.own);
  return [full.length <= MAX_NAME ? full : `${full.slice(0, MAX_NAME - DIGEST - 1)}_${digest(full)}`];
}

/** Returns the servers that list primitives; none if these are of one server. */
export function serversIn(items: readonly Listed[]): ReadonlySet<string> {
  const slugs = items.flatMap((item) => insideOf(item)?.slug ?? []);
  return slugs.length === 0 ? ONE_SERVER : new Set(slugs);
}

/**
 * Returns a primitive as its server lists it: without the name and the members of `_meta` that it has outside.
 *
 * @returns the same object if it is not of one of several servers
 */
export function ownForm<T extends Listed>(kind: Kind, primitive: T): T {
  const inside = insideOf(primitive);
  if (inside === undefined) return primitive;
  const { _meta, ...rest } = primitive;
  const prefix = `${inside.slug}+`;
  const own = (uri: string) => (uri.startsWith(prefix) ? uri.slice(prefix.length) : uri);
  const { [SERVER_META]: _server, [OWN_META]: _own, ...others } = withPages(_meta, own);
  const meta = Object.keys(others).length === 0 ? {} : { _meta: others };
  return { ...rest, [NAMING[kind].member]: inside.own, ...meta } as unknown as T;
}
