import { KINDS } from '../../core/engine/policy.js';
import type { LeftOut } from '../../core/engine/servers/left-out.js';
import {
  LEFT_OUT_META,
  NAMED_BY,
  type NamedKind,
  outsideEntry,
  UNAVAILABLE_META,
} from '../../core/engine/servers/outside-names.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import { misfitOf } from '../../core/wire/definition.js';
import { ERRORS, type Era, LISTS, membersOf, read, refusal, TASK_LIST } from '../../core/wire/messages.js';
import { strictestHints } from '../../core/wire/page-walker.js';
import type { ServerCall } from '../call.js';
import { SELF, wrapResult } from '../eras/envelope.js';
import { listPages } from '../list-pages.js';
import { reasonOf } from '../upstream-error.js';
import type { KeepListed, Listed } from './lists-of-one.js';
import type { Member } from './member.js';
import { ask, type Part, withoutToken } from './part.js';

/** Members of the results of list methods. */
const MEMBERS: ReadonlyMap<string, NamedKind> = new Map([
  ...KINDS.map((kind) => [LISTS[kind].method, kind] as const),
  [TASK_LIST, 'tasks' as const],
]);

export const isList = (method: string): boolean => MEMBERS.has(method);

/** Lists what all servers have, in one page and in the order of the servers. The gate cuts it. */
export async function listAll(parts: readonly Part[], call: ServerCall, era: Era): Promise<CallAnswer> {
  const key = MEMBERS.get(call.method) ?? 'tasks';
  const lists = await Promise.all(parts.map((part) => listedBy(part, call, key)));
  const missing = parts.flatMap(({ member }, at) => {
    const list = lists[at];
    return typeof list === 'string' ? [[member.slug, list.slice(0, MAX_REASON)] as const] : [];
  });
  if (missing.length === parts.length && parts.length > 0) {
    const reasons = missing.map(([slug, reason]) => `${slug}: ${reason}`).join('; ');
    return refusal(ERRORS.internal, `No server of this endpoint answers. ${reasons}`);
  }
  const found = lists.filter((each) => typeof each !== 'string');
  const leftOut = parts.flatMap(({ member }, at) => {
    const list = lists[at];
    const first = typeof list === 'object' ? list.leftOut.first : [];
    return first.length === 0 ? [] : [[member.slug, first] as const];
  });
  const told = {
    ...(missing.length === 0 ? {} : { [UNAVAILABLE_META]: Object.fromEntries(missing) }),
    ...(leftOut.length === 0 ? {} : { [LEFT_OUT_META]: Object.fromEntries(leftOut) }),
  };
  const _meta = Object.keys(told).length === 0 ? {} : { _meta: told };
  const result = { [key]: found.flatMap(({ entries }) => entries), ..._meta };
  if (era === 'legacy') return { result };
  return {
    result: wrapResult(call.method, { ...strictestHints(found.map(({ about }) => about)), ...result }, SELF),
  };
}

const listedBy = (part: Part, call: ServerCall, key: NamedKind): Promise<Listed> =>
  key === 'tasks'
    ? listPart(part, call, key)
    : part.lists.read(key, (keep) => listPart(part, call, key, keep));

/**
 * What one server may list, and after how long no page more is asked for: then what has arrived is there before its siblings stop
 * waiting.
 */
const boundsOf = ({ patienceMs }: Member) => ({ items: 20_000, milliseconds: patienceMs * 0.8 });

/** So many entries that are left out are named; a server may list any number of them. */
const MAX_NAMED = 20;
const MAX_TEXT = 100;
/** In characters: the reason can be an error that the server answers. */
const MAX_REASON = 1000;

const shortened = (text: string): string => text.slice(0, MAX_TEXT);

/**
 * Lists one kind of what one server has.
 *
 * @param keep is given the list when it is there, also if that is too late for this call
 * @returns the list, or why it is missing
 */
export async function listPart(
  part: Part,
  call: ServerCall,
  key: NamedKind,
  keep: KeepListed = () => undefined,
): Promise<Listed> {
  const { member } = part;
  const { down } = member;
  // What it listed before is over; a list that is late may still be the same.
  if (down !== undefined) keep(down);
  const missing = down ?? member.lateList(key);
  if (missing !== undefined) return missing;
  const listing = walkPart(part, call, key).then(({ listed, last }) => {
    member.listIsLate(key, false);
    // It is kept before the client is told that the server is back.
    keep(listed);
    member.answered(last);
    return typeof listed === 'string' ? (member.down ?? listed) : listed;
  });
  const found = await member.inTime(listing);
  if (found.isLate) member.listIsLate(key, true);
  return found.isLate ? found.reason : found.answer;
}

/** Walks through all pages, however long the server takes. `last` is the answer that ended it. */
async function walkPart(
  part: Part,
  call: ServerCall,
  key: NamedKind,
): Promise<{ readonly listed: Listed; readonly last: CallAnswer }> {
  const { member } = part;
  const { cursor: _cursor, ...kept } = withoutToken(call.params) ?? {};
  let last: CallAnswer = { result: {} };
  const { items, about, end } = await listPages(
    key,
    async (cursor) => {
      last = await ask(part, { ...call, params: { ...kept, ...cursor } });
      return last;
    },
    boundsOf(member),
  );
  if (end.kind === 'failed') return { listed: reasonOf(end.error), last };
  const leftOut: LeftOut[] = [];
  const entries = items.flatMap((entry) => {
    const misfit = misfitOf(key, entry);
    if (misfit === undefined) return [outsideEntry(member.slug, key, membersOf(entry))];
    // One entry that clients refuse would cost them the lists of all servers.
    const name = read(entry, NAMED_BY[key]);
    leftOut.push({ ...(typeof name === 'string' ? { name: shortened(name) } : {}), at: shortened(misfit) });
    return [];
  });
  const isPartial = end.kind !== 'complete' && end.kind !== 'repeated-cursor';
  if (isPartial) leftOut.unshift({ after: items.length, why: end.kind });
  member.learn(key, entries);
  const told = { first: leftOut.slice(0, MAX_NAMED), count: leftOut.length };
  part.sayLeftOut(key, told);
  return { listed: { entries, about, leftOut: told, isPartial }, last };
}
