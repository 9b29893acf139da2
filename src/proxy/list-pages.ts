import type { CallAnswer } from '../core/wire/calls.js';
import { ERRORS, type Members, membersOf, read } from '../core/wire/messages.js';
import { type WalkBounds, type WalkEnd, walkPages } from '../core/wire/page-walker.js';

/** The pages of a list together. */
export interface ListedPages {
  readonly items: readonly unknown[];
  /** What the last page says besides. */
  readonly about: Members;
  /** Why there are no more. */
  readonly end: WalkEnd;
}

/**
 * Lists all pages of a list. A server without this kind of primitive does not know the method: its list is empty.
 *
 * @param key the member of a result that has the items
 * @param ask asks for a page, with the cursor if it is not the first
 * @param bounds how far to go
 * @returns the items of all pages. An error, or what `ask` throws, ends them as `failed`.
 */
export async function listPages(
  key: string,
  ask: (cursor: { readonly cursor?: string | number }) => Promise<CallAnswer>,
  bounds: WalkBounds = {},
): Promise<ListedPages> {
  const items: unknown[] = [];
  const most = bounds.items ?? Number.POSITIVE_INFINITY;
  let isCut = false;
  let latest = 0;
  let about: Members = {};
  const fetchPage = async (cursor: string | number | undefined): Promise<unknown> => {
    const answer = await ask(cursor === undefined ? {} : { cursor });
    if ('result' in answer) return answer.result;
    if (answer.error.code === ERRORS.methodNotFound) return undefined;
    throw new Error(answer.error.message);
  };
  const onPage = (page: unknown): number => {
    const listed = read(page, key);
    if (!Array.isArray(listed)) return 0;
    about = membersOf(page);
    const before = items.length;
    latest = before;
    // Not spread: a page can have more entries than a call can have arguments.
    for (const each of listed.slice(0, most - items.length)) items.push(each);
    isCut ||= listed.length > most - before;
    return listed.length;
  };
  const { end } = await walkPages(fetchPage, { onPage, bounds });
  if (end.kind === 'repeated-cursor') dropRepeated(items, latest);
  return { items, about, end: isCut ? { kind: 'too-many-items' } : end };
}

/** Removes the last page if it says nothing that an earlier one did not: that page was sent twice. */
function dropRepeated(items: unknown[], from: number): void {
  const earlier = new Set(items.slice(0, from).map((each) => JSON.stringify(each)));
  if (items.slice(from).every((each) => earlier.has(JSON.stringify(each)))) items.splice(from);
}
