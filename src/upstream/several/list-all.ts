import { KINDS } from '../../engine/policy.js';
import {
  LEFT_OUT_META,
  type NamedKind,
  outsideEntry,
  UNAVAILABLE_META,
} from '../../engine/servers/outside-names.js';
import type { CallAnswer } from '../../wire/calls.js';
import { misfitOf } from '../../wire/definition.js';
import { ERRORS, type Era, LISTS, membersOf, read, refusal, TASK_LIST } from '../../wire/messages.js';
import { strictestHints } from '../../wire/page-walker.js';
import type { ServerCall } from '../call.js';
import { SELF, wrapResult } from '../eras/envelope.js';
import { listPages } from '../list-pages.js';
import { reasonOf } from '../upstream-error.js';
import type { Listed } from './lists-of-one.js';
import { PATIENCE_MS } from './member.js';
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
    return typeof list === 'string' ? [[member.slug, list] as const] : [];
  });
  if (missing.length === parts.length && parts.length > 0) {
    const reasons = missing.map(([slug, reason]) => `${slug}: ${reason}`).join('; ');
    return refusal(ERRORS.internal, `No server of this endpoint answers. ${reasons}`);
  }
  const found = lists.filter((each) => typeof each !== 'string');
  const leftOut = parts.flatMap(({ member }, at) => {
    const list = lists[at];
    const wrong = typeof list === 'object' ? list.wrong : [];
    return wrong.length === 0 ? [] : [[member.slug, wrong.slice(0, MAX_NAMED)] as const];
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

async function listedBy(part: Part, call: ServerCall, key: NamedKind): Promise<Listed> {
  if (key === 'tasks') return listPart(part, call, key);
  const { lists } = part;
  const kept = lists.get(key);
  if (kept !== undefined) return kept;
  const listed = await listPart(part, call, key);
  lists.keep(key, listed);
  return listed;
}

/** What one server may list, and how long its siblings wait for all of its pages. */
const BOUNDS = { items: 20_000, milliseconds: PATIENCE_MS };

/** So many entries that are left out are named; a server may list any number of them. */
const MAX_NAMED = 20;
const MAX_NAME = 100;

const nameOf = (entry: unknown): string =>
  String(read(entry, 'name') ?? read(entry, 'uri') ?? read(entry, 'uriTemplate') ?? '').slice(0, MAX_NAME);

/** Lists one kind of what one server has. */
export async function listPart(part: Part, call: ServerCall, key: NamedKind): Promise<Listed> {
  const { member } = part;
  if (member.down !== undefined) return member.down;
  const { cursor: _cursor, ...kept } = withoutToken(call.params) ?? {};
  const { items, about, end } = await listPages(
    key,
    async (cursor) => {
      const answer = await member.inTime(ask(part, { ...call, params: { ...kept, ...cursor } }));
      if (typeof answer === 'string') throw new Error(answer);
      member.answered(answer);
      return answer;
    },
    BOUNDS,
  );
  if (end.kind === 'failed') return member.down ?? reasonOf(end.error);
  const isPartial = end.kind !== 'complete' && end.kind !== 'repeated-cursor';
  const wrong: string[] = isPartial ? [`the pages after entry ${items.length}: ${end.kind}`] : [];
  const entries = items.flatMap((entry) => {
    const misfit = key === 'tasks' ? undefined : misfitOf(key, entry);
    if (misfit === undefined) return [outsideEntry(member.slug, key, membersOf(entry))];
    // One entry that clients refuse would cost them the lists of all servers.
    wrong.push(`${nameOf(entry)}: ${misfit === '' ? 'not an object' : misfit}`);
    return [];
  });
  member.learn(key, entries);
  return { entries, about, wrong, isPartial };
}
