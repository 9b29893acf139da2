import { sha256Of } from '../sha256.js';
import { membersOf, read, SERVER_META } from './messages.js';

const SLUG = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_SLUG = 24;
/** Hosts put `mcp__concerns__` before a name, and APIs of models allow 64 characters. */
const MAX_NAME = 48;
const DIGEST = 8;

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
 * Returns the name of a tool or prompt of one of several servers. A slug has no `_`, so the first `__` ends it, and two
 * servers never share a name.
 *
 * @example
 * joinName('acme', '_status'); // 'acme___status'
 */
export function joinName(slug: string, name: string): string {
  const full = `${slug}__${name}`;
  if (full.length <= MAX_NAME) return full;
  return `${full.slice(0, MAX_NAME - DIGEST - 1)}_${digest(full)}`;
}

/** Whether a name may have been shortened, so that only the list tells the server's own name. */
export const isShortened = (name: string): boolean => name.length === MAX_NAME && /_[0-9a-f]{8}$/.test(name);

/** `+` is legal in the scheme of a URI (RFC 3986, section 3.1), and not in a slug. */
export const joinUri = (slug: string, uri: string): string => `${slug}+${uri}`;

/**
 * Returns which server a name, URI or task id belongs to, and what that server calls it.
 *
 * @param full the name outside
 * @param mark what ends the slug: `__` in names, `+` in URIs and task ids
 * @returns `undefined` if it is not a name of one of several servers
 * @example
 * split('files+file:///a', '+'); // { slug: 'files', own: 'file:///a' }
 */
export function split(full: string, mark: '__' | '+'): Inside | undefined {
  const at = full.indexOf(mark);
  const slug = full.slice(0, at);
  if (at <= 0 || slug.length > MAX_SLUG || !SLUG.test(slug)) return undefined;
  return { slug, own: full.slice(at + mark.length) };
}

/** The key of `_meta` that has what the server itself calls a primitive: rules of its own policy compare this name. */
const OWN_META = 'io.github.mcp-concerns/own';

/** The key of `_meta` of a list that says which servers are missing from it, and why. */
export const UNAVAILABLE_META = 'io.github.mcp-concerns/unavailable';

/** What names an entry of a list, the most telling first: resources also have a name, which stays as it is. */
const IDENTITIES = ['uri', 'uriTemplate', 'taskId', 'name'];

/**
 * Gives what one server lists the name that it has outside, also that of its page. Texts stay as they are.
 *
 * @param slug the name of the server
 * @param entry a primitive or a task, as the server lists it
 * @returns a copy
 * @example
 * outsideEntry('files', { name: 'write' }).name; // 'files__write'
 */
export function outsideEntry(slug: string, entry: object): Record<string, unknown> {
  const key = IDENTITIES.find((each) => typeof read(entry, each) === 'string');
  const own = key === undefined ? '' : String(read(entry, key));
  const named = key === undefined ? {} : { [key]: key === 'name' ? joinName(slug, own) : joinUri(slug, own) };
  const meta = { [SERVER_META]: slug, [OWN_META]: { [key === 'name' ? 'name' : 'uri']: own } };
  const page = read(entry, '_meta', 'ui', 'resourceUri');
  const ui = typeof page === 'string' && {
    ui: { ...membersOf(read(entry, '_meta', 'ui')), resourceUri: joinUri(slug, page) },
  };
  return { ...entry, ...named, _meta: { ...membersOf(read(entry, '_meta')), ...ui, ...meta } };
}

/** What one of several servers lists: which server, and what it calls it. */
export interface Inside {
  readonly slug: string;
  readonly own: string;
}

/**
 * Returns what `outsideEntry` noted of an entry.
 *
 * @param entry an entry of a list
 * @returns `undefined` if the entry is that of a single server
 * @example
 * insideOf(outsideEntry('files', { name: 'write' })); // { slug: 'files', own: 'write' }
 */
export function insideOf(entry: { readonly _meta?: unknown }): Inside | undefined {
  const slug = read(entry._meta, SERVER_META);
  const own = read(entry._meta, OWN_META, 'name') ?? read(entry._meta, OWN_META, 'uri');
  return typeof slug === 'string' && typeof own === 'string' ? { slug, own } : undefined;
}
