import { IDENTITY, type Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { type Inside, insideName, outsideEntry } from '../../engine/servers/outside-names.js';
import { type Request, read } from '../../wire/messages.js';
import type { Lists } from '../request/decision.js';
import { KINDS_OF, targetOf } from '../table/routing.js';

type Servers = Pick<Lists, 'servers'>;

/** Returns whether several servers are behind the gate. */
export const areSeveral = ({ servers }: Servers): boolean => servers.size > 0;

/** Returns which of the servers behind the gate a name or URI belongs to, and what that server calls it. */
export function insideOfName(
  { servers }: Servers,
  kind: Kind | 'tasks',
  identity: string,
): Inside | undefined {
  const inside = insideName(kind, identity);
  return inside !== undefined && servers.has(inside.slug) ? inside : undefined;
}

/** Returns the primitive of which only the name or URI is known. Behind several servers that tells its server. */
export function barePrimitive(lists: Servers, kind: Kind, identity: string): Primitive {
  const bare = { [IDENTITY[kind]]: identity };
  const inside = insideOfName(lists, kind, identity);
  if (inside === undefined) return bare;
  return { ...outsideEntry(inside.slug, kind, { [IDENTITY[kind]]: inside.own }), ...bare };
}

/** Returns which of several servers answers a request; `undefined` if there is one, or if all do. */
export function serverOf(lists: Servers, request: Request): Inside | undefined {
  if (!areSeveral(lists)) return undefined;
  const target = targetOf(request);
  if (target !== undefined) return insideOfName(lists, KINDS_OF[target.type][0], target.name);
  const taskId = read(request.params, 'taskId');
  return typeof taskId === 'string' ? insideOfName(lists, 'tasks', taskId) : undefined;
}
