import type { CallAnswer } from '../../wire/calls.js';
import { ERRORS, type Era, LISTS, type Members, membersOf, refusal, TASK_LIST } from '../../wire/messages.js';
import { strictestHints } from '../../wire/page-walker.js';
import { outsideEntry, UNAVAILABLE_META } from '../../wire/server-names.js';
import type { ServerCall } from '../call.js';
import { SELF, wrapResult } from '../eras/envelope.js';
import { listPages } from '../list-pages.js';
import { reasonOf } from '../upstream-error.js';
import { ask, type Part, withoutToken } from './part.js';

/** Members of the results of list methods. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LISTS).map(([kind, { method }]) => [method, kind] as const),
  [TASK_LIST, 'tasks'],
]);

export const isList = (method: string): boolean => MEMBERS.has(method);

/** What one server lists: its results joined into one, or why it is missing. */
type Listed = { readonly entries: readonly Members[]; readonly about: Members } | string;

/** Lists what all servers have, in one page and in the order of the servers. The gate cuts it. */
export async function listAll(parts: readonly Part[], call: ServerCall, era: Era): Promise<CallAnswer> {
  const key = MEMBERS.get(call.method) ?? '';
  const lists = await Promise.all(parts.map((part) => listPart(part, call, key)));
  const missing = parts.flatMap(({ member }, at) => {
    const list = lists[at];
    return typeof list === 'string' ? [[member.slug, list] as const] : [];
  });
  if (missing.length === parts.length && parts.length > 0) {
    const reasons = missing.map(([slug, reason]) => `${slug}: ${reason}`).join('; ');
    return refusal(ERRORS.internal, `No server of this endpoint answers. ${reasons}`);
  }
  const found = lists.filter((each) => typeof each !== 'string');
  const _meta = missing.length === 0 ? {} : { _meta: { [UNAVAILABLE_META]: Object.fromEntries(missing) } };
  const result = { [key]: found.flatMap(({ entries }) => entries), ..._meta };
  if (era === 'legacy') return { result };
  return {
    result: wrapResult(call.method, { ...strictestHints(found.map(({ about }) => about)), ...result }, SELF),
  };
}

async function listPart(part: Part, call: ServerCall, key: string): Promise<Listed> {
  const { member } = part;
  if (member.down !== undefined) return member.down;
  const { cursor: _cursor, ...kept } = withoutToken(call.params) ?? {};
  const { items, about, end } = await listPages(key, async (cursor) => {
    const answer = await member.inTime(ask(part, { ...call, params: { ...kept, ...cursor } }));
    if (typeof answer === 'string') throw new Error(answer);
    member.answered(answer);
    return answer;
  });
  if (end.kind === 'failed') return member.down ?? reasonOf(end.error);
  const entries = items.map(membersOf);
  member.learn(entries.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])));
  return { entries: entries.map((entry) => outsideEntry(member.slug, entry)), about };
}
