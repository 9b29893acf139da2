import { IDENTITY, type Primitive } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { type Request, read } from '../../wire/messages.js';
import { type Inside, insideOf, outsideEntry, split } from '../../wire/server-names.js';
import type { Lists } from '../request/decision.js';
import { insideOfTarget, targetOf } from '../table/routing.js';

type Listed = { readonly [K in Kind]?: { readonly items: readonly Primitive[] } | undefined };

/** Returns whether several servers are behind the gate; `undefined` if the lists that are known have no entry. */
export function areSeveral(lists: Listed): boolean | undefined {
  for (const kind of KINDS) {
    const [first] = lists[kind]?.items ?? [];
    if (first !== undefined) return insideOf(first) !== undefined;
  }
  return undefined;
}

const isNamed = (kind: Kind): boolean => kind === 'tools' || kind === 'prompts';

/** Returns which of several servers a name or URI belongs to, and what that server calls it. */
export const insideOfName = (kind: Kind, identity: string): Inside | undefined =>
  split(identity, isNamed(kind) ? '__' : '+');

/** Returns the primitive of which only the name or URI is known. Behind several servers that tells its server. */
export function barePrimitive(lists: Listed, kind: Kind, identity: string): Primitive {
  const bare = { [IDENTITY[kind]]: identity };
  const inside = areSeveral(lists) === false ? undefined : insideOfName(kind, identity);
  if (inside === undefined) return bare;
  return { ...outsideEntry(inside.slug, { [IDENTITY[kind]]: inside.own }), ...bare };
}

/** Returns which of several servers answers a request; `undefined` if there is one, or if all do. */
export function serverOf(lists: Lists, request: Request): Inside | undefined {
  if (areSeveral(lists) !== true) return undefined;
  const target = targetOf(request);
  if (target !== undefined) return insideOfTarget(target);
  const taskId = read(request.params, 'taskId');
  return typeof taskId === 'string' ? split(taskId, '+') : undefined;
}
