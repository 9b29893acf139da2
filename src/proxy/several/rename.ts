import { insideName, type NamedKind, outsideName } from '../../core/engine/servers/outside-names.js';
import { nameIn } from '../../core/gate/table/routes.js';
import { KINDS_OF } from '../../core/gate/table/routing.js';
import { type Members, membersOf, RELATED_TASK_META, read } from '../../core/wire/messages.js';
import type { Params } from '../call.js';

/** A name in the params of a request: where it is, and whose it is. */
export interface ServerName {
  readonly path: readonly string[];
  readonly kind: NamedKind;
  /** The name that it has outside. */
  readonly outside: string;
  readonly slug: string;
}

/**
 * Returns which primitive or task a request names, as its server calls it.
 *
 * @returns `undefined` if it names none of several servers
 */
export function targetIn(method: string, params: Params): ServerName | undefined {
  const named = method.startsWith('tasks/') ? undefined : nameIn(method, params);
  const kind = named === undefined ? 'tasks' : KINDS_OF[named.type][0];
  const path = named?.path ?? ['taskId'];
  const outside = read(params, ...path);
  const slug = typeof outside === 'string' ? insideName(kind, outside)?.slug : undefined;
  return typeof outside !== 'string' || slug === undefined ? undefined : { path, kind, outside, slug };
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
  if (key === undefined) return typeof value === 'string' ? outsideName(slug, 'resources', value) : value;
  if (key === '*') return Array.isArray(value) ? value.map((each) => renameAt(slug, each, rest)) : value;
  // Most results have few of these places, and stay the same object.
  if (read(value, key) === undefined) return value;
  const members = membersOf(value);
  return { ...members, [key]: renameAt(slug, members[key], rest) };
}
