import { NAMED_BY } from '../../engine/servers/outside-names.js';
import { type Failure, read } from '../../wire/messages.js';
import { type AskServer, askForPages, type WalkBounds, type WalkEnd } from '../../wire/page-walker.js';

/** The pages of which list somebody needs, and how far. */
export interface NeededPages {
  readonly method: string;
  readonly field: string;
  readonly bounds: WalkBounds;
  readonly params?: Record<string, unknown> | undefined;
}

/** The pages of a list, and why no more were read. */
export interface FoundPages {
  readonly pages: readonly Record<string, unknown>[];
  readonly end: WalkEnd<Failure['error']>;
}

/** Reads the pages of a list, as far as its bounds allow. */
export function readPages(
  ask: AskServer,
  { method, field, bounds, params }: NeededPages,
  then: (found: FoundPages) => void,
): void {
  const pages: Record<string, unknown>[] = [];
  const known = new Set<unknown>();
  const cursors = new Set<unknown>();
  let isAgain = false;
  const onPage = (page: Record<string, unknown>): number => {
    const items = read(page, field);
    const found = Array.isArray(items) ? items : [];
    const before = known.size;
    for (const each of found) known.add(nameIn(field, each));
    const cursor = read(page, 'nextCursor');
    // Some servers end with a cursor that leads back to a page: an empty one, or the same again.
    isAgain = cursors.has(cursor) && known.size === before;
    if (cursor !== undefined) cursors.add(cursor);
    if (!isAgain || found.length === 0) pages.push(page);
    return found.length;
  };
  askForPages(ask, method, { bounds, onPage, params }, (end) =>
    // Where a cursor comes again with new entries, nobody knows what else there is.
    then({ pages, end: end.kind === 'repeated-cursor' && isAgain ? { kind: 'complete' } : end }),
  );
}

const NAMES = new Map<string, string>(Object.entries(NAMED_BY));

/** Returns what names an entry of a list; the whole entry where no member is known to do so. */
function nameIn(field: string, entry: unknown): unknown {
  const member = NAMES.get(field);
  return member === undefined ? JSON.stringify(entry) : read(entry, member);
}
