import { nameIn } from '../../gate/table/routes.js';
import { type Members, membersOf, RELATED_TASK_META, read } from '../../wire/messages.js';
import { joinUri, split } from '../../wire/server-names.js';
import type { Params } from '../call.js';

/** A name in the params of a request: where it is, and whose it is. */
export interface ServerName {
  readonly path: readonly string[];
  /** The name that it has outside. */
  readonly full: string;
  readonly isName: boolean;
  readonly slug: string;
  readonly own: string;
}

/**
 * Returns which primitive or task a request names, as its server calls it.
 *
 * @returns `undefined` if it names none of several servers
 */
export function targetIn(method: string, params: Params): ServerName | undefined {
  const named = method.startsWith('tasks/') ? { type: 'uri', path: ['taskId'] } : nameIn(method, params);
  const given = named && read(params, ...named.path);
  if (named === undefined || typeof given !== 'string') return undefined;
  const isName = named.type !== 'uri';
  const found = split(given, isName ? '__' : '+');
  return found && { path: named.path, full: given, isName, ...found };
}

/** The places in a result, or in the params of a notification, that name a resource or a task by its id. `*` is each item. */
const PLACES: readonly (readonly string[])[] = [
  ['content', '*', 'uri'],
  ['content', '*', 'resource', 'uri'],
  // A task of the extension has the result of its tool in its own state.
  ['result', 'content', '*', 'uri'],
  ['result', 'content', '*', 'resource', 'uri'],
  ['contents', '*', 'uri'],
  ['messages', '*', 'content', 'uri'],
  ['messages', '*', 'content', 'resource', 'uri'],
  ['task', 'taskId'],
  ['taskId'],
  ['uri'],
  ['_meta', RELATED_TASK_META, 'taskId'],
  ['_meta', 'ui', 'resourceUri'],
];

/** Gives what one server answers or tells the names that hosts can send back. Texts stay as they are. */
export const renameResult = (slug: string, result: Members): Members =>
  PLACES.reduce((renamed, place) => membersOf(renameAt(slug, renamed, place)), result);

function renameAt(slug: string, value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return typeof value === 'string' ? joinUri(slug, value) : value;
  if (key === '*') return Array.isArray(value) ? value.map((each) => renameAt(slug, each, rest)) : value;
  // Most results have few of these places, and stay the same object.
  if (read(value, key) === undefined) return value;
  const members = membersOf(value);
  return { ...members, [key]: renameAt(slug, members[key], rest) };
}
