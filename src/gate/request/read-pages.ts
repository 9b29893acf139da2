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
  const onPage = (page: Record<string, unknown>): number => {
    pages.push(page);
    const items = read(page, field);
    return Array.isArray(items) ? items.length : 0;
  };
  askForPages(ask, method, { bounds, onPage, params }, (end) => then({ pages, end }));
}
